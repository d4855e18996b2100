//! Cooperative groups, and lanes that meet.

use warpbook_tracer::trace::FindingKind;

use crate::common::{Case, close, floats, ints, random, randoms};

fn of(entry: &'static str, grid: u32, block: u32) -> Case {
    Case::of("corpus/groups", entry, grid, block)
}

#[test]
fn tiles_of_a_block() {
    let a = random(64);
    let (buffers, _) = of("tiles", 1, 64).floats(&a).floats(&[0.0; 4]).ints(&[0; 64]).clean();
    let wanted = a.chunks(16).map(|tile| 2.0 * tile.iter().map(|x| f64::from(*x)).sum::<f64>());
    close(&floats(&buffers[1]), wanted.collect::<Vec<_>>());
    let masks = (0..64).map(|i| {
        let tile = &a[i / 16 * 16..][..16];
        let ballot = tile.iter().enumerate().filter(|(_, x)| **x > 0.0).fold(0, |bits, (l, _)| bits | 1 << l);
        ballot * 2 + i32::from(tile.iter().any(|x| *x > 0.9))
    });
    assert_eq!(ints(&buffers[2]), masks.collect::<Vec<_>>());
}

#[test]
fn coalesced_threads() {
    let values = randoms(90, 60);
    let (buffers, _) = of("coalesced", 3, 32).ints(&values).ints(&[-1; 90]).int(90).clean();
    let mut wanted = vec![-1; 90];
    for start in [0, 32, 64] {
        let group: Vec<usize> = (start..(start + 32).min(90)).filter(|i| values[*i] % 3 == 0).collect();
        for (rank, i) in group.iter().enumerate() {
            let (rank, size) = (rank as i32, group.len() as i32);
            wanted[*i] = rank + 100 * size + 10_000 * size + 1_000_000 * i32::from(values[group[0]] == values[*i]);
        }
    }
    assert_eq!(ints(&buffers[1]), wanted);
}

#[test]
fn a_scan_of_a_group() {
    let values = randoms(32, 100);
    let (buffers, _) = of("scans", 1, 32).ints(&values).ints(&[0; 32]).clean();
    let mut sum = 0;
    let wanted = values.iter().map(|x| {
        sum += x;
        sum
    });
    assert_eq!(ints(&buffers[1]), wanted.collect::<Vec<_>>());
}

#[test]
fn a_grid_waits_for_all_its_blocks() {
    let n = 256;
    let (buffers, _) = of("grid", 8, 32).floats(&vec![0.0; 2 * n]).int(n as i32).clean();
    let wanted: Vec<f32> = (0..n).map(|i| ((i + 1) % n + 100) % n).map(|x| x as f32).collect();
    assert_eq!(floats(&buffers[0])[..n], wanted);
}

#[test]
fn lanes_of_a_warp_meet() {
    let a = random(64);
    let (buffers, _) = of("warp_synchronous", 1, 32).floats(&a).floats(&[0.0]).clean();
    close(&floats(&buffers[1]), [a.iter().map(|x| f64::from(*x)).sum()]);
    let found = of("warp_unsynchronised", 1, 32).floats(&a).floats(&[0.0; 32]).found();
    assert!(found.contains(&(FindingKind::Race, "float x = s[lane ^ 1];".to_owned())), "{found:?}");
}

#[test]
fn votes_of_a_block() {
    let values = [3, -2, 5, 0].repeat(16);
    let (buffers, _) = of("votes", 1, 64).ints(&values).ints(&[0; 64]).clean();
    assert_eq!(ints(&buffers[1]), vec![32 + 1000; 64]);
}

#[test]
fn a_leader_adds_for_its_warp() {
    let values: Vec<i32> = randoms(100, 10).iter().map(|x| x - 5).collect();
    let (buffers, outcome) = of("aggregated", 4, 32).ints(&values).ints(&[0]).ints(&[0; 100]).int(100).clean();
    let kept: Vec<i32> = values.iter().copied().filter(|x| *x > 0).collect();
    assert_eq!(ints(&buffers[1]), [kept.len() as i32]);
    assert_eq!(ints(&buffers[2])[..kept.len()], kept);
    assert_eq!(outcome.trace.global.atomic.requests, 4, "one for each warp");
}
