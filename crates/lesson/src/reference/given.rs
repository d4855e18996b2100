//! The arguments and inputs of a reference, and the values that it expects.

use crate::base::tensor::Tensor;

/// The arguments and inputs of a reference, in the order of its signature.
pub(super) struct Given<'a> {
    /// Arguments: whole numbers, none negative.
    pub args: Vec<usize>,
    pub inputs: Vec<&'a Tensor>,
}

/// The expected value of an element.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Expected {
    pub value: f64,
    /// The least magnitude that its error is relative to: the size of the terms that it is a difference of; 0 if it is
    /// no difference.
    pub scale: f64,
}
