//! The fix for a race, in the words of the kernel's language.

use crate::simt::ir::Dialect;

/// The barrier that would order two accesses of a workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// Of the workgroup, for its memory.
    Shared,
    /// Of the workgroup, for buffers.
    Storage,
    /// Of the lanes of one warp.
    Warp,
}

/// The fix for a race, at the end of its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    /// The message says it all.
    Said,
    /// A barrier.
    Barrier(Barrier),
    /// The lanes are in one warp, and a subgroupBarrier() does not order their memory.
    SubgroupBarrier(&'static str),
    /// These subgroups do the same work.
    Subgroups(u32, u32),
    /// Both read the word, and store it changed.
    Atomic,
    /// A plain access beside an atomic one.
    Strong(Box<Fix>),
    /// Accesses that are only volatile.
    Volatile(Barrier),
    /// An asynchronous copy was waited for, and others cannot know.
    WaitFirst,
    /// Workgroups race for the buffer, too.
    Workgroups,
    /// Nothing orders the workgroups.
    Launches,
    /// The access at this line is strong within its workgroup alone.
    Scope(u32),
    /// A thread, by its local index, has left the kernel before the barrier of the others.
    Left(u16),
    /// A word is handed over by one thread for others of its workgroup, which it has not met.
    Meet {
        /// The line at which the word is handed over, and the local index of that thread.
        line: u32,
        by: u16,
        /// Whether the barrier belongs before it, and not after it.
        before: bool,
        /// Whether it takes a fence to release there.
        fence: bool,
    },
    /// The threads hand a word over by strong accesses, without the fences that go with them.
    Fence {
        /// The line at which the second one takes it, and whether it only loads it there.
        line: u32,
        loads: bool,
        /// Whether the first thread lacks its fence, and the second one.
        missing: [bool; 2],
        /// Whether they are of one workgroup.
        within: bool,
    },
}

impl Barrier {
    fn name(self, dialect: Dialect) -> &'static str {
        match (dialect, self) {
            (Dialect::Wgsl, Self::Storage) => "storageBarrier()",
            (Dialect::Wgsl, _) => "workgroupBarrier()",
            (Dialect::Cuda, Self::Warp) => "__syncwarp() or __syncthreads()",
            (Dialect::Cuda, _) => "__syncthreads()",
            (Dialect::Triton, _) => "tl.debug_barrier()",
        }
    }
}

impl Fix {
    pub(super) fn text(&self, dialect: Dialect) -> String {
        let atomic = match dialect {
            Dialect::Wgsl => "atomicAdd()",
            Dialect::Cuda => "atomicAdd() or another atomic",
            Dialect::Triton => "tl.atomic_add() or another atomic",
        };
        let between = |barrier: &Barrier| format!(", with no {} between", barrier.name(dialect));
        match self {
            Self::Said => String::new(),
            Self::Barrier(Barrier::Storage) if dialect == Dialect::Wgsl => {
                ", with no storageBarrier() (a workgroupBarrier() orders workgroup memory only; lanes \
                                     that add to one element need atomicAdd()) between"
                    .to_owned()
            }
            Self::Barrier(barrier @ Barrier::Warp) if dialect == Dialect::Cuda => {
                between(barrier) + " (the lanes of a warp may run apart)"
            }
            Self::Barrier(barrier) => between(barrier),
            Self::SubgroupBarrier(barrier) => {
                format!(", with no {barrier} between (a subgroupBarrier() orders no memory)")
            }
            Self::Subgroups(a, b) => format!(
                ": subgroups {a} and {b} both do this work; give each its own part by subgroup_id, or make the workgroup one \
                 subgroup"
            ),
            Self::Atomic => {
                format!(": both read it and store it changed, so that one change is lost; do it by {atomic}")
            }
            Self::Strong(fix) => {
                fix.text(dialect) + " (a plain access beside atomics of others is a race: make it atomic, too)"
            }
            Self::Volatile(barrier) => between(barrier) + " (volatile orders nothing between threads)",
            Self::WaitFirst => {
                ", with no barrier between the wait for the copy and this: wait for the copy first, and then \
                                meet at the barrier"
                    .to_owned()
            }
            Self::Workgroups => {
                ", and so do workgroups, which no barrier orders: launch twice, or read one buffer and \
                                 write another"
                    .to_owned()
            }
            Self::Launches => {
                ", and nothing orders the workgroups of a launch: launch twice, or read one buffer and write another"
                    .to_owned()
            }
            Self::Scope(line) => {
                format!(": the scope of the access at line {line} is one workgroup; it takes one of the device (.gpu)")
            }
            Self::Left(by) => format!(
                ", and barriers order the threads that come to them: local index {by} has left the kernel before"
            ),
            Self::Meet { line, by, before, fence } => {
                let barrier = Barrier::Shared.name(dialect);
                match (before, fence) {
                    (true, false) => format!(
                        ", with no {barrier} between that access and line {line}, where local index {by} releases for all"
                    ),
                    (true, true) => format!(
                        ", with no {barrier} and then {} between that access and line {line}, where local index {by} writes for all",
                        fence_name(dialect, false)
                    ),
                    (false, _) => format!(
                        ", with no {barrier} between line {line}, where local index {by} acquires for all, and this access"
                    ),
                }
            }
            Self::Fence { line, loads, missing, within } => {
                let fence = fence_name(dialect, *within);
                let access = if *loads { "load of the flag" } else { "atomic" };
                let first =
                    format!("{fence} between the store and what follows it at the {access}'s word (line {line})");
                let second = format!("{fence} between the {access} at line {line} and the access here");
                let what = match missing {
                    [true, false] => first,
                    [false, _] => second,
                    [true, true] => {
                        format!("{first}, and none between the {access} at line {line} and the access here")
                    }
                };
                format!(", with no {what}")
            }
        }
    }
}

/// A fence in the words of a language.
fn fence_name(dialect: Dialect, within: bool) -> &'static str {
    match dialect {
        Dialect::Triton => "order (sem=\"acq_rel\" of the atomic)",
        _ if within => "__threadfence_block()",
        _ => "__threadfence()",
    }
}

/// The words of a language for those of WGSL. Names in the source are in backticks, and stay.
pub(super) fn in_words(message: &str, dialect: Dialect) -> String {
    const CUDA: [(&str, &str); 13] = [
        ("workgroup memory", "shared memory"),
        ("workgroup", "block"),
        ("local indices", "threads"),
        ("local index", "thread"),
        ("subgroup", "warp"),
        ("atomicSub", "the like"),
        ("atomicStore", "atomic store"),
        ("atomicLoad", "atomic load"),
        ("atomicExchange", "atomicExch"),
        ("atomicCompareExchangeWeak", "atomicCAS"),
        ("lanes that", "threads that"),
        ("lanes get", "threads get"),
        ("a launch", "a launch"),
    ];
    const TRITON: [(&str, &str); 5] = [
        ("workgroup memory", "shared memory"),
        ("workgroup", "program"),
        ("local indices", "threads"),
        ("local index", "thread"),
        ("subgroup", "warp"),
    ];
    let words: &[_] = match dialect {
        Dialect::Wgsl => return message.to_owned(),
        Dialect::Cuda => &CUDA,
        Dialect::Triton => &TRITON,
    };
    let parts = message.split('`').enumerate().map(|(n, part)| {
        let is_name = n % 2 == 1;
        words.iter().filter(|_| !is_name).fold(part.to_owned(), |part, (wgsl, other)| part.replace(wgsl, other))
    });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_the_source_stay_as_they_are() {
        let message = "local index 3 of workgroup 1 reads `workgroup` before a copy to workgroup memory";
        let cuda = "thread 3 of block 1 reads `workgroup` before a copy to shared memory";
        assert_eq!(in_words(message, Dialect::Cuda), cuda);
        assert_eq!(in_words(message, Dialect::Triton), cuda.replace("block", "program"));
    }
}
