//! Small records, whose fields the reference describes together, in the cell of another record's table.

use super::{Field, Record, optional, required};

const fn needs(name: &'static str) -> Field {
    required(name, "")
}

const fn takes(name: &'static str) -> Field {
    optional(name, "")
}

/// `index.ron`.
pub const INDEX: Record = Record(&[takes("format_version"), needs("order")]);

/// A size at which the bench runs kernels.
pub const BENCH_SIZE: Record = Record(&[takes("set"), takes("kernels")]);

/// The allowed error of a number that a reader types.
pub const WITHIN: Record = Record(&[needs("within")]);

/// The launch of a kernel in CUDA C++ only.
pub const CUDA: Record = Record(&[
    takes("parameters"),
    needs("block"),
    takes("shared"),
    takes("source"),
    takes("tensor_maps"),
    takes("persistent"),
    takes("traced"),
]);

/// A tensor map of such a kernel.
pub const TENSOR_MAP: Record = Record(&[
    needs("buffer"),
    needs("columns"),
    needs("rows"),
    needs("box_columns"),
    needs("box_rows"),
    takes("swizzle"),
]);

/// The ring of places that a kernel's tiles go through.
pub const RING: Record = Record(&[needs("places"), takes("tiles"), needs("load"), needs("multiply")]);

/// A product of matrices by a library.
pub const PRODUCT: Record =
    Record(&[needs("a"), needs("b"), needs("c"), needs("m"), needs("n"), needs("k"), takes("b_transposed")]);

/// Normally distributed numbers.
pub const NORMAL: Record = Record(&[needs("mean"), needs("deviation")]);

/// Numbers by Zipf's law.
pub const ZIPF: Record = Record(&[needs("exponent"), needs("values")]);

/// Rows that sum to 1.
pub const SOFTMAX: Record = Record(&[needs("columns")]);

/// A file of the pack.
pub const FILE: Record = Record(&[needs("path"), needs("sha256")]);

/// A table of a built-in vocabulary.
pub const VOCABULARY: Record = Record(&[needs("name"), needs("table")]);
