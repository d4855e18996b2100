//! Limits of a block by compute capability: threads and shared memory.

/// The compute capability that code is compiled for, such as 90.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Target(pub u32);

/// Shared memory that a kernel may declare itself, in bytes; more has to be dynamic (CUDA C++ Programming Guide, "Shared Memory" of each
/// compute capability).
pub(super) const MOST_STATIC: u64 = 48 << 10;

impl Target {
    /// The target that `.target` names, such as `sm_90a`; None if it is none.
    pub(super) fn named(name: &str) -> Option<Self> {
        let number = name.strip_prefix("sm_")?;
        let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        number[..digits].parse().ok().map(Self)
    }

    /// Shared memory of a block, in bytes (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
    pub(super) fn shared_bytes(self) -> u64 {
        let kib = match self.0 {
            ..70 => 48,
            70..75 => 96,
            75 => 64,
            80 | 87 => 163,
            86 | 89 | 120.. => 99,
            _ => 227,
        };
        kib << 10
    }

    /// Whether `ldmatrix` evaluates the addresses of all lanes, also of those without a row (PTX ISA 9.0, "ldmatrix").
    pub(super) fn needs_all_rows(self) -> bool {
        self.0 <= 75
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_by_their_names() {
        let of = |name: &str| Target::named(name).map(Target::shared_bytes);
        assert_eq!(["sm_75", "sm_80", "sm_90a", "sm_120f"].map(of), [64, 163, 227, 99].map(|kib| Some(kib << 10)));
        assert_eq!([of("80"), of("sm_x")], [None, None]);
    }
}
