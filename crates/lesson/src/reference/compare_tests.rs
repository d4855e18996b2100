//! Tests that references give what their formulas say, and that comparisons find errors.

use super::*;
use crate::base::tensor::{Elem, Init};

/// A reference, its arguments and a tolerance.
struct Spec {
    reference: String,
    args: Vec<(String, f64)>,
    tolerance: f64,
}

fn spec(reference: &str, args: &[(&str, f64)], tolerance: f64) -> Spec {
    let args = args.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    Spec { reference: reference.to_owned(), args, tolerance }
}

fn check(spec: &Spec, inputs: &[(String, Tensor)], output: &Tensor) -> Result<Outcome, Diagnostic> {
    let inputs: Vec<(&str, &Tensor)> = inputs.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
    super::named(&spec.reference, &spec.args, &inputs, ("dst", output), spec.tolerance)
}

fn ok(found: &Outcome) -> bool {
    found.worst.first_wrong.is_none()
}

fn tensor(values: &[f64]) -> Tensor {
    Tensor { elem: Elem::F32, words: values.iter().map(|v| Elem::F32.encode(*v)).collect() }
}

/// No token begins here.
const NOTHING: u32 = u32::MAX;

fn words(values: &[u32]) -> Tensor {
    Tensor { elem: Elem::U32, words: values.to_vec() }
}

fn index(value: u32) -> Tensor {
    words(&[value])
}

fn named(name: &str, tensor: Tensor) -> (String, Tensor) {
    (name.to_owned(), tensor)
}

fn inputs(given: &[(&str, &[f64])]) -> Vec<(String, Tensor)> {
    given.iter().map(|(name, values)| named(name, tensor(values))).collect()
}

/// One query of one number, and two keys, of which `keys` count.
fn attention(name: &str, keys: f64) -> Spec {
    let [one, room] = [1.0, 2.0];
    let heads = [("batch", one), ("heads", one), ("kv_heads", one), ("d", one), ("causal", 0.0)];
    spec(name, &[&heads[..], &[("queries", one), ("keys", keys), ("room", room)]].concat(), 0.0)
}

#[test]
fn each_reference_gives_what_its_formula_says() -> Result<(), Diagnostic> {
    let iota = |count| Tensor::new(Elem::F32, count, Init::Iota, 0, 0);
    let cases = [
        (
            spec("strided_copy", &[("n", 3.0), ("stride", 2.0), ("offset", 1.0)], 0.0),
            vec![named("src", iota(6))],
            tensor(&[1.0, 3.0, 5.0]),
        ),
        (
            spec("aos_field", &[("n", 2.0), ("fields", 4.0), ("field", 3.0)], 0.0),
            vec![named("particles", iota(8))],
            tensor(&[3.0, 7.0]),
        ),
        (spec("pair_sum", &[("n", 3.0)], 0.0), vec![named("particles", iota(6))], tensor(&[1.0, 5.0, 9.0])),
        (
            spec("vector_add", &[("n", 2.0)], 0.0),
            vec![named("xs", iota(2)), named("ys", tensor(&[5.0, 7.0]))],
            tensor(&[5.0, 8.0]),
        ),
        // [[0, 1, 2], [3, 4, 5]] transposed.
        (
            spec("transpose", &[("rows", 2.0), ("cols", 3.0)], 0.0),
            vec![named("src", iota(6))],
            tensor(&[0.0, 3.0, 1.0, 4.0, 2.0, 5.0]),
        ),
        // [[0, 1, 2], [3, 4, 5]] · [[0, 1], [2, 3], [4, 5]]
        (
            spec("matmul", &[("m", 2.0), ("n", 2.0), ("k", 3.0)], 0.0),
            vec![named("a", iota(6)), named("b", iota(6))],
            tensor(&[10.0, 13.0, 28.0, 40.0]),
        ),
        // [[0, 1, 2], [3, 4, 5]] · [[0, 3], [1, 4], [2, 5]]
        (
            spec("matmul_nt", &[("m", 2.0), ("n", 2.0), ("k", 3.0)], 0.0),
            vec![named("a", iota(6)), named("b", iota(6))],
            tensor(&[5.0, 14.0, 14.0, 50.0]),
        ),
        // Two equal logits get a half each.
        (
            spec("softmax", &[("rows", 2.0), ("cols", 2.0)], 0.0),
            vec![named("x", tensor(&[3.0, 3.0, 0.0, 1e4]))],
            tensor(&[0.5, 0.5, 0.0, 1.0]),
        ),
        // y · dy = 2
        (
            spec("softmax_backward", &[("rows", 1.0), ("cols", 2.0)], 0.0),
            vec![named("y", tensor(&[0.5, 0.5])), named("dy", tensor(&[1.0, 3.0]))],
            tensor(&[-0.5, 0.5]),
        ),
        (
            spec("softmax_jacobian", &[("cols", 2.0)], 0.0),
            vec![named("y", tensor(&[0.25, 0.75]))],
            tensor(&[0.1875, -0.1875, -0.1875, 0.1875]),
        ),
        // A single logit has the whole probability: its loss is 0, or z times its square.
        (
            spec("cross_entropy", &[("rows", 1.0), ("cols", 1.0), ("z_millionths", 500_000.0)], 0.0),
            vec![named("x", tensor(&[4.0])), named("targets", index(0))],
            tensor(&[8.0]),
        ),
        (
            spec("cross_entropy_backward", &[("rows", 1.0), ("cols", 2.0), ("z_millionths", 0.0)], 0.0),
            vec![named("x", tensor(&[7.0, 7.0])), named("targets", index(1))],
            tensor(&[0.5, -0.5]),
        ),
        // Two keys with equal scores get half of the weight each.
        (attention("attention", 2.0), inputs(&[("q", &[3.0]), ("k", &[2.0, 2.0]), ("v", &[2.0, 6.0])]), tensor(&[4.0])),
        // A single key has the whole weight: the lse is its score.
        (attention("attention_lse", 1.0), inputs(&[("q", &[3.0]), ("k", &[2.0, 9.0])]), tensor(&[6.0])),
        // The gradients of the weights are 2 and 6, and their mean is 4: those of the scores are -1 and 1.
        (
            attention("attention_d_q", 2.0),
            inputs(&[("q", &[0.0]), ("k", &[1.0, 2.0]), ("v", &[2.0, 6.0]), ("d_o", &[1.0])]),
            tensor(&[1.0]),
        ),
        (
            attention("attention_d_k", 2.0),
            inputs(&[("q", &[3.0]), ("k", &[1.0, 1.0]), ("v", &[2.0, 6.0]), ("d_o", &[1.0])]),
            tensor(&[-3.0, 3.0]),
        ),
        (
            attention("attention_d_v", 2.0),
            inputs(&[("q", &[3.0]), ("k", &[1.0, 1.0]), ("d_o", &[5.0])]),
            tensor(&[2.5, 2.5]),
        ),
        // "hello" is token 15339, " world" 1917.
        (
            spec("cl100k", &[("bytes", 11.0), ("words", 3.0), ("letters", 0.0)], 0.0),
            vec![named("packed", words(&[0x6c6c_6568, 0x6f77_206f, 0x0064_6c72]))],
            words(&[15339, NOTHING, NOTHING, NOTHING, NOTHING, 1917, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING]),
        ),
        // "low low lower": the pairs l o and o w occur three times, and " low" twice.
        (
            spec("trained", &[("bytes", 13.0), ("words", 4.0), ("pattern", 1.0), ("rule", 0.0), ("learn", 3.0)], 0.0),
            vec![named("packed", words(&[0x2077_6f6c, 0x2077_6f6c, 0x6577_6f6c, 0x72]))],
            words(&[108, 111, 256, 119, 32, 257]),
        ),
    ];
    let covered: Vec<&str> = cases.iter().map(|(spec, ..)| spec.reference.as_str()).collect();
    let all: Vec<&str> = TABLE.iter().map(|reference| reference.signature.name).collect();
    assert_eq!(covered, all);
    for (spec, inputs, output) in cases {
        let check = check(&spec, &inputs, &output)?;
        assert_eq!((ok(&check), check.worst.error, check.elements), (true, 0.0, output.len()), "{check:?}");
    }
    Ok(())
}

#[test]
fn the_first_wrong_element_is_named_whatever_thread_finds_it() -> Result<(), Diagnostic> {
    let src = Tensor::new(Elem::F32, 100_000, Init::Random, 1, 0);
    let mut output = src.clone();
    output.words[70_000] = Elem::F32.encode(9.0);
    output.words[20_001] = Elem::F32.encode(5.0);
    let spec = spec("strided_copy", &[("n", 100_000.0), ("stride", 1.0), ("offset", 0.0)], 1e-3);
    let check = check(&spec, &[named("src", src.clone())], &output)?;
    assert!(check.worst.error > 1e-3 && check.worst.error.is_finite());
    assert_eq!(check.worst.first_wrong, Some((20_001, 5.0, src.get(20_001))));
    Ok(())
}

#[test]
fn the_tolerance_is_relative() -> Result<(), Diagnostic> {
    let args = [("n", 1.0), ("stride", 1.0), ("offset", 0.0)];
    let src = [named("src", tensor(&[1000.0]))];
    let near = tensor(&[1000.5]);
    assert!(ok(&check(&spec("strided_copy", &args, 1e-3), &src, &near)?));
    let strict = check(&spec("strided_copy", &args, 1e-4), &src, &near)?;
    assert!(!ok(&strict));
    assert!((strict.worst.error - 5e-4).abs() < 1e-9);
    Ok(())
}

#[test]
fn what_was_never_written_is_infinitely_wrong() -> Result<(), Diagnostic> {
    let args = [("n", 4.0), ("stride", 1.0), ("offset", 0.0)];
    let mut output = tensor(&[1.0; 4]);
    output.words[2] = crate::base::tensor::POISON;
    let check = check(&spec("strided_copy", &args, 0.9), &[named("src", tensor(&[1.0; 4]))], &output)?;
    assert_eq!((ok(&check), check.worst.error), (false, f64::INFINITY));
    assert_eq!(check.worst.first_wrong.map(|(index, ..)| index), Some(2));
    Ok(())
}

#[test]
fn a_check_that_cannot_be_made_says_why() {
    let src = [named("src", tensor(&[1.0; 4]))];
    let short = tensor(&[1.0; 2]);
    let why = |spec: &Spec, inputs: &[(String, Tensor)]| check(spec, inputs, &short).map_err(|d| d.to_string());
    for (name, args, inputs, wanted) in [
        ("strided_cpoy", vec![], &src[..], "did you mean `strided_copy`"),
        ("strided_copy", vec![("n", 2.0)], &src, "needs the argument `stride`"),
        ("strided_copy", vec![("n", 2.0), ("stride", 1.0), ("offset", 0.0), ("k", 1.0)], &src, "no argument `k`"),
        ("strided_copy", vec![("n", 1.5), ("stride", 1.0), ("offset", 0.0)], &src, "`n` of `strided_copy` is 1.5"),
        ("strided_copy", vec![("n", -1.0), ("stride", 1.0), ("offset", 0.0)], &src, "not a whole number"),
        (
            "strided_copy",
            vec![("n", 4.0), ("stride", 1.0), ("offset", 0.0)],
            &src,
            "needs 4 elements of `dst`, which has 2",
        ),
        ("strided_copy", vec![("n", 2.0), ("stride", 4.0), ("offset", 0.0)], &src, "needs 5 elements of `src`"),
        ("strided_copy", vec![("n", 2.0), ("stride", 1.0), ("offset", 0.0)], &[], "reads a buffer `src`"),
        ("strided_copy", vec![("n", 9e15), ("stride", 9e15), ("offset", 0.0)], &src, "too large"),
        (
            "trained",
            vec![("bytes", 1e15), ("words", 1.0), ("pattern", 0.0), ("rule", 0.0), ("learn", 1.0)],
            &[named("packed", tensor(&[1.0]))],
            "arguments of `trained` are too large",
        ),
    ] {
        let error = why(&spec(name, &args, 0.0), inputs).err().unwrap_or_default();
        assert!(error.contains(wanted), "{name} {args:?}: {error}");
    }
}

#[test]
fn equal_infinities_are_right_and_what_was_never_written_is_wrong() -> Result<(), Diagnostic> {
    let values = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0];
    let src = [named("src", tensor(&values))];
    let copy = spec("strided_copy", &[("n", 4.0), ("stride", 1.0), ("offset", 0.0)], 0.0);
    let found = check(&copy, &src, &tensor(&values))?;
    assert_eq!((ok(&found), found.worst.error), (true, 0.0));
    for (at, wrong) in [f64::NEG_INFINITY, 1.0, 1.0, f64::INFINITY].into_iter().enumerate() {
        let mut spoilt = values;
        spoilt[at] = wrong;
        let first = check(&copy, &src, &tensor(&spoilt))?.worst.first_wrong;
        assert_eq!(first.map(|(index, ..)| index), Some(at));
    }
    for elem in [Elem::F32, Elem::F16, Elem::Bf16] {
        let never = Tensor::new(elem, 4, Init::Poison, 0, 0);
        let src = [named("src", Tensor::new(elem, 4, Init::Value(f64::NAN), 0, 0))];
        assert_eq!(check(&copy, &src, &never)?.worst.first_wrong.map(|(index, ..)| index), Some(0), "{elem:?}");
    }
    Ok(())
}
