//! The files of a pack that one lesson needs, for a note that plays.

use std::collections::BTreeMap;

use crate::lesson::PackFiles;

/// The folders that a lesson's files are named within.
const FOLDERS: [&str; 3] = ["shaders", "assets", "lessons"];

/// The text files that a lesson needs, by their paths, and an index that names it alone: those in its folder, and those
/// that they name between quotation marks, and so on. Files that are no text are left out.
#[must_use]
pub fn carried(files: &PackFiles, lesson: &str) -> BTreeMap<String, String> {
    let folder = format!("lessons/{lesson}");
    let mut found = BTreeMap::new();
    let mut left: Vec<String> = files.list(&folder);
    while let Some(path) = left.pop() {
        if found.contains_key(&path) {
            continue;
        }
        let Ok(text) = files.read(&path) else { continue };
        let beside = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for name in quoted(&text) {
            let within = FOLDERS.into_iter().chain([folder.as_str(), beside]).map(|root| format!("{root}/{name}"));
            let paths = std::iter::once(name.to_owned()).chain(within);
            left.extend(paths.filter(|path| !found.contains_key(path) && files.find(path).is_ok()));
        }
        found.insert(path, text);
    }
    found.insert("lessons/index.ron".to_owned(), format!("(format_version: 1, order: [\"{lesson}\"])"));
    found
}

/// Words between quotation marks that can be paths.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let is_path = |word: &&str| word.len() < 200 && word.contains('.') && !word.contains(['\n', ' ', '{']);
    // Every second part is between quotation marks, unless a text has a single one; so all parts are looked at.
    text.split('"').filter(is_path)
}
