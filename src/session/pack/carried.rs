//! The files of a pack that one lesson needs, for a note that plays, with what is known of devices.

use std::collections::BTreeMap;

use super::profile;
use crate::lesson::PackFiles;
use crate::session::experiment::recording;
use crate::session::run::model;

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
        // Its twin in CUDA C++, which recordings are of.
        let twin = path.strip_suffix(".wgsl").map(|plain| format!("{plain}.cu"));
        left.extend(twin.filter(|twin| files.find(twin).is_ok()));
        found.insert(path, text);
    }
    for known in [files, &PackFiles::Embedded] {
        for path in known.list(model::FOLDER) {
            if let Ok(text) = known.read(&path) {
                found.entry(path).or_insert(text);
            }
        }
    }
    let profiles = files.list(profile::FOLDER).into_iter().filter_map(|path| Some((files.read(&path).ok()?, path)));
    found.extend(profiles.map(|(text, path)| (path, text)));
    found.extend(files.list(recording::FOLDER).into_iter().filter_map(|path| recorded(files, lesson, path)));
    found.insert("lessons/index.ron".to_owned(), format!("(format_version: 1, order: [\"{lesson}\"])"));
    found
}

/// A recording's part that is of the lesson; None if it has none.
fn recorded(files: &PackFiles, lesson: &str, path: String) -> Option<(String, String)> {
    let mut recording = recording::read("", &path, &files.read(&path).ok()?).ok()?;
    recording.experiments.retain(|recorded| recorded.lesson == lesson);
    (!recording.experiments.is_empty()).then(|| (path, recording.to_text()))
}

/// Words between quotation marks that can be paths.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    let is_path = |word: &&str| word.len() < 200 && word.contains('.') && !word.contains(['\n', ' ', '{']);
    // Every second part is between quotation marks, unless a text has a single one; so all parts are looked at.
    text.split('"').filter(is_path)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::session;

    /// A page shows the recordings that the program shows.
    #[test]
    fn a_lesson_carries_its_recordings() {
        let (pack, _) = session::load(&PackFiles::Embedded);
        let (all, _) = recording::load(&PackFiles::Embedded, &pack);
        for lesson in pack.lessons.iter() {
            let files = carried(&PackFiles::Embedded, &lesson.id);
            let files = files.into_iter().map(|(path, text)| (path, text.into_bytes())).collect();
            let files = PackFiles::Memory(Arc::new(files));
            let (own, problems) = session::load(&files);
            let (carried, more) = recording::load(&files, &own);
            let shown = |recordings: &[recording::Recording]| {
                let of = |experiment: &crate::lesson::Experiment| {
                    let each = recordings.iter().filter_map(|recording| {
                        Some((recording.id.clone(), recording.shown(lesson, experiment)?.1.sweep.points.len()))
                    });
                    each.collect::<Vec<_>>()
                };
                lesson.experiments.iter().map(|experiment| (experiment.id.clone(), of(experiment))).collect::<Vec<_>>()
            };
            assert_eq!(shown(&carried), shown(&all), "{}: {problems:?} {more:?}", lesson.id);
        }
    }
}
