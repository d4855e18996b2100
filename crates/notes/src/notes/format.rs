//! The formats of a note, and the programs that they are for.

use crate::base::diag::{Diagnostic, nearest};

/// The format of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Markdown that any reader shows, with figures and tables as files beside it.
    Markdown,
    /// One self-contained HTML file.
    Html,
    /// The tables alone, as comma-separated values.
    Csv,
    /// Markdown for a vault of Obsidian.
    Obsidian,
    /// A post of a Jekyll site, in kramdown.
    Jekyll,
    /// A page bundle of a Hugo site.
    Hugo,
    /// A document of Quarto.
    Quarto,
    Jupyter,
    /// Cards that Anki imports.
    Anki,
    /// Markdown as GitHub shows it.
    GitHub,
    /// Pages to print.
    Pdf,
}

impl Format {
    /// Formats that any program reads, in the order they are offered.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Html, Self::Csv];
    /// Formats for one program, by whose name they are chosen.
    pub const READERS: [Self; 8] =
        [Self::Obsidian, Self::Jekyll, Self::Hugo, Self::Quarto, Self::Jupyter, Self::Anki, Self::GitHub, Self::Pdf];

    /// As the command line names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Csv => "csv",
            Self::Obsidian => "obsidian",
            Self::Jekyll => "jekyll",
            Self::Hugo => "hugo",
            Self::Quarto => "quarto",
            Self::Jupyter => "jupyter",
            Self::Anki => "anki",
            Self::GitHub => "github",
            Self::Pdf => "pdf",
        }
    }

    /// The ending of its files.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Markdown | Self::Obsidian | Self::Jekyll | Self::Hugo | Self::GitHub => "md",
            Self::Html => "html",
            Self::Csv => "csv",
            Self::Quarto => "qmd",
            Self::Jupyter => "ipynb",
            Self::Anki => "txt",
            Self::Pdf => "pdf",
        }
    }

    /// Whether its notes link to each other by their paths, so that an index of them is of use. A site has an index of
    /// its own.
    #[must_use]
    pub fn has_index(self) -> bool {
        matches!(self, Self::Markdown | Self::Html | Self::Obsidian | Self::Quarto | Self::Jupyter | Self::GitHub)
    }

    /// The format of this name among `all`.
    ///
    /// # Errors
    /// When there is none; the hint has the names.
    pub fn from_name(name: &str, all: &[Self]) -> Result<Self, Diagnostic> {
        let found = all.iter().copied().find(|format| format.name() == name);
        found.ok_or_else(|| {
            let names = || all.iter().map(|format| format.name());
            let hint = match nearest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("choose among {}", names().collect::<Vec<_>>().join(", ")),
            };
            Diagnostic::error(format!("there is no format `{name}` for notes")).hint(hint)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_names() -> Result<(), Diagnostic> {
        for all in [&Format::ALL[..], &Format::READERS] {
            for format in all {
                assert_eq!(Format::from_name(format.name(), all)?, *format);
            }
        }
        let hint = Format::from_name("htm", &Format::ALL).err().and_then(|error| error.hint);
        assert_eq!(hint.as_deref(), Some("did you mean `html`?"));
        Ok(())
    }
}
