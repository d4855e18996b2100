//! Layouts, indexing, bounds and atomics.

use super::{Result, compile, every_way, floats, lanes, run_with, width, words};
use warpbook::job::BindingKind;
use warpbook::trace::FindingKind;

#[test]
fn storage_layouts() -> Result {
    // Offsets by WGSL's rules: a 0, b 16, c 28, m 32 (two columns of 16), v 64, tail 80 in steps of 16.
    let source = "struct Inner { x: u32, y: vec2<f32> }
        struct S { a: u32, b: vec3<f32>, c: f32, m: mat2x3<f32>, v: Inner, tail: array<vec3<u32>> }
        @group(0) @binding(1) var<storage, read_write> s: S;
        @group(0) @binding(0) var<uniform> p: vec3<f32>;
        @compute @workgroup_size(1) fn main() {
            s.a = arrayLength(&s.tail);
            s.b = p * 2.0;
            s.c = s.b.y;
            s.m = mat2x3<f32>(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
            s.m[1].z = 7.0;
            s.v.x = 9u;
            s.v.y = vec2<f32>(10.0, 11.0);
            for (var k = 0u; k < arrayLength(&s.tail); k++) { s.tail[k] = vec3(k, k + 1u, k + 2u); }
        }";
    let program = compile(source, "main", &[])?;
    let [p, s] = program.bindings() else { return Err("two bindings".to_owned()) };
    assert_eq!((p.name.as_str(), p.kind, p.min_bytes, p.stride), ("p", BindingKind::Uniform, 12, None));
    assert_eq!((s.name.as_str(), s.kind, s.min_bytes, s.stride), ("s", BindingKind::ReadWrite, 96, Some(16)));
    let (buffers, outcome) = every_way(source, &[floats(&[1.0, 2.0, 3.0]), words(&[0; 28])], [1, 1, 1])?;
    let f = f32::to_bits;
    let mut expected = vec![2, 0, 0, 0, f(2.0), f(4.0), f(6.0), f(4.0)];
    expected.extend([f(1.0), f(2.0), f(3.0), 0, f(4.0), f(5.0), f(7.0), 0]);
    expected.extend([9, 0, f(10.0), f(11.0), 0, 1, 2, 0, 1, 2, 3, 0]);
    assert_eq!(buffers[1].words, expected);
    assert_eq!(outcome.trace.findings, []);
    Ok(())
}

#[test]
fn bindings_that_are_not_used_are_not_asked_for() -> Result {
    let source = "@group(1) @binding(0) var<storage, read> late: array<u32>;
        @group(0) @binding(3) var<storage, read_write> out: array<u32>;
        @group(0) @binding(0) var<storage, read> unused: array<u32>;
        @group(0) @binding(9) var picture: texture_2d<f32>;
        var<workgroup> w: array<vec4<f32>, 10>;
        @compute @workgroup_size(4, 2) fn main(@builtin(local_invocation_index) i: u32) {
            w[i] = vec4(1.0); out[i] = late[i];
        }";
    let program = compile(source, "main", &[])?;
    let names: Vec<&str> = program.bindings().iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["out", "late"]);
    assert_eq!(program.workgroup_size(), [4, 2, 1]);
    assert_eq!(program.shared_bytes(), 160);
    Ok(())
}

#[test]
fn arrays_are_indexed_at_run_time() -> Result {
    // A local array, an array of vectors, a vector, a matrix and a value without a variable.
    lanes(
        "",
        "var a = array<u32, 5>(1u, 2u, 3u, 4u, 5u); a[i % 5u] += i; out[i] = a[(i + 1u) % 5u] * 1000u + a[i % 5u];",
        |i| ((i + 1) % 5 + 1) * 1000 + i % 5 + 1 + i,
    )?;
    lanes("", "var v = vec4<u32>(1u, 2u, 3u, 4u); v[i % 4u] = i; out[i] = v.x + v.y * 2u + v[i % 4u];", |i| {
        let mut v = [1, 2, 3, 4];
        v[i as usize % 4] = i;
        v[0] + v[1] * 2 + i
    })?;
    lanes(
        "",
        "let m = mat3x2<f32>(1.0, 2.0, 3.0, 4.0, 5.0, 6.0); out[i] = u32(m[i % 3u].y * 10.0 + m[i % 3u][i % 2u]);",
        |i| (i % 3 * 2 + 2) * 10 + i % 3 * 2 + 1 + i % 2,
    )?;
    lanes(
        "const table = array<u32, 4>(7u, 5u, 3u, 1u); struct P { k: u32, v: array<vec2<u32>, 3> }",
        "var p: P; p.k = table[i % 4u]; p.v[i % 3u].y = i; let q = p; out[i] = q.k * 1000u + q.v[2].y + q.v[i % 3u].x;",
        |i| [7, 5, 3, 1][i as usize % 4] * 1000 + if i % 3 == 2 { i } else { 0 },
    )?;
    // Uniform indices of a local array, and passing it on by pointer.
    lanes(
        "fn sum(a: ptr<function, array<u32, 8>>) -> u32 { var s = 0u; for (var k = 0; k < 8; k++) { s += (*a)[k]; } return s; }",
        "var a: array<u32, 8>; for (var k = 0u; k < 8u; k++) { a[k] = k * i; } if (i > 50u) { a[3] = 0u; } out[i] = sum(&a);",
        |i| if i > 50 { 25 * i } else { 28 * i },
    )
}

#[test]
fn workgroup_memory_starts_at_zero_and_is_laid_out() -> Result {
    lanes(
        "var<workgroup> tile: array<array<u32, 10>, 10>; var<workgroup> flags: array<bool, 100>;",
        "let before = tile[i / 10u][i % 10u]; workgroupBarrier();
         tile[i % 10u][i / 10u] = i; flags[i] = i % 3u == 0u; workgroupBarrier();
         out[i] = before * 100000u + tile[i / 10u][i % 10u] * 10u + u32(flags[99u - i]);",
        |i| (i % 10 * 10 + i / 10) * 10 + u32::from((99 - i) % 3 == 0),
    )?;
    lanes(
        "var<workgroup> total: u32;",
        "if (i == 42u) { total = 5u; } let t = workgroupUniformLoad(&total); out[i] = t + i;",
        |i| i + 5,
    )
}

#[test]
fn out_of_bounds_reads_zero_and_drops_writes() -> Result {
    let source = "@group(0) @binding(0) var<storage, read> input: array<u32>;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        var<workgroup> s: array<u32, 8>;
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
            let x = input[i + 30u];
            out[i * 2u] = x;
            s[i] = i;
            out[33] = input[i * 100000000u];
            var a = array<u32, 4>(9u, 9u, 9u, 9u);
            out[1] = a[i + 4u];
            out[3] = s[i32(i) - 40];
        }";
    let input: Vec<u32> = (100..140).collect();
    let (buffers, outcome) = every_way(source, &[words(&input), words(&[5; 34])], [1, 1, 1])?;
    let out = &buffers[1].words;
    assert_eq!((out[0], out[18], out[20], out[32], out[33]), (130, 139, 0, 0, 0));
    assert_eq!((out[1], out[3]), (0, 0));
    let found: Vec<_> = outcome.trace.findings.iter().map(|f| (f.line, f.kind)).collect();
    assert_eq!(found, [5, 6, 7, 8, 10, 11].map(|line| (line, FindingKind::OutOfBounds)));
    let message = &outcome.trace.findings[0].message;
    assert!(message.contains("index 40") && message.contains("`input`") && message.contains("lane 10"), "{message}");
    assert!(outcome.trace.findings[5].message.contains("index -40"), "{}", outcome.trace.findings[5].message);
    Ok(())
}

#[test]
fn atomics() -> Result {
    let source = "@group(0) @binding(0) var<storage, read_write> h: array<atomic<u32>, 8>;
        @group(0) @binding(1) var<storage, read_write> low: atomic<i32>;
        var<workgroup> seen: atomic<u32>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {
            atomicAdd(&h[id.x % 3u], 1u);
            atomicMax(&h[3], id.x);
            atomicMin(&low, 5 - i32(id.x));
            atomicOr(&h[4], 1u << (id.x % 32u));
            atomicSub(&h[5], 2u);
            atomicAdd(&seen, 1u);
            workgroupBarrier();
            if (i == 0u) { atomicAdd(&h[6], atomicLoad(&seen)); }
        }";
    let (buffers, _) = every_way(source, &[words(&[0; 8]), words(&[0])], [10, 1, 1])?;
    assert_eq!(buffers[0].words, [214, 213, 213, 639, u32::MAX, 0_u32.wrapping_sub(1280), 640, 0]);
    assert_eq!(buffers[1].words[0].cast_signed(), -634);
    Ok(())
}

#[test]
fn atomics_whose_results_are_used_run_in_order() -> Result {
    let source = "@group(0) @binding(0) var<storage, read_write> next: array<atomic<u32>, 2>;
        @group(0) @binding(1) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let ticket = atomicAdd(&next[0], 1u);
            out[ticket] = id.x;
            let r = atomicCompareExchangeWeak(&next[1], id.x, id.x + 1u);
            if (!r.exchanged) { out[ticket] = r.old_value; }
        }";
    let (buffers, _) = every_way(source, &[words(&[0; 2]), words(&[0; 1600])], [100, 1, 1])?;
    assert_eq!(buffers[0].words, [1600, 1600]);
    assert_eq!(buffers[1].words, (0..1600).collect::<Vec<u32>>());
    Ok(())
}

#[test]
fn builtins_in_three_dimensions() -> Result {
    let source = "@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;
        struct In { @builtin(local_invocation_id) l: vec3<u32>, @builtin(num_workgroups) n: vec3<u32> }
        @compute @workgroup_size(SIZE) fn main(in: In, @builtin(global_invocation_id) g: vec3<u32>,
                @builtin(workgroup_id) w: vec3<u32>, @builtin(local_invocation_index) i: u32) {
            let size = vec3<u32>(SIZE);
            let linear = (w.z * in.n.y + w.y) * in.n.x + w.x;
            out[linear * size.x * size.y * size.z + i] = vec4(in.l.x + in.l.y * 100u + in.l.z * 10000u, g);
        }";
    for size in [[3, 5, 2], [16, 4, 1], [32, 2, 2], [64, 1, 1], [1, 9, 7], [8, 8, 1]] {
        let [x, y, z] = size;
        let total = x * y * z;
        let source = source.replace("SIZE", &format!("{x}, {y}, {z}"));
        let buffer = words(&vec![0; total as usize * 4 * 12]);
        let (buffers, outcome) = every_way(&source, &[buffer], [2, 3, 2])?;
        assert_eq!(outcome.trace.findings, []);
        for (at, got) in (0..).zip(buffers[0].words.chunks(4)) {
            let (w, i) = (at / total, at % total);
            let (l, w) = ([i % x, i / x % y, i / (x * y)], [w % 2, w / 2 % 3, w / 6]);
            let g = [0, 1, 2].map(|k| w[k] * size[k] + l[k]);
            assert_eq!(got, [l[0] + l[1] * 100 + l[2] * 10000, g[0], g[1], g[2]], "size {size:?}");
        }
    }
    Ok(())
}

#[test]
fn overrides_size_things() -> Result {
    let source = "override n: u32 = 4; override scale = 2.5; override m = n * 2u; @id(7) override flag: bool = false;
        @group(0) @binding(0) var<storage, read_write> out: array<f32>;
        var<workgroup> s: array<f32, n * 2>;
        @compute @workgroup_size(n, 2) fn main(@builtin(local_invocation_index) i: u32) {
            s[i] = f32(i) * scale; workgroupBarrier();
            out[i] = s[m - 1u - i] + select(0.0, 100.0, flag);
        }";
    let program = compile(source, "main", &[("n", 8.0), ("7", 1.0)])?;
    assert_eq!(program.workgroup_size(), [8, 2, 1]);
    assert_eq!(program.shared_bytes(), 64);
    let mut buffers = [floats(&[0.0; 16])];
    run_with(&program, &mut buffers, [1, 1, 1], &width(32))?;
    assert_eq!(buffers[0].get(0), 15.0 * 2.5 + 100.0);
    let known = warpbook::simt::overrides("t.wgsl", source).map_err(|e| super::listed(&e))?;
    let names: Vec<_> = known.iter().map(|o| (o.name.as_str(), o.default)).collect();
    assert_eq!(names, [("n", Some(4.0)), ("scale", Some(2.5)), ("m", None), ("flag", Some(0.0))]);
    Ok(())
}

#[test]
fn private_variables_indexed_at_run_time() -> Result {
    lanes(
        "var<private> v: vec2<u32>; var<private> m = mat2x3<f32>(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
         fn bump(p: ptr<private, vec2<u32>>, k: u32) { (*p)[k] += 7u; }",
        "v[(i + 1u) % 2u] += 3u; v[i % 2u] += i; bump(&v, i % 2u); m[i % 2u][i % 3u] += 10.0;
         out[i] = v.x * 10000u + v.y * 10u + u32(m[1][2]) * 1000000u;",
        |i| {
            let mut v = [3; 2];
            v[i as usize % 2] = i + 7;
            v[0] * 10_000 + v[1] * 10 + if i % 6 == 5 { 16_000_000 } else { 6_000_000 }
        },
    )
}

#[test]
fn atomics_on_floats() -> Result {
    let source = "@group(0) @binding(0) var<storage, read_write> out: array<f32>;
        @group(0) @binding(1) var<storage, read_write> sum: atomic<f32>;
        @compute @workgroup_size(40) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            out[id.x] = atomicAdd(&sum, f32(id.x));
            if id.x == 79u { atomicSub(&sum, 0.5); }
        }";
    let (buffers, outcome) = every_way(source, &[floats(&[0.0; 80]), floats(&[1.0])], [2, 1, 1])?;
    assert_eq!(outcome.trace.findings, []);
    let before = |i: u32| (1.0 + (0..i).sum::<u32>() as f32).to_bits();
    assert_eq!(buffers[0].words, (0..80).map(before).collect::<Vec<u32>>());
    assert_eq!(buffers[1].get(0), 3160.5);
    Ok(())
}
