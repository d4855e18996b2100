//! 16-bit floats: values, layouts, and what their accesses cost.

use super::{Result, compile, every_way, run_with, width, words};
use warpbook::base::half::{f16_to_f32, f32_to_f16};
use warpbook::base::tensor::{Elem, Init, Tensor};
use warpbook::trace::FindingKind;

fn rounded(x: f32) -> f32 {
    f16_to_f32(f32_to_f16(x))
}

#[test]
fn each_operation_rounds() -> Result {
    let source = "enable f16;
        @group(0) @binding(0) var<storage, read> a: array<f16>;
        @group(0) @binding(1) var<storage, read_write> out: array<f16>;
        @compute @workgroup_size(100) fn main(@builtin(local_invocation_index) i: u32) {
            let x = a[i]; let y = a[i + 100u];
            out[i * 8u] = x * y + x;
            out[i * 8u + 1u] = x / y - 0.1h;
            out[i * 8u + 2u] = f16(f32(x) * 1.1);
            out[i * 8u + 3u] = max(x, y) * f16(i) + f16(i32(i) - 50);
            out[i * 8u + 4u] = sqrt(abs(x)) + exp(y);
            out[i * 8u + 5u] = dot(vec2(x, y), vec2(y, 2.0h));
            out[i * 8u + 6u] = select(x, y, x < y) + f16(u32(abs(x) * 9.0h));
            let m = mat2x2<f16>(x, y, 1.0h, 0.5h) * vec2(x, 3.0h);
            out[i * 8u + 7u] = m.x - m.y;
        }";
    let a = Tensor::new(Elem::F16, 200, Init::Random, 3, 0);
    let out = Tensor::new(Elem::F16, 800, Init::Poison, 0, 0);
    let (buffers, outcome) = every_way(source, &[a.clone(), out], [1, 1, 1])?;
    assert_eq!(outcome.trace.findings, []);
    let r = rounded;
    for i in 0..100 {
        let (x, y) = (a.get(i) as f32, a.get(i + 100) as f32);
        let (a, b) = (r(r(x * x) + r(3.0)), r(r(y * x) + r(0.5 * 3.0)));
        let expected = [
            r(r(x * y) + x),
            r(r(x / y) - r(0.1)),
            r(x * 1.1),
            r(r(x.max(y) * i as f32) + (i as f32 - 50.0)),
            r(r(x.abs().sqrt()) + r(y.exp())),
            r(r(y * 2.0) + r(x * y)),
            r(x.max(y) + r(x.abs() * 9.0).trunc()),
            r(a - b),
        ];
        for (k, expected) in expected.into_iter().enumerate() {
            assert_eq!(buffers[1].get(i * 8 + k) as f32, expected, "invocation {i}, result {k}");
        }
    }
    Ok(())
}

#[test]
fn layouts() -> Result {
    // Offsets by WGSL's rules: a 0, b 8 (a vector of three, aligned to 8), c 14, m 16 (columns of 8), d 40, tail 44.
    let source = "enable f16;
        struct S { a: f16, b: vec3<f16>, c: f16, m: mat3x3<f16>, d: f32, tail: array<vec2<f16>> }
        @group(0) @binding(0) var<storage, read_write> s: S;
        var<private> p: vec4<f16>;
        var<workgroup> w: array<vec3<f16>, 4>;
        @compute @workgroup_size(1) fn main() {
            s.a = 1.0h; s.b = vec3(2.0h, 3.0h, 4.0h); s.c = 5.0h; s.d = 6.0;
            s.m = mat3x3<f16>(1.0h, 2.0h, 3.0h, 4.0h, 5.0h, 6.0h, 7.0h, 8.0h, 9.0h);
            s.m[1].z = s.b.y;
            var local = array<f16, 3>(1.0h, 2.0h, 3.0h);
            p[arrayLength(&s.tail)] = local[arrayLength(&s.tail)];
            w[arrayLength(&s.tail)] = vec3(p.z, 0.5h, 0.25h);
            workgroupBarrier();
            s.tail[1] = w[2].xy;
        }";
    let (buffers, outcome) = every_way(source, &[words(&[0; 13])], [1, 1, 1])?;
    assert_eq!(outcome.trace.findings, []);
    let pair = |x: f32, y: f32| u32::from(f32_to_f16(x)) | u32::from(f32_to_f16(y)) << 16;
    let expected = [
        pair(1.0, 0.0),
        0,
        pair(2.0, 3.0),
        pair(4.0, 5.0),
        pair(1.0, 2.0),
        pair(3.0, 0.0),
        pair(4.0, 5.0),
        pair(3.0, 0.0),
        pair(7.0, 8.0),
        pair(9.0, 0.0),
        6.0_f32.to_bits(),
        0,
        pair(3.0, 0.5),
    ];
    assert_eq!(buffers[0].words, expected);
    Ok(())
}

#[test]
fn accesses_cost_what_their_bytes_do() -> Result {
    // 32 lanes: 64 bytes are 2 sectors, from an odd place 3; a stride of 16 elements is a sector a lane. In workgroup memory
    // two lanes share a word, so a stride of 32 halves puts all in one bank, and one of 64 as well.
    let source = |o: u32, s: u32| {
        format!(
            "enable f16;
            @group(0) @binding(0) var<storage, read> a: array<f16>;
            @group(0) @binding(1) var<storage, read_write> out: array<f16>;
            var<workgroup> t: array<f16, 2048>;
            @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {{
                t[i * {s}u] = a[i * {s}u + {o}u];
                workgroupBarrier();
                out[i] = t[i * {s}u];
            }}"
        )
    };
    for (o, s, sectors, wavefronts) in
        [(0, 1, 2, 1), (1, 1, 3, 1), (0, 16, 32, 8), (0, 2, 4, 1), (0, 64, 32, 32), (0, 4, 8, 2)]
    {
        let program = compile(&source(o, s), "main", &[])?;
        let mut buffers =
            [Tensor::new(Elem::F16, 2100, Init::Random, 1, 0), Tensor::new(Elem::F16, 32, Init::Poison, 1, 1)];
        let mut options = width(32);
        options.spec.races = true;
        let trace = run_with(&program, &mut buffers, [1, 1, 1], &options)?.trace;
        assert_eq!(trace.findings, [], "offset {o}, stride {s}");
        let (load, shared) = (trace.global.load, trace.shared.load);
        assert_eq!((load.requests, load.sectors, load.bytes), (1, sectors, 64), "offset {o}, stride {s}");
        assert_eq!((shared.requests, shared.wavefronts), (1, wavefronts), "offset {o}, stride {s}");
    }
    Ok(())
}

#[test]
fn two_lanes_may_write_the_halves_of_a_word() -> Result {
    let source = |barrier: &str| {
        format!(
            "enable f16;
            @group(0) @binding(0) var<storage, read_write> out: array<f16>;
            var<workgroup> t: array<f16, 64>;
            @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) {{
                t[i] = f16(i);
                {barrier}
                out[i] = t[63u - i];
            }}"
        )
    };
    let mut options = width(32);
    options.spec.races = true;
    let mut buffers = [words(&[0; 32])];
    let clean = run_with(&compile(&source("workgroupBarrier();"), "main", &[])?, &mut buffers, [1, 1, 1], &options)?;
    assert_eq!(clean.trace.findings, []);
    let raced = run_with(&compile(&source(""), "main", &[])?, &mut buffers, [1, 1, 1], &options)?;
    assert!(raced.trace.findings.iter().any(|f| f.kind == FindingKind::Race));
    Ok(())
}

#[test]
fn reads_of_halves_that_nobody_wrote() -> Result {
    let source = "enable f16;
        @group(0) @binding(0) var<storage, read_write> out: array<f16>;
        var<workgroup> t: array<f16, 64>;
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
            t[2u * i] = 1.0h;
            out[2u * i] = t[2u * i];
            out[2u * i] = t[2u * i + 1u];
            out[2u * i] += out[2u * i + 1u];
        }";
    let mut options = width(32);
    options.spec.races = true;
    let mut buffers = [Tensor::new(Elem::F16, 64, Init::Poison, 0, 0)];
    assert!(buffers[0].get(0).is_nan() && buffers[0].get(1).is_nan());
    let found = run_with(&compile(source, "main", &[])?, &mut buffers, [1, 1, 1], &options)?.trace.findings;
    let found: Vec<_> = found.iter().map(|f| (f.kind, f.line)).collect();
    assert_eq!(found, [(FindingKind::Uninitialized, 7), (FindingKind::Uninitialized, 8)]);
    Ok(())
}
