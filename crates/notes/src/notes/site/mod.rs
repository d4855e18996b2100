//! Lessons as a site: static pages that any server gives, with one module, one script and one style for all.

mod page;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use super::page::{MODULE, Played};
use super::picture;
use super::report::{NoteBlock, slug};
use crate::base::diag::Diagnostic;
use crate::base::sanitize::MARKS;
use crate::base::store::write_within;
use crate::pack::PackFiles;

/// Marks around a text that a page keeps up to date: begin, separator, end. Before the separator is the id of a control's parameter, or the
/// settings that a click applies: `k=1,score=0`.
pub const LIVE: [char; 3] = MARKS;

/// The index of the search, which is written last.
pub const INDEX: &str = "search.json";

/// The file by which a folder is known as a site of this program.
const OURS: &str = "warpbook-site.txt";

/// Its text.
const SAYS: &str = "Written by Warpbook. What is in this folder is replaced when it is written again.\n";

/// A lesson of a site.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// The lesson's id, its title, and what a reader will know afterwards.
    pub id: String,
    pub title: String,
    pub summary: String,
    /// Titles of the lessons that a reader should know before, with their ids.
    pub before: Vec<[String; 2]>,
    /// The picture of its card, as SVG, and its size in points; None if there is none.
    pub cover: Option<(String, [f32; 2])>,
    /// Whether it is in the built-in pack.
    pub built_in: bool,
    /// The module's first question, which has the lesson.
    pub pack: String,
    pub pages: Vec<Page>,
}

/// A page of a lesson.
#[derive(Clone, Debug)]
pub struct Page {
    /// The step's id and title.
    pub id: String,
    pub title: String,
    /// The title of the part that begins with it; empty if none does.
    pub part: String,
    /// Names of the figures on its stage.
    pub stages: Vec<String>,
    pub blocks: Vec<NoteBlock>,
    /// Where its pictures play, by their names.
    pub plays: BTreeMap<String, Played>,
    /// Its questions and exercises, in the order of the page.
    pub questions: Vec<Question>,
    pub exercises: Vec<Exercise>,
}

/// A question of a page.
#[derive(Clone, Debug, Serialize)]
pub struct Question {
    pub id: String,
    /// The kind of its answer: `choice`, `number` or `curve`. A page does not ask for a curve.
    pub kind: &'static str,
    /// The unit of a number.
    pub unit: String,
    /// The answer that was recorded, for the module; null if the module finds it.
    pub recorded: serde_json::Value,
}

/// An exercise of a page.
#[derive(Clone, Debug, Serialize)]
pub struct Exercise {
    pub id: String,
    /// The file of its starter, under whose name the page has it.
    pub file: String,
    pub starter: String,
    pub solution: String,
    /// Hints as HTML, to be opened one after the other.
    pub hints: Vec<String>,
}

impl Exercise {
    /// One with its hints.
    #[must_use]
    pub fn new([id, file]: [&str; 2], texts: [&str; 2], hints: &[Vec<crate::lesson::Inline>]) -> Self {
        let [starter, solution] = texts.map(ToOwned::to_owned);
        let hints = hints.iter().map(|hint| super::html::inline(hint, super::html::math)).collect();
        Self { id: id.to_owned(), file: file.to_owned(), starter, solution, hints }
    }
}

impl Page {
    /// The folder of a page, by its place from 0.
    #[must_use]
    pub fn folder(&self, place: usize) -> String {
        format!("{}-{}", place + 1, slug(&self.title))
    }
}

/// A site's folder.
#[derive(Debug)]
pub struct Site {
    root: PathBuf,
    /// The address at which it will be, for search engines and shared links; empty if it is not known.
    address: String,
}

impl Site {
    /// Makes the folder, with what all pages share.
    ///
    /// # Errors
    /// When the folder has other things in it, or cannot be written.
    pub fn new(root: &Path, address: &str) -> Result<Self, Diagnostic> {
        let is_empty = fs::read_dir(root).map_or(true, |mut entries| entries.next().is_none());
        let is_ours = fs::read_to_string(root.join(OURS)).is_ok_and(|text| text == SAYS);
        if !is_empty && !is_ours {
            let problem = Diagnostic::error(format!("{} has files that are no site of Warpbook", root.display()));
            return Err(problem.hint("give an empty folder, or one that is not there yet"));
        }
        let site = Self { root: root.to_path_buf(), address: address.trim_end_matches('/').to_owned() };
        site.put(OURS, SAYS.as_bytes())?;
        site.put("book.css", page::style().as_bytes())?;
        site.put("book.js", page::SCRIPT.as_bytes())?;
        site.put("play.js", super::page::SCRIPT.as_bytes())?;
        let module = PackFiles::Embedded.read_bytes(MODULE, u64::MAX).unwrap_or_default();
        site.put("page.wasm.gz", &module)?;
        Ok(site)
    }

    /// Writes a lesson's pages.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, chapter: &Chapter) -> Result<(), Diagnostic> {
        let folder = slug(&chapter.id);
        for (place, leaf) in chapter.pages.iter().enumerate() {
            let path = format!("{folder}/{}/index.html", leaf.folder(place));
            self.put(&path, page::of_step(chapter, place, &self.address).as_bytes())?;
        }
        self.forget(chapter);
        self.put(&format!("{folder}/index.html"), page::of_lesson(chapter, &self.address).as_bytes())?;
        let mut pack = GzEncoder::new(Vec::new(), Compression::best());
        let packed = pack.write_all(chapter.pack.as_bytes()).and_then(|()| pack.finish());
        let packed =
            packed.map_err(|why| Diagnostic::error(format!("cannot pack the lesson {}: {why}", chapter.id)))?;
        self.put(&format!("{folder}/pack.json.gz"), &packed)?;
        if let Some((cover, size)) = &chapter.cover {
            let card = picture::card(cover, *size, &chapter.title, "Warpbook", &chapter.summary);
            let png = picture::png(&[card]).map_err(Diagnostic::error)?;
            self.put(&format!("{folder}/cover.png"), &png)?;
        }
        Ok(())
    }

    /// Removes pages of the lesson that it no longer has, and nothing else.
    fn forget(&self, chapter: &Chapter) {
        let folder = self.root.join(slug(&chapter.id));
        let now: Vec<String> = chapter.pages.iter().enumerate().map(|(place, leaf)| leaf.folder(place)).collect();
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().into_string().unwrap_or_default();
            let is_page = name.split_once('-').is_some_and(|(place, _)| place.parse::<usize>().is_ok());
            if is_page && !now.contains(&name) && fs::remove_file(entry.path().join("index.html")).is_ok() {
                // A folder with other files in it stays.
                let _ = fs::remove_dir(entry.path());
            }
        }
    }

    /// Writes the start page with these lessons.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn begin(&self, chapters: &[Chapter]) -> Result<PathBuf, Diagnostic> {
        self.put("index.html", page::of_start(chapters, &self.address).as_bytes())?;
        Ok(self.root.join("index.html"))
    }

    /// Writes the start page with these lessons, the index for its search, and a map for search engines.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(&self, chapters: &[Chapter]) -> Result<PathBuf, Diagnostic> {
        let start = self.begin(chapters)?;
        self.put(INDEX, page::index(chapters).as_bytes())?;
        if !self.address.is_empty() {
            let pages = chapters.iter().flat_map(|chapter| {
                let folder = slug(&chapter.id);
                let of_steps = chapter.pages.iter().enumerate().map({
                    let folder = folder.clone();
                    move |(place, leaf)| format!("{folder}/{}/", leaf.folder(place))
                });
                of_steps.chain([format!("{folder}/")]).collect::<Vec<_>>()
            });
            let map: Vec<String> = pages.map(|page| format!("{}/{page}\n", self.address)).collect();
            self.put("sitemap.txt", map.concat().as_bytes())?;
        }
        Ok(start)
    }

    fn put(&self, path: &str, contents: &[u8]) -> Result<(), Diagnostic> {
        write_within(&self.root, &self.root.join(path), contents)
    }
}
