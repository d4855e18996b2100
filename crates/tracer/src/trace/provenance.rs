//! Provenance of one element of a buffer: which lane wrote it, and from which loads. Data only.

use serde::{Deserialize, Serialize};

use super::{AccessKind, Space};
use warpbook_base::tensor::Elem;

/// Loads that a [`Writer`] lists, at most; and as many that values went through.
pub const MAX_LOADS: usize = 4096;

/// The origin of one element: a word of 32 bits, or of a buffer of 16-bit floats one of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The buffer's name in the source.
    pub buffer: String,
    /// Which element, from 0: of 32 bits, or of 16 in a buffer that begins with an `f16`.
    pub index: u64,
    /// Where it is, in bytes from the buffer's start.
    pub byte: u64,
    /// Its value after the run.
    pub value: Word,
    /// The last lane that wrote it; None if it was never written.
    pub writer: Option<Writer>,
}

/// Where an element of a program came from: by which launch, and from what that found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Origin {
    /// The element, and the lane that wrote it. No lane writes what is copied or filled.
    #[serde(flatten)]
    pub element: Provenance,
    /// The pass that wrote it last; None if it holds what it held at first.
    pub by: Option<Writing>,
    /// The elements that it was computed from, as far as they were followed and an earlier launch had written them.
    pub from: Vec<Self>,
    /// Elements that were not followed.
    pub not_followed: u64,
}

/// The launch of a pass that wrote an element.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Writing {
    /// The pass's id.
    pub pass: String,
    /// The kernel that it launches; null for a copy or a fill.
    pub kernel: Option<String>,
    /// The kernel's file.
    pub file: Option<String>,
    /// How many launches of it came before.
    pub launch: u64,
    /// How many there were in all.
    pub launches: u64,
}

/// 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// As they are.
    pub bits: u32,
    /// Their type: that of the first component of the variable's elements.
    pub elem: Elem,
}

/// The last write to an element, and what it was computed from.
///
/// Values are followed through arithmetic, variables, local arrays, workgroup memory, and buffers that the same
/// workgroup wrote. A load that only decided a branch is a condition, of the write or of a variable that the other
/// branch would have written. Memory that the branch not taken would have written is not followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Writer {
    /// Linear index of the workgroup.
    pub workgroup: u64,
    /// Its position in the grid.
    pub workgroup_id: [u32; 3],
    /// Warp within the workgroup.
    pub warp: u32,
    /// Lane within the warp.
    pub lane: u32,
    /// The lane's position in the workgroup.
    pub local_id: [u32; 3],
    /// Source line of the write.
    pub line: u32,
    /// Rounds of the loops around it, the outermost first.
    pub iterations: Vec<Iteration>,
    /// A store, or an atomic. Several atomics may have changed the element; this is the last.
    pub kind: AccessKind,
    /// Writes to the element in the whole grid.
    pub writes: u64,
    /// The loads that it was computed from, in order: values that came from outside of the workgroup.
    pub loads: Vec<Load>,
    /// Loads on the way of values that the workgroup itself had stored: workgroup memory, mostly.
    pub through: Vec<Load>,
    /// Built-in inputs that went into the value, such as `global_invocation_id.x`.
    pub builtins: Vec<String>,
    /// Loads beyond [`MAX_LOADS`], which are left out; the latest are there.
    pub omitted: u64,
    /// Whether the record of what the workgroup did went back to its start; otherwise earlier loads are missing.
    pub complete: bool,
}

/// One word that one lane loaded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// The buffer or workgroup variable.
    pub buffer: String,
    /// Its memory.
    pub space: Space,
    /// Which element of it, from 0: of 32 bits, or of 16 where it begins with an `f16`.
    pub index: u64,
    /// Where that is, in bytes from its start.
    pub byte: u64,
    /// The value there.
    pub value: Word,
    /// Its role.
    pub role: Role,
    /// Warp within the writer's workgroup.
    pub warp: u32,
    /// Lane within the warp; the lowest of them where one load served several.
    pub lane: u32,
    /// Source line.
    pub line: u32,
    /// Rounds of the loops around it, the outermost first.
    pub iterations: Vec<Iteration>,
    /// Who in the workgroup had stored it. None: it came from outside, or is one of the zeros that WGSL gives.
    pub stored_by: Option<Stored>,
}

/// The role of a loaded word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The value was computed from it.
    Value,
    /// It only determined where another value was read or written.
    Index,
    /// It only decided whether the value was computed so.
    Condition,
}

/// A write on the way of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// Warp within the workgroup.
    pub warp: u32,
    /// Lane within the warp.
    pub lane: u32,
    /// Source line.
    pub line: u32,
}

/// A round of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    /// The loop's line.
    pub line: u32,
    /// Which round, from 0.
    pub round: u32,
}

impl Word {
    /// The number that it represents.
    #[must_use]
    pub fn number(self) -> f64 {
        self.elem.decode(self.bits)
    }
}

impl std::fmt::Display for Word {
    /// The number to all its digits.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.elem {
            Elem::F32 => write!(f, "{}", f32::from_bits(self.bits)),
            Elem::F16 | Elem::Bf16 => write!(f, "{}", self.number()),
            Elem::I32 => write!(f, "{}", self.bits.cast_signed()),
            Elem::U32 => write!(f, "{}", self.bits),
        }
    }
}

/// Elements that lie evenly: `first`, `first + step`, …, `count` of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first.
    pub first: u64,
    /// From each to the next; 0 where there is one.
    pub step: u64,
    /// How many.
    pub count: u64,
}

/// Distinct elements as few even runs, in order: for a row or a column of a matrix in one line.
#[must_use]
pub fn runs(mut elements: Vec<u64>) -> Vec<Run> {
    elements.sort_unstable();
    elements.dedup();
    let mut runs: Vec<Run> = Vec::new();
    for element in elements {
        if let Some(run) = runs.last_mut() {
            let step = element - (run.first + run.step * (run.count - 1));
            if run.count == 1 || step == run.step {
                (run.step, run.count) = (step, run.count + 1);
                continue;
            }
        }
        runs.push(Run { first: element, step: 0, count: 1 });
    }
    runs
}

/// Loads of one buffer at one line, reported together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<'a> {
    /// The buffer or workgroup variable.
    pub buffer: &'a str,
    /// Its memory.
    pub space: Space,
    /// Source line.
    pub line: u32,
    /// Their role.
    pub role: Role,
    /// Their elements.
    pub runs: Vec<Run>,
    /// Loads, which may be more than elements.
    pub loads: usize,
}

/// Loads by buffer, line and role, in the order that each first happened.
#[must_use]
pub fn groups(loads: &[Load]) -> Vec<Group<'_>> {
    let mut found: Vec<(Group<'_>, Vec<u64>)> = Vec::new();
    for load in loads {
        let same = |(g, _): &(Group<'_>, _)| (g.buffer, g.line, g.role) == (&load.buffer, load.line, load.role);
        let at = found.iter().position(same).unwrap_or_else(|| {
            let Load { space, line, role, .. } = *load;
            found.push((Group { buffer: &load.buffer, space, line, role, runs: Vec::new(), loads: 0 }, Vec::new()));
            found.len() - 1
        });
        found[at].0.loads += 1;
        found[at].1.push(load.index);
    }
    found.into_iter().map(|(group, elements)| Group { runs: runs(elements), ..group }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_columns_are_runs() {
        let run = |first, step, count| Run { first, step, count };
        assert_eq!(runs(vec![]), []);
        assert_eq!(runs(vec![7]), [run(7, 0, 1)]);
        assert_eq!(runs(vec![6, 5, 4, 4]), [run(4, 1, 3)]);
        assert_eq!(runs(vec![3, 19, 35, 51]), [run(3, 16, 4)]);
        assert_eq!(runs(vec![0, 1, 2, 10, 20, 30]), [run(0, 1, 3), run(10, 10, 3)]);
    }

    #[test]
    fn words_print_as_what_they_are() {
        let word = |elem, bits| Word { bits, elem }.to_string();
        assert_eq!(word(Elem::F32, 0.1_f32.to_bits()), "0.1");
        assert_eq!(word(Elem::I32, u32::MAX), "-1");
        assert_eq!(word(Elem::U32, u32::MAX), "4294967295");
    }
}
