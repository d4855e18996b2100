//! Bad input: always a diagnostic at its place, never a panic.

use std::sync::atomic::AtomicBool;

use super::{Options, Result, width, words};
use warpbook::base::diag::Diagnostic;
use warpbook::simt::{Program, entry_points, run};

fn errors(source: &str, entry: &str, constants: &[(&str, f64)]) -> Vec<Diagnostic> {
    let constants: Vec<(String, f64)> = constants.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect();
    Program::compile("t.wgsl", source, entry, &constants).err().unwrap_or_default()
}

/// Asserts that the first error is at `line` and contains `words`.
fn refused(source: &str, line: u32, wanted: &str) {
    let errors = errors(source, "main", &[]);
    let text = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(text.contains(wanted), "{source}\ngave: {text}");
    let place = errors.first().and_then(|e| e.place.clone());
    assert_eq!(place.map(|p| p.line), Some(line), "{source}\ngave: {text}");
}

const MAIN: &str = "@compute @workgroup_size(1) fn main() {";

#[test]
fn text_that_is_no_shader() {
    refused("garbage", 1, "expected");
    refused("", 1, "no compute entry point");
    refused("\u{0}\u{1F600}", 1, "");
    refused(&format!("{MAIN}\n  let x = 1 +;\n}}"), 2, "expected");
    refused(&format!("{MAIN}\n  let x: u32 = 1.5;\n}}"), 2, "");
    refused(&format!("{MAIN}\n  undefined(3);\n}}"), 2, "undefined");
    // Valid syntax that breaks a rule.
    refused(
        "@group(0) @binding(0) var<storage, read> a: array<u32>;\n@compute @workgroup_size(1) fn main() { a[0] = 1u; }",
        2,
        "",
    );
}

#[test]
fn names_that_are_not_there() {
    let source = "override stride: u32 = 1;\n@compute @workgroup_size(stride) fn copy_all() {}\n@compute @workgroup_size(1) fn other() {}";
    let unknown = &errors(source, "copy_al", &[])[0];
    assert!(unknown.hint.as_deref().is_some_and(|h| h.contains("did you mean `copy_all`")), "{unknown}");
    let unknown = &errors(source, "zzzzzz", &[])[0];
    assert!(unknown.hint.as_deref().is_some_and(|h| h.contains("copy_all, other")), "{unknown}");
    let unknown = &errors(source, "copy_all", &[("strid", 2.0)])[0];
    assert!(unknown.hint.as_deref().is_some_and(|h| h.contains("did you mean `stride`")), "{unknown}");
    for value in [-1.0, 0.0, f64::NAN, 1e20] {
        assert!(!errors(source, "copy_all", &[("stride", value)]).is_empty(), "{value}");
    }
    let required = "override n: u32;\n@compute @workgroup_size(n) fn main() {}";
    assert!(errors(required, "main", &[])[0].message.contains('n'));
    assert!(errors(required, "main", &[("n", 3.0)]).is_empty());
}

#[test]
fn what_cannot_be_traced_yet() {
    let texture = "@group(0) @binding(0) var t: texture_2d<f32>;\n@group(0) @binding(1) var<storage, read_write> o: array<f32>;\n\
        @compute @workgroup_size(1) fn main() {\n o[0] = textureLoad(t, vec2(0, 0), 0).x;\n}";
    refused(texture, 1, "textures cannot be traced");
    refused(&format!("{MAIN}\n var x = 1.0lf;\n}}"), 2, "64-bit floats cannot be traced");
    refused(
        "@group(0) @binding(0) var<storage, read_write> o: array<u64>;\n@compute @workgroup_size(1) fn main() {\n o[0] = 1lu;\n}",
        1,
        "64-bit unsigned integers cannot be traced",
    );
    refused(
        &format!("enable wgpu_int16;\n{MAIN}\n let x = u16(3);\n var y = u32(x);\n}}"),
        3,
        "16-bit unsigned integers cannot be traced",
    );
    refused("fn f() { f(); }\n@compute @workgroup_size(1) fn main() { f(); }", 1, "");
    refused(&format!("{MAIN}\n var a: array<u32, 4000000>;\n a[0] = 1u;\n}}"), 2, "");
}

#[test]
fn what_is_too_large() -> Result {
    let count = errors("override n: u32;\n@compute @workgroup_size(n, n)\nfn main() {}", "main", &[("n", 100_000.0)]);
    assert_eq!(count.len(), 1);
    refused("var<workgroup> w: array<u32, 999999999>;\n@compute @workgroup_size(1) fn main() { w[0] = 1u; }", 1, "");
    refused(
        "var<workgroup> w: array<u32, 999999>;\n@compute @workgroup_size(1) fn main() { w[0] = 1u; }",
        1,
        "too large",
    );
    let source = "@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;\n@compute @workgroup_size(1) fn main() {\nout[100000000u].x = 1u; out[1].y = 2u;\n}";
    let program = super::compile(source, "main", &[])?;
    let outcome = super::run_with(&program, &mut [words(&[0; 4])], [1, 1, 1], &width(32))?;
    assert_eq!(outcome.trace.findings.len(), 1);
    let grid = [u32::MAX, u32::MAX, u32::MAX];
    assert!(super::run_with(&program, &mut [words(&[0; 4])], grid, &width(32)).is_err());
    Ok(())
}

#[test]
fn no_beginning_of_a_shader_panics() {
    for source in [include_str!("../kernels/naive_matmul.wgsl"), include_str!("../kernels/tiled_matmul.wgsl")] {
        for end in (0..source.len()).filter(|end| source.is_char_boundary(*end)) {
            let errors = errors(&source[..end], "main", &[]);
            assert!(errors.iter().all(|e| e.place.is_some()) && !errors.is_empty(), "{end}");
        }
    }
}

#[test]
fn buffers_that_do_not_fit() -> Result {
    let source = "@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>, 4>;\n@compute @workgroup_size(1) fn main() { out[0].x = 1u; }";
    let program = super::compile(source, "main", &[])?;
    let go = |buffers: &mut [_], options: &Options| {
        run(&program, buffers, [1, 1, 1], options, &AtomicBool::new(false), &|_, _| {}).err()
    };
    let missing = go(&mut [], &width(32)).ok_or("missing")?;
    assert!(missing.to_string().contains("out"), "{missing}");
    let small = go(&mut [words(&[0; 15])], &width(32)).ok_or("small")?;
    assert!(small.to_string().contains("`out` has 60 bytes, and needs at least 64"), "{small}");
    assert!(go(&mut [words(&[0; 16])], &width(33)).is_some());
    assert!(go(&mut [words(&[0; 16])], &width(16)).is_none());
    Ok(())
}

#[test]
fn entry_points_are_listed() -> Result {
    let source = "// fn not_this\n@compute @workgroup_size(8, 4) fn first() {}\n\n@compute @workgroup_size(n)\nfn second() {}\noverride n: u32 = 3;\n";
    let found = entry_points("t.wgsl", source).map_err(|e| super::listed(&e))?;
    let found: Vec<_> = found.iter().map(|e| (e.name.as_str(), e.workgroup_size, e.line)).collect();
    assert_eq!(found, [("first", Some([8, 4, 1]), 2), ("second", None, 5)]);
    Ok(())
}

#[test]
fn empty_grids_and_programs() -> Result {
    let program = super::compile("@compute @workgroup_size(1) fn main() {}", "main", &[])?;
    for grid in [[0, 1, 1], [1, 1, 1], [3, 0, 2]] {
        let outcome = super::run_with(&program, &mut [], grid, &width(32))?;
        assert!(outcome.trace.complete);
        assert_eq!(outcome.trace.lane_ops, 0);
    }
    Ok(())
}
