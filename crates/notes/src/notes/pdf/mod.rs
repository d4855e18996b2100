//! A report as a PDF: the elements of its HTML page, set on paper in the program's own fonts. `krilla` writes the file.

mod blocks;
mod fonts;
mod lines;
mod page;
mod pictures;
mod table;

use std::path::Path;

use roxmltree::Document;

use super::html;
use super::report::{NoteBlock, Report};
use crate::base::units::si;
use blocks::Setter;
use fonts::Fonts;
use page::Pages;
use pictures::Pictures;

/// Bytes of the learner's own words in a PDF at most: more than a book. Each paragraph may be one letter, and takes as
/// long as a line.
const MOST_WORDS: usize = 1 << 20;
/// Bytes of the page that is set at most, with its pictures and formulas.
const MOST_PAGE: usize = 64 << 20;
/// Elements within elements at most, of which each takes a piece of the stack. A lesson's text and own words have far
/// fewer.
const DEEPEST: usize = 100;

/// Writes the report.
///
/// # Errors
/// Why it is not written: it is too long for paper, or the message of the library that writes the file.
pub(super) fn render(report: &Report) -> Result<Vec<u8>, String> {
    let long = |what: &str, bytes: usize, most: usize| {
        let [bytes, most] = [bytes, most].map(|bytes| si(bytes as f64, "B"));
        Err(format!("{what} {bytes}, and a PDF has at most {most} of that: write it as HTML or Markdown"))
    };
    let blocks = report.sections.iter().flat_map(|section| &section.blocks);
    let words = blocks.map(|block| if let NoteBlock::OwnWords { words, .. } = block { words.len() } else { 0 });
    let words: usize = words.sum();
    if words > MOST_WORDS {
        return long("your own words take", words, MOST_WORDS);
    }
    let page = html::render(report);
    if page.len() > MOST_PAGE {
        return long("its text, formulas and pictures take", page.len(), MOST_PAGE);
    }
    let fonts = Fonts::new();
    set(&page, &fonts)?.file(&report.title, &report.title, &fonts)
}

/// The elements of a page on paper.
fn set(page: &str, fonts: &Fonts) -> Result<Pages, String> {
    let document = Document::parse(page).map_err(|why| why.to_string())?;
    if document.descendants().any(|node| node.ancestors().nth(DEEPEST).is_some()) {
        return Err(format!("quotations or lists in it nest more than {DEEPEST} deep: flatten them"));
    }
    let mut pages = Pages::new();
    let pictures = Pictures::new(page);
    let body = document.descendants().find(|node| node.has_tag_name("main"));
    if let Some(body) = body {
        Setter { pages: &mut pages, fonts, pictures: &pictures }.all(body);
    }
    Ok(pages)
}

/// Whether a file is a PDF that this program wrote: it is replaced as a whole.
pub(super) fn is_ours(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default();
    let creator = page::CREATOR.as_bytes();
    bytes.starts_with(b"%PDF-") && bytes.windows(creator.len()).any(|part| part == creator)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::super::report::Section;
    use super::super::report::tests::sample;
    use super::*;

    #[test]
    fn a_note_of_every_kind_of_block_becomes_a_file() {
        let bytes = render(&sample()).unwrap();
        assert!(bytes.starts_with(b"%PDF-") && bytes.len() > 20_000, "{}", bytes.len());
    }

    #[test]
    fn a_picture_that_cannot_be_drawn_is_mentioned_in_its_place() {
        let fonts = Fonts::new();
        let words = |svg: &str| {
            let figure = format!("<figure>{svg}<figcaption>caption</figcaption></figure>");
            let page = format!("<html><body><main>{figure}</main></body></html>");
            set(&page, &fonts).unwrap().words().join(" ")
        };
        let picture = |size: &str| words(&format!("<svg xmlns=\"http://www.w3.org/2000/svg\" {size}></svg>"));
        assert_eq!(picture("width=\"4\" height=\"2\""), "caption");
        assert_eq!(picture("width=\"0\" height=\"0\""), format!("{} caption", page::NO_PICTURE));
    }

    #[test]
    fn long_things_go_on_on_the_next_page() {
        let text = (0..400).map(|line| format!("let line_{line} = {line};\n")).collect();
        let rows = (0..150).map(|row| vec![row.to_string(), "a cell with several words in it".to_owned()]).collect();
        let source = NoteBlock::Source { file: "a.wgsl".into(), language: "wgsl".into(), text, folded: true };
        let header = vec!["n".to_owned(), "words".to_owned()];
        let data = NoteBlock::Data { id: "d".into(), caption: "Rows".into(), header, rows };
        let section = Section { id: "s".into(), title: "Long".into(), blocks: vec![source, data] };
        let bytes = render(&Report { sections: vec![section], ..sample() }).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let pages = text.matches("/Type /Page").count() - text.matches("/Type /Pages").count();
        assert!(pages > 8, "{pages} pages");
    }

    fn own(words: String) -> Report {
        let section =
            Section { blocks: vec![NoteBlock::OwnWords { about: String::new(), words }], ..Section::default() };
        Report { sections: vec![section], ..sample() }
    }

    #[test]
    fn deep_words_do_not_take_the_stack() {
        // As much as the window's thread has.
        let thread = std::thread::Builder::new().stack_size(2 << 20);
        let deep = || {
            let list: String = (0..500).map(|depth| "  ".repeat(depth) + "- w\n").collect();
            let emphasis = "*w **w ".repeat(3000) + "w" + &"***".repeat(3000);
            for words in [">".repeat(20_000) + " w", "- ".repeat(20_000) + "w", list, emphasis] {
                assert!(render(&own(words)).unwrap().starts_with(b"%PDF-"));
            }
        };
        thread.spawn(deep).unwrap().join().unwrap();
    }

    #[test]
    fn words_that_no_paper_has_room_for_are_refused() {
        let refused = render(&own("word ".repeat(300_000))).unwrap_err();
        assert!(refused.contains("your own words take 1.50 MB") && refused.contains("HTML"), "{refused}");
    }

    #[test]
    fn twice_the_words_are_twice_the_work() {
        let shapes: [&dyn Fn(usize) -> String; 6] = [
            &|n| "word ".repeat(n),
            &|n| "a\n\n".repeat(n),
            &|n| "Q: a\nA: b\n\n".repeat(n),
            &|n| format!("```\n{}\n```", "x".repeat(20 * n)),
            // A header that is longer than a page, above many pages of rows.
            &|n| format!("|{}|b|\n|-|-|\n{}", "long header ".repeat(n), "|a|b|\n".repeat(n)),
            &|n| "# a\n".repeat(n),
        ];
        // The note alone, whose fonts are most of a short one.
        let work = |words: String| {
            let report = own(words);
            allocation_counter::measure(|| drop(render(&report))).bytes_total
        };
        // The first PDF of a process reads the fonts, too.
        work(String::new());
        let least = work(String::new());
        for (which, shape) in shapes.iter().enumerate() {
            let [once, twice] = [500, 1000].map(|n| work(shape(n)).saturating_sub(least));
            assert!(twice < 3 * once, "{which}: {once} bytes, and {twice} for twice the words");
        }
    }
}
