//! Sums, maxima and their places, with the mistakes that they invite.

use warpbook_tracer::trace::FindingKind;

use crate::common::{Case, close, floats, ints, random};

fn of(entry: &'static str, grid: u32, block: u32) -> Case {
    Case::of("corpus/reduce", entry, grid, block)
}

fn sum(values: &[f32]) -> f64 {
    values.iter().map(|x| f64::from(*x)).sum()
}

#[test]
fn sums() {
    for n in [1, 777, 4000] {
        let a = random(n);
        let count = n as i32;
        let unrolled = of("_Z8unrolledILi256EEvPKfPfi", 3, 256).floats(&a).floats(&[0.0; 3]).int(count);
        let (buffers, _) = unrolled.run();
        let total = floats(&buffers[1]).into_iter().map(f64::from).sum::<f64>();
        close(&[total as f32], [sum(&a)]);
        let (buffers, _) = of("shuffled", 2, 128).floats(&a).floats(&[0.0]).int(count).clean();
        close(&floats(&buffers[1]), [sum(&a)]);
        let (buffers, _) = of("vectors", 2, 128).floats(&a).floats(&[0.0]).int(count).clean();
        close(&floats(&buffers[1]), [sum(&a[..n / 4 * 4])]);
    }
}

#[test]
fn the_place_of_the_largest() {
    for n in [1, 100, 1000] {
        let a = random(n);
        let (buffers, _) = of("argmax", 1, 256).floats(&a).ints(&[-1]).int(n as i32).clean();
        let wanted = (0..n).reduce(|best, i| if a[i] > a[best] { i } else { best });
        assert_eq!(ints(&buffers[1]), [wanted.unwrap_or(0) as i32]);
    }
}

#[test]
fn planted_mistakes() {
    let found = |entry| of(entry, 1, 256).floats(&[1.0; 256]).floats(&[0.0; 256]).found();
    let races = found("no_barrier");
    let line = "if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];";
    assert!(races.contains(&(FindingKind::Race, line.to_owned())), "{races:?}");
    let divergent = found("barrier_in_branch");
    assert!(divergent.contains(&(FindingKind::DivergentBarrier, "__syncthreads();".to_owned())), "{divergent:?}");
    let shuffle = found("shuffle_in_branch");
    let line = "if (threadIdx.x < 16) x += __shfl_down_sync(~0u, x, 16);";
    assert!(shuffle.contains(&(FindingKind::InactiveLane, line.to_owned())), "{shuffle:?}");
}

#[test]
fn a_barrier_does_not_wait_for_threads_that_have_left() {
    for (n, blocks) in [(80, 128), (64, 128), (1, 32), (128, 128)] {
        let case = of("leaves_early", 1, blocks).floats(&vec![0.0; n]).floats(&vec![1.0; (blocks as usize - n).max(1)]);
        let (buffers, _) = case.int(n as i32).clean();
        assert_eq!(floats(&buffers[0]), (0..n).rev().map(|i| i as f32).collect::<Vec<_>>());
        let left = blocks as usize - n;
        assert!(floats(&buffers[1])[..left].iter().all(|x| *x == 2.0));
    }
    let found = of("breaks_out", 1, 32).floats(&[0.0; 32]).found();
    assert!(found.iter().any(|(kind, _)| *kind == FindingKind::DivergentBarrier), "{found:?}");
}
