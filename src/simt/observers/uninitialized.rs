//! Finds reads of what nobody has written: in workgroup memory, and in buffers that began as poison.

use super::checks::{Known, name};
use super::{Access, Addresses, Findings, lanes_of};
use crate::base::tensor::POISON;
use crate::simt::ir::{Mem, Variable};
use crate::simt::memory::{Buffer, Words};
use crate::trace::{AccessKind, FindingKind};

/// Looks for such reads, in one workgroup at a time.
pub(super) struct Unwritten<'a> {
    variables: &'a [Variable],
    buffers: &'a [Buffer<'a>],
    poisoned: &'a [bool],
    in_order: bool,
    /// Which words of workgroup memory were written since the workgroup began.
    written: Vec<bool>,
}

impl<'a> Unwritten<'a> {
    pub fn new(known: Known<'a>) -> Self {
        Self {
            variables: known.variables,
            buffers: known.buffers,
            poisoned: known.poisoned,
            in_order: known.in_order,
            written: vec![false; known.shared_bytes.div_ceil(4) as usize],
        }
    }

    /// A workgroup begins.
    pub fn start(&mut self) {
        self.written.fill(false);
    }

    /// A warp whose first lane has local index `first` is about to access memory.
    pub fn access(&mut self, access: &Access<'_>, first: u32, findings: &mut Findings) {
        let reads = access.kind != AccessKind::Store;
        match access.place.mem {
            Mem::Buffer(buffer) => {
                let buffer = usize::from(buffer);
                if !reads || !self.poisoned.get(buffer).is_some_and(|poisoned| *poisoned) {
                    return;
                }
                if let Buffer::Written(words) = &self.buffers[buffer] {
                    // Where workgroups run side by side, nothing but atomics changes this buffer: each of them builds on
                    // poison, whichever came first.
                    let always = access.kind == AccessKind::Atomic && !self.in_order;
                    each_word(access, |lane, word| {
                        if always || words.as_slice().word(word as usize) == POISON {
                            let workgroup = findings.workgroup;
                            findings.report(access.place.line, FindingKind::Uninitialized, || {
                                format!(
                                    "{} is read, and nothing has written it (workgroup {workgroup}, local index {})",
                                    name(access.place, word * 4, self.variables),
                                    first + lane,
                                )
                            });
                        }
                    });
                }
            }
            _ => {
                let (written, variables) = (&mut self.written, self.variables);
                each_word(access, |lane, word| {
                    let written = &mut written[word as usize];
                    // Counters that start from WGSL's zeros are common and right: an atomic is no finding.
                    if access.kind == AccessKind::Load && !*written {
                        let workgroup = findings.workgroup;
                        findings.report(access.place.line, FindingKind::Uninitialized, || {
                            format!(
                                "{} is read before any lane of workgroup {workgroup} wrote it (local index {}): WGSL \
                                 fills workgroup memory with zeros, CUDA does not",
                                name(access.place, word * 4, variables),
                                first + lane,
                            )
                        });
                    }
                    *written |= access.kind != AccessKind::Load;
                });
            }
        }
    }
}

/// Calls `visit` with each lane and word of an access.
fn each_word(access: &Access<'_>, mut visit: impl FnMut(u32, u32)) {
    let mut mask = access.mask;
    if let Addresses::One(_) = access.addresses {
        // One lane stands for all.
        mask &= mask.wrapping_neg();
    }
    for lane in lanes_of(mask) {
        let start = access.addresses.at(lane) / 4;
        let last = (access.addresses.at(lane) + access.place.bytes() - 1) / 4;
        (start..=last).for_each(|word| visit(lane, word));
    }
}
