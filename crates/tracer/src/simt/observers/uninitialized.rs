//! Finds reads of uninitialized memory: in workgroup memory, and in buffers that began as poison.

use super::known::Known;
use super::names::name;
use super::{Access, Addresses, Findings};
use crate::simt::ir::{Mem, Variable};
use crate::simt::lanes::lanes_of;
use crate::simt::memory::{Buffer, Words};
use crate::trace::{AccessKind, FindingKind};
use warpbook_base::tensor::{HALF_POISON, POISON, Tensor};

/// The words of a buffer that were not written when a launch began, a bit each; empty if there are none.
#[derive(Clone, Debug, Default)]
pub struct Poisoned(pub Vec<u64>);

impl Poisoned {
    fn has(&self, word: u32) -> bool {
        self.0.get(word as usize / 64).is_some_and(|bits| bits >> (word % 64) & 1 == 1)
    }

    /// The unwritten words of each buffer when a launch begins.
    pub fn of(tensors: &[Tensor], known: Option<&[bool]>) -> Vec<Self> {
        let each = tensors.iter().enumerate().map(|(i, tensor)| {
            let poison = tensor.elem.poison();
            let may_be = match known {
                Some(known) => known.get(i).copied().unwrap_or(false),
                None => tensor.words.iter().all(|word| *word == poison),
            };
            let words = |part: &[u32]| part.iter().rev().fold(0, |bits, word| bits << 1 | u64::from(*word == poison));
            if may_be { Self(tensor.words.chunks(64).map(words).collect()) } else { Self::default() }
        });
        each.collect()
    }
}

/// Looks for such reads, in one workgroup at a time.
pub(super) struct Unwritten<'a> {
    variables: &'a [Variable],
    buffers: &'a [Buffer<'a>],
    poisoned: &'a [Poisoned],
    in_order: bool,
    /// Which parts of workgroup memory were written since the workgroup began.
    written: Vec<bool>,
    /// Bytes of a part: those of the narrowest access.
    grain: u32,
    /// Whether the kernel is CUDA's, where nothing sets shared memory.
    cuda: bool,
}

impl<'a> Unwritten<'a> {
    pub fn new(known: Known<'a>) -> Self {
        Self {
            variables: known.variables,
            buffers: known.buffers,
            poisoned: known.poisoned,
            in_order: known.in_order,
            written: vec![false; known.shared_bytes.div_ceil(known.grain) as usize],
            grain: known.grain,
            cuda: known.dialect.is_ptx(),
        }
    }

    /// A workgroup begins.
    pub fn start(&mut self) {
        self.written.fill(false);
    }

    /// A warp whose first lane has local index `first` is about to access memory.
    pub fn access(&mut self, access: &Access<'_>, first: u32, findings: &mut Findings) {
        let reads = access.kind != AccessKind::Store && !access.replaces;
        match access.place.mem {
            Mem::Buffer(buffer) => {
                let buffer = usize::from(buffer);
                let Some(poisoned) = self.poisoned.get(buffer).filter(|poisoned| reads && !poisoned.0.is_empty())
                else {
                    return;
                };
                // Where workgroups run side by side, nothing but atomics changes this buffer: each of them builds on what was there
                // when the launch began, whichever came first.
                let before = access.kind == AccessKind::Atomic && !self.in_order;
                let grain = u32::from(access.place.width.bytes());
                let now = |byte: u32| match &self.buffers[buffer] {
                    Buffer::Written(words) => words.as_slice().word(byte as usize / 4),
                    Buffer::Read(words) => words.word(byte as usize / 4),
                };
                each_part(access, grain, |lane, byte| {
                    // An atomic has changed the word.
                    let word = access.was.map_or_else(|| now(byte), |was| was[lane as usize]);
                    if if before { poisoned.has(byte / 4) } else { is_poison(word, byte, grain) } {
                        let workgroup = findings.workgroup;
                        findings.report(access.place.line, FindingKind::Uninitialized, || {
                            format!(
                                "{} is read, and nothing has written it (workgroup {workgroup}, local index {})",
                                name(access.place, byte, self.variables),
                                first + lane,
                            )
                        });
                    }
                });
            }
            _ => {
                let (written, variables, grain) = (&mut self.written, self.variables, self.grain);
                let why = if self.cuda {
                    "shared memory holds anything at first"
                } else {
                    "WGSL fills workgroup memory with zeros, CUDA does not"
                };
                let cuda = self.cuda;
                each_part(access, grain, |lane, byte| {
                    let written = &mut written[(byte / grain) as usize];
                    // Counters that start from WGSL's zeros are common and right: what is atomic is no finding there.
                    let counts = reads && (cuda || !access.place.atomic);
                    if counts && !*written {
                        let workgroup = findings.workgroup;
                        findings.report(access.place.line, FindingKind::Uninitialized, || {
                            format!(
                                "{} is read before any lane of workgroup {workgroup} wrote it (local index {}): {why}",
                                name(access.place, byte, variables),
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

/// Whether the part at `byte` of a word still holds what poisoned buffers begin with.
fn is_poison(word: u32, byte: u32, grain: u32) -> bool {
    if grain == 2 { word >> (byte % 4 * 8) & 0xFFFF == HALF_POISON } else { word == POISON }
}

/// Calls `visit` with each lane of an access, and each part of `grain` bytes that it touches.
fn each_part(access: &Access<'_>, grain: u32, mut visit: impl FnMut(u32, u32)) {
    let mut mask = access.mask;
    if let Addresses::One(_) = access.addresses {
        // One lane represents all.
        mask &= mask.wrapping_neg();
    }
    for lane in lanes_of(mask) {
        let start = access.addresses.at(lane);
        (0..access.place.bytes() / grain).for_each(|part| visit(lane, start + part * grain));
    }
}
