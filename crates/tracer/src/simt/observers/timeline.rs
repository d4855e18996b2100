//! Keeps single events of some workgroups, for the stage to play.

use super::{Access, Exchanged, Observer, Phase, banks, sectors, uniforms};
use crate::simt::ir::Variable;
use crate::simt::lanes::lanes_of;
use crate::simt::subgroup::Subgroup;
use crate::trace::{Event, EventKind, Exchange, Space, Timeline, Transfer, TransferPart};

/// Records what one workgroup does.
pub struct Recorder<'a> {
    variables: &'a [Variable],
    workgroup: u32,
    warp: u32,
    limit: usize,
    events: Vec<Event>,
    addresses: Vec<u32>,
    transfers: Vec<Transfer>,
    truncated: bool,
}

impl<'a> Recorder<'a> {
    /// For workgroup `workgroup`, keeping `limit` events at most.
    pub fn new(variables: &'a [Variable], workgroup: u32, limit: u32) -> Self {
        Self {
            variables,
            workgroup,
            warp: 0,
            limit: limit as usize,
            events: Vec::new(),
            addresses: Vec::new(),
            transfers: Vec::new(),
            truncated: false,
        }
    }

    /// The workgroup that it records.
    pub fn workgroup(&self) -> u32 {
        self.workgroup
    }

    fn push(&mut self, line: u32, mask: u64, kind: impl FnOnce(&mut Self) -> EventKind) {
        if self.events.len() >= self.limit {
            self.truncated = true;
            return;
        }
        let kind = kind(self);
        self.events.push(Event { workgroup: self.workgroup, warp: self.warp, line, mask, kind });
    }

    /// Keeps a part of an asynchronous operation. Its pieces come as several accesses: those that adjoin become one.
    fn transfer(&mut self, access: &Access<'_>, phase: Phase) {
        let part = match phase {
            Phase::Begins { .. } => TransferPart::Begins,
            Phase::Lands { .. } => TransferPart::Lands,
            Phase::Reads => TransferPart::Reads,
            Phase::HasRead => TransferPart::HasRead,
        };
        let firsts = || lanes_of(access.mask).map(|lane| access.addresses.at(lane));
        let (Some(first), Some(last)) = (firsts().min(), firsts().max()) else { return };
        let span = [first, last + access.place.bytes()];
        let after = u32::try_from(self.events.len()).unwrap_or(u32::MAX);
        let (workgroup, warp, line) = (self.workgroup, self.warp, access.place.line);
        let new = Transfer { after, workgroup, warp, line, part, span };
        if let Some(open) = self.transfers.last_mut()
            && *open == (Transfer { span: open.span, ..new })
            && span[0] <= open.span[1]
            && open.span[0] <= span[1]
        {
            open.span = [open.span[0].min(span[0]), open.span[1].max(span[1])];
        } else if self.transfers.len() < self.limit {
            self.transfers.push(new);
        } else {
            self.truncated = true;
        }
    }

    /// Appends the events to `timeline`, as many as fit in its cap.
    pub fn finish(self, timeline: &mut Timeline) {
        timeline.truncated |= self.truncated;
        let before = u32::try_from(timeline.events.len()).unwrap_or(u32::MAX);
        let moved = |transfer: Transfer| Transfer { after: before.saturating_add(transfer.after), ..transfer };
        timeline.transfers.extend(self.transfers.into_iter().map(moved));
        for event in self.events {
            if timeline.events.len() >= self.limit {
                timeline.truncated = true;
                return;
            }
            let mut moved = event;
            let first = match &mut moved.kind {
                EventKind::Access { first_address, .. } => Some(first_address),
                EventKind::Subgroup { exchange: Exchange::Shuffle, first_source } => Some(first_source),
                EventKind::Subgroup { .. } | EventKind::Barrier | EventKind::Branch { .. } => None,
            };
            if let Some(first) = first {
                let from = *first as usize;
                *first = u32::try_from(timeline.addresses.len()).unwrap_or(u32::MAX);
                timeline.addresses.extend(&self.addresses[from..from + event.mask.count_ones() as usize]);
            }
            timeline.events.push(moved);
        }
    }
}

impl Observer for Recorder<'_> {
    const ACTIVE: bool = true;

    fn warp(&mut self, warp: u32) {
        self.warp = warp;
    }

    fn access(&mut self, access: &Access<'_>) {
        let place = access.place;
        self.push(place.line, access.mask, |me| {
            let first_address = u32::try_from(me.addresses.len()).unwrap_or(u32::MAX);
            // The base of a buffer is 0.
            let base = me.variables[usize::from(place.variable)].base;
            me.addresses.extend(lanes_of(access.mask).map(|lane| access.addresses.at(lane) - base));
            let cost = match place.space {
                Space::Global => sectors::count(access),
                Space::Uniform => uniforms::passes(access),
                Space::Shared => banks::wavefronts(access),
            };
            EventKind::Access {
                access: access.kind,
                buffer: place.variable,
                bytes_per_lane: place.components * place.width.bytes(),
                first_address,
                cost: u16::try_from(cost).unwrap_or(u16::MAX),
            }
        });
    }

    fn later(&mut self, access: &Access<'_>, phase: Phase) {
        if phase == (Phase::Begins { counted: true }) {
            self.access(access);
        }
        self.transfer(access, phase);
    }

    fn branch(&mut self, line: u32, mask: u64, taken: u64) {
        self.push(line, mask, |_| EventKind::Branch { taken });
    }

    fn exchange(&mut self, exchanged: &Exchanged<'_>) {
        let Exchanged { line, mask, op, indices } = *exchanged;
        self.push(line, mask, |me| {
            let exchange = match op {
                Subgroup::Ballot | Subgroup::Reduce(_) | Subgroup::ReduceWithin(_) | Subgroup::Match => {
                    Exchange::Reduction
                }
                Subgroup::InclusiveScan(_) => Exchange::InclusiveScan,
                Subgroup::ExclusiveScan { .. } => Exchange::ExclusiveScan,
                Subgroup::First
                | Subgroup::Broadcast
                | Subgroup::Shuffle
                | Subgroup::ShuffleDown
                | Subgroup::ShuffleUp
                | Subgroup::ShuffleXor
                | Subgroup::Quad
                | Subgroup::Clamped { .. }
                | Subgroup::InClamp { .. } => Exchange::Shuffle,
            };
            let first_source = u32::try_from(me.addresses.len()).unwrap_or(u32::MAX);
            if exchange == Exchange::Shuffle {
                let source = |lane| op.sources(lane, indices[lane as usize], mask).trailing_zeros();
                me.addresses.extend(lanes_of(mask).map(source));
            }
            EventKind::Subgroup { exchange, first_source }
        });
    }

    fn barrier(&mut self, line: u32, mask: u64) {
        self.push(line, mask, |_| EventKind::Barrier);
    }
}
