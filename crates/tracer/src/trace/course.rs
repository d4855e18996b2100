//! The course of a launch: what each workgroup did from barrier to barrier, and what was in its workgroup memory at
//! each.
//!
//! A phase is what the warps of a workgroup do between two barriers. Phases in which a workgroup neither accesses a
//! buffer nor changes a variable that is kept are left out.

use serde::{Deserialize, Serialize};

use warpbook_base::tensor::{Elem, Tensor};

/// Workgroups whose phases are kept, at most: the first ones.
pub const MOST_WORKGROUPS: u64 = 4096;
/// Phases that are kept of a launch, and words of its variables; each workgroup has an equal share.
pub const MOST_PHASES: u64 = 1 << 16;
/// Words of variables that are kept of a launch.
pub const MOST_WORDS: u64 = 1 << 22;

/// The phases of a launch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// The launch: the place of its pass, and how many launches of that came before.
    pub launch: (usize, u64),
    /// The buffers and workgroup variables that phases index.
    pub variables: Vec<Followed>,
    /// The phases of one workgroup are together, in the order they ran; workgroups by their linear index.
    pub phases: Vec<Phase>,
    /// Whether a cap cut the record short.
    pub truncated: bool,
}

/// A buffer or workgroup variable of a course.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Followed {
    /// Its name in the source.
    pub name: String,
    /// The program's buffer that it is bound to; of workgroup memory its own name.
    pub of: String,
    /// The type of its first component.
    pub elem: Elem,
    /// The columns of the row-major matrix that it is, in elements; 1 if it is not known to be one.
    pub columns: u64,
}

/// A workgroup's accesses between two barriers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phase {
    /// Linear index of the workgroup.
    pub workgroup: u32,
    /// The rows of buffers that it loaded, in runs; by buffer, then by row.
    pub loads: Vec<Rows>,
    /// The same of stores and atomics.
    pub stores: Vec<Rows>,
    /// The workgroup variables that changed, as they were at the end of the phase: index into [`Course::variables`],
    /// contents.
    pub contents: Vec<(u16, Tensor)>,
}

/// Neighbouring rows of a buffer that a phase accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rows {
    /// Index into [`Course::variables`].
    pub buffer: u16,
    /// The first row, and the one after the last.
    pub rows: [u64; 2],
    /// The first column that was accessed in any of them, and the one after the last.
    pub columns: [u64; 2],
    /// Bytes, each once for every request: lanes of a warp that want the same word share it.
    pub bytes: u64,
}

/// The bytes that the launches of a pass moved from and to a buffer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// The program's buffer.
    pub buffer: String,
    /// Bytes of the sectors that loads touched, request by request: before any cache.
    pub loaded: u64,
    /// Bytes of the sectors that some load touched, each counted once a launch: as if each launch had a cache for all
    /// of it.
    pub loaded_once: u64,
    /// As `loaded`, of stores and atomics.
    pub stored: u64,
    /// As `loaded_once`, of stores and atomics.
    pub stored_once: u64,
}

impl Moved {
    /// Adds what another launch moved.
    pub fn add(&mut self, other: &Self) {
        self.loaded += other.loaded;
        self.loaded_once += other.loaded_once;
        self.stored += other.stored;
        self.stored_once += other.stored_once;
    }

    /// Bytes of both directions: request by request, and each sector once a launch.
    #[must_use]
    pub fn both(&self) -> [u64; 2] {
        [self.loaded + self.stored, self.loaded_once + self.stored_once]
    }
}

impl Course {
    /// The index of the variable or buffer of a name; a program's name for a buffer comes before the source's.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u16> {
        let place = |is: &dyn Fn(&Followed) -> bool| self.variables.iter().position(is);
        let found = place(&|v| v.of == name).or_else(|| place(&|v| v.name == name))?;
        u16::try_from(found).ok()
    }

    /// The contents of a workgroup variable after phase `at`, as its workgroup last wrote them up to then; None before
    /// that.
    #[must_use]
    pub fn content(&self, variable: u16, at: usize) -> Option<&Tensor> {
        let workgroup = self.phases.get(at)?.workgroup;
        let own = self.phases[..=at].iter().rev().take_while(|phase| phase.workgroup == workgroup);
        own.flat_map(|phase| &phase.contents).find(|(of, _)| *of == variable).map(|(_, tensor)| tensor)
    }
}

impl Phase {
    /// The runs of rows of a buffer that it loaded.
    pub fn loaded(&self, buffer: u16) -> impl Iterator<Item = &Rows> {
        self.loads.iter().filter(move |rows| rows.buffer == buffer)
    }

    /// The same of stores and atomics.
    pub fn stored(&self, buffer: u16) -> impl Iterator<Item = &Rows> {
        self.stores.iter().filter(move |rows| rows.buffer == buffer)
    }

    /// Whether it changed a workgroup variable.
    #[must_use]
    pub fn changed(&self, variable: u16) -> bool {
        self.contents.iter().any(|(of, _)| *of == variable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_keeps_its_contents_until_it_changes_and_within_its_workgroup() {
        let of = |word: u32| vec![(0, Tensor::from_bits(Elem::U32, [word].into_iter()))];
        let phase = |workgroup, contents| Phase { workgroup, contents, ..Phase::default() };
        let phases = vec![phase(0, Vec::new()), phase(0, of(7)), phase(0, Vec::new()), phase(1, Vec::new())];
        let course = Course { phases, ..Course::default() };
        let seen: Vec<Option<u32>> = (0..4).map(|at| course.content(0, at).map(|tensor| tensor.bits(0))).collect();
        assert_eq!(seen, [None, Some(7), Some(7), None]);
    }
}
