//! Blocks of CUB.

use crate::common::{Case, close, floats, ints, random, randoms};

fn of(entry: &'static str, block: u32) -> Case {
    Case::of("corpus/library", entry, 1, block)
}

#[test]
fn blocks_of_cub() {
    let a = random(100);
    let (buffers, _) = of("cub_reduce", 128).floats(&a).floats(&[0.0]).int(100).clean();
    close(&floats(&buffers[1]), [a.iter().map(|x| f64::from(*x)).sum()]);
    let values = randoms(100, 50);
    let (buffers, _) = of("cub_scan", 128).ints(&values).ints(&[0; 100]).int(100).clean();
    let wanted = values.iter().scan(0, |sum, x| {
        *sum += x;
        Some(*sum)
    });
    assert_eq!(ints(&buffers[1]), wanted.collect::<Vec<_>>());
    let mut keys = randoms(128, 200);
    let (buffers, _) = of("cub_sort", 64).ints(&keys).ints(&[0; 128]).clean();
    keys.sort_unstable();
    assert_eq!(ints(&buffers[1]), keys);
}
