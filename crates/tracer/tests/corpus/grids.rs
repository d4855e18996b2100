//! Stencils, transposes, convolutions, and games on grids.

use warpbook_base::tensor::Elem;
use warpbook_tracer::trace::FindingKind;

use crate::common::{Case, close, floats, random, randoms};

fn of(entry: &'static str, grid: u32, block: u32) -> Case {
    Case::of("corpus/grids", entry, grid, block)
}

/// The values as f64, zero outside.
struct Grid<'a> {
    values: &'a [f32],
    size: [i32; 2],
}

impl Grid<'_> {
    fn at(&self, x: i32, y: i32) -> f64 {
        let [width, height] = self.size;
        let inside = (0..width).contains(&x) && (0..height).contains(&y);
        if inside { f64::from(self.values[(y * width + x) as usize]) } else { 0.0 }
    }

    fn each(&self, of: impl Fn(i32, i32) -> f64) -> Vec<f64> {
        let [width, height] = self.size;
        (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| of(x, y)).collect()
    }
}

#[test]
fn a_stencil_on_a_line() {
    for n in [1_i32, 127, 300] {
        let a = random(n as usize);
        let (buffers, _) = of("heat_1d", 3, 128).floats(&a).floats(&vec![0.0; a.len()]).int(n).clean();
        let grid = Grid { values: &a, size: [n, 1] };
        close(
            &floats(&buffers[1]),
            grid.each(|x, y| 0.25 * (grid.at(x - 1, y) + grid.at(x + 1, y)) + 0.5 * grid.at(x, y)),
        );
    }
    let found = of("heat_past", 1, 128).floats(&[1.0; 128]).floats(&[0.0; 128]).int(128).found();
    assert_eq!(found, [(FindingKind::OutOfBounds, "if (i < n) out[i] = 0.5f * in[i] + 0.5f * in[i + 1];".to_owned())]);
}

#[test]
fn stencils_with_halos() {
    let (width, height) = (37_i32, 21);
    let a = random((width * height) as usize);
    let case = of("jacobi_2d", 1, 1).plane([3, 2], [16, 16]).floats(&a).floats(&vec![0.0; a.len()]);
    let (buffers, _) = case.int(width).int(height).clean();
    let grid = Grid { values: &a, size: [width, height] };
    let wanted =
        grid.each(|x, y| 0.25 * (grid.at(x - 1, y) + grid.at(x + 1, y) + grid.at(x, y - 1) + grid.at(x, y + 1)));
    close(&floats(&buffers[1]), wanted);
    let (nx, ny, nz) = (20_i32, 9_i32, 6_i32);
    let a = random((nx * ny * nz) as usize);
    let case = of("stencil_3d", 1, 1).plane([2, 2], [16, 8]).floats(&a).floats(&vec![0.0; a.len()]);
    let (buffers, _) = case.int(nx).int(ny).int(nz).clean();
    let at = |x: i32, y: i32, z: i32| f64::from(a[((z * ny + y) * nx + x) as usize]);
    let mut wanted = vec![0.0; a.len()];
    for z in 1..nz - 1 {
        for y in 1..ny - 1 {
            for x in 1..nx - 1 {
                let around = [
                    at(x - 1, y, z),
                    at(x + 1, y, z),
                    at(x, y - 1, z),
                    at(x, y + 1, z),
                    at(x, y, z - 1),
                    at(x, y, z + 1),
                ];
                wanted[((z * ny + y) * nx + x) as usize] = around.iter().sum::<f64>() - 6.0 * at(x, y, z);
            }
        }
    }
    close(&floats(&buffers[1]), wanted);
}

#[test]
fn transposes() {
    let (width, height) = (50_i32, 40_i32);
    let a = random((width * height) as usize);
    let wanted: Vec<f32> = (0..width * height).map(|i| a[(i % height * width + i / height) as usize]).collect();
    let mut conflicts = Vec::new();
    for (entry, block) in [("transpose_naive", [32, 32]), ("transpose_tiled", [32, 8]), ("transpose_padded", [32, 8])] {
        let case = of(entry, 1, 1).plane([2, 2], block).floats(&a).floats(&vec![0.0; a.len()]);
        let (buffers, outcome) = case.int(width).int(height).clean();
        assert_eq!(floats(&buffers[1]), wanted, "{entry}");
        conflicts.push(outcome.trace.shared.load.wavefronts - outcome.trace.shared.load.requests);
    }
    assert_eq!((conflicts[0], conflicts[2]), (0, 0));
    assert!(conflicts[1] > 500, "{conflicts:?}");
}

#[test]
fn convolutions() {
    let (width, height) = (30_i32, 20_i32);
    let (a, weights) = (random((width * height) as usize), random(9));
    let filter: Vec<u8> = weights.iter().flat_map(|w| w.to_le_bytes()).collect();
    let case = |entry| {
        let case = of(entry, 1, 1).plane([2, 2], [16, 16]).floats(&a).floats(&vec![0.0; a.len()]);
        case.value(&filter).int(width).int(height)
    };
    let grid = Grid { values: &a, size: [width, height] };
    let wanted = grid.each(|x, y| {
        let at = |i: i32, j: i32| grid.at((x + i).clamp(0, width - 1), (y + j).clamp(0, height - 1));
        (-1..=1)
            .flat_map(|j| (-1..=1).map(move |i| (i, j)))
            .map(|(i, j)| at(i, j) * f64::from(weights[(j * 3 + i + 4) as usize]))
            .sum()
    });
    let (buffers, _) = case("conv2d").clean();
    close(&floats(&buffers[1]), wanted.clone());
    let (buffers, _) = case("conv2d_dynamic").int(1).clean();
    close(&floats(&buffers[1]), wanted);
}

#[test]
fn constants_are_given_by_the_launch() {
    let weights = random(25);
    let bits: Vec<u32> = weights.iter().map(|w| w.to_bits()).collect();
    let (buffers, outcome) = of("set_nothing", 1, 25).floats(&[0.0; 25]).variable("filter", Elem::F32, bits).clean();
    assert_eq!(floats(&buffers[0]), weights);
    assert!(outcome.trace.uniform.load.requests > 0);
    let said = of("set_nothing", 1, 25).floats(&[0.0; 25]).variable("filtre", Elem::F32, vec![0]).refused();
    assert!(said.contains("there is no variable `filtre`"), "{said}");
}

#[test]
fn a_game_of_life() {
    let (width, height) = (24_i32, 16_i32);
    let alive = randoms((width * height) as usize, 2);
    let words = |cells: &[i32]| {
        cells.chunks(4).map(|c| c.iter().rev().fold(0, |w, b| w << 8 | b.cast_unsigned())).collect::<Vec<u32>>()
    };
    let case = of("life", 1, 1)
        .plane([2, 2], [16, 8])
        .buffer(Elem::U32, words(&alive))
        .buffer(Elem::U32, vec![0; alive.len() / 4]);
    let (buffers, _) = case.int(width).int(height).clean();
    let at = |x: i32, y: i32| alive[((y + height) % height * width + (x + width) % width) as usize];
    let next: Vec<i32> = (0..width * height)
        .map(|i| {
            let (x, y) = (i % width, i / width);
            let around: i32 = (-1..=1).flat_map(|j| (-1..=1).map(move |i| (i, j))).map(|(i, j)| at(x + i, y + j)).sum();
            let around = around - at(x, y);
            i32::from(around == 3 || around == 2 && at(x, y) == 1)
        })
        .collect();
    assert_eq!(buffers[1].words, words(&next));
}
