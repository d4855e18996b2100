//! The table of references: each gives one element of the output from the inputs, so that none is ever held whole.

use crate::base::tensor::Tensor;
use crate::job::ReferenceSignature;

/// The arguments and inputs of a reference, in the order of its signature.
pub(super) struct Given<'a> {
    /// Arguments: whole numbers, none negative.
    pub args: Vec<usize>,
    /// Inputs.
    pub inputs: Vec<&'a Tensor>,
}

/// A reference.
pub(super) struct Reference {
    pub signature: ReferenceSignature,
    /// How many elements the output has.
    pub len: fn(&[usize]) -> Option<usize>,
    /// How many elements each input has at least, in the signature's order.
    pub needs: fn(&[usize]) -> Option<Vec<usize>>,
    /// How its values are found.
    pub form: Form,
}

/// How a reference's values are found.
pub(super) enum Form {
    /// Element `i` of the output by itself, for `i < len`.
    Element(fn(&Given<'_>, usize) -> f64),
    /// The product of its two inputs, with the arguments m, n, k; the second one may be stored transposed.
    Product { b_transposed: bool },
}

/// All references, by name.
pub(super) static TABLE: [Reference; 7] = [
    // dst[i] = src[i * stride + offset]
    Reference {
        signature: ReferenceSignature { name: "strided_copy", args: &["n", "stride", "offset"], inputs: &["src"] },
        len: |args| Some(args[0]),
        needs: |args| Some(vec![reach(args[0], args[1])?.checked_add(if args[0] == 0 { 0 } else { args[2] })?]),
        form: Form::Element(|given, i| given.inputs[0].get(i * given.args[1] + given.args[2])),
    },
    // dst[i] = particles[i * fields + field]: one field out of an array of structs
    Reference {
        signature: ReferenceSignature { name: "aos_field", args: &["n", "fields", "field"], inputs: &["particles"] },
        len: |args| Some(args[0]),
        needs: |args| Some(vec![reach(args[0], args[1])?.checked_add(if args[0] == 0 { 0 } else { args[2] })?]),
        form: Form::Element(|given, i| given.inputs[0].get(i * given.args[1] + given.args[2])),
    },
    // dst[i] = particles[2 * i] + particles[2 * i + 1]: both fields out of an array of structs of two
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
    // The same, of a b that is stored transposed: n × k
    Reference {
        signature: ReferenceSignature { name: "matmul_nt", args: &["m", "n", "k"], inputs: &["a", "b"] },
        len: |args| args[0].checked_mul(args[1]),
        needs: |args| Some(vec![args[0].checked_mul(args[2])?, args[2].checked_mul(args[1])?]),
        form: Form::Product { b_transposed: true },
    },
];

/// One past the greatest of the indices 0, stride, …, (n - 1) * stride.
fn reach(n: usize, stride: usize) -> Option<usize> {
    if n == 0 { Some(0) } else { (n - 1).checked_mul(stride)?.checked_add(1) }
}

/// What every reference is called and needs, in the table's order.
#[must_use]
pub fn signatures() -> Vec<ReferenceSignature> {
    TABLE.iter().map(|reference| reference.signature).collect()
}
