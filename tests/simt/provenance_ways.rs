//! Where elements come from that took a way of their own: other lanes, elements of 16 bits, exchanges that fail.

use super::provenance::{ask, kernel, pair, sources, writer};
use super::{Result, compile, words};
use warpbook::base::tensor::{Elem, Init, Tensor};
use warpbook::trace::provenance::Role;

#[test]
fn values_of_other_lanes_of_the_warp() -> Result {
    let source = kernel(
        "",
        "let x = a[i]; let lane = l % 8u;
if l < 8u {
out[i] = subgroupShuffleXor(x, 5u);
out[i + 8u] = subgroupInclusiveAdd(x);
out[i + 16u] = subgroupExclusiveAdd(x);
out[i + 24u] = subgroupMax(x);
out[i + 32u] = subgroupShuffle(x, a[i + 64u] % 8u);
out[i + 40u] = subgroupBroadcast(x, 3u) + subgroupBallot(x > 20u).x;
}",
    );
    let from = |of: u64| -> Result<Vec<(u64, Role)>> {
        let writer = writer(&source, &pair(128), [1, 1, 1], ("out", of))?;
        let mut sources: Vec<_> = writer.loads.iter().map(|l| (l.index, l.role)).collect();
        sources.sort_unstable();
        Ok(sources)
    };
    let values = |elements: std::ops::Range<u64>| elements.map(|i| (i, Role::Value)).collect::<Vec<_>>();
    assert_eq!(from(2)?, [(7, Role::Value)]);
    assert_eq!(from(8 + 4)?, values(0..5));
    assert_eq!(from(16 + 4)?, values(0..4));
    assert_eq!(from(24 + 4)?, values(0..8));
    // Element 68 holds 680, and 680 % 8 is lane 0.
    assert_eq!(from(32 + 4)?, [(0, Role::Value), (68, Role::Index)]);
    assert_eq!(from(40 + 1)?, values(0..8));
    Ok(())
}

/// Conditions of whether and how an element was made are reported as such, whichever way its lane went, and nothing
/// else of the other way is.
#[test]
fn conditions() -> Result {
    let from = |body: &str, of: u64| -> Result<Vec<(u64, Role)>> {
        let source = kernel("", body);
        let writer = writer(&source, &pair(128), [1, 1, 1], ("out", of))?;
        let mut sources: Vec<_> = writer.loads.iter().map(|l| (l.index, l.role)).collect();
        sources.sort_unstable();
        // A load in a loop is there once a round.
        sources.dedup();
        Ok(sources)
    };
    use Role::{Condition, Index, Value};
    // Element i of `a` holds 10 i. The lanes of a warp agree, or part.
    for deciding in ["a[64]", "a[64u + i % 2u]"] {
        let of = |taken: u64| 64 + if deciding == "a[64]" { 0 } else { taken % 2 };
        // Done only if: and what it is of comes from one side alone.
        let body = format!("if {deciding} < 645u {{ out[i] = a[i]; }} else {{ out[i] = a[i + 32u]; }}");
        let side = |i: u64| if of(i) == 64 { i } else { i + 32 };
        assert_eq!(from(&body, 4)?, [(side(4), Value), (of(4), Condition)]);
        assert_eq!(from(&body, 5)?, [(side(5), Value), (of(5), Condition)]);
        // A variable that another way would have written.
        let body = format!("var x = a[i]; if {deciding} > 645u {{ x = 1u; }} out[i] = x;");
        assert_eq!(from(&body, 4)?, [(4, Value), (of(4), Condition)]);
        // An earlier condition about something else is not reported.
        let body =
            format!("var x = a[i]; var y = 2u; if {deciding} > 645u {{ y = 1u; }} out[i] = x; out[i + 64u] = y;");
        assert_eq!(from(&body, 4)?, [(4, Value)]);
        assert_eq!(from(&body, 68)?, [(of(4), Condition)]);
    }
    // How often a loop ran, through a break and through its own condition; what said where its condition was looked up.
    let body = "var x = 0u; for (var k = 0u; k < a[a[1] + 20u] / 100u; k++) { if a[k + 40u] == 420u { break; } x += a[k]; } out[i] = x;";
    let (values, breaks) = (
        [(0, Value), (1, Condition), (1, Value)],
        [(30, Condition), (40, Condition), (41, Condition), (42, Condition)],
    );
    let mut expected = [&values[..], &breaks].concat();
    expected.sort_unstable();
    assert_eq!(from(body, 3)?, expected);
    // An index is stronger than a condition.
    let body = "if a[70] > 5u { out[a[70] - 700u + i] = 1u; }";
    assert_eq!(from(body, 3)?, [(70, Index), (70, Condition)]);
    Ok(())
}

#[test]
fn halves() -> Result {
    let source = "enable f16;
        @group(0) @binding(0) var<storage> a: array<f16>;
        @group(0) @binding(1) var<storage, read_write> out: array<vec2<f16>>;
        var<workgroup> t: array<f16, 64>;
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) l: u32) {
            t[l] = a[l]; t[l + 32u] = a[l + 32u];
            workgroupBarrier();
            out[l] = vec2(t[63u - l] * 2.0h, a[l]);
        }";
    let buffers = [Tensor::new(Elem::F16, 64, Init::Iota, 0, 0), Tensor::new(Elem::F16, 64, Init::Zero, 0, 0)];
    let program = compile(source, "main", &[])?;
    for (of, lane, value, from) in [(20, 10, 106.0, 53), (21, 10, 10.0, 10)] {
        let got = ask(&program, &buffers, [1, 1, 1], ("out", of), 32)?;
        assert_eq!(got.value.number(), value);
        let writer = got.writer.ok_or("nobody")?;
        assert_eq!((writer.lane, writer.writes), (lane, 1));
        let loads: Vec<_> = writer.loads.iter().map(|l| (l.index, l.value.number())).collect();
        assert_eq!(loads, [(from, f64::from(u32::try_from(from).unwrap_or(0)))]);
    }
    Ok(())
}

#[test]
fn structs_of_both_widths() -> Result {
    let source = "enable f16;
        struct S { a: f16, b: u32 }
        struct T { a: u32, h: vec2<f16> }
        @group(0) @binding(0) var<storage> x: array<u32, 3>;
        @group(0) @binding(1) var<storage, read_write> s: S;
        @group(0) @binding(2) var<storage, read_write> t: T;
        @compute @workgroup_size(1) fn main() { s.b = x[1] * 65537u; t.h.y = f16(x[2]); }";
    let buffers = [words(&[1, 2, 3]), Tensor::new(Elem::F16, 4, Init::Zero, 0, 0), words(&[0, 0])];
    let program = compile(source, "main", &[])?;
    for (of, value, byte, from) in [(("s", 3), 131_074.0, 4, 1), (("s", 2), 131_074.0, 4, 1), (("t", 1), 3.0, 6, 2)] {
        let got = ask(&program, &buffers, [1, 1, 1], of, 32)?;
        assert_eq!((got.value.number(), got.byte), (value, byte), "{of:?}");
        assert_eq!(sources(&got.writer.ok_or("nobody")?), [("x", from, Role::Value)], "{of:?}");
    }
    Ok(())
}

#[test]
fn an_exchange_that_failed_gave_nothing() -> Result {
    let source = kernel(
        "var<workgroup> w: atomic<u32>;",
        "atomicCompareExchangeWeak(&w, 0u, a[i] + 1u); workgroupBarrier(); out[i] = atomicLoad(&w);",
    );
    let got = writer(&source, &pair(64), [1, 1, 1], ("out", 3))?;
    assert_eq!(sources(&got), [("a", 0, Role::Value)]);
    assert_eq!(got.through.iter().filter_map(|l| l.stored_by).map(|by| by.lane).collect::<Vec<_>>(), [0]);
    Ok(())
}

#[test]
fn what_a_run_refuses_an_explanation_does() -> Result {
    let source = kernel("var<private> big: array<u32, 16000>;", "big[i] = i; out[i] = big[a[i]];")
        .replace("workgroup_size(64)", "workgroup_size(1024, 16)");
    let program = compile(&source, "main", &[])?;
    let refusal = ask(&program, &pair(64), [1, 1, 1], ("out", 0), 32).err().unwrap_or_default();
    assert!(refusal.contains("too much to trace"), "{refusal}");
    Ok(())
}
