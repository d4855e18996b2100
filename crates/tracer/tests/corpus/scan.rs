//! Prefix sums, also of blocks that wait for each other.

use warpbook_tracer::trace::FindingKind;

use crate::common::{Case, ints, randoms};

fn of(entry: &'static str, grid: u32, block: u32) -> Case {
    Case::of("corpus/scan", entry, grid, block)
}

fn inclusive(values: &[i32]) -> Vec<i32> {
    values
        .iter()
        .scan(0, |sum, x| {
            *sum += x;
            Some(*sum)
        })
        .collect()
}

#[test]
fn within_a_block() {
    for n in [1_usize, 100, 256] {
        let values = randoms(n, 100);
        let case = |entry, block| of(entry, 1, block).ints(&values).ints(&vec![0; n]).int(n as i32);
        let (buffers, _) = case("hillis_steele", 256).shared(2048).clean();
        assert_eq!(ints(&buffers[1]), inclusive(&values));
        let (buffers, _) = case("blelloch", 128).shared(4 * (256 + 8)).clean();
        let wanted: Vec<i32> = inclusive(&values).iter().zip(&values).map(|(sum, x)| sum - x).collect();
        assert_eq!(ints(&buffers[1]), wanted);
    }
}

#[test]
fn over_blocks_that_look_back() {
    let values = randoms(1000, 100);
    let case = of("look_back", 8, 128).ints(&values).ints(&[0; 1000]).ints(&[0; 8]).ints(&[0; 8]).ints(&[0; 8]);
    let (buffers, _) = case.int(1000).clean();
    assert_eq!(ints(&buffers[1]), inclusive(&values));
}

#[test]
fn a_block_waits_for_one_that_comes_later() {
    let values = randoms(8, 100);
    let case = of("look_ahead", 8, 32).ints(&values).ints(&[0; 8]).ints(&[0; 8]).ints(&[0; 8]).int(8);
    let (buffers, _) = case.clean();
    let wanted: Vec<i32> = (0..8).map(|i| values[i..].iter().sum()).collect();
    assert_eq!(ints(&buffers[1]), wanted);
}

#[test]
fn a_warp_waits_for_another() {
    let (buffers, _) = of("warps_wait", 1, 64).ints(&[41]).ints(&[0]).clean();
    assert_eq!(ints(&buffers[1]), [42]);
}

#[test]
fn a_flag_that_nobody_sets_is_found_at_its_line() {
    let case = of("waits_forever", 2, 64).ints(&[0]).ints(&[0; 64]);
    let (_, outcome) = case.clone().run();
    assert_eq!(outcome.trace.findings.len(), 1, "{:?}", outcome.trace.findings);
    assert!(!outcome.trace.complete);
    assert_eq!(case.found(), [(FindingKind::Deadlock, "while (*flag == 0) {".to_owned())]);
}
