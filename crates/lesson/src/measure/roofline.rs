//! The roofline model: a kernel's place under its device's ceilings.

use serde::Serialize;

use crate::trace::record::Ceilings;

/// Which ceiling is the lower one for a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// Bytes: the kernel's intensity is below the ridge.
    Memory,
    /// Arithmetic.
    Compute,
}

/// A kernel's place in the roofline model (Williams, Waterman & Patterson, "Roofline", CACM 52(4), 2009).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Placement {
    /// Arithmetic intensity in FLOP a byte; infinite for work that moves no bytes.
    pub intensity: f64,
    /// The intensity at which both ceilings meet, in FLOP a byte.
    pub ridge: f64,
    /// FLOP/s that the lower ceiling allows: `min(peak, intensity * bandwidth)`.
    pub attainable_flops_per_s: f64,
    /// FLOP/s reached.
    pub achieved_flops_per_s: f64,
    /// Bytes a second reached.
    pub achieved_bytes_per_s: f64,
    /// The least time under the ceilings over the time taken; 1 is at the ceiling.
    pub fraction: f64,
    /// The lower ceiling.
    pub bound: Bound,
}

/// The bandwidth ceiling in bytes/s: what a copy kernel reaches, else what the driver's own copy does. Some drivers'
/// copies are far from what kernels reach, and some software drivers' clocks make theirs look faster than memory is.
#[must_use]
pub fn bandwidth(ceilings: &Ceilings) -> Option<f64> {
    let figures = [ceilings.copy_bytes_per_s, ceilings.device_copy_bytes_per_s];
    figures.into_iter().flatten().find(|x| x.is_finite() && *x > 0.0)
}

/// Places work of `bytes` and `flops` that took `seconds`. The least time is `max(bytes / bandwidth, flops / peak)`,
/// which also holds for work without any FLOPs. None if a ceiling was not measured, or if there is no work or no time.
#[must_use]
pub fn place(bytes: f64, flops: f64, seconds: f64, ceilings: &Ceilings) -> Option<Placement> {
    let bandwidth = bandwidth(ceilings)?;
    let peak = ceilings.fma_flops_per_s.filter(|x| x.is_finite() && *x > 0.0)?;
    let sound = |x: f64| x.is_finite() && x >= 0.0;
    if !(sound(bytes) && sound(flops) && bytes + flops > 0.0 && seconds.is_finite() && seconds > 0.0) {
        return None;
    }
    let (memory_s, compute_s) = (bytes / bandwidth, flops / peak);
    let intensity = if bytes > 0.0 { flops / bytes } else { f64::INFINITY };
    Some(Placement {
        intensity,
        ridge: peak / bandwidth,
        attainable_flops_per_s: peak.min(intensity * bandwidth),
        achieved_flops_per_s: flops / seconds,
        achieved_bytes_per_s: bytes / seconds,
        fraction: memory_s.max(compute_s) / seconds,
        bound: if memory_s >= compute_s { Bound::Memory } else { Bound::Compute },
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ceilings() -> Ceilings {
        Ceilings {
            device_copy_bytes_per_s: Some(0.8e12),
            copy_bytes_per_s: Some(3.0e12),
            fma_flops_per_s: Some(60.0e12),
            launch_s: None,
            host_launch_s: None,
        }
    }

    #[test]
    fn a_copy_and_a_matmul() -> Result<(), &'static str> {
        let copy = place(6.0e9, 0.0, 4.0e-3, &ceilings()).ok_or("a copy has a place")?;
        assert_eq!((copy.bound, copy.intensity), (Bound::Memory, 0.0));
        assert!((copy.fraction - 0.5).abs() < 1e-12);
        assert!((copy.ridge - 20.0).abs() < 1e-12);
        let matmul = place(3.0e9, 120.0e12, 4.0, &ceilings()).ok_or("a matmul has a place")?;
        assert_eq!(matmul.bound, Bound::Compute);
        assert!((matmul.fraction - 0.5).abs() < 1e-12);
        assert_eq!(matmul.attainable_flops_per_s, 60.0e12);
        Ok(())
    }

    #[test]
    fn nothing_to_place() {
        assert_eq!(place(0.0, 0.0, 1.0, &ceilings()), None);
        assert_eq!(place(1.0, 1.0, 0.0, &ceilings()), None);
        assert_eq!(place(f64::NAN, 1.0, 1.0, &ceilings()), None);
        assert_eq!(place(1.0, 1.0, 1.0, &Ceilings::default()), None);
    }

    proptest! {
        #[test]
        fn the_fraction_is_achieved_over_attainable(bytes in 1.0_f64..1e12, flops in 1.0_f64..1e15, seconds in 1e-6_f64..1.0) {
            let p = place(bytes, flops, seconds, &ceilings()).ok_or_else(|| TestCaseError::fail("no place"))?;
            let ratio = p.achieved_flops_per_s / p.attainable_flops_per_s;
            prop_assert!((p.fraction / ratio - 1.0).abs() < 1e-9);
            prop_assert_eq!(p.bound == Bound::Memory, p.intensity <= p.ridge);
        }
    }
}
