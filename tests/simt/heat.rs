//! How often elements are fetched, against numbers worked out by hand.

use super::{Options, Result, compile, floats, run_with, width};
use warpbook::trace::Heat;

const NAIVE: &str = include_str!("../kernels/naive_matmul.wgsl");
const TILED: &str = include_str!("../kernels/tiled_matmul.wgsl");

/// The heat of a product of n × n matrices, the same on any number of threads.
fn matmul(source: &str, entry: &str, n: usize, tile: u32, lanes: u32) -> Result<Heat> {
    let program = compile(source, entry, &[("n", n as f64)])?;
    let groups = n as u32 / tile;
    let heat = |threads| {
        let columns = vec![Some(n as u64), Some(n as u64), Some(n as u64)];
        let options = Options { heat: columns, threads, ..width(lanes) };
        let mut buffers = [floats(&vec![1.0; n * n]), floats(&vec![1.0; n * n]), floats(&vec![0.0; n * n])];
        let outcome = run_with(&program, &mut buffers, [groups, groups, 1], &options)?;
        assert!(outcome.trace.complete);
        outcome.heat.ok_or_else(|| "no heat".to_owned())
    };
    let (one, several) = (heat(Some(1))?, heat(Some(3))?);
    assert_eq!(one, several);
    Ok(one)
}

#[test]
fn naive_elements_are_fetched_once_by_each_warp_that_needs_them() -> Result {
    // A warp of 32 lanes holds 2 rows of 16 columns of C: an element of A is wanted by the warps of its row, n / 16,
    // one of B by those of its column, n / 2. C is never loaded.
    for (n, lanes, [a, b]) in [(64, 32, [4, 32]), (32, 32, [2, 16]), (32, 8, [4, 32]), (32, 64, [2, 8])] {
        let heat = matmul(NAIVE, "x_is_column", n, 16, lanes)?;
        let ranges: Vec<[u32; 2]> = heat.matrices.iter().map(|m| m.range).collect();
        assert_eq!(ranges, [[a, a], [b, b], [0, 0]], "n = {n}, {lanes} lanes");
        let all = (n * n) as u64;
        assert_eq!(heat.matrices[0].total, all * u64::from(a));
        assert!(heat.matrices[1].mean.iter().all(|mean| *mean == b as f32));
    }
    // With x along rows, a warp holds 16 rows of 2 columns.
    let heat = matmul(NAIVE, "x_is_row", 64, 16, 32)?;
    assert_eq!((heat.matrices[0].range, heat.matrices[1].range), ([32, 32], [4, 4]));
    Ok(())
}

#[test]
fn tiles_divide_fetches_by_their_side() -> Result {
    // Each workgroup of its row of tiles fetches an element of A once, each of its column one of B.
    for n in [32, 64, 96] {
        let heat = matmul(TILED, "tiled", n, 32, 32)?;
        let each = n as u32 / 32;
        let ranges: Vec<[u32; 2]> = heat.matrices.iter().map(|m| m.range).collect();
        assert_eq!(ranges, [[each, each], [each, each], [0, 0]], "n = {n}");
    }
    Ok(())
}

#[test]
fn footprints_say_who_touched_what() -> Result {
    let heat = matmul(TILED, "tiled", 64, 32, 32)?;

    let loaders = |matrix: usize, place: [u64; 2]| {
        let cell = heat.matrices[matrix].cells.cell(place);
        heat.loaders(matrix, cell).map(|f| f.workgroup).collect::<Vec<u32>>()
    };
    let storers = |place: [u64; 2]| {
        let cell = heat.matrices[2].cells.cell(place);
        heat.storers(2, cell).map(|f| f.workgroup).collect::<Vec<u32>>()
    };
    assert_eq!((loaders(0, [0, 63]), loaders(0, [63, 0])), (vec![0, 1], vec![2, 3]));
    assert_eq!((loaders(1, [0, 31]), loaders(1, [63, 32])), (vec![0, 2], vec![1, 3]));
    assert_eq!((storers([31, 32]), storers([32, 31])), (vec![1], vec![2]));
    assert_eq!(loaders(2, [0, 0]), Vec::<u32>::new());
    Ok(())
}

#[test]
fn lanes_of_one_request_share_a_fetch_and_gaps_are_left_out() -> Result {
    let source = "@group(0) @binding(0) var<storage, read> a: array<f32>;
        @group(0) @binding(1) var<storage, read_write> o: array<f32>;
        @compute @workgroup_size(32)
        fn main(@builtin(local_invocation_index) i: u32) {
            o[i] = a[i / 4u * 3u] + a[100u - 2u * i];
        }";
    let program = compile(source, "main", &[])?;
    let mut buffers = [floats(&[0.0; 110]), floats(&[0.0; 32])];
    let options = Options { heat: vec![Some(1), None], ..width(32) };
    let outcome = run_with(&program, &mut buffers, [1, 1, 1], &options)?;
    let heat = outcome.heat.ok_or("no heat")?;
    // One column, so that each cell is one element: 110 of them.
    let expected = (0..110).map(|i| u32::from(i % 3 == 0 && i < 24) + u32::from(i % 2 == 0 && (38..=100).contains(&i)));
    assert_eq!(heat.matrices[0].most, expected.collect::<Vec<_>>());
    assert_eq!(heat.matrices.len(), 1, "nobody asked for the other");
    Ok(())
}

#[test]
fn nothing_is_counted_where_nobody_asks() -> Result {
    let program = compile(TILED, "tiled", &[("n", 32.0)])?;
    let mut buffers = [floats(&[1.0; 1024]), floats(&[1.0; 1024]), floats(&[0.0; 1024])];
    assert!(run_with(&program, &mut buffers, [1, 1, 1], &width(32))?.heat.is_none());
    Ok(())
}

#[test]
fn an_array_of_arrays_in_workgroup_memory_has_columns() -> Result {
    let source = "var<workgroup> tile: array<array<f32, 33>, 32>;
        var<workgroup> flat: array<f32, 64>;
        @group(0) @binding(0) var<storage, read_write> o: array<f32>;
        @compute @workgroup_size(32)
        fn main(@builtin(local_invocation_index) i: u32) {
            tile[i][0] = 1.0; flat[i] = 2.0; workgroupBarrier(); o[i] = tile[31u - i][0] + flat[i];
        }";
    let program = compile(source, "main", &[])?;
    let mut options = width(32);
    options.spec.timeline_workgroups = vec![0];
    let outcome = run_with(&program, &mut [floats(&[0.0; 32])], [1, 1, 1], &options)?;
    let timeline = outcome.timeline.ok_or("no timeline")?;
    let columns: Vec<_> = timeline.buffers.iter().map(|b| (b.name.as_str(), b.columns)).collect();
    assert_eq!(columns, [("o", None), ("tile", Some(33)), ("flat", None)]);
    Ok(())
}
