//! Cooperative matrices: how the lanes of a warp share their elements, and their product.
//!
//! Which lane holds which element is a driver's own business. Here each lane holds parts of one row, so that 16 lanes
//! that load together from a row-major tile read eight rows of 16 bytes of it, as NVIDIA's `ldmatrix` does.

/// Lanes that share a matrix.
pub const LANES: u32 = 32;

/// Elements of a matrix that a lane holds.
pub fn held(size: u32) -> u32 {
    size * size / LANES
}

/// Neighbours in a row that a lane holds; it holds as many of each group of columns.
pub fn run(size: u32) -> u32 {
    held(size).min(4)
}

/// Lanes that share a row.
pub fn lanes_of_row(size: u32) -> u32 {
    LANES / size
}

/// Row and column of element `i` of those that a lane holds.
pub fn position(size: u32, lane: u32, i: usize) -> (u32, u32) {
    let (run, sharing) = (run(size), lanes_of_row(size));
    let i = i as u32;
    (lane / sharing, i / run * run * sharing + lane % sharing * run + i % run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_lies_in_one_place() {
        for size in [8, 16] {
            let all = (0..LANES).flat_map(|lane| (0..held(size) as usize).map(move |i| position(size, lane, i)));
            let mut all: Vec<(u32, u32)> = all.collect();
            all.sort_unstable();
            assert_eq!(all, (0..size).flat_map(|r| (0..size).map(move |c| (r, c))).collect::<Vec<_>>());
        }
    }
}
