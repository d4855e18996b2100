//! The `library` field of a kernel: the library call that does the same work.

use serde::Deserialize;

use super::conditions::Wanted;
use super::document::Reader;
use super::fields::{Node, did_you_mean};
use super::model::{Buffer, LibraryDecl, ProductDecl};
use super::records;
use crate::base::expr::Expr;
use crate::job::Product;

/// The forms that it can have, for messages.
const FORMS: &str = "Copy(\"from\", \"to\") or Product(a: \"a\", b: \"b\", c: \"c\", m: \"m\", n: \"n\", k: \"k\")";

/// The form that serde parses directly.
#[derive(Deserialize)]
enum Document {
    Copy(String, String),
}

impl Reader<'_> {
    /// The library call for `kernel`, with that kernel's buffers.
    pub(super) fn library(&mut self, kernel: &str, buffers: &[Buffer], node: Node<'_>) -> Option<LibraryDecl> {
        match node.variant() {
            ("Copy", _) => copy(buffers, node),
            ("Product", Some(fields)) => self.product(kernel, buffers, fields),
            (other, _) => {
                node.error(format!("there is no library's call `{other}`"), format!("write {FORMS}"));
                None
            }
        }
    }

    /// A product of matrices: its buffers are the kernel's, of compatible types, and large enough.
    fn product(&mut self, kernel: &str, buffers: &[Buffer], node: Node<'_>) -> Option<LibraryDecl> {
        let fields = node.fields(&records::PRODUCT)?;
        let names = ["a", "b", "c"].map(|name| fields.text(name));
        let found = names.each_ref().map(|text| {
            let text = text.as_ref()?;
            let found = buffers.iter().find(|buffer| buffer.name == text.value);
            if found.is_none() {
                let hint = did_you_mean(&text.value, buffers.iter().map(|buffer| buffer.name.as_str()));
                text.error(format!("`{}` is not a buffer of this kernel", text.value), hint);
            }
            found
        });
        let sizes = ["m", "n", "k"].map(|name| self.wanted(kernel, fields.get(name), Wanted::Count(1)));
        let transposed = fields.get("b_transposed");
        fields.finish();
        let b_transposed = transposed.map_or(Some(false), |node| node.read("true or false"))?;
        let ([Some(a), Some(b), Some(c)], [Some(m), Some(n), Some(k)]) = (found, sizes) else { return None };
        if !Product::computes(a.elem, b.elem, c.elem) {
            let message = format!("there is no product of {:?} and {:?} to {:?} here", a.elem, b.elem, c.elem);
            node.error(message, "use F32 throughout, or F16 or Bf16 for A and B and either F32 or the same for C");
            return None;
        }
        for (buffer, rows, columns) in [(a, &m, &k), (b, &k, &n), (c, &m, &n)] {
            // Both were parsed, so their product can be parsed too.
            let needed = Expr::parse(&format!("({}) * ({})", rows.source(), columns.source())).ok()?;
            self.require(kernel, node, needed, Wanted::BufferLength(buffer.name.clone(), buffer.count.clone()));
        }
        let buffers = [a, b, c].map(|buffer| buffer.name.clone());
        Some(LibraryDecl::Product(Box::new(ProductDecl { buffers, sizes: [m, n, k], b_transposed })))
    }
}

/// A copy. Both buffers are the kernel's, and their size expressions are the same.
fn copy(buffers: &[Buffer], node: Node<'_>) -> Option<LibraryDecl> {
    let Document::Copy(from, to) = node.read(FORMS)?;
    let [source, target] = [&from, &to].map(|name| {
        let found = buffers.iter().find(|buffer| buffer.name == *name);
        if found.is_none() {
            let hint = did_you_mean(name, buffers.iter().map(|buffer| buffer.name.as_str()));
            node.error(format!("`{name}` is not a buffer of this kernel"), hint);
        }
        found
    });
    let (source, target) = (source?, target?);
    if (source.elem, source.count.source()) != (target.elem, target.count.source()) {
        node.error("a copy's buffers have the same elements and the same `count`", "name two buffers that do");
        return None;
    }
    Some(LibraryDecl::Copy(from, to))
}
