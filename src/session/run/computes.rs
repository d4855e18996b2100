//! The operations and the lines of a model that a kernel of torch.compile's was fused from.

use serde::Serialize;

/// The part of a model that a pass of a compiled model computes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Computes {
    /// The operations, as the model's source names them: `layer_norm`, `gelu`.
    pub operations: Vec<String>,
    /// The lines of the model that they are in, where they are known.
    pub lines: Vec<ModelLine>,
}

/// A line of a model's source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ModelLine {
    /// The file's name, without its folder.
    pub file: String,
    pub line: u32,
    /// Its text.
    pub code: String,
}
