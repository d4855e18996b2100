//! Reading a RON file of a known version: the version first, then all of it, each mistake at its line and column.

use ron::extensions::Extensions;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::diag::Diagnostic;

/// The part of a file that every version has.
#[derive(Deserialize)]
struct VersionOnly {
    format_version: u32,
}

/// A kind of file.
#[derive(Clone, Copy, Debug)]
pub struct Versioned {
    /// The file's contents, in a word: "recording".
    pub what: &'static str,
    /// The version that this program reads.
    pub version: u32,
    /// Advice for a file that cannot be read.
    pub unreadable: &'static str,
    /// Advice for a file of another version.
    pub other_version: &'static str,
}

impl Versioned {
    /// Reads the text of `file`.
    ///
    /// # Errors
    /// The first mistake, at its place: RON that cannot be read, another version, a field that is unknown or missing, a
    /// value of the wrong type.
    pub fn read<T: DeserializeOwned>(&self, file: &str, text: &str) -> Result<T, Diagnostic> {
        let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
        let at = |error: &ron::error::SpannedError| {
            let message = error.code.to_string();
            let lower = message.chars().take(1).flat_map(char::to_lowercase).chain(message.chars().skip(1));
            let mut problem =
                Diagnostic::error(format!("cannot read this {}: {}", self.what, lower.collect::<String>()))
                    .hint(self.unreadable)
                    .in_file(file);
            if let Some(place) = &mut problem.place {
                place.line = u32::try_from(error.span.start.line).unwrap_or(u32::MAX);
                place.column = u32::try_from(error.span.start.col).unwrap_or(u32::MAX);
            }
            problem
        };
        let VersionOnly { format_version } = options.from_str(text).map_err(|error| at(&error))?;
        if format_version != self.version {
            let offset = text.find("format_version").unwrap_or(0);
            let message = format!(
                "this {} has format {format_version}, and this program reads format {}",
                self.what, self.version
            );
            let problem = Diagnostic::error(message).at(file, text, &(offset..offset));
            return Err(problem.hint(self.other_version));
        }
        options.from_str(text).map_err(|error| at(&error))
    }
}
