//! The buffers of an entry point, as its program declares them.

use super::layout::Layout;
use crate::dispatch::BindingKind;
use warpbook_base::tensor::Elem;

/// A storage or uniform buffer that the entry point uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The variable's name.
    pub name: String,
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub binding: u32,
    /// How the shader declares it.
    pub kind: BindingKind,
    /// The type of its first component.
    pub elem: Elem,
    /// The smallest buffer that fits, in bytes: of a runtime-sized array, one element.
    pub min_bytes: u32,
    /// Bytes from one element of its runtime-sized array to the next; None if its size is fixed.
    pub stride: Option<u32>,
    /// How its type lies in memory.
    pub layout: Layout,
}
