//! Finds data races between the workgroups of one launch: two of them at one place of a buffer, at least one writing. Nothing in WGSL orders them:
//! barriers reach one workgroup, and atomics are relaxed.
//!
//! Each word remembers which workgroup wrote it and which read it, or that several did: whatever their order, the same is left in the end. Where
//! that shows a race, the launch runs once more, in order, to see which lanes at which lines it was.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::checks::name;
use super::race::touched;
use super::{Access, Findings, Observer};
use crate::simt::code::{Code, Op};
use crate::simt::ir::{Mem, Variable};
use crate::simt::memory::Buffer;
use crate::trace::{AccessKind, FindingKind};

/// Several workgroups. One is its number and 1; nobody is 0.
const SEVERAL: u32 = u32::MAX;

/// By word of a buffer, who wrote it and who read it.
struct Shadow {
    written: Vec<AtomicU32>,
    /// Empty where the kernel never reads the buffer.
    read: Vec<AtomicU32>,
}

/// Who touched which word of the buffers, over a whole launch.
pub struct Between {
    /// By binding; None of what cannot race.
    shadows: Vec<Option<Shadow>>,
    grain: u32,
}

impl Between {
    /// Nobody touched anything yet.
    pub fn new(code: &Code, buffers: &[Buffer<'_>], grain: u32) -> Self {
        let mut accessed = vec![[false; 2]; buffers.len()];
        for op in &code.ops {
            let (at, kind) = match op {
                Op::Load { place, .. } | Op::LoadOne { place, .. } => (*place, 0),
                Op::Store { place, .. } => (*place, 1),
                _ => continue,
            };
            let place = &code.places[at as usize];
            if let (Mem::Buffer(buffer), false) = (place.mem, place.atomic) {
                accessed[usize::from(buffer)][kind] = true;
            }
        }
        let nobody = |words: usize| (0..words * 4 / grain as usize).map(|_| AtomicU32::new(0)).collect();
        let shadows = buffers.iter().zip(accessed).map(|(buffer, [reads, writes])| match buffer {
            Buffer::Written(words) if writes => {
                Some(Shadow { written: nobody(words.len()), read: nobody(if reads { words.len() } else { 0 }) })
            }
            _ => None,
        });
        Self { shadows: shadows.collect(), grain }
    }

    /// A workgroup accesses a part of a buffer.
    pub fn touch(&self, buffer: u16, index: u32, writes: bool, workgroup: u64) {
        let Some(Some(shadow)) = self.shadows.get(usize::from(buffer)) else { return };
        let parts = if writes { &shadow.written } else { &shadow.read };
        let Some(part) = parts.get(index as usize) else { return };
        let me = u32::try_from(workgroup + 1).unwrap_or(SEVERAL).min(SEVERAL - 1);
        let now = part.load(Relaxed);
        if now != me && now != SEVERAL && part.compare_exchange(0, me, Relaxed, Relaxed).is_err_and(|other| other != me)
        {
            part.store(SEVERAL, Relaxed);
        }
    }

    /// The first part of each buffer that workgroups race for.
    pub fn raced(&self) -> Vec<(u16, u32)> {
        let first = |shadow: &Shadow| {
            (0..shadow.written.len()).find(|i| {
                let by = |parts: &[AtomicU32]| parts.get(*i).map_or(0, |part| part.load(Relaxed));
                let (writer, reader) = (by(&shadow.written), by(&shadow.read));
                writer == SEVERAL || (writer != 0 && reader != 0 && reader != writer)
            })
        };
        let each = self.shadows.iter().zip(0..).filter_map(|(shadow, buffer)| {
            let index = first(shadow.as_ref()?)?;
            Some((buffer, u32::try_from(index).unwrap_or(u32::MAX)))
        });
        each.collect()
    }

    /// Bytes of a part.
    pub fn grain(&self) -> u32 {
        self.grain
    }
}

/// An access to one of the parts that are raced for.
#[derive(Clone, Copy)]
struct Mark {
    workgroup: u64,
    /// Its local index.
    lane: u32,
    line: u32,
}

/// A part, and who touched it first.
struct Contended {
    buffer: u16,
    index: u32,
    writer: Option<Mark>,
    reader: Option<Mark>,
    told: bool,
}

/// Sees, of workgroups that run one after another, who races for some parts of buffers.
pub struct Witness<'a> {
    variables: &'a [Variable],
    parts: Vec<Contended>,
    grain: u32,
    width: u32,
    workgroup: u64,
    /// The local index of the first lane of the warp that runs now.
    first: u32,
    findings: Findings,
}

impl<'a> Witness<'a> {
    /// Of these parts; warps have `width` lanes.
    pub fn new(variables: &'a [Variable], raced: &[(u16, u32)], grain: u32, width: u32) -> Self {
        let parts = raced.iter().map(|(buffer, index)| Contended {
            buffer: *buffer,
            index: *index,
            writer: None,
            reader: None,
            told: false,
        });
        let findings = Findings::default();
        Self { variables, parts: parts.collect(), grain, width, workgroup: 0, first: 0, findings }
    }

    /// What follows is done by workgroup number `linear`, from its start.
    pub fn start(&mut self, linear: u64) {
        (self.workgroup, self.findings.workgroup) = (linear, linear);
    }

    /// Whether all is known.
    pub fn is_done(&self) -> bool {
        self.parts.iter().all(|part| part.told)
    }

    /// What was found, one for each part.
    pub fn findings(self) -> Findings {
        self.findings
    }
}

impl Observer for Witness<'_> {
    const ACTIVE: bool = true;

    fn warp(&mut self, warp: u32) {
        self.first = warp * self.width;
    }

    fn access(&mut self, access: &Access<'_>) {
        let Mem::Buffer(buffer) = access.place.mem else { return };
        if access.place.atomic {
            return;
        }
        let writes = access.kind == AccessKind::Store;
        for part in self.parts.iter_mut().filter(|part| part.buffer == buffer && !part.told) {
            let (index, mut lane) = (part.index, None);
            touched(access, self.grain, |by, at| lane = lane.or((at == index).then_some(by)));
            let Some(lane) = lane else { continue };
            let by = Mark { workgroup: self.workgroup, lane: self.first + lane, line: access.place.line };
            let others = [(part.writer, "wrote"), (part.reader.filter(|_| writes), "read")];
            let other = others
                .into_iter()
                .find_map(|(mark, did)| Some((mark.filter(|mark| mark.workgroup != by.workgroup)?, did)));
            if let Some((other, did)) = other {
                part.told = true;
                let (does, variables) = (if writes { "writes" } else { "reads" }, self.variables);
                self.findings.report(by.line, FindingKind::Race, || {
                    format!(
                        "workgroups {} and {} race for {}: local index {} of workgroup {} {does} it here, local index {} of workgroup {} {did} \
                         it at line {}, and nothing orders the workgroups of a launch",
                        other.workgroup,
                        by.workgroup,
                        name(access.place, index * self.grain, variables),
                        by.lane,
                        by.workgroup,
                        other.lane,
                        other.workgroup,
                        other.line,
                    )
                });
            }
            let seen = if writes { &mut part.writer } else { &mut part.reader };
            *seen = seen.or(Some(by));
        }
    }
}
