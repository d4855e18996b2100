//! A kernel's `library`: the call that does the same work.

use super::fields::{Node, did_you_mean};
use super::model::Buffer;
use crate::job::Library;

/// A library's call. Both its buffers are the kernel's, and of one size by their expressions.
pub(super) fn library(buffers: &[Buffer], node: Node<'_>) -> Option<Library> {
    let library = node.read::<Library>("Copy(\"from\", \"to\")")?;
    let Library::Copy(from, to) = &library;
    let [source, target] = [from, to].map(|name| {
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
    Some(library)
}
