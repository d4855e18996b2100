//! Kernel files that a lesson names, each with the parts that it includes.

use std::sync::Arc;

use super::document::Reader;
use super::fields::Text;
use crate::base::diag::Diagnostic;
use crate::base::files::FileError;
use crate::base::parts;

impl Reader<'_> {
    /// The path and text, with its parts, of the file that `text` names, in `folder`.
    pub(super) fn file(&self, folder: &str, text: &Text<'_>) -> Option<(String, Arc<str>)> {
        let path = format!("{folder}/{}", text.value);
        match self.reading.files.read(&path) {
            Ok(source) => Some((path.clone(), self.composed(text, &path, source)?)),
            Err(FileError::Missing) => {
                let below = self.reading.files.list(folder);
                let names = below.iter().filter_map(|file| file.strip_prefix(folder)?.strip_prefix('/'));
                let hint = crate::base::diag::nearest(&text.value, names).map_or_else(
                    || "add the file, or name another".to_owned(),
                    |near| format!("did you mean `{near}`?"),
                );
                text.error(format!("there is no file {}", self.reading.files.display(&path)), hint);
                None
            }
            Err(FileError::Unreadable(why)) => {
                text.error(format!("cannot read {}: {why}", self.reading.files.display(&path)), "make it plain text");
                None
            }
        }
    }

    /// A kernel's text followed by its parts. Errors in the parts are reported where they are named.
    pub(super) fn composed(&self, text: &Text<'_>, path: &str, own: String) -> Option<Arc<str>> {
        let files = self.reading.files;
        let list = || files.list(path.rsplit_once('/').map_or("", |(folder, _)| folder));
        let composed = parts::compose(path, own, &|part| files.read(part), &list);
        let report = |mut problem: Diagnostic| {
            problem.place.iter_mut().for_each(|place| place.file = files.display(&place.file));
            text.node.source.report(problem);
        };
        composed.map_err(report).ok().map(Arc::from)
    }
}
