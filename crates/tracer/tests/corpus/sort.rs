//! Sorts, histograms, and what is kept of a list.

use warpbook_base::tensor::{Elem, Tensor};
use warpbook_tracer::trace::FindingKind;

use crate::common::{Case, ints, randoms};

fn of(entry: &'static str, grid: u32, block: u32) -> Case {
    Case::of("corpus/sort", entry, grid, block)
}

/// Bytes of `values`, and the words that hold them.
fn bytes(values: &[i32]) -> Vec<u32> {
    values.chunks(4).map(|four| four.iter().rev().fold(0, |word, byte| word << 8 | byte.cast_unsigned())).collect()
}

#[test]
fn a_bitonic_sort() {
    for n in [1_usize, 300, 512] {
        let keys = randoms(n, 10_000);
        let (buffers, _) = of("bitonic", 1, 256).ints(&keys).int(n as i32).clean();
        let mut wanted = keys;
        wanted.sort_unstable();
        assert_eq!(ints(&buffers[0]), wanted);
    }
}

#[test]
fn a_pass_of_a_radix_sort() {
    for n in [1_usize, 100, 256] {
        let keys = randoms(n, 1 << 12);
        let (buffers, _) = of("radix_pass", 1, 256).ints(&keys).ints(&vec![0; n]).int(4).int(n as i32).clean();
        let mut wanted = keys;
        wanted.sort_by_key(|key| key >> 4 & 15);
        assert_eq!(ints(&buffers[1]), wanted);
    }
}

fn histogram(entry: &'static str, values: &[i32], bins: usize) -> (Vec<Tensor>, Vec<i32>) {
    let case = of(entry, 3, 64).buffer(Elem::U32, bytes(values)).ints(&vec![0; bins]).int(values.len() as i32);
    let (buffers, _) = case.clean();
    let mut wanted = vec![0; bins];
    values.iter().for_each(|value| wanted[*value as usize % bins] += 1);
    (buffers, wanted)
}

#[test]
fn histograms() {
    let values = randoms(1001, 256);
    for (entry, bins) in [("histogram_global", 256), ("histogram_shared", 256), ("histogram_private", 16)] {
        let (buffers, wanted) = histogram(entry, &values, bins);
        assert_eq!(ints(&buffers[1]), wanted, "{entry}");
    }
}

#[test]
fn mistakes_in_histograms() {
    let values = randoms(64, 8);
    let found =
        |entry, block: u32| of(entry, 1, block).buffer(Elem::U32, bytes(&values)).ints(&[0; 256]).int(64).found();
    let racy = found("histogram_racy", 64);
    assert_eq!(racy, [(FindingKind::Race, "if (i < n) bins[in[i]]++;".to_owned())]);
    let unwritten = found("histogram_uninitialised", 256);
    assert!(
        unwritten.iter().any(|(kind, line)| *kind == FindingKind::Uninitialized && line.contains("own[in[i]] + 1")),
        "{unwritten:?}"
    );
}

#[test]
fn what_is_kept_is_in_order() {
    let values: Vec<i32> = randoms(200, 10).iter().map(|x| x - 5).collect();
    let (buffers, _) = of("compacted", 1, 256).ints(&values).ints(&[0; 200]).ints(&[0]).int(200).clean();
    let kept: Vec<i32> = values.into_iter().filter(|x| *x > 0).collect();
    assert_eq!(ints(&buffers[2]), [kept.len() as i32]);
    assert_eq!(ints(&buffers[1])[..kept.len()], kept);
}
