//! Kernels with barriers in shared memory, the copy engine and products in shared memory, traced and compared with what
//! they should compute.

mod common;

use std::sync::atomic::AtomicBool;

use common::{Case, floats, floats_of, whole};
use half::bf16;
use warpbook_base::diag::Diagnostic;
use warpbook_base::tensor::{Elem, Tensor};
use warpbook_tracer::dispatch::{Argument, TensorMap};
use warpbook_tracer::simt::{self, Outcome, Question};
use warpbook_tracer::trace::FindingKind;
use warpbook_tracer::trace::provenance::{Provenance, Role};

const SOURCE: &str = include_str!("ptx/hopper.cu");

/// A launch of one block.
fn launch(entry: &'static str, threads: u32, shared: u32) -> Case {
    Case::of("hopper", entry, 1, threads).shared(shared)
}

/// A map of `rows` of `columns` in a buffer, in boxes that are swizzled over `swizzle` bytes.
fn map(buffer: &str, [rows, columns]: [u64; 2], [box_rows, box_columns]: [u32; 2], swizzle: u32) -> Argument {
    let map = TensorMap { buffer: buffer.to_owned(), columns, rows, box_columns, box_rows, swizzle };
    Argument::Map(map, if columns == 64 { Elem::Bf16 } else { Elem::F32 })
}

/// The numbers of buffer `n` after a run without a finding.
fn cleaned(case: Case, n: usize) -> (Vec<f32>, Outcome) {
    let (buffers, outcome) = case.clean();
    (floats(&buffers[n]), outcome)
}

/// Where an element came from.
fn origin_of(case: &Case, question: &Question) -> Result<Provenance, Diagnostic> {
    let program = case.program().map_err(|mut errors| errors.remove(0))?;
    simt::explain(&program, &case.buffers, [1, 1, 1], question, &AtomicBool::new(false))
}

/// The kind and the message of each finding, and the text of its line.
fn found(outcome: &Outcome) -> Vec<(FindingKind, &str, &'static str)> {
    let line = |n: u32| SOURCE.lines().nth(n as usize - 1).unwrap_or_default().trim();
    outcome.trace.findings.iter().map(|f| (f.kind, f.message.as_str(), line(f.line))).collect()
}

#[test]
fn a_box_is_swizzled_and_filled_with_zeros() {
    let values: Vec<f32> = (0..20 * 40).map(|i| i as f32 + 1.0).collect();
    for (swizzle, column, row) in [(0, 0, 0), (128, 4, 3), (128, 16, 16), (128, -8, -2)] {
        let case = launch("box", 64, 1024).named("in", floats_of(&values)).named("out", floats_of(&[0.0; 256]));
        let case = case.int(column).int(row).argument(map("in", [20, 40], [8, 32], swizzle));
        let (got, outcome) = cleaned(case, 1);
        let at = |i: usize| {
            let line = i / 32;
            let piece = if swizzle == 128 { (i % 32 / 4) ^ (line % 8) } else { i % 32 / 4 };
            let (r, c) = (row + line as i32, column + (piece * 4 + i % 4) as i32);
            let inside = (0..20).contains(&r) && (0..40).contains(&c);
            if inside { values[r as usize * 40 + c as usize] } else { 0.0 }
        };
        assert_eq!(got, (0..256).map(at).collect::<Vec<_>>(), "{swizzle} {column} {row}");
        let inside = (0..256).filter(|i| at(*i) != 0.0).count() as u64;
        assert_eq!(outcome.trace.global.load.bytes, 4 * inside);
    }
}

#[test]
fn a_box_is_read_too_early() {
    let case =
        launch("box_too_early", 64, 1024).named("in", floats_of(&whole(256, 1))).named("out", floats_of(&[0.0; 64]));
    let (_, outcome) = case.argument(map("in", [8, 32], [8, 32], 128)).run();
    let [(kind, message, line)] = found(&outcome)[..] else { panic!("{:?}", found(&outcome)) };
    assert_eq!((kind, line), (FindingKind::EarlyRead, "out[threadIdx.x] = tile[threadIdx.x];  // before it waits"));
    assert!(message.contains("of `tile` before"), "{message}");
}

#[test]
fn a_run_of_bytes_needs_no_map() {
    let run = |first: i32, bytes: i32| {
        let case = launch("run", 64, 1024).named("in", floats_of(&whole(256, 1))).named("out", floats_of(&[0.0; 256]));
        case.int(first).int(bytes)
    };
    let (got, outcome) = cleaned(run(4, 400), 1);
    let doubled = |(i, value): (usize, f32)| if (4..104).contains(&i) { 2.0 * value } else { 0.0 };
    assert_eq!(got, whole(256, 1).into_iter().enumerate().map(doubled).collect::<Vec<_>>());
    assert_eq!([outcome.trace.global.load.bytes, outcome.trace.global.store.bytes], [400, 400]);

    let question = Question { buffer: "out".to_owned(), index: 50, warp_width: 32, fuel: 1 << 30 };
    let origin = origin_of(&run(4, 400), &question);
    let writer = origin.unwrap_or_else(|error| panic!("{error}")).writer.unwrap_or_else(|| panic!("nobody wrote it"));
    let loads = writer.loads.iter().filter(|load| load.role == Role::Value);
    assert_eq!(loads.map(|load| (load.buffer.as_str(), load.index)).collect::<Vec<_>>(), [("in", 50)]);

    for (case, kind, words) in [
        (
            run(200, 400),
            FindingKind::OutOfBounds,
            "a bulk copy of 400 bytes reaches beyond the end from byte 800 of a buffer of 1024",
        ),
        (run(0, 2048), FindingKind::OutOfBounds, "from byte 0 of a buffer of 1024"),
        (run(1, 16), FindingKind::Misaligned, "all three have to be multiples of 16"),
        (run(0, 20), FindingKind::Misaligned, "a bulk copy of 20 bytes"),
    ] {
        let (_, outcome) = case.run();
        assert!(found(&outcome).iter().any(|(of, why, _)| *of == kind && why.contains(words)), "{:?}", found(&outcome));
    }
}

#[test]
fn bytes_that_never_come_are_a_deadlock() {
    let case =
        launch("box_too_short", 64, 1024).named("in", floats_of(&whole(256, 1))).named("out", floats_of(&[0.0; 64]));
    let (_, outcome) = case.argument(map("in", [8, 32], [8, 32], 128)).run();
    let [(kind, message, _)] = found(&outcome)[..] else { panic!("{:?}", found(&outcome)) };
    assert_eq!(kind, FindingKind::Deadlock);
    assert!(message.contains("lacks 0 of 1 arrivals and 1024 bytes"), "{message}");
}

#[test]
fn a_matrix_that_is_smaller_than_its_map_is_refused() {
    let mut case = launch("box", 64, 1024).named("in", floats_of(&whole(100, 1))).named("out", floats_of(&[0.0; 256]));
    case = case.int(0).int(0).argument(map("in", [20, 40], [8, 32], 0));
    let refused = std::panic::catch_unwind(|| case.run()).err();
    let said = refused.and_then(|why| why.downcast_ref::<String>().cloned()).unwrap_or_default();
    assert!(said.contains("buffer `in` has 400 bytes, and needs at least 3200"), "{said}");
}

#[test]
fn boxes_are_stored() {
    let values = whole(5 * 256, 2);
    let case = |entry| {
        let case = launch(entry, 64, 2048).named("in", floats_of(&values)).named("out", floats_of(&vec![0.0; 5 * 256]));
        case.int(5).argument(map("out", [40, 32], [8, 32], 0))
    };
    let (got, outcome) = cleaned(case("stored"), 1);
    assert_eq!(got, values.iter().map(|v| 2.0 * v).collect::<Vec<_>>());
    assert_eq!(outcome.trace.global.store.bytes, 4 * 5 * 256);
    // A buffer is filled again while the copy engine may read it.
    let (_, outcome) = case("stored_too_fast").run();
    let found = found(&outcome);
    assert_eq!(found.iter().map(|(kind, ..)| *kind).collect::<Vec<_>>(), [FindingKind::Race]);
}

fn ring(entry: &'static str, steps: i32) -> Case {
    let values = whole(steps as usize * 256, 3);
    let case = launch(entry, 128, 2048).named("in", floats_of(&values)).named("out", floats_of(&[0.0; 96]));
    case.int(steps).argument(map("in", [8 * steps as u64, 32], [8, 32], 0))
}

#[test]
fn a_ring_goes_round() {
    let values = whole(7 * 256, 3);
    let (got, _) = cleaned(ring("ring", 7), 1);
    let sum = |lane: usize| (0..56).map(|row| values[32 * row + lane]).sum::<f32>();
    assert_eq!(got, (0..96).map(|i| (i / 32 + 1) as f32 * sum(i % 32)).collect::<Vec<_>>());
}

#[test]
fn a_place_is_released_too_early() {
    let (_, outcome) = ring("ring_released_early", 7).run();
    let kinds: Vec<FindingKind> = found(&outcome).into_iter().map(|(kind, ..)| kind).collect();
    // The next box is on its way to what is still being read.
    assert_eq!(kinds, [FindingKind::EarlyRead], "{:?}", found(&outcome));
}

#[test]
fn a_place_that_is_never_released_is_a_deadlock() {
    let (_, outcome) = ring("ring_never_released", 7).run();
    let [(kind, message, _)] = found(&outcome)[..] else { panic!("{:?}", found(&outcome)) };
    assert_eq!(kind, FindingKind::Deadlock);
    assert!(message.contains("warp 0 waits for a phase of parity 0") && message.contains("of `empty`"), "{message}");
    assert!(message.contains("warps 1, 2, 3 wait for") && message.contains("of `full`"), "{message}");
}

#[test]
fn barriers_of_a_part() {
    let values = whole(128, 4);
    let case = launch("halves", 128, 0).named("in", floats_of(&values)).named("out", floats_of(&[0.0; 128])).int(3);
    let (got, _) = cleaned(case, 1);
    let wanted = |i: usize| {
        let (half, within) = (i / 64, i % 64);
        let rounds = 3 + half;
        let from = if rounds % 2 == 1 { 63 - within } else { within };
        values[half * 64 + from] + rounds as f32
    };
    assert_eq!(got, (0..128).map(wanted).collect::<Vec<_>>());
    let case = launch("handed", 64, 0).named("in", floats_of(&values[..32])).named("out", floats_of(&[0.0; 32]));
    let (got, _) = cleaned(case, 1);
    assert_eq!(got, (0..32).map(|i| values[31 - i]).collect::<Vec<_>>());
}

#[test]
fn warps_that_wait_for_each_other_are_named() {
    let (_, outcome) = launch("each_waits_for_the_other", 64, 0).named("out", floats_of(&[0.0; 64])).run();
    let [(kind, message, _)] = found(&outcome)[..] else { panic!("{:?}", found(&outcome)) };
    assert_eq!(kind, FindingKind::Deadlock);
    assert!(message.contains("byte 0 of `barriers`") && message.contains("byte 8 of `barriers`"), "{message}");
}

/// A kernel's factors of 64 x 64, in boxes of 64 lines of `bytes`.
fn product(entry: &'static str, bytes: u32, a: &[f32], b: &[f32]) -> Case {
    let halves = |values: &[f32]| {
        let bits: Vec<u32> = values.iter().map(|v| bf16::from_f32(*v).to_bits().into()).collect();
        Tensor { elem: Elem::Bf16, words: bits.chunks(2).map(|two| two[0] | two[1] << 16).collect() }
    };
    let case =
        launch(entry, 128, 16384).named("a", halves(a)).named("b", halves(b)).named("out", floats_of(&[0.0; 4096]));
    case.argument(map("a", [64, 64], [64, bytes / 2], bytes)).argument(map("b", [64, 64], [64, bytes / 2], bytes))
}

#[test]
fn products_of_swizzled_tiles() {
    let (a, b) = (whole(4096, 5), whole(4096, 6));
    let kernels = [
        ("product_128", 128, [false, false]),
        ("product_64", 64, [false, false]),
        ("product_32", 32, [false, false]),
        ("product_128_turned", 128, [true, true]),
        ("product_64_turned", 64, [true, true]),
        ("product_32_turned", 32, [false, true]),
    ];
    for (entry, bytes, [a_turned, b_turned]) in kernels {
        let (got, _) = cleaned(product(entry, bytes, &a, &b), 2);
        let left = |m: usize, k: usize| if a_turned { a[k * 64 + m] } else { a[m * 64 + k] };
        let right = |k: usize, n: usize| if b_turned { b[k * 64 + n] } else { b[n * 64 + k] };
        let sum = |m: usize, n: usize| (0..64).map(|k| left(m, k) * right(k, n)).sum::<f32>();
        assert_eq!(got, (0..4096).map(|i| sum(i / 64, i % 64)).collect::<Vec<_>>(), "{entry}");
    }
}

#[test]
fn a_sum_comes_from_a_row_and_a_column() {
    let (a, b) = (whole(4096, 5), whole(4096, 6));
    let case = product("product_64", 64, &a, &b);
    let question = Question { buffer: "out".to_owned(), index: 5 * 64 + 9, warp_width: 32, fuel: 1 << 30 };
    let origin = origin_of(&case, &question);
    let writer = origin.unwrap_or_else(|error| panic!("{error}")).writer.unwrap_or_else(|| panic!("nobody wrote it"));
    for (buffer, line) in [("a", 5), ("b", 9)] {
        let loads = writer.loads.iter().filter(|load| load.buffer == buffer && load.role == Role::Value);
        let mut bytes: Vec<u64> = loads.map(|load| load.byte).collect();
        bytes.sort_unstable();
        bytes.dedup();
        assert_eq!(bytes, (0..32).map(|word| 128 * line + 4 * word).collect::<Vec<u64>>(), "{buffer}");
    }
    // Of a box that is stored, the numbers that it was made of.
    let values = whole(5 * 256, 2);
    let case = launch("stored", 64, 2048).named("in", floats_of(&values)).named("out", floats_of(&vec![0.0; 5 * 256]));
    let case = case.int(5).argument(map("out", [40, 32], [8, 32], 0));
    let question = Question { buffer: "out".to_owned(), index: 700, warp_width: 32, fuel: 1 << 30 };
    let origin = origin_of(&case, &question);
    let writer = origin.unwrap_or_else(|error| panic!("{error}")).writer.unwrap_or_else(|| panic!("nobody wrote it"));
    let loads = writer.loads.iter().filter(|load| load.role == Role::Value);
    assert_eq!(loads.map(|load| (load.buffer.as_str(), load.index)).collect::<Vec<_>>(), [("in", 700)]);
}

#[test]
fn an_atomic_on_a_vector_is_one_request() {
    let zeros = |count: usize| floats_of(&vec![0.0; count]);
    let case = Case::of("hopper", "vectors", 3, 32).named("sums", zeros(128)).named("before", zeros(6));
    let case = case.named("counts", zeros(2)).named("halves", zeros(64));
    let question = Question { buffer: "sums".to_owned(), index: 4 * 5 + 3, warp_width: 32, fuel: 1 << 30 };
    let origin = origin_of(&case, &question);
    let writer = origin.unwrap_or_else(|error| panic!("{error}")).writer.unwrap_or_else(|| panic!("nobody wrote it"));
    assert_eq!((writer.lane, writer.writes), (5, 1), "of one block");
    let (buffers, outcome) = case.clean();
    let wanted = |i: usize| {
        let x = (i / 4) as f32;
        3.0 * [x, x + 0.25, 1.0, -x][i % 4]
    };
    assert_eq!(floats(&buffers[0]), (0..128).map(wanted).collect::<Vec<_>>());
    assert_eq!(floats(&buffers[1]), [0.0, 0.0, 1.0, 10.0, 2.0, 20.0]);
    assert_eq!(floats(&buffers[2]), [3.0, 30.0]);
    assert_eq!(buffers[3].words, [0x4200_4600; 64], "3 and 6 as halves");
    let atomic = outcome.trace.global.atomic;
    assert_eq!((atomic.requests, atomic.sectors), (3 * 3, 3 * (16 + 1 + 8)));
}
