//! Control flow under divergence.

use super::{Result, every_way, lanes, width, words};
use warpbook::trace::FindingKind;

#[test]
fn if_and_else() -> Result {
    lanes(
        "",
        "if (i % 3u == 0u) { out[i] = 1u; } else if (i % 3u == 1u) { out[i] = 2u; } else { out[i] = i; }",
        |i| match i % 3 {
            0 => 1,
            1 => 2,
            _ => i,
        },
    )?;
    // A variable written in one arm only, and one read after both.
    lanes("", "var x = 5u; var y = i; if (i < 50u) { x = i; } else { y += x; } out[i] = x * 1000u + y;", |i| {
        if i < 50 { i * 1000 + i } else { 5000 + i + 5 }
    })?;
    // A uniform condition around a divergent one.
    lanes("", "var x = 1u; if (i / 1000u == 0u) { if (i > 7u) { x = 2u; } x += 10u; } out[i] = x;", |i| {
        if i > 7 { 12 } else { 11 }
    })
}

#[test]
fn short_circuit() -> Result {
    lanes(
        "fn bump(p: ptr<function, u32>) -> bool { *p += 1u; return true; }",
        "var n = 0u; let a = i > 3u && bump(&n); let b = i > 9u || bump(&n); out[i] = n * 10u + u32(a) + u32(b);",
        |i| match i {
            0..=3 => 11,
            4..=9 => 22,
            _ => 12,
        },
    )
}

#[test]
fn switches() -> Result {
    lanes(
        "",
        "var x = 0u;
         switch (i % 5u) {
           case 0u: { x = 10u; }
           case 1u, 2u: { x = 20u; if (i > 50u) { break; } x += 1u; }
           default: { x = 40u; }
           case 4u: { x = 30u; }
         }
         out[i] = x;",
        |i| match i % 5 {
            0 => 10,
            1 | 2 if i > 50 => 20,
            1 | 2 => 21,
            4 => 30,
            _ => 40,
        },
    )?;
    // Inside a loop: `break` leaves the switch, `continue` the round.
    lanes(
        "",
        "var n = 0u;
         for (var k = 0; k < 6; k++) {
           switch (k + i32(i % 2u)) { case 2: { continue; } case 4: { break; } default: { n += 1u; } }
           n += 100u;
         }
         out[i] = n;",
        |i| {
            (0..6).fold(0, |n, k| match k + i % 2 {
                2 => n,
                4 => n + 100,
                _ => n + 101,
            })
        },
    )
}

#[test]
fn loops() -> Result {
    lanes("", "var s = 0u; for (var k = 0u; k < i; k++) { s += k; } out[i] = s;", |i| (0..i).sum())?;
    lanes(
        "",
        "var s = 0u; var k = i; while (k != 1u && k != 0u) { if (k % 2u == 0u) { k /= 2u; } else { k = 3u * k + 1u; } s++; } out[i] = s;",
        |i| {
            let (mut k, mut s) = (i, 0);
            while k > 1 {
                k = if k % 2 == 0 { k / 2 } else { 3 * k + 1 };
                s += 1;
            }
            s
        },
    )?;
    lanes(
        "",
        "var s = 0u; var k = 0u;
         loop { if (k % 3u == i % 3u) { continue; } s += k; continuing { k++; break if k >= 10u + i % 4u; } }
         out[i] = s;",
        |i| (0..10 + i % 4).filter(|k| k % 3 != i % 3).sum(),
    )
}

#[test]
fn nested_loops_with_every_way_out() -> Result {
    let model = |i: u32| -> u32 {
        let mut s = 0;
        for a in 0..8 {
            if a == i % 11 {
                continue;
            }
            for b in 0..8 {
                if a * b > i {
                    break;
                }
                if (a + b) % 5 == i % 5 {
                    continue;
                }
                if a * 8 + b == 37 && i.is_multiple_of(7) {
                    return s + 1000;
                }
                s += a * b + 1;
            }
            if s > 60 {
                break;
            }
        }
        s
    };
    let text = "fn work(i: u32) -> u32 {
           var s = 0u;
           for (var a = 0u; a < 8u; a++) {
             if (a == i % 11u) { continue; }
             for (var b = 0u; b < 8u; b++) {
               if (a * b > i) { break; }
               if ((a + b) % 5u == i % 5u) { continue; }
               if (a * 8u + b == 37u && i % 7u == 0u) { return s + 1000u; }
               s += a * b + 1u;
             }
             if (s > 60u) { break; }
           }
           return s;
         }";
    lanes(text, "out[i] = work(i) + work(i + 1u);", |i| model(i) + model(i + 1))
}

#[test]
fn returns_from_the_entry_point() -> Result {
    lanes(
        "",
        "out[i] = 0u; if (i % 2u == 1u) { return; } for (var k = 0u; k < 10u; k++) { if (k == i) { return; } out[i] += 1u; }",
        |i| {
            if i % 2 == 1 { 0 } else { i.min(10) }
        },
    )
}

#[test]
fn a_shared_counter_stays_right_where_lanes_leave_early() -> Result {
    // The counter is the same for all lanes in the loop, but not after it.
    lanes("", "var k = 0u; loop { if (k == i % 9u) { break; } k++; } out[i] = k;", |i| i % 9)?;
    // Nor for lanes that skip what others write before they meet again.
    lanes(
        "",
        "var last = 0u; for (var k = 0u; k < 10u; k++) { if (k % 4u == i % 4u) { continue; } last = k; } out[i] = last;",
        |i| if i % 4 == 1 { 8 } else { 9 },
    )?;
    // A counter inside a divergent branch is shared by the lanes that got there.
    lanes("", "var s = 0u; if (i > 10u) { for (var k = 0u; k < 5u; k++) { s += k * i; } } out[i] = s;", |i| {
        if i > 10 { 10 * i } else { 0 }
    })?;
    // Swapping two variables needs a copy of one.
    lanes(
        "",
        "var a = 1u; var b = i; for (var k = 0u; k < 3u; k++) { let t = a; a = b; b = t; } out[i] = a * 1000u + b;",
        |i| i * 1000 + 1,
    )?;
    // A value read before the loop that writes its variable.
    lanes("", "var a = i; let old = a; for (var k = 0u; k < 3u; k++) { a += old; } out[i] = a + old;", |i| 5 * i)?;
    // A variable declared in a loop starts anew each round.
    lanes(
        "",
        "var s = 0u; for (var k = 0u; k < 4u; k++) { var x: u32; if (i > k) { x += i; } s += x; } out[i] = s;",
        |i| i * i.min(4),
    )
}

#[test]
fn functions_and_pointers() -> Result {
    lanes(
        "fn fact(n: u32) -> u32 { var p = 1u; for (var k = 2u; k <= n; k++) { p *= k; } return p; }
         fn sign(x: i32) -> i32 { if (x < 0) { return -1; } if (x == 0) { return 0; } return 1; }
         fn swap(a: ptr<function, u32>, b: ptr<function, u32>) { let t = *a; *a = *b; *b = t; }
         var<private> calls: u32 = 3u;
         fn count() { calls++; }",
        "var a = fact(i % 6u); var b = u32(sign(i32(i) - 50) + 1); if (i > 20u) { swap(&a, &b); }
         for (var k = 0u; k < i % 3u; k++) { count(); }
         out[i] = a * 10000u + b * 10u + calls;",
        |i| {
            let (mut a, mut b) = ((1..=i % 6).product::<u32>(), (i32::from(i > 50) - i32::from(i < 50) + 1) as u32);
            if i > 20 {
                std::mem::swap(&mut a, &mut b);
            }
            a * 10000 + b * 10 + 3 + i % 3
        },
    )
}

#[test]
fn barriers_let_warps_exchange() -> Result {
    let source = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        var<workgroup> s: array<u32, 128>;
        @compute @workgroup_size(128) fn main(@builtin(local_invocation_index) i: u32) {
            s[i] = i;
            for (var half = 64u; half > 0u; half /= 2u) {
                workgroupBarrier();
                if (i < half) { s[i] += s[i + half]; }
            }
            workgroupBarrier();
            out[i] = s[0] + s[127u - i];
        }";
    let (buffers, outcome) = every_way(source, &[words(&[0; 128])], [1, 1, 1])?;
    assert_eq!(buffers[0].words[0], (0..128).sum::<u32>() + 127);
    assert_eq!(outcome.trace.findings, []);
    assert_eq!(outcome.trace.barriers, 4 * 8);
    Ok(())
}

#[test]
fn divergent_barriers_are_found() -> Result {
    let source = |body: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
             @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{
             {body}
             out[i] = 1u;
             }}"
        )
    };
    for body in [
        "if (i < 5u) { workgroupBarrier(); }",
        "if (i < 32u) { workgroupBarrier(); }",
        "if (i > 40u) { return; } workgroupBarrier();",
        "if (i >= 32u) { return; } workgroupBarrier();",
    ] {
        let program = super::compile(&source(body), "main", &[])?;
        let outcome = super::run_with(&program, &mut [words(&[0; 64])], [1, 1, 1], &width(32))?;
        assert!(outcome.trace.complete, "{body}");
        let found: Vec<_> = outcome.trace.findings.iter().map(|f| (f.kind, f.line)).collect();
        assert_eq!(found, [(FindingKind::DivergentBarrier, 3)], "{body}");
    }
    Ok(())
}

#[test]
fn an_endless_loop_runs_out_of_fuel() -> Result {
    let source = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            out[id.x] = id.x;
            loop {
                if (id.x > 4000000u) { break; }
            }
        }";
    let program = super::compile(source, "main", &[])?;
    let mut results = Vec::new();
    for threads in [Some(1), Some(3), None] {
        let options = super::Options { fuel: 100_000, threads, ..width(32) };
        let mut outcome = super::run_with(&program, &mut [words(&[0; 6400])], [100, 1, 1], &options)?;
        assert!(!outcome.trace.complete);
        let found: Vec<_> = outcome.trace.findings.iter().map(|f| (f.kind, f.line)).collect();
        assert!(matches!(found[..], [(FindingKind::OutOfFuel, 4..=5)]), "{found:?}");
        assert!(outcome.trace.warp_instructions <= 100_000);
        outcome.trace.seconds = 0.0;
        results.push(outcome.trace);
    }
    assert_eq!(results[0], results[1]);
    assert_eq!(results[0], results[2]);
    // One long workgroup among short ones may take all the fuel.
    let long = source
        .replace("4000000u", "0u || atomicLoad(&never) == 1u")
        .replace("@compute", "var<workgroup> never: atomic<u32>;\n@compute");
    let program =
        super::compile(&long.replace("loop {", "var k = 0u; loop { k++; if (k > 5000u) { break; }"), "main", &[])?;
    let options = super::Options { fuel: 300_000, ..width(32) };
    let outcome = super::run_with(&program, &mut [words(&[0; 6400])], [100, 1, 1], &options)?;
    assert!(outcome.trace.complete, "{:?}", outcome.trace.findings);
    // It was paused when its share was used up, and its critical path is still its own and whole.
    let ample = super::Options { fuel: 1 << 24, ..options };
    let whole = super::run_with(&program, &mut [words(&[0; 6400])], [100, 1, 1], &ample)?;
    assert_eq!(outcome.trace.critical, whole.trace.critical);
    assert!(whole.trace.critical.instructions > 5_000);
    Ok(())
}

#[test]
fn a_cancelled_run_says_so() -> Result {
    let source = "@compute @workgroup_size(64) fn main() { loop {} }";
    let program = super::compile(source, "main", &[])?;
    let cancel = std::sync::atomic::AtomicBool::new(true);
    let outcome = super::run(&program, &mut [], [4, 1, 1], &super::Options::default(), &cancel, &|_, _| {});
    let outcome = outcome.map_err(|e| e.to_string())?;
    assert!(!outcome.trace.complete);
    assert_eq!(outcome.trace.findings, []);
    Ok(())
}
