//! Races within workgroups and between them, and reads of words that were never written.

use super::{Options, Result, compile, floats, run_with, width, words};
use warpbook::base::tensor::{Elem, Init, Tensor};
use warpbook::job::TraceSpec;
use warpbook::trace::{Finding, FindingKind};

const HEADER: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> s: array<u32, 64>;
var<workgroup> a: array<atomic<u32>, 4>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: vec3<u32>) { _ = arrayLength(&out);";

pub(super) fn checked(warp_width: u32) -> Options {
    let options = width(warp_width);
    Options { spec: TraceSpec { races: true, ..options.spec.clone() }, ..options }
}

/// The findings in `body`, whose first line is line 5, run by two workgroups of 64 on `out`. They must be the same on
/// any number of threads, counted or not.
pub(super) fn found_on(out: &Tensor, body: &str) -> Result<Vec<Finding>> {
    let program = compile(&format!("{HEADER}\n{body}\n}}"), "main", &[])?;
    let run = |options: Options| -> Result<Vec<Finding>> {
        Ok(run_with(&program, &mut [out.clone()], [2, 1, 1], &options)?.trace.findings)
    };
    let found = run(checked(32))?;
    for threads in [1, 3] {
        assert_eq!(found, run(Options { threads: Some(threads), ..checked(32) })?, "{body}");
    }
    assert_eq!(found, run(Options { count: false, ..checked(32) })?, "{body}");
    // In which order the lanes meet, and so where, depends on the width; whether they do does not.
    let race = |found: &[Finding]| found.iter().any(|f| f.kind == FindingKind::Race);
    for warp_width in [8, 16, 64] {
        assert_eq!(race(&found), race(&run(checked(warp_width))?), "width {warp_width}: {body}");
    }
    assert_eq!(run(width(32))?, [], "nobody asked: {body}");
    Ok(found)
}

/// The same on a buffer full of ones, where only races are looked at.
fn races(body: &str) -> Result<Vec<(u32, String)>> {
    let found = found_on(&words(&[1; 256]), body)?;
    let races = found.into_iter().filter(|f| f.kind == FindingKind::Race);
    Ok(races.map(|f| (f.line, f.message)).collect())
}

pub(super) fn racing_lines(body: &str) -> Result<Vec<u32>> {
    Ok(races(body)?.into_iter().map(|(line, _)| line).collect())
}

#[test]
fn a_tile_exchange_without_its_barrier_names_both_lanes_and_lines() -> Result {
    let found = races("s[i] = i;\nout[g.x * 64u + i] = s[63u - i];")?;
    // Warp 0 is through before warp 1 begins: it reads what warp 1 then writes, which reads what warp 0 wrote.
    let message = |first: u32, second: u32, word: u32, what: &str| {
        format!(
            "local indices {first} and {second} of workgroup 0 race for word {word} (byte {}) of `s`: {what}, with no \
             workgroupBarrier() between",
            word * 4
        )
    };
    let expected = [
        (5, message(31, 32, 32, "32 writes it here, 31 read it at line 6")),
        (6, message(31, 32, 31, "32 reads it here, 31 wrote it at line 5")),
    ];
    assert_eq!(found, expected);
    assert_eq!(races("s[i] = i;\nworkgroupBarrier();\nout[g.x * 64u + i] = s[63u - i];")?, []);
    Ok(())
}

#[test]
fn both_sides_of_a_race_are_told_as_they_were() -> Result {
    let between_warps = races("if (i == 3u) {\ns[5] = 1u;\n}\nif (i == 35u) {\nout[g.x] = s[5];\n}")?;
    let message = "local indices 3 and 35 of workgroup 0 race for word 5 (byte 20) of `s`: 35 reads it here, 3 wrote it \
                   at line 6, with no workgroupBarrier() between";
    assert_eq!(between_warps, [(9, message.to_owned())]);
    let in_one_warp = races(
        "if (i == 4u && g.x == 0u) {\nlet x = out[7];\ns[i] = x;\n}\nif (i == 2u && g.x == 0u) {\nout[7] = 1u;\n}",
    )?;
    let message = "local indices 4 and 2 of workgroup 0 race for word 7 (byte 28) of `out`: 2 writes it here, 4 read it \
                   at line 6, with no storageBarrier() (a workgroupBarrier() orders workgroup memory only; lanes that add to one element need atomicAdd()) between";
    assert_eq!(in_one_warp, [(10, message.to_owned())]);
    Ok(())
}

#[test]
fn lanes_of_one_warp_race_like_any() -> Result {
    for body in [
        // One word for all lanes, for two of them, and overlapping vectors of words; the same value is no excuse.
        "s[0] = 1u;",
        "s[i / 2u] = 1u;",
        "if (i == 1u || i == 2u) { s[9] = i; }",
        "out[i % 32u] = i;",
        "if (i < 8u) { let x = s[i + 1u]; s[i] = x; }",
    ] {
        assert_eq!(racing_lines(body)?, [5], "{body}");
    }
    Ok(())
}

#[test]
fn what_is_no_race() -> Result {
    for body in [
        // Each lane its own word, read and written again.
        "s[i] = i; s[i] += 1u; out[g.x * 64u + i] = s[i]; out[g.x * 64u + i] += s[i];",
        // All read.
        "let x = s[0] + s[i] + s[63u - i] + out[0] + out[255u - i]; if (x == 12345u) { out[g.x * 64u + i] = x; }",
        "if (i == 9u) { s[0] = 1u; }\nworkgroupBarrier();\nout[g.x * 64u + i] = s[0];",
        "let x = s[(i + 1u) % 64u];\nworkgroupBarrier();\ns[i] = x;",
        "if (i == 9u) { s[0] = 1u; }\nlet x = workgroupUniformLoad(&s[0]); s[i] = x;",
        // Atomics among themselves, of all kinds.
        "atomicAdd(&a[0], 1u); let x = atomicLoad(&a[1]); atomicMax(&a[1], x);",
        "out[128u + g.x * 64u + i] = 1u;\nstorageBarrier();\nout[g.x * 64u + i] = out[128u + g.x * 64u + 63u - i];",
        // Workgroups do not share their memory.
        "if (i == g.x) { s[0] = i; }",
    ] {
        assert_eq!(racing_lines(body)?, [0; 0], "{body}");
    }
    Ok(())
}

/// Nothing orders two workgroups, and both lanes are named, whichever of them ran first.
#[test]
fn workgroups_race_for_words_that_both_touch() -> Result {
    let found = races("if (i == 3u + g.x) {\nout[9] = i;\n}")?;
    let message = "workgroups 0 and 1 race for word 9 (byte 36) of `out`: local index 4 of workgroup 1 writes it here, local index 3 of \
                   workgroup 0 wrote it at line 6, and nothing orders the workgroups of a launch: launch twice, or read one buffer and write another";
    assert_eq!(found, [(6, message.to_owned())]);
    let found = races("if (g.x == 1u) {\nout[i] = 1u;\n} else if (out[i] == 1u) {\nout[100u + i] = 1u;\n}")?;
    let message = "workgroups 0 and 1 race for word 0 (byte 0) of `out`: local index 0 of workgroup 1 writes it here, local index 0 of \
                   workgroup 0 read it at line 7, and nothing orders the workgroups of a launch: launch twice, or read one buffer and write another";
    assert_eq!(found.first(), Some(&(6, message.to_owned())));
    // Of the barriers none reaches the other workgroup.
    for barrier in ["storageBarrier();", "workgroupBarrier();"] {
        let body = format!(
            "if (i == 0u) {{ out[g.x] = 1u; }}\n{barrier}\nif (i == 1u) {{ out[100u + g.x] = out[1u - g.x]; }}"
        );
        assert_eq!(racing_lines(&body)?, [7], "{body}");
    }
    Ok(())
}

/// A store to one component may rewrite the vector, so lanes that write to different ones race, and so do those that
/// read others.
#[test]
fn components_of_one_vector_are_no_words_of_their_own() -> Result {
    let vectors = |body: &str, grid: u32| -> Result<Vec<u32>> {
        let source = format!(
            "struct Pair {{ a: vec3<f32>, b: f32 }}
            @group(0) @binding(0) var<storage, read_write> v: array<vec4<f32>>;
            @group(0) @binding(1) var<storage, read_write> p: array<Pair>;
            var<workgroup> s: array<vec2<f32>, 64>;
            @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: vec3<u32>) {{
            _ = arrayLength(&v) + arrayLength(&p);
            {body}
            }}"
        );
        let program = compile(&source, "main", &[])?;
        let mut buffers = [floats(&[1.0; 512]), floats(&[1.0; 512])];
        let found = run_with(&program, &mut buffers, [grid, 1, 1], &checked(32))?.trace.findings;
        Ok(found.into_iter().filter(|f| f.kind == FindingKind::Race).map(|f| f.line).collect())
    };
    for (body, grid, lines) in [
        // Lanes of one workgroup, by an index and by a name; and one that reads what another component's writer may rewrite.
        ("v[i / 4u][i % 4u] = 1.0;", 1, &[7][..]),
        ("if (i == 0u) { v[0].x = 1.0; }\nif (i == 1u) { v[0].y = 1.0; }", 1, &[8]),
        ("if (i == 0u) { v[0].x = 1.0; }\nif (i == 1u) { v[1].y = v[0].w; }", 1, &[8]),
        ("s[i / 2u][i % 2u] = 1.0;", 1, &[7]),
        // Two workgroups that share the vector on the border of their rows.
        ("if (i < 6u) { let at = g.x * 6u + i; if (i == 5u || i == 0u) { v[at / 4u][at % 4u] = 1.0; } }", 2, &[7]),
        // Whole vectors, a lane each; a vector of three and the padding after it; one lane that writes all four.
        ("v[g.x * 32u + i] = vec4<f32>(1.0);", 2, &[]),
        ("if (i == 0u) { p[0].a.z = 1.0; }\nif (i == 1u) { p[0].b = 1.0; }", 1, &[]),
        ("v[i].x = 1.0; v[i].y = 1.0; v[i][2u + i % 2u] = 1.0;", 1, &[]),
    ] {
        assert_eq!(vectors(body, grid)?, lines, "{body}");
    }
    Ok(())
}

#[test]
fn a_barrier_orders_its_own_memory_only() -> Result {
    for (store, load) in
        [("s[i] = i;", "s[63u - i]"), ("out[128u + g.x * 64u + i] = i;", "out[128u + g.x * 64u + 63u - i]")]
    {
        for barrier in ["workgroupBarrier();", "storageBarrier();"] {
            let body = format!("{store}\n{barrier}\nout[g.x * 64u + i] = {load};");
            let ordered = load.starts_with('s') == barrier.starts_with('w');
            assert_eq!(racing_lines(&body)?, [7][usize::from(ordered)..], "{body}");
        }
        let both = format!("{store}\nstorageBarrier();\nworkgroupBarrier();\nout[g.x * 64u + i] = {load};");
        assert_eq!(racing_lines(&both)?, [0; 0], "{both}");
    }
    Ok(())
}

#[test]
fn a_loop_needs_a_barrier_at_its_end_too() -> Result {
    let rounds = |end: &str| {
        format!(
            "var x = i;\nfor (var k = 0u; k < 3u; k++) {{\ns[i] = x;\nworkgroupBarrier();\nx += s[(i + 1u) % 64u];\n{end}\n}}\n\
             out[g.x * 64u + i] = x;"
        )
    };
    assert_eq!(racing_lines(&rounds(""))?, [7, 9]);
    assert_eq!(racing_lines(&rounds("workgroupBarrier();"))?, [0; 0]);
    Ok(())
}

#[test]
fn races_are_found_in_workgroups_that_ran_out_of_fuel_and_went_on() -> Result {
    // Warp 0 of the first workgroup needs more than its share between its write and its read, and waits for the rest.
    let body = "if (g.x == 0u && i == 0u) { s[1] = 1u; }\n\
                if (g.x == 0u && i < 8u) { for (var k = 0u; k < 1000u; k++) { out[64u + i] = k; } }\n\
                if (g.x == 0u && i == 1u) { out[0] = s[1]; }";
    let program = compile(&format!("{HEADER}\n{body}\n}}"), "main", &[])?;
    let all = run_with(&program, &mut [words(&[0; 256])], [2, 1, 1], &checked(32))?.trace.warp_instructions;
    // An access takes steps of its own besides its instruction.
    let options = Options { fuel: 2 * all, ..checked(32) };
    let outcome = run_with(&program, &mut [words(&[0; 256])], [2, 1, 1], &options)?;
    assert!(outcome.trace.complete && all > 1000, "{:?}", outcome.trace);
    let found: Vec<_> = outcome.trace.findings.iter().map(|f| (f.line, f.kind)).collect();
    assert_eq!(found, [(7, FindingKind::Race)]);
    Ok(())
}

fn unwritten(out: &Tensor, body: &str) -> Result<Vec<(u32, String)>> {
    let found = found_on(out, body)?.into_iter().filter(|f| f.kind == FindingKind::Uninitialized);
    Ok(found.map(|f| (f.line, f.message)).collect())
}

#[test]
fn reads_of_poison() -> Result {
    let poison = Tensor::new(Elem::U32, 256, Init::Poison, 1, 0);
    let message = |word: u32, i: u32| {
        format!(
            "word {word} (byte {}) of `out` is read, and nothing has written it (workgroup 0, local index {i})",
            word * 4
        )
    };
    let body = "out[g.x * 64u + i] = i;\nif (i >= 5u) {\nout[g.x * 64u + i] += out[200u + i / 60u];\n}";
    assert_eq!(unwritten(&poison, body)?, [(7, message(200, 5))]);
    assert_eq!(unwritten(&poison, "atomicAdd(&a[0], 1u);\nout[g.x * 64u + i] += 1u;")?, [(6, message(0, 0))]);
    assert_eq!(unwritten(&poison, "out[g.x * 64u + i] = i; out[g.x * 64u + i] += 1u;")?, []);
    // A word that a host wrote is written, even if it looks like poison.
    let mut mixed = poison.clone();
    mixed.words[255] = 0;
    assert_eq!(unwritten(&mixed, body)?, []);
    // The writes of earlier workgroups are not known if these are left out.
    let program = compile(&format!("{HEADER}\nout[i] = out[i + 64u];\n}}"), "main", &[])?;
    let spec = TraceSpec { timeline_workgroups: vec![1], only_timeline_workgroups: true, ..checked(32).spec };
    let outcome = run_with(&program, &mut [poison], [2, 1, 1], &Options { spec, ..checked(32) })?;
    assert_eq!(outcome.trace.findings, []);
    Ok(())
}

#[test]
fn atomics_that_build_on_poison_are_told_the_same_however_many_threads_run() -> Result {
    let source = "@group(0) @binding(0) var<storage, read_write> sum: atomic<u32>;
        @compute @workgroup_size(32) fn main() {\natomicAdd(&sum, 1u);\n}";
    let program = compile(source, "main", &[])?;
    for threads in [1, 2, 4] {
        let mut buffers = [Tensor::new(Elem::U32, 1, Init::Poison, 1, 0)];
        let options = Options { threads: Some(threads), ..checked(32) };
        let found = run_with(&program, &mut buffers, [500, 1, 1], &options)?.trace.findings;
        let message = "word 0 (byte 0) of `sum` is read, and nothing has written it (workgroup 0, local index 0)";
        assert_eq!(found, [Finding { kind: FindingKind::Uninitialized, line: 3, message: message.to_owned() }]);
    }
    Ok(())
}

#[test]
fn reads_of_workgroup_memory_that_nobody_wrote() -> Result {
    let ones = words(&[1; 256]);
    let found = unwritten(&ones, "if (i != 40u) {\ns[i] = i;\n}\nworkgroupBarrier();\nout[g.x * 64u + i] = s[i];")?;
    let message = "word 40 (byte 160) of `s` is read before any lane of workgroup 0 wrote it (local index 40): WGSL fills \
                   workgroup memory with zeros, CUDA does not";
    assert_eq!(found, [(9, message.to_owned())]);
    for (body, lines) in [
        ("s[i] = i;\nworkgroupBarrier();\nout[g.x * 64u + i] = s[63u - i];", &[][..]),
        // Counters may start from WGSL's zeros.
        (
            "atomicAdd(&a[i % 4u], 1u);\nworkgroupBarrier();\nif (i < 4u) { out[g.x * 64u + i] = atomicLoad(&a[i]); }",
            &[],
        ),
        ("if (i < 4u) { atomicStore(&a[i], 0u); }\nworkgroupBarrier();\natomicAdd(&a[i % 4u], 1u);", &[]),
        // The previous workgroup's memory is not there any more.
        ("if (g.x == 0u) { s[i] = i; }\nworkgroupBarrier();\nif (g.x == 1u) { out[i] = s[i]; }", &[7]),
        // The base of the second variable is not part of its words' numbers.
        ("out[g.x * 64u + i] = atomicLoad(&a[3]) + s[0];", &[5]),
    ] {
        let found = unwritten(&ones, body)?;
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), lines, "{body}");
    }
    Ok(())
}
