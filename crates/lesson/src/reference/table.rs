//! The table of references: each computes elements of the output from the inputs, so that no output is held whole.

use super::given::{Expected, Given};
use super::{attention, rows, tokens};
use crate::job::ReferenceSignature;

pub(super) struct Reference {
    pub signature: ReferenceSignature,
    /// The number of elements of the output.
    pub len: fn(&[usize]) -> Option<usize>,
    /// The minimum number of elements of each input, in the signature's order; None if the arguments are too large.
    pub needs: fn(&[usize]) -> Option<Vec<usize>>,
    /// The way its values are computed.
    pub form: Form,
}

/// The way a reference's values are computed.
pub(super) enum Form {
    /// Element `i` of the output by itself, for `i < len`.
    Element(fn(&Given<'_>, usize) -> f64),
    /// The product of its two inputs, with the arguments m, n, k; the second input may be stored transposed.
    Product { b_transposed: bool },
    /// A row of the output at a time, because its elements share computations.
    Rows {
        /// The number of elements in a row of the output.
        width: fn(&[usize]) -> usize,
        /// Fills in row `i`.
        row: fn(&Given<'_>, usize, &mut [Expected]),
        /// The most rows that are compared.
        most: fn(&[usize]) -> usize,
    },
}

/// All references, by name.
pub(super) static TABLE: [Reference; 19] = [
    // dst[i] = src[i * stride + offset]
    Reference {
        signature: ReferenceSignature { name: "strided_copy", args: &["n", "stride", "offset"], inputs: &["src"] },
        len: |args| Some(args[0]),
        needs: |args| Some(vec![reach(args[0], args[1])?.checked_add(if args[0] == 0 { 0 } else { args[2] })?]),
        form: Form::Element(|given, i| given.inputs[0].get(i * given.args[1] + given.args[2])),
    },
    // dst[i] = particles[i * fields + field]: one field from an array of structs
    Reference {
        signature: ReferenceSignature { name: "aos_field", args: &["n", "fields", "field"], inputs: &["particles"] },
        len: |args| Some(args[0]),
        needs: |args| Some(vec![reach(args[0], args[1])?.checked_add(if args[0] == 0 { 0 } else { args[2] })?]),
        form: Form::Element(|given, i| given.inputs[0].get(i * given.args[1] + given.args[2])),
    },
    // dst[i] = particles[2 * i] + particles[2 * i + 1]: both fields from an array of structs of two
    Reference {
        signature: ReferenceSignature { name: "pair_sum", args: &["n"], inputs: &["particles"] },
        len: |args| Some(args[0]),
        needs: |args| Some(vec![args[0].checked_mul(2)?]),
        form: Form::Element(|given, i| given.inputs[0].get(2 * i) + given.inputs[0].get(2 * i + 1)),
    },
    // dst[i] = xs[i] + ys[i]
    Reference {
        signature: ReferenceSignature { name: "vector_add", args: &["n"], inputs: &["xs", "ys"] },
        len: |args| Some(args[0]),
        needs: |args| Some(vec![args[0], args[0]]),
        form: Form::Element(|given, i| given.inputs[0].get(i) + given.inputs[1].get(i)),
    },
    // dst[x * rows + y] = src[y * cols + x], of a row-major rows × cols matrix
    Reference {
        signature: ReferenceSignature { name: "transpose", args: &["rows", "cols"], inputs: &["src"] },
        len: |args| args[0].checked_mul(args[1]),
        needs: |args| Some(vec![args[0].checked_mul(args[1])?]),
        form: Form::Element(|given, i| {
            let (x, y) = (i / given.args[0], i % given.args[0]);
            given.inputs[0].get(y * given.args[1] + x)
        }),
    },
    // c = a · b, row-major: a is m × k, b is k × n, c is m × n
    Reference {
        signature: ReferenceSignature { name: "matmul", args: &["m", "n", "k"], inputs: &["a", "b"] },
        len: |args| args[0].checked_mul(args[1]),
        needs: |args| Some(vec![args[0].checked_mul(args[2])?, args[2].checked_mul(args[1])?]),
        form: Form::Product { b_transposed: false },
    },
    // The same with b stored transposed: n × k
    Reference {
        signature: ReferenceSignature { name: "matmul_nt", args: &["m", "n", "k"], inputs: &["a", "b"] },
        len: |args| args[0].checked_mul(args[1]),
        needs: |args| Some(vec![args[0].checked_mul(args[2])?, args[2].checked_mul(args[1])?]),
        form: Form::Product { b_transposed: true },
    },
    // y = e^(x - m) / Σ e^(x - m) of each row, with m its greatest element
    Reference {
        signature: ReferenceSignature { name: "softmax", args: &["rows", "cols"], inputs: &["x"] },
        len: |args| args[0].checked_mul(args[1]),
        needs: |args| Some(vec![args[0].checked_mul(args[1])?]),
        form: Form::Rows { width: |args| args[1], row: rows::forward, most: |_| usize::MAX },
    },
    // dx = y ∘ (dy - y · dy) of each row
    Reference {
        signature: ReferenceSignature { name: "softmax_backward", args: &["rows", "cols"], inputs: &["y", "dy"] },
        len: |args| args[0].checked_mul(args[1]),
        needs: |args| args[0].checked_mul(args[1]).map(|all| vec![all; 2]),
        form: Form::Rows { width: |args| args[1], row: rows::backward, most: |_| usize::MAX },
    },
    // j[i][k] = y[i] ((1 where i is k, else 0) - y[k]), of one row y
    Reference {
        signature: ReferenceSignature { name: "softmax_jacobian", args: &["cols"], inputs: &["y"] },
        len: |args| args[0].checked_mul(args[0]),
        needs: |args| Some(vec![args[0]]),
        form: Form::Element(rows::jacobian),
    },
    // loss = lse - x[target] + z lse² of each row, with lse = log Σ e^x, and z in millionths
    Reference {
        signature: ReferenceSignature {
            name: "cross_entropy",
            args: &["rows", "cols", "z_millionths"],
            inputs: &["x", "targets"],
        },
        len: |args| Some(args[0]),
        needs: |args| Some(vec![args[0].checked_mul(args[1])?, args[0]]),
        form: Form::Rows { width: |_| 1, row: rows::cross_entropy, most: |_| usize::MAX },
    },
    // Its gradient: (1 + 2 z lse) y - t of each row, with t 1 at the target and 0 elsewhere
    Reference {
        signature: ReferenceSignature {
            name: "cross_entropy_backward",
            args: &["rows", "cols", "z_millionths"],
            inputs: &["x", "targets"],
        },
        len: |args| args[0].checked_mul(args[1]),
        needs: |args| Some(vec![args[0].checked_mul(args[1])?, args[0]]),
        form: Form::Rows { width: |args| args[1], row: rows::cross_entropy_backward, most: |_| usize::MAX },
    },
    // Attention: o = Σ p v of each query, with p the softmax of its scores q · k / √d
    Reference {
        signature: ReferenceSignature { name: "attention", args: &attention::ARGS, inputs: &["q", "k", "v"] },
        len: |args| Some(attention::sizes(args)?[0]),
        needs: |args| attention::sizes(args).map(|[q, kv]| vec![q, kv, kv]),
        form: Form::Rows { width: |args| args[6], row: attention::forward, most: attention::most },
    },
    // The logarithm of the sum of e^score of each query
    Reference {
        signature: ReferenceSignature { name: "attention_lse", args: &attention::ARGS, inputs: &["q", "k"] },
        len: |args| attention::sizes(args)?[0].checked_div(args[6]),
        needs: |args| attention::sizes(args).map(Vec::from),
        form: Form::Rows { width: |_| 1, row: attention::lse, most: attention::most },
    },
    // The gradients of attention, given that of o
    Reference {
        signature: ReferenceSignature {
            name: "attention_d_q",
            args: &attention::ARGS,
            inputs: &["q", "k", "v", "d_o"],
        },
        len: |args| Some(attention::sizes(args)?[0]),
        needs: |args| attention::sizes(args).map(|[q, kv]| vec![q, kv, kv, q]),
        form: Form::Rows { width: |args| args[6], row: attention::d_q, most: attention::most },
    },
    Reference {
        signature: ReferenceSignature {
            name: "attention_d_k",
            args: &attention::ARGS,
            inputs: &["q", "k", "v", "d_o"],
        },
        len: |args| Some(attention::sizes(args)?[1]),
        needs: |args| attention::sizes(args).map(|[q, kv]| vec![q, kv, kv, q]),
        form: Form::Rows { width: |args| args[5] * args[6], row: attention::d_k, most: |_| usize::MAX },
    },
    Reference {
        signature: ReferenceSignature { name: "attention_d_v", args: &attention::ARGS, inputs: &["q", "k", "d_o"] },
        len: |args| Some(attention::sizes(args)?[1]),
        needs: |args| attention::sizes(args).map(|[q, kv]| vec![q, kv, q]),
        form: Form::Rows { width: |args| args[5] * args[6], row: attention::d_v, most: |_| usize::MAX },
    },
    // The token of cl100k_base that begins at each byte of a text, 2³² - 1 if none does; of random letters in words of `letters`, unless
    // that is 0
    Reference {
        signature: ReferenceSignature { name: "cl100k", args: &["bytes", "words", "letters"], inputs: &["packed"] },
        len: |args| Some(args[0]),
        needs: |args| (args[0] <= tokens::MOST_BYTES).then(|| vec![args[1].min(args[0].div_ceil(4))]),
        form: Form::Rows { width: |args| args[0], row: tokens::cl100k, most: |_| usize::MAX },
    },
    // The merges that are learned from a text, two tokens each, by the rule `pattern` for words and `rule` for ties; zeros after the last
    Reference {
        signature: ReferenceSignature {
            name: "trained",
            args: &["bytes", "words", "pattern", "rule", "learn"],
            inputs: &["packed"],
        },
        len: |args| args[4].checked_mul(2),
        needs: |args| (args[0] <= tokens::MOST_BYTES).then(|| vec![args[1].min(args[0].div_ceil(4))]),
        form: Form::Rows { width: |args| 2 * args[4], row: tokens::trained, most: |_| usize::MAX },
    },
];

/// One past the greatest of the indices 0, stride, …, (n - 1) * stride.
fn reach(n: usize, stride: usize) -> Option<usize> {
    if n == 0 { Some(0) } else { (n - 1).checked_mul(stride)?.checked_add(1) }
}

/// The signatures of all references, in the table's order.
#[must_use]
pub fn signatures() -> Vec<ReferenceSignature> {
    TABLE.iter().map(|reference| reference.signature).collect()
}
