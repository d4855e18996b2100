//! Waves: each SM takes as many blocks of a grid as fit at once, and the last, partial wave leaves SMs idle.

use serde::Serialize;

/// The distribution of a grid's blocks over a device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Waves {
    /// Blocks of the grid.
    pub blocks: u64,
    /// SMs of the device.
    pub sms: u32,
    /// Blocks that one SM holds at once.
    pub blocks_per_sm: u32,
    /// Waves: `blocks / (sms * blocks_per_sm)`.
    pub waves: f64,
    /// Waves that fill every SM.
    pub full: u64,
    /// Blocks of the last, partial wave; 0 if the last one is full.
    pub tail_blocks: u64,
    /// The fill of the last wave, from above 0 to 1.
    pub tail_fill: f64,
    /// The share of all block slots, over all waves, that stay empty: `1 - waves / ceil(waves)`.
    pub idle_share: f64,
    /// SMs that have work: all of them, or as many as there are blocks.
    pub busy_sms: u32,
    /// Blocks of the busiest SM over the average of all SMs: `ceil(blocks / sms) * sms / blocks`. Work within an SM
    /// takes this many times as long as if it were spread evenly.
    pub imbalance: f64,
}

impl Waves {
    /// The time of a grid over that of one that fills every wave, if each wave ends before the next begins:
    /// `ceil(waves) / waves`. Below one wave, all blocks run at once, and the busiest SM decides.
    #[must_use]
    pub fn quantisation(&self) -> f64 {
        if self.waves < 1.0 { self.imbalance } else { self.waves.ceil() / self.waves }
    }
}

/// The waves of a grid (NVIDIA, "Matrix Multiplication Background User's Guide", on wave quantization,
/// docs.nvidia.com/deeplearning/performance/). None if there are no blocks, or if no block fits on an SM.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "grids stay below 2^53 blocks")]
#[expect(clippy::cast_possible_truncation, reason = "at most `sms`")]
pub fn waves(blocks: u64, sms: u32, blocks_per_sm: u32) -> Option<Waves> {
    let places = u64::from(sms) * u64::from(blocks_per_sm);
    if blocks == 0 || places == 0 {
        return None;
    }
    let waves = blocks as f64 / places as f64;
    let tail_blocks = blocks % places;
    Some(Waves {
        blocks,
        sms,
        blocks_per_sm,
        waves,
        full: blocks / places,
        tail_blocks,
        tail_fill: if tail_blocks == 0 { 1.0 } else { tail_blocks as f64 / places as f64 },
        idle_share: 1.0 - waves / waves.ceil(),
        busy_sms: u64::from(sms).min(blocks) as u32,
        imbalance: (blocks.div_ceil(u64::from(sms)) * u64::from(sms)) as f64 / blocks as f64,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(blocks: u64, sms: u32, blocks_per_sm: u32) -> Waves {
        waves(blocks, sms, blocks_per_sm).unwrap_or_else(|| panic!("{blocks} blocks have waves"))
    }

    #[test]
    fn one_more_row_of_tiles_is_one_more_wave() {
        // Tiles of 256 x 128, one an SM, on the 108 SMs of an A100: 1792 gives 7 x 14 tiles, 1793 gives 8 x 15.
        let tiles = |n: u64| n.div_ceil(256) * n.div_ceil(128);
        let (before, after) = (of(tiles(1792), 108, 1), of(tiles(1793), 108, 1));
        assert_eq!((before.blocks, after.blocks), (98, 120));
        assert_eq!((before.full, before.tail_blocks), (0, 98));
        assert_eq!((after.full, after.tail_blocks), (1, 12));
        assert_eq!(before.waves, 98.0 / 108.0);
        assert_eq!(after.tail_fill, 12.0 / 108.0);
        assert!((before.idle_share - 10.0 / 108.0).abs() < 1e-15);
        assert!((after.idle_share - 96.0 / 216.0).abs() < 1e-15);
        // 22% more work takes twice as long.
        let time = |w: Waves| w.quantisation() * w.waves;
        assert!((time(before) - 1.0).abs() < 0.11 && time(after) == 2.0);
    }

    #[test]
    fn a_small_product_leaves_half_of_the_sms_without_work() {
        // 1024 x 1024 in tiles of 128 x 128 on the 132 SMs of an H100.
        let w = of(8 * 8, 132, 1);
        assert_eq!((w.full, w.tail_blocks, w.busy_sms), (0, 64, 64));
        assert_eq!(format!("{:.0}%", 100.0 * w.waves), "48%");
        assert_eq!(w.imbalance, 132.0 / 64.0);
        assert_eq!(w.quantisation(), 132.0 / 64.0);
    }

    #[test]
    fn nothing_runs_in_no_waves() {
        assert_eq!(waves(0, 132, 1), None);
        assert_eq!(waves(1, 132, 0), None);
        assert_eq!(of(264, 132, 2).idle_share, 0.0);
        assert_eq!(of(264, 132, 2).tail_fill, 1.0);
    }

    proptest! {
        #[test]
        fn places_are_filled_or_idle(blocks in 1_u64..1_000_000, sms in 1_u32..200, each in 1_u32..32) {
            let w = of(blocks, sms, each);
            let places = w.waves.ceil() * f64::from(sms) * f64::from(each);
            prop_assert!((places * (1.0 - w.idle_share) / blocks as f64 - 1.0).abs() < 1e-9);
            prop_assert_eq!(w.full * u64::from(sms) * u64::from(each) + w.tail_blocks, blocks);
            // Waves that do not overlap cannot be faster than the busiest SM.
            prop_assert!(w.quantisation() >= w.imbalance * (1.0 - 1e-12));
        }
    }
}
