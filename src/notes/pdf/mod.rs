//! A report as a PDF: the elements of its HTML page, set on paper in the program's own fonts. `krilla` writes the file.

mod blocks;
mod fonts;
mod lines;
mod page;
mod table;

use std::path::Path;

use roxmltree::{Document, Node};
use usvg::{Options, Tree};

use super::html;
use super::picture::options;
use super::report::Report;
use blocks::Setter;
use fonts::Fonts;
use page::Pages;

/// The size that the page's formulas are drawn at, in CSS pixels.
const PX: f32 = html::TEXT_PX;

/// Writes the report.
///
/// # Errors
/// The message of the library that writes the file.
pub(super) fn render(report: &Report) -> Result<Vec<u8>, String> {
    let page = html::render(report);
    let document = Document::parse(&page).map_err(|why| why.to_string())?;
    let fonts = Fonts::new();
    let mut pages = Pages::new();
    let pictures = Pictures::new(&page);
    let body = document.descendants().find(|node| node.has_tag_name("main"));
    if let Some(body) = body {
        Setter { pages: &mut pages, fonts: &fonts, pictures: &pictures }.all(body);
    }
    pages.file(&report.title, &report.title, &fonts)
}

/// Whether a file is a PDF that this program wrote: it is replaced as a whole.
pub(super) fn is_ours(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default();
    let creator = page::CREATOR.as_bytes();
    bytes.starts_with(b"%PDF-") && bytes.windows(creator.len()).any(|part| part == creator)
}

/// The pictures of a page, in the text that it was parsed from.
struct Pictures<'p> {
    page: &'p str,
    options: Options<'static>,
}

impl<'p> Pictures<'p> {
    fn new(page: &'p str) -> Self {
        let options = options();
        Self { page, options }
    }

    /// An `svg` element with its size times `scale`; None if it is no valid picture.
    fn tree(&self, node: Node<'_, '_>, scale: f32) -> Option<(Tree, [f32; 2])> {
        let text = self.page.get(node.range())?;
        let tree = Tree::from_str(text, &self.options).ok()?;
        let size = [tree.size().width() * scale, tree.size().height() * scale];
        Some((tree, size))
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::super::report::tests::sample;
    use super::super::report::{NoteBlock, Section};
    use super::*;

    #[test]
    fn a_note_of_every_kind_of_block_becomes_a_file() {
        let bytes = render(&sample()).unwrap();
        assert!(bytes.starts_with(b"%PDF-") && bytes.len() > 20_000, "{}", bytes.len());
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
}
