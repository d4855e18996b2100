//! Lanes of a warp, as bits of a mask.

/// The lanes of a mask, lowest first.
pub fn lanes_of(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        (lane < 64).then(|| {
            mask &= mask - 1;
            lane
        })
    })
}
