//! Where elements come from: small kernels whose every source is known.

use std::sync::atomic::AtomicBool;

use super::{Result, compile, floats, run_with, width, words};
use warpbook::base::tensor::Tensor;
use warpbook::simt::{Program, Question, explain};
use warpbook::trace::provenance::{Iteration, Load, Role, Writer};
use warpbook::trace::{AccessKind, Provenance, Space};

/// The origin of an element.
pub(super) fn ask(
    program: &Program,
    buffers: &[Tensor],
    grid: [u32; 3],
    of: (&str, u64),
    warp_width: u32,
) -> Result<Provenance> {
    let question = Question { buffer: of.0.to_owned(), index: of.1, warp_width, fuel: 1 << 24 };
    explain(program, buffers, grid, &question, &AtomicBool::new(false)).map_err(|e| e.to_string())
}

/// The sources of an element: buffer, element, role, in order of their names.
pub(super) fn sources(writer: &Writer) -> Vec<(&str, u64, Role)> {
    let mut sources: Vec<_> = writer.loads.iter().map(|l| (l.buffer.as_str(), l.index, l.role)).collect();
    sources.sort_unstable();
    sources
}

/// The origin of an element at width 32; at any other width its sources are the same, and its value is what a run
/// gives.
fn origin(source: &str, buffers: &[Tensor], grid: [u32; 3], of: (&str, u64)) -> Result<Provenance> {
    let program = compile(source, "main", &[])?;
    let known = ask(&program, buffers, grid, of, 32)?;
    let mut after = buffers.to_vec();
    run_with(&program, &mut after, grid, &width(32))?;
    let position = program.bindings().iter().position(|b| b.name == of.0).unwrap_or_default();
    assert_eq!(known.value.bits, after[position].words[of.1 as usize]);
    for warp_width in [8, 16, 64] {
        let other = ask(&program, buffers, grid, of, warp_width)?;
        assert_eq!(known.value, other.value, "width {warp_width}");
        assert_eq!(known.writer.is_some(), other.writer.is_some());
        if let (Some(a), Some(b)) = (&known.writer, &other.writer) {
            assert_eq!(sources(a), sources(b), "width {warp_width}");
            assert_eq!((a.workgroup, a.local_id, a.line, a.writes), (b.workgroup, b.local_id, b.line, b.writes));
            assert_eq!(a.warp * 32 + a.lane, b.warp * warp_width + b.lane);
            assert_eq!(a.iterations, b.iterations);
        }
    }
    Ok(known)
}

pub(super) fn writer(source: &str, buffers: &[Tensor], grid: [u32; 3], of: (&str, u64)) -> Result<Writer> {
    origin(source, buffers, grid, of)?.writer.ok_or_else(|| "nobody wrote it".to_owned())
}

/// Two buffers and a shader that has 64 invocations, `i` in the grid and `l` in the workgroup.
pub(super) fn kernel(before: &str, body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
{before}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {{ let i = id.x;
{body}
}}"
    )
}

/// The line of the first line of a [`kernel`]'s body, with one line before it.
const BODY: u32 = 6;

pub(super) fn pair(n: u32) -> [Tensor; 2] {
    [words(&(0..n).map(|i| i * 10).collect::<Vec<_>>()), words(&vec![7; n as usize])]
}

#[test]
fn a_copy() -> Result {
    let got = origin(&kernel("", "out[i] = a[i];"), &pair(256), [4, 1, 1], ("out", 101))?;
    assert_eq!(got.value.number(), 1010.0);
    let writer = got.writer.ok_or("nobody")?;
    assert_eq!((writer.workgroup, writer.workgroup_id, writer.local_id), (1, [1, 0, 0], [37, 0, 0]));
    assert_eq!((writer.warp, writer.lane, writer.line, writer.kind), (1, 5, BODY, AccessKind::Store));
    assert_eq!((writer.writes, writer.complete, writer.omitted), (1, true, 0));
    assert_eq!(writer.iterations, []);
    let [load] = writer.loads.as_slice() else { return Err(format!("{:?}", writer.loads)) };
    assert_eq!((load.buffer.as_str(), load.space, load.index), ("a", Space::Global, 101));
    assert_eq!((load.warp, load.lane, load.line, load.value.number()), (1, 5, BODY, 1010.0));
    assert_eq!((load.role, load.stored_by), (Role::Value, None));
    assert_eq!((writer.through, writer.builtins), (vec![], vec![]));
    Ok(())
}

#[test]
fn an_element_that_nobody_wrote() -> Result {
    let got = origin(&kernel("", "if (i != 9u) { out[i] = a[i]; }"), &pair(64), [1, 1, 1], ("out", 9))?;
    assert_eq!((got.value.number(), got.writer), (7.0, None));
    Ok(())
}

#[test]
fn strides_offsets_and_the_lanes_place() -> Result {
    let strided = kernel("", "out[i * 3u + 2u] = a[(i * 5u) % 64u] + l;");
    let got = writer(&strided, &pair(256), [1, 1, 1], ("out", 65))?;
    assert_eq!(got.local_id, [21, 0, 0]);
    assert_eq!(sources(&got), [("a", 105 % 64, Role::Value)]);
    assert_eq!(got.builtins, ["local_invocation_index"]);
    let between = origin(&strided, &pair(256), [1, 1, 1], ("out", 66))?;
    assert_eq!(between.writer, None);
    Ok(())
}

#[test]
fn a_component_of_a_vector() -> Result {
    let source = "@group(0) @binding(0) var<storage> a: array<vec4<f32>>;
        @group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let v = a[id.x];
            out[id.x] = vec4(v.w, v.z, v.y + v.x, v.x);
        }";
    let buffers = [floats(&(0..256).map(|i| i as f32).collect::<Vec<_>>()), floats(&[0.0; 256])];
    let got = origin(source, &buffers, [1, 1, 1], ("out", 4 * 11 + 2))?;
    assert_eq!(got.value.number(), 89.0);
    let got = got.writer.ok_or("nobody")?;
    assert_eq!((got.local_id, got.line), ([11, 0, 0], 5));
    assert_eq!(sources(&got), [("a", 44, Role::Value), ("a", 45, Role::Value)]);
    let values: Vec<_> = got.loads.iter().map(|l| l.value.number()).collect();
    assert_eq!(values.iter().sum::<f64>(), 89.0);
    Ok(())
}

#[test]
fn a_gather_tells_indices_from_values() -> Result {
    let source = kernel("@group(0) @binding(2) var<storage> at: array<u32>;", "out[at[i] + 64u] = a[at[i + 64u]];");
    let at = words(&(0..128_u32).map(|i| (i * 7 + 3) % 64).collect::<Vec<_>>());
    let [a, out] = pair(128);
    // Lane 20 puts it where at[20] = 15 says, from where at[84] = 15 says.
    let got = writer(&source, &[a, out, at], [1, 1, 1], ("out", 64 + 15))?;
    assert_eq!(got.local_id, [20, 0, 0]);
    assert_eq!(sources(&got), [("a", 15, Role::Value), ("at", 20, Role::Index), ("at", 84, Role::Index)]);
    Ok(())
}

/// C = A·B with 16×16 tiles in workgroup memory.
const TILED: &str = "@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
const N = 32u;
var<workgroup> ta: array<array<f32, 16>, 16>;
var<workgroup> tb: array<array<f32, 16>, 16>;
@compute @workgroup_size(16, 16)
fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_id) l: vec3<u32>) {
    let row = g.y * 16u + l.y;
    let col = g.x * 16u + l.x;
    var sum = 0.0;
    for (var t = 0u; t < N / 16u; t++) {
        ta[l.y][l.x] = a[row * N + t * 16u + l.x];
        tb[l.y][l.x] = b[(t * 16u + l.y) * N + col];
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) {
            sum += ta[l.y][k] * tb[k][l.x];
        }
        workgroupBarrier();
    }
    c[row * N + col] = sum;
}";

#[test]
fn a_tiled_product_comes_from_one_row_and_one_column() -> Result {
    let values = |salt: u32| floats(&(0..1024_u32).map(|i| ((i * 37 + salt) % 101) as f32).collect::<Vec<_>>());
    let buffers = [values(1), values(2), floats(&[0.0; 1024])];
    for (i, j) in [(0, 0), (5, 9), (17, 30), (31, 31)] {
        let got = writer(TILED, &buffers, [2, 2, 1], ("c", i * 32 + j))?;
        assert_eq!(got.workgroup_id, [j as u32 / 16, i as u32 / 16, 0]);
        assert_eq!((got.local_id, got.line), ([j as u32 % 16, i as u32 % 16, 0], 21));
        let row = (0..32).map(|k| ("a", i * 32 + k, Role::Value));
        let column = (0..32).map(|k| ("b", k * 32 + j, Role::Value));
        assert_eq!(sources(&got), row.chain(column).collect::<Vec<_>>(), "c[{i}][{j}]");
        assert_eq!(got.builtins, [""; 0]);
        // Each went through a tile, stored by the lane that loaded it, in the round of its tile.
        assert_eq!(got.through.len(), 64);
        for load in &got.loads {
            let (k, lane) = match load.buffer.as_str() {
                "a" => (load.index % 32, i % 16 * 16 + load.index % 16),
                _ => (load.index / 32, load.index / 32 % 16 * 16 + j % 16),
            };
            assert_eq!(u64::from(load.warp * 32 + load.lane), lane);
            assert_eq!(load.iterations, [Iteration { line: 12, round: k as u32 / 16 }]);
        }
        for hop in &got.through {
            let k = hop.iterations[1].round;
            let (place, stored_at) = match hop.buffer.as_str() {
                "ta" => (i % 16 * 16 + u64::from(k), 13),
                _ => (u64::from(k) * 16 + j % 16, 14),
            };
            assert_eq!((hop.space, hop.index, hop.line), (Space::Shared, place, 17));
            let stored = hop.stored_by.ok_or("no one stored it")?;
            assert_eq!((u64::from(stored.warp * 32 + stored.lane), stored.line), (place, stored_at));
            assert_eq!(hop.iterations[1].line, 16);
        }
    }
    Ok(())
}

#[test]
fn rounds_of_loops() -> Result {
    let body = "var sum = 0u;
for (var j = 0u; j < 3u; j++) {
  for (var k = 0u; k < l % 4u; k++) {
    if (k == 1u) { continue; }
    sum += a[j * 4u + k];
  }
}
loop { loop { if (sum >= 0u) { break; } } out[l] = sum; if (sum > 1000u) { break; } sum += 700u; }";
    let got = writer(&kernel("", body), &pair(64), [1, 1, 1], ("out", 7))?;
    let rounds: Vec<_> = got.loads.iter().map(|l| (l.index, l.iterations[0].round, l.iterations[1].round)).collect();
    assert_eq!(rounds, [(0, 0, 0), (2, 0, 2), (4, 1, 0), (6, 1, 2), (8, 2, 0), (10, 2, 2)]);
    assert!(got.loads.iter().all(|l| l.iterations[0].line == BODY + 1 && l.iterations[1].line == BODY + 2));
    // 300 from the loads, then twice 700.
    assert_eq!((got.writes, got.iterations), (3, vec![Iteration { line: BODY + 7, round: 2 }]));
    Ok(())
}

#[test]
fn the_other_arm_is_no_source() -> Result {
    let body = "var x = a[i];\nif (l % 2u == 0u) { x = a[i + 64u]; } else { x += a[i + 128u]; }\nout[i] = x;";
    let even = writer(&kernel("", body), &pair(192), [1, 1, 1], ("out", 10))?;
    assert_eq!(sources(&even), [("a", 74, Role::Value)]);
    let odd = writer(&kernel("", body), &pair(192), [1, 1, 1], ("out", 11))?;
    assert_eq!(sources(&odd), [("a", 11, Role::Value), ("a", 139, Role::Value)]);
    // Lanes of one store each have their own line.
    let split = kernel("", "if (l < 20u) {\nout[i] = a[i];\n} else {\nout[i] = a[0];\n}");
    assert_eq!(writer(&split, &pair(64), [1, 1, 1], ("out", 19))?.line, BODY + 1);
    let other = writer(&split, &pair(64), [1, 1, 1], ("out", 20))?;
    assert_eq!((other.line, sources(&other)), (BODY + 3, vec![("a", 0, Role::Value)]));
    assert_eq!((other.loads[0].warp * 32 + other.loads[0].lane), 20, "a load for all lanes is told as the writer's");
    Ok(())
}

#[test]
fn lanes_that_leave_a_loop_early_keep_their_values() -> Result {
    let body = "var x = 0u; var k = 0u;\nloop { x = a[k * 64u + l]; k++; if (k > l / 8u) { break; } }\nout[l] = x;";
    for l in [0, 9, 31, 63] {
        let got = writer(&kernel("", body), &pair(512), [1, 1, 1], ("out", l))?;
        let load = &got.loads[0];
        assert_eq!((sources(&got), load.iterations[0].round), (vec![("a", l / 8 * 64 + l, Role::Value)], l as u32 / 8));
    }
    Ok(())
}

#[test]
fn atomics_name_the_last_writer_and_how_many_there_were() -> Result {
    let source = "@group(0) @binding(0) var<storage> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            atomicAdd(&bins[a[id.x] % 4u], a[id.x + 256u]);
        }";
    let a = words(&(0..512_u32).map(|i| i * i + i / 7).collect::<Vec<_>>());
    let expected: Vec<u64> = (0..256).filter(|i| (i * i + i / 7) % 4 == 3).collect();
    let got = writer(source, &[a, words(&[0; 4])], [4, 1, 1], ("bins", 3))?;
    let last = *expected.last().ok_or("an empty bin")?;
    assert_eq!((got.kind, got.writes, got.line), (AccessKind::Atomic, expected.len() as u64, 4));
    assert_eq!(got.workgroup * 64 + u64::from(got.local_id[0]), last);
    assert_eq!(sources(&got), [("a", last, Role::Index), ("a", last + 256, Role::Value)]);
    Ok(())
}

#[test]
fn only_an_exchange_that_happens_is_a_write() -> Result {
    let source = "@group(0) @binding(0) var<storage, read_write> lock: array<atomic<u32>>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            let r = atomicCompareExchangeWeak(&lock[0], l % 8u, l + 1u);
        }";
    // 0 → 1 by lane 0, → 2 by lane 1, … → 8 by lane 7; 8 is never expected again.
    let got = writer(source, &[words(&[0])], [1, 1, 1], ("lock", 0))?;
    assert_eq!((got.writes, got.local_id[0], got.loads), (8, 7, vec![]));
    Ok(())
}

#[test]
fn a_histogram_in_workgroup_memory() -> Result {
    let source = "@group(0) @binding(0) var<storage> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        var<workgroup> bins: array<atomic<u32>, 4>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {
            atomicAdd(&bins[l % 4u], a[l]);
            workgroupBarrier();
            if (l < 4u) { out[l] = atomicLoad(&bins[l]); }
        }";
    let [a, out] = pair(64);
    let got = writer(source, &[a, out], [1, 1, 1], ("out", 2))?;
    let all: Vec<_> = (0..64).filter(|i| i % 4 == 2).map(|i| ("a", i, Role::Value)).collect();
    assert_eq!(sources(&got), all);
    Ok(())
}

#[test]
fn functions_are_seen_through() -> Result {
    let before = "fn twice(x: u32) -> u32 { if (x > 1000u) { return 0u; } return x * 2u; } fn sum(p: ptr<function, u32>, at: u32) { *p += twice(a[at]); }";
    let body = "var x = 1u;\nsum(&x, i);\nsum(&x, 63u - i);\nout[i] = x;";
    let got = writer(&kernel(before, body), &pair(64), [1, 1, 1], ("out", 3))?;
    assert_eq!(sources(&got), [("a", 3, Role::Value), ("a", 60, Role::Value)]);
    assert_eq!((got.line, got.loads[0].line), (BODY + 3, 3), "the load is in the function");
    Ok(())
}

#[test]
fn local_arrays() -> Result {
    let body = "var t: array<u32, 4>;
for (var k = 0u; k < 4u; k++) { t[(k + l) % 4u] = a[k * 64u + l]; }
t[(l + 3u) % 4u] = 5u;
out[l] = t[(l * 3u) % 4u];";
    let source = kernel("", body);
    for l in 0..64_u64 {
        // Slot s holds round (s - l) mod 4, save round 3's, which was written over.
        let round = (l * 3 + 4 - l % 4) % 4;
        let expected = if round == 3 { vec![] } else { vec![("a", round * 64 + l, Role::Value)] };
        let program = compile(&source, "main", &[])?;
        let got = ask(&program, &pair(256), [1, 1, 1], ("out", l), 32)?.writer.ok_or("nobody")?;
        assert_eq!(sources(&got), expected, "lane {l}");
    }
    writer(&source, &pair(256), [1, 1, 1], ("out", 6))?;
    Ok(())
}

#[test]
fn a_reduction_in_workgroup_memory() -> Result {
    let source = kernel(
        "var<workgroup> s: array<u32, 64>;",
        "s[l] = a[i];
workgroupBarrier();
for (var half = 32u; half > 0u; half /= 2u) {
  if (l < half) { s[l] += s[l + half]; }
  workgroupBarrier();
}
if (l == 0u) { out[id.x / 64u] = s[0]; }",
    );
    let got = writer(&source, &pair(256), [4, 1, 1], ("out", 2))?;
    assert_eq!(sources(&got), (128..192).map(|i| ("a", i, Role::Value)).collect::<Vec<_>>());
    // Two loads for each of the 63 sums, and the last.
    assert_eq!(got.through.len(), 127);
    assert!(got.through.iter().all(|hop| hop.buffer == "s" && hop.stored_by.is_some()));
    let widest: Vec<&Load> =
        got.through.iter().filter(|h| h.iterations.first().is_some_and(|i| i.round == 0)).collect();
    assert_eq!(widest.len(), 64);
    Ok(())
}

#[test]
fn a_buffer_that_the_workgroup_wrote_is_passed_through() -> Result {
    let got = writer(&kernel("", "out[i] = a[i] + 1u;\nout[i] += a[i + 64u];"), &pair(128), [1, 1, 1], ("out", 5))?;
    assert_eq!((got.writes, got.line), (2, BODY + 1));
    assert_eq!(sources(&got), [("a", 5, Role::Value), ("a", 69, Role::Value)]);
    let [hop] = got.through.as_slice() else { return Err(format!("{:?}", got.through)) };
    assert_eq!((hop.buffer.as_str(), hop.index, hop.value.number()), ("out", 5, 51.0));
    assert_eq!(hop.stored_by.map(|s| s.line), Some(BODY));
    // It ends at values from before the run, or from another workgroup.
    let neighbour = kernel("", "out[i] = out[(i + 64u) % 128u] + min(a[0], 1u) + 1u;");
    let got = writer(&neighbour, &pair(128), [2, 1, 1], ("out", 70))?;
    assert_eq!(sources(&got), [("a", 0, Role::Value), ("out", 6, Role::Value)]);
    assert_eq!(got.loads[0].value.number(), 8.0, "as the first workgroup left it");
    Ok(())
}

#[test]
fn overlapping_writes() -> Result {
    // The last lane's value stays, and the last workgroup's.
    let program = compile(&kernel("", "out[i / 128u] = a[i];"), "main", &[])?;
    let got = ask(&program, &pair(256), [4, 1, 1], ("out", 1), 32)?;
    assert_eq!(got.value.number(), 2550.0);
    let got = got.writer.ok_or("nobody")?;
    assert_eq!((got.workgroup, got.local_id[0], got.writes), (3, 63, 128));
    assert_eq!(sources(&got), [("a", 255, Role::Value)]);
    Ok(())
}

#[test]
fn beyond_the_end_is_a_zero_from_nowhere() -> Result {
    let source = kernel("", "out[i] = a[i + 1u] + a[i];");
    let program = compile(&source, "main", &[])?;
    let [a, out] = pair(64);
    let got = ask(&program, &[a, out], [1, 1, 1], ("out", 63), 32)?.writer.ok_or("nobody")?;
    assert_eq!(sources(&got), [("a", 63, Role::Value)]);
    Ok(())
}

#[test]
fn a_long_history_is_cut_and_says_so() -> Result {
    let body = "var x = a[0];\nfor (var k = 0u; k < 300000u; k++) { x = x * 3u + a[(k + l) % 64u]; }\nout[l] = x;";
    let program = compile(&kernel("", body), "main", &[])?;
    let got = ask(&program, &pair(64), [1, 1, 1], ("out", 40), 64)?.writer.ok_or("nobody")?;
    assert!(!got.complete && got.omitted > 0);
    assert_eq!(got.loads.len(), warpbook::trace::provenance::MAX_LOADS);
    let last = got.loads.last().ok_or("no loads")?;
    assert_eq!((last.index, last.iterations[0].round), ((299_999 + 40) % 64, 299_999), "the latest are kept");
    Ok(())
}

#[test]
fn what_cannot_be_asked() -> Result {
    let program = compile(&kernel("", "out[i] = a[i];"), "main", &[])?;
    let buffers = pair(64);
    let refused = |of: (&str, u64), width: u32| ask(&program, &buffers, [1, 1, 1], of, width).err().unwrap_or_default();
    let unknown = refused(("outt", 0), 32);
    assert!(unknown.contains("no buffer `outt`") && unknown.contains("did you mean `out`"), "{unknown}");
    let unlike = refused(("z", 0), 32);
    assert!(unlike.contains("written to: out"), "{unlike}");
    let read = refused(("a", 0), 32);
    assert!(read.contains("only read") && read.contains("written to: out"), "{read}");
    let far = refused(("out", 64), 32);
    assert!(far.contains("no element 64") && far.contains("0 to 63"), "{far}");
    assert!(refused(("out", 0), 12).contains("12 lanes"));
    let endless =
        compile(&kernel("", "var k = 0u;\nloop { k++; if (k == 0u) { break; } }\nout[i] = a[k];"), "main", &[])?;
    let endless = ask(&endless, &buffers, [1, 1, 1], ("out", 0), 32).err().unwrap_or_default();
    assert!(endless.contains(&format!("t.wgsl:{}:", BODY + 1)) && endless.contains("does this loop end"), "{endless}");
    let question = Question { buffer: "out".to_owned(), index: 0, warp_width: 32, fuel: 1 << 24 };
    assert!(explain(&program, &buffers, [1, 1, 1], &question, &AtomicBool::new(true)).is_err());
    Ok(())
}
