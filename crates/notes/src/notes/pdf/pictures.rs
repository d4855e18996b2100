//! The pictures of a page.

use roxmltree::Node;
use usvg::{Options, Tree};

use crate::notes::html;
use crate::notes::picture::options;

/// The size that the page's formulas are drawn at, in CSS pixels.
pub(super) const PX: f32 = html::TEXT_PX;

/// The pictures of a page, in the text that it was parsed from.
pub(super) struct Pictures<'p> {
    page: &'p str,
    options: Options<'static>,
}

impl<'p> Pictures<'p> {
    pub(super) fn new(page: &'p str) -> Self {
        let options = options();
        Self { page, options }
    }

    /// An `svg` element with its size times `scale`; None if it is no valid picture.
    pub(super) fn tree(&self, node: Node<'_, '_>, scale: f32) -> Option<(Tree, [f32; 2])> {
        let text = self.page.get(node.range())?;
        let tree = Tree::from_str(text, &self.options).ok()?;
        let size = [tree.size().width() * scale, tree.size().height() * scale];
        Some((tree, size))
    }
}
