//! Notes where a run stores to the buffers, to report the elements that it leaves out.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Access;
use crate::simt::ir::Mem;
use crate::simt::lanes::lanes_of;
use crate::trace::AccessKind;

/// Bytes per bit: those of the narrowest store.
const GRAIN: u32 = 2;

/// Which parts of the buffers were stored to, by any workgroup.
pub struct Stored(Vec<Vec<AtomicU64>>);

impl Stored {
    /// Nothing yet, in buffers of these sizes in bytes.
    pub fn new(sizes: &[u32]) -> Self {
        let bits = |bytes: &u32| (0..bytes.div_ceil(GRAIN * 64)).map(|_| AtomicU64::new(0)).collect();
        Self(sizes.iter().map(bits).collect())
    }

    /// A warp accesses memory.
    pub fn access(&self, access: &Access<'_>) {
        let Mem::Buffer(buffer) = access.place.mem else { return };
        let (AccessKind::Store, Some(bits)) = (access.kind, self.0.get(usize::from(buffer))) else { return };
        for lane in lanes_of(access.mask) {
            let first = access.addresses.at(lane) / GRAIN;
            for part in first..first + access.place.bytes() / GRAIN {
                if let Some(word) = bits.get(part as usize / 64) {
                    word.fetch_or(1 << (part % 64), Ordering::Relaxed);
                }
            }
        }
    }

    /// The parts that were stored to, by binding.
    pub fn finish(self) -> Vec<Written> {
        let each = self.0.into_iter().map(|bits| Written(bits.into_iter().map(AtomicU64::into_inner).collect()));
        each.collect()
    }
}

/// Which parts of a buffer a run stored to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written(Vec<u64>);

impl Written {
    /// Whether any of `bytes` bytes from `first` on was.
    #[must_use]
    pub fn any(&self, first: u64, bytes: u64) -> bool {
        let parts = first / u64::from(GRAIN)..(first + bytes).div_ceil(u64::from(GRAIN));
        parts.into_iter().any(|part| {
            let word = usize::try_from(part / 64).ok().and_then(|word| self.0.get(word));
            word.is_some_and(|word| word >> (part % 64) & 1 == 1)
        })
    }

    /// Those of another run, too.
    pub fn add(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }
}
