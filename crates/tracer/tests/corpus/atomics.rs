//! Atomics of all widths, locks, clocks, matches, and blocks that order each other.

use half::{bf16, f16};
use warpbook_base::tensor::Elem;
use warpbook_tracer::trace::FindingKind;

use crate::common::{Case, close, floats, ints, random, randoms};

fn of(entry: &'static str, grid: u32, block: u32) -> Case {
    Case::of("corpus/atomics", entry, grid, block)
}

/// The words of 64-bit values.
fn wide(values: &[u64]) -> Vec<u32> {
    values.iter().flat_map(|v| [*v as u32, (*v >> 32) as u32]).collect()
}

fn pairs(words: &[u32]) -> Vec<u64> {
    words.chunks(2).map(|p| u64::from(p[0]) | u64::from(p[1]) << 32).collect()
}

#[test]
fn atomics_on_64_bits() {
    let mut values = vec![0_u64; 8 + 96];
    (values[1], values[5]) = (u64::MAX, 5 << 40);
    let case = of("wide", 3, 32).buffer(Elem::U32, wide(&values)).buffer(Elem::U32, wide(&[0]));
    let (buffers, _) = case.buffer(Elem::U32, wide(&[0, 0])).clean();
    let u = pairs(&buffers[0].words);
    assert_eq!(u[..7], [96 << 33, 0, u64::MAX, u64::from(u32::MAX), 7 << 40, 9, 192]);
    assert_eq!(u[8..], (0..96).map(|i| 2 * i).collect::<Vec<_>>());
    assert_eq!(f64::from_bits(pairs(&buffers[1].words)[0]), 48.0);
    let s = pairs(&buffers[2].words);
    assert_eq!((s[0].cast_signed(), s[1].cast_signed()), (-95 << 32, 95 << 32));
}

#[test]
fn atomics_on_halves_and_shorts() {
    let case = of("narrow", 1, 40).buffer(Elem::F16, vec![0]).buffer(Elem::F16, vec![0]).buffer(Elem::Bf16, vec![0]);
    let (buffers, _) = case.buffer(Elem::U32, vec![3 << 16 | 9]).clean();
    let both = |word: u32| [word as u16, (word >> 16) as u16];
    assert_eq!(both(buffers[0].words[0]).map(|bits| f16::from_bits(bits).to_f32()), [0.0, 40.0]);
    assert_eq!(both(buffers[1].words[0]).map(|bits| f16::from_bits(bits).to_f32()), [40.0, 80.0]);
    assert_eq!(both(buffers[2].words[0]).map(|bits| bf16::from_bits(bits).to_f32()), [0.0, 40.0]);
    let [low, high] = both(buffers[3].words[0]);
    assert!(low == 9 && (100..140).contains(&high), "one lane's: {high}");
}

#[test]
fn counters_that_begin_anew() {
    let case = of("rest", 1, 64).ints(&[0, 0, 1000, 0, 0, 0]).floats(&[0.0]).ints(&[0; 64]);
    let (buffers, _) = case.clean();
    assert_eq!(ints(&buffers[0]), [4, 6, 1000 - 192, -20, 43, 64]);
    assert_eq!(floats(&buffers[1]), [16.0]);
    assert_eq!(ints(&buffers[2]), (0..64).collect::<Vec<_>>());
}

#[test]
fn a_maximum_by_compare_and_swap() {
    let a: Vec<f32> = random(300).iter().map(|x| x + 2.0).collect();
    let (buffers, _) = of("float_max", 3, 128).floats(&a).ints(&[0]).int(300).clean();
    let most = a.iter().copied().fold(0.0, f32::max);
    assert_eq!(f32::from_bits(buffers[1].words[0]), most);
}

#[test]
fn the_last_block_sums_what_the_others_left() {
    let a = random(1000);
    let case = |entry| of(entry, 8, 128).floats(&a).floats(&[0.0; 8]).floats(&[0.0]).int(1000);
    let (buffers, _) = case("last_block").clean();
    close(&floats(&buffers[2]), [a.iter().map(|x| f64::from(*x)).sum()]);
    let found = case("last_block_unfenced").found();
    assert!(
        found.iter().any(|(kind, line)| *kind == FindingKind::Race && line.contains("sum += partial[k]")),
        "{found:?}"
    );
}

#[test]
fn blocks_wait_by_atomics_that_change_nothing() {
    let (buffers, _) = of("flags", 2, 32).ints(&[0; 4]).ints(&[0]).clean();
    assert_eq!(ints(&buffers[1]), [7]);
    let found = of("flag_of_nobody", 1, 32).ints(&[0]).ints(&[0; 32]).found();
    assert!(
        found.iter().any(|(kind, line)| *kind == FindingKind::Deadlock && line.contains("atomicAdd(flag, 0)")),
        "{found:?}"
    );
}

#[test]
fn lanes_that_bring_the_same() {
    let values = randoms(64, 5);
    let zeros = vec![0; 128];
    let case = of("same", 1, 64).ints(&values).ints(&[0; 64]).ints(&[0; 64]).buffer(Elem::U32, zeros);
    let (buffers, _) = case.clean();
    let wanted: Vec<u32> = (0..64_usize)
        .map(|i| (0..32).filter(|l| values[i & !31 | l] == values[i]).fold(0, |bits, l| bits | 1 << l))
        .collect();
    assert_eq!(buffers[1].words, wanted);
    assert!(buffers[2].words.iter().all(|all| *all == 0), "all lanes and 1 for the predicate");
    assert_eq!(pairs(&buffers[3].words), wanted.iter().map(|w| u64::from(*w)).collect::<Vec<_>>());
}

#[test]
fn clocks_count_instructions() {
    let run = || of("clocks", 1, 64).buffer(Elem::U32, vec![0; 128]).ints(&[0; 64]).clean().0;
    let buffers = run();
    let ticks = pairs(&buffers[0].words);
    assert!((50..10_000).contains(&ticks[0]) && ticks.iter().all(|t| *t == ticks[0]), "{ticks:?}");
    assert_eq!(ints(&buffers[1]), (0..64).map(|i| i / 32 * 100 + i % 32).collect::<Vec<_>>());
    assert_eq!(run(), buffers, "they are the same in each run");
}

#[test]
fn memories_are_told_apart() {
    let (buffers, _) = of("spaces", 1, 32).ints(&[0; 32]).ints(&[7; 32]).clean();
    // Global and not shared; shared and not global; local.
    assert_eq!(ints(&buffers[0]), (0..32).map(|i| (1 | 4 | 16) * 1000 + 7 + i + 5).collect::<Vec<_>>());
}

#[test]
fn a_lock_within_a_loop() {
    let (buffers, _) = of("locked", 2, 64).ints(&[0]).ints(&[0]).clean();
    assert_eq!((ints(&buffers[0]), ints(&buffers[1])), (vec![0], vec![128]));
}
