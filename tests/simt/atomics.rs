//! Atomic operations that do not commute, places that atomics give out, and the hints of races that a barrier does not
//! mend.

use super::races::{checked, found_on, racing_lines};
use super::{Options, Result, compile, floats, run_with, words};
use warpbook::base::tensor::Tensor;
use warpbook::trace::{Finding, FindingKind, NoteKind};

#[test]
fn a_store_and_an_addition_of_another_lane_need_a_barrier() -> Result {
    let cleared = |barrier: &str, op: &str| {
        format!(
            "if (i < 4u) {{ atomicStore(&a[i], 0u); }}\n{barrier}\n{op}\nworkgroupBarrier();\nout[g.x * 64u + i] = atomicLoad(&a[i % 4u]);"
        )
    };
    let add = "atomicAdd(&a[(i + 1u) % 4u], 1u);";
    assert_eq!(racing_lines(&cleared("", add))?, [5, 7]);
    assert_eq!(racing_lines(&cleared("storageBarrier();", add))?, [5, 7]);
    assert_eq!(racing_lines(&cleared("workgroupBarrier();", add))?, [0; 0]);
    for op in ["atomicSub", "atomicMax", "atomicMin", "atomicOr", "atomicAnd", "atomicXor"] {
        assert_eq!(racing_lines(&cleared("", &format!("{op}(&a[(i + 1u) % 4u], i);")))?, [5, 7], "{op}");
    }
    Ok(())
}

#[test]
fn atomics_of_two_kinds_race_unless_they_commute() -> Result {
    for (body, lines) in [
        ("atomicAdd(&a[0], 1u);\natomicMax(&a[0], i);", &[5, 6][..]),
        ("if (i < 32u) { atomicOr(&a[0], i); } else { atomicAnd(&a[0], i); }", &[5]),
        ("atomicAdd(&a[0], 1u);\natomicSub(&a[0], 1u);", &[]),
        ("atomicMax(&a[i % 4u], i);\natomicMax(&a[i % 3u], 9u);", &[]),
        // Lanes of their own.
        ("if (i == 0u) {\natomicStore(&a[0], 1u);\natomicAdd(&a[0], 1u);\n}", &[]),
        // One value by several lanes, and two values.
        ("atomicStore(&a[0], 7u);", &[]),
        ("atomicStore(&a[0], i / 32u);", &[5]),
        // A lock.
        ("let r = atomicCompareExchangeWeak(&a[0], 0u, 1u);\nif (r.exchanged) { atomicStore(&a[0], 0u); }", &[]),
        ("let r = atomicExchange(&a[0], 1u);\nif (r == 0u) { atomicStore(&a[0], 0u); }", &[]),
    ] {
        assert_eq!(racing_lines(body)?, lines, "{body}");
    }
    let found = found_on(
        &words(&[1; 256]),
        "if (i == 40u) { atomicStore(&a[1], 0u); }\nif (i == 3u) { atomicAdd(&a[1], 2u); }",
    )?;
    let message = "local indices 3 and 40 of workgroup 0 race for word 1 (byte 4) of `a`: an atomicStore by 40 here and an atomicAdd \
                   or atomicSub by 3 at line 6 do not commute, so that the word depends on which comes first, with no \
                   workgroupBarrier() between";
    assert_eq!(found[0], Finding { kind: FindingKind::Race, line: 5, message: message.to_owned() });
    Ok(())
}

#[test]
fn a_load_of_what_others_add_to_depends_on_the_order() -> Result {
    let found = |body: &str| -> Result<Vec<Finding>> {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
            var<workgroup> s: atomic<u32>;
            @compute @workgroup_size(128) fn main(@builtin(local_invocation_index) i: u32) {{\n{body}\n}}"
        );
        let program = compile(&source, "main", &[])?;
        Ok(run_with(&program, &mut [words(&[0; 128])], [1, 1, 1], &checked(32))?.trace.findings)
    };
    let early = found("atomicAdd(&s, 1u);\nif (i == 0u) { out[0] = atomicLoad(&s); }")?;
    assert_eq!(early.iter().map(|f| (f.kind, f.line)).collect::<Vec<_>>(), [(FindingKind::Race, 5)]);
    assert!(early[0].message.contains("in another order the results are others"), "{}", early[0].message);
    let late = "atomicAdd(&s, 1u);\nworkgroupBarrier();\nif (i == 0u) { out[0] = atomicLoad(&s); }";
    assert_eq!(found(late)?, []);
    // What a load saw is checked by the exchange, as in additions of floats.
    let by_exchange = "var old = atomicLoad(&s);\nloop {\nlet r = atomicCompareExchangeWeak(&s, old, old + 1u);\n\
                       if (r.exchanged) { break; }\nold = r.old_value;\n}\nworkgroupBarrier();\nout[i] = atomicLoad(&s);";
    assert_eq!(found(by_exchange)?, []);
    Ok(())
}

/// Runs `body`, whose first line is line 5, on atomic words by `grid` workgroups of 32, and gives the findings.
fn between(body: &str, grid: u32) -> Result<Vec<Finding>> {
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>>;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        var<workgroup> last: u32;
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: vec3<u32>) {{ _ = arrayLength(&out) + arrayLength(&n);\n{body}\n}}"
    );
    let program = compile(&source, "main", &[])?;
    let run = |threads: Option<usize>| -> Result<Vec<Finding>> {
        let options = Options { threads, ..checked(32) };
        Ok(run_with(&program, &mut [words(&[0; 64]), words(&[0; 256])], [grid, 1, 1], &options)?.trace.findings)
    };
    let found = run(None)?;
    assert_eq!(found, run(Some(1))?, "{body}");
    assert_eq!(found, run(Some(3))?, "{body}");
    Ok(found)
}

#[test]
fn workgroups_race_where_the_result_depends_on_their_order() -> Result {
    // Each clears a counter that all add to.
    let clear = "if (i == 0u) { atomicStore(&n[0], 0u); }\nstorageBarrier();\natomicAdd(&n[0], 1u);";
    let found = between(clear, 3)?;
    assert_eq!(found.iter().map(|f| (f.kind, f.line)).collect::<Vec<_>>(), [(FindingKind::Race, 5)]);
    let message = &found[0].message;
    assert!(
        message.starts_with(
            "workgroups 0 and 1 race for word 0 (byte 0) of `n`: local index 0 of workgroup 1 does an atomicStore here"
        ),
        "{message}"
    );
    assert!(message.contains("at line 7") && message.contains("launch twice"), "{message}");
    assert_eq!(between(clear, 1)?, []);
    // The last one to arrive knows that it is the last.
    let arrive = "if (i == 0u) {\nlet before = atomicAdd(&n[0], 1u);\nif (before == 2u) { atomicStore(&n[0], 0u); }\n}";
    assert_eq!(between(arrive, 3)?, []);
    // Each waits for the one before: in the opposite order it never ends.
    let chain = "if (i == 0u) {\nloop { if (atomicLoad(&n[0]) == g.x) { break; } }\natomicStore(&n[0], g.x + 1u);\n}";
    assert_eq!(between(chain, 3)?, []);
    // The last one stays.
    assert_eq!(between("if (i == 0u) { atomicStore(&n[1], g.x); }", 2)?.len(), 1);
    assert_eq!(between("atomicMax(&n[1], g.x);", 4)?, []);
    Ok(())
}

#[test]
fn a_race_between_workgroups_is_not_mended_by_a_barrier() -> Result {
    let message = |body: &str, grid: u32| -> Result<Vec<String>> {
        Ok(between(body, grid)?.into_iter().map(|f| f.message).collect())
    };
    let inside = "let x = out[(g.x * 32u + i + 1u) % 64u];\nout[g.x * 32u + i] = x;";
    for text in message(inside, 2)? {
        assert!(text.contains("launch twice, or read one buffer and write another"), "{text}");
        assert!(!text.contains("storageBarrier"), "{text}");
    }
    // One workgroup: there the barrier is the remedy.
    for text in message("let x = out[(i + 1u) % 32u];\nout[i] = x;", 1)? {
        assert!(text.contains("with no storageBarrier()"), "{text}");
    }
    Ok(())
}

#[test]
fn a_subgroup_barrier_orders_no_memory() -> Result {
    let source = "var<workgroup> s: array<u32, 32>;
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
        s[i] = i;
        subgroupBarrier();
        out[i] = s[31u - i];
        }";
    let program = compile(&format!("enable subgroups;\n{source}"), "main", &[])?;
    let found = run_with(&program, &mut [words(&[0; 32])], [1, 1, 1], &checked(32))?.trace.findings;
    let message = &found.first().ok_or("a race")?.message;
    assert!(
        message.ends_with("with no workgroupBarrier() between (a subgroupBarrier() orders no memory)"),
        "{message}"
    );
    Ok(())
}

#[test]
fn places_that_atomics_give_out_are_noted() -> Result {
    let notes = |body: &str| -> Result<Vec<(NoteKind, u32)>> {
        let source = format!(
            "@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>>;
            @group(0) @binding(1) var<storage, read_write> out: array<u32>;
            @group(0) @binding(2) var<storage, read> src: array<u32>;
            var<workgroup> first: u32;
            @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: vec3<u32>) {{ _ = arrayLength(&out) + arrayLength(&n) + arrayLength(&src);\n{body}\n}}"
        );
        let program = compile(&source, "main", &[])?;
        let mut buffers = [words(&[0; 64]), words(&[0; 256]), words(&[3; 256])];
        let trace = run_with(&program, &mut buffers, [2, 1, 1], &checked(32))?.trace;
        assert_eq!(trace.findings, [], "{body}");
        Ok(trace.notes.iter().map(|note| (note.kind, note.line)).collect())
    };
    let order = |line: u32| vec![(NoteKind::ArrivalOrder, line)];
    assert_eq!(notes("let at = atomicAdd(&n[0], 1u);\nout[at] = src[i];")?, order(7));
    // Through workgroup memory, for a block of places.
    let block = "if (i == 0u) { first = atomicAdd(&n[0], 32u); }\nworkgroupBarrier();\nout[first + i] = src[i];";
    assert_eq!(notes(block)?, order(8));
    // A work queue: the place that is read goes with the place that is written.
    assert_eq!(notes("let at = atomicAdd(&n[0], 1u);\nout[at] = src[at];")?, []);
    // The value itself, a branch; and a word that each lane has for itself.
    assert_eq!(notes("let old = atomicAdd(&n[0], 1u);\nout[g.x * 32u + i] = old;")?, order(7));
    let branch = "let old = atomicAdd(&n[0], 1u);\nif (old == 63u) { out[0] = 1u; }";
    assert_eq!(notes(branch)?, order(7));
    assert_eq!(notes("let old = atomicAdd(&n[g.x * 32u + i], 1u);\nout[g.x * 32u + i] = old;")?, []);
    Ok(())
}

/// Kinds with their lines: of findings, and of notes.
type Said = (Vec<(FindingKind, u32)>, Vec<(NoteKind, u32)>);

/// The findings and notes of a kernel over 40 elements by two workgroups of 32.
fn outside(body: &str) -> Result<Said> {
    let source = format!(
        "@group(0) @binding(0) var<storage, read> src: array<f32>;
        @group(0) @binding(1) var<storage, read_write> out: array<f32>;
        @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) g: vec3<u32>) {{
        let i = g.x; let n = arrayLength(&src);\n{body}\n}}"
    );
    let program = compile(&source, "main", &[])?;
    let mut buffers: [Tensor; 2] = [floats(&[2.0; 40]), floats(&[0.0; 64])];
    let trace = run_with(&program, &mut buffers, [2, 1, 1], &checked(32))?.trace;
    let findings = trace.findings.iter().map(|f| (f.kind, f.line)).collect();
    Ok((findings, trace.notes.iter().map(|note| (note.kind, note.line)).collect()))
}

#[test]
fn a_load_out_of_bounds_whose_value_is_not_used_is_a_note() -> Result {
    let unused = |line| (vec![], vec![(NoteKind::UnusedLoad, line)]);
    let used = |line| (vec![(FindingKind::OutOfBounds, line)], vec![]);
    for (body, expected) in [
        ("let x = src[i];\nout[i] = select(0.0, x, i < n);", unused(5)),
        ("let x = src[i];\nif (i < n) { out[i] = x; }", unused(5)),
        ("var x = src[i];\nif (i >= n) { x = -1.0; }\nout[i] = x;", unused(5)),
        ("let x = bitcast<u32>(src[i]) * u32(i < n);\nout[i] = bitcast<f32>(x);", unused(5)),
        // An array of the lane's own, read only where it holds values.
        ("var own: array<f32, 2>;\nown[i % 2u] = src[i];\nif (i < n) { out[i] = own[i % 2u]; }", unused(6)),
        ("let x = src[i];\nout[i] = x;", used(5)),
        ("let x = src[i];\nif (x > 1.0) { out[i] = 1.0; }", used(5)),
        ("let x = src[i];\nout[u32(x) + i / 2u] = 1.0;", used(5)),
        ("var sum = 0.0;\nfor (var k = 0u; k < 2u; k++) { sum += src[i + k]; }\nout[i] = sum;", used(6)),
        ("out[i + n] = 1.0;", used(5)),
    ] {
        let found = outside(body)?;
        let races: Vec<_> = found.0.iter().filter(|(kind, _)| *kind != FindingKind::Race).copied().collect();
        assert_eq!((races, found.1), expected, "{body}");
    }
    Ok(())
}
