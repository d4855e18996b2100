//! Workgroups' intervals between barriers, against a tiled product worked out by hand.

use super::{Options, Result, compile, floats, run_with, width};
use warpbook::simt::{Outcome, Watched};
use warpbook::trace::Rows;

const TILED: &str = include_str!("../kernels/tiled_matmul.wgsl");
const N: usize = 64;

/// The product of two matrices of 64 × 64 in tiles of 32 × 32.
fn product(threads: Option<usize>, variables: &[&str], phases: bool) -> Result<Outcome> {
    let program = compile(TILED, "tiled", &[("n", N as f64)])?;
    let numbers: Vec<f32> = (0..N * N).map(|i| i as f32).collect();
    let mut buffers = [floats(&numbers), floats(&numbers), floats(&vec![0.0; N * N])];
    let variables = variables.iter().map(|name| (*name).to_owned()).collect();
    let watched = Watched { columns: vec![Some(N as u64); 3], variables, phases };
    let options = Options { course: Some(watched), threads, ..width(32) };
    run_with(&program, &mut buffers, [2, 2, 1], &options)
}

#[test]
fn phases_have_rows_of_buffers_and_contents_of_variables() -> Result {
    let course = product(Some(1), &["tile_a"], true)?.course.ok_or("no course")?;
    assert_eq!(Some(&course), product(Some(3), &["tile_a"], true)?.course.as_ref(), "on any number of threads");
    // Each workgroup loads two pairs of tiles and stores one; while it multiplies, it touches no buffer.
    let workgroups: Vec<u32> = course.phases.iter().map(|phase| phase.workgroup).collect();
    assert_eq!(workgroups, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]);
    let second = &course.phases[7];
    let tile = |buffer, rows, columns| Rows { buffer, rows, columns, bytes: 4 * 32 * 32 };
    assert_eq!(second.loads, [tile(0, [32, 64], [32, 64]), tile(1, [32, 64], [0, 32])]);
    assert_eq!(course.phases[8].stores, [tile(2, [32, 64], [0, 32])]);
    let tile_a = course.find("tile_a").ok_or("no variable")?;
    let content = course.content(tile_a, 8).ok_or("no content")?;
    let expected = |i: usize| ((32 + i / 32) * N + 32 + i % 32) as f64;
    assert_eq!(content.len(), 32 * 32);
    assert!((0..content.len()).all(|i| content.get(i) == expected(i)));
    assert!(course.find("tile_b").is_some_and(|tile_b| course.content(tile_b, 8).is_none()), "nobody asked for it");
    assert!(!course.truncated);
    Ok(())
}

#[test]
fn moved_bytes_count_sectors_by_request_and_once_a_launch() -> Result {
    let outcome = product(None, &[], false)?;
    assert_eq!(outcome.course, None);
    let moved: Vec<[u64; 4]> =
        outcome.moved.iter().take(3).map(|m| [m.loaded, m.loaded_once, m.stored, m.stored_once]).collect();
    let whole = 4 * (N * N) as u64;
    // Two workgroups need each tile of a factor.
    assert_eq!(moved, [[2 * whole, whole, 0, 0], [2 * whole, whole, 0, 0], [0, 0, whole, whole]]);
    let sectors = outcome.trace.global.load.sectors + outcome.trace.global.store.sectors;
    assert_eq!(moved.iter().map(|m| m[0] + m[2]).sum::<u64>(), 32 * sectors);
    Ok(())
}
