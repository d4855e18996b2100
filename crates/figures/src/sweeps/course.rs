//! The requests of a workgroup to its buffers, one below the other, and the number of times it goes over each buffer.

use super::super::step::InStep;
use super::axis::{Axis, elements, join};
use crate::trace::{AccessKind, Event, EventKind, Space, Timeline};

/// Loads, stores and atomics, in the order in which they are shown.
pub(super) const KINDS: [AccessKind; 3] = [AccessKind::Load, AccessKind::Store, AccessKind::Atomic];

/// From this many sweeps over a buffer on, they are not numbered.
const MOST_SWEEPS: usize = 9;

/// A workgroup's requests of global memory, in step.
#[derive(Clone, Debug, Default)]
pub(super) struct Course {
    pub(super) workgroup: u32,
    pub(super) steps: InStep,
    /// The steps at which a warp asks for something, from the first to the last.
    pub(super) rows: Vec<Row>,
    /// Barriers after the last of them.
    pub(super) after: u32,
    /// The buffers that are touched.
    pub(super) panels: Vec<Panel>,
}

/// A step at which a warp asks for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// As [`InStep::at`].
    pub(super) at: (u32, u32),
    /// Barriers between the row before and this one.
    pub(super) barriers: u32,
}

/// A buffer and what is asked of it.
#[derive(Clone, Debug)]
pub(super) struct Panel {
    pub(super) name: String,
    pub(super) axis: Axis,
    /// From the first row to the last.
    pub(super) marks: Vec<Mark>,
    /// By [`KINDS`], how often an element is requested on average, of those that are at all; 0 if none is.
    pub(super) times: [f64; 3],
    /// The first and the last row of each sweep of loads, where one begins after the last has ended.
    pub(super) sweeps: Vec<[usize; 2]>,
}

/// Elements that follow each other and are asked for in one row, from one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) row: usize,
    pub(super) access: AccessKind,
    pub(super) line: u32,
    /// The first of the events that ask, by its index in the record.
    pub(super) event: usize,
    /// How many events of that row and line there are.
    pub(super) requests: u64,
    /// The first element, and the one after the last.
    pub(super) span: [u64; 2],
}

impl Course {
    pub(super) fn of(timeline: &Timeline, workgroup: u32) -> Self {
        let steps = InStep::of(timeline, workgroup);
        let asked: Vec<(usize, Asked)> =
            steps.order.iter().filter_map(|index| Some((*index, Asked::of(timeline, *index)?))).collect();
        let mut rows: Vec<Row> = Vec::new();
        let mut of_row: Vec<usize> = Vec::with_capacity(asked.len());
        for (index, _) in &asked {
            let at = steps.at[*index];
            if rows.last().is_none_or(|row| row.at != at) {
                rows.push(Row { at, barriers: at.0 - rows.last().map_or(0, |row| row.at.0) });
            }
            of_row.push(rows.len() - 1);
        }
        let ended = steps.order.iter().filter(|index| timeline.events[**index].kind == EventKind::Barrier);
        let phases = ended.map(|index| steps.at[*index].0 + 1).max().unwrap_or(0);
        let after = phases.saturating_sub(rows.last().map_or(0, |row| row.at.0));
        let panels = (0..).zip(&timeline.buffers).filter(|(_, traced)| traced.space == Space::Global);
        let panels = panels.filter_map(|(buffer, traced)| {
            let own = asked.iter().zip(&of_row).filter(|((_, asked), _)| asked.buffer == buffer);
            let own: Vec<(usize, usize, &Asked)> = own.map(|((index, asked), row)| (*row, *index, asked)).collect();
            (!own.is_empty()).then(|| Panel::of(traced.name.clone(), traced.elem.bytes(), timeline, &own))
        });
        let panels = panels.collect();
        Self { workgroup, steps, rows, after, panels }
    }
}

/// An event's elements.
struct Asked {
    buffer: u16,
    access: AccessKind,
    /// In order and apart.
    spans: Vec<[u64; 2]>,
}

impl Asked {
    /// None for an event that is no access of global memory.
    fn of(timeline: &Timeline, index: usize) -> Option<Self> {
        let event: &Event = &timeline.events[index];
        let EventKind::Access { access, buffer, bytes_per_lane, .. } = event.kind else { return None };
        let traced = timeline.buffers.get(usize::from(buffer)).filter(|traced| traced.space == Space::Global)?;
        let bytes = traced.elem.bytes();
        let each = (u64::from(bytes_per_lane) / bytes).max(1);
        let first = |address: &u32| u64::from(*address) / bytes;
        let spans = timeline.addresses(event).iter().map(|address| [first(address), first(address) + each]);
        let mut spans: Vec<[u64; 2]> = spans.collect();
        join(&mut spans);
        Some(Self { buffer, access, spans })
    }
}

impl Panel {
    /// `own` are the buffer's requests in step: row, event, elements.
    fn of(name: String, bytes: u64, timeline: &Timeline, own: &[(usize, usize, &Asked)]) -> Self {
        let all = |kinds: &[AccessKind]| {
            let own = own.iter().filter(|(.., asked)| kinds.contains(&asked.access));
            let mut spans: Vec<[u64; 2]> = own.flat_map(|(.., asked)| asked.spans.iter().copied()).collect();
            let asked = elements(&spans);
            join(&mut spans);
            (asked, spans)
        };
        let axis = Axis::of(&all(&KINDS).1, bytes);
        let times = KINDS.map(|kind| {
            let (asked, spans) = all(&[kind]);
            asked as f64 / elements(&spans).max(1) as f64
        });
        let mut marks = Vec::new();
        let mut sweeps = Numbered::new(&axis);
        for row in own.chunk_by(|a, b| a.0 == b.0) {
            let line = |index: usize| timeline.events[index].line;
            let mut kinds: Vec<(AccessKind, u32)> =
                row.iter().map(|(_, index, asked)| (asked.access, line(*index))).collect();
            kinds.sort_unstable_by_key(|(kind, line)| (*line, KINDS.iter().position(|k| k == kind)));
            kinds.dedup();
            for (access, of_line) in kinds {
                let those = row.iter().filter(|(_, index, asked)| (asked.access, line(*index)) == (access, of_line));
                let mut spans: Vec<[u64; 2]> =
                    those.clone().flat_map(|(.., asked)| asked.spans.iter().copied()).collect();
                join(&mut spans);
                let event = those.clone().map(|(_, index, _)| *index).min().unwrap_or_default();
                let requests = those.count() as u64;
                let mark = |span| Mark { row: row[0].0, access, line: of_line, event, requests, span };
                marks.extend(spans.into_iter().map(mark));
            }
            let loads = row.iter().filter(|(.., asked)| asked.access == AccessKind::Load);
            let mut loads: Vec<[u64; 2]> = loads.flat_map(|(.., asked)| asked.spans.iter().copied()).collect();
            join(&mut loads);
            sweeps.take(&axis, row[0].0, &loads);
        }
        Self { name, axis, marks, times, sweeps: sweeps.apart() }
    }
}

/// Numbers the sweeps: an element's first load belongs to the first, its second to the second.
struct Numbered {
    /// By place on the axis, loads so far.
    loads: Vec<u8>,
    /// By sweep, its first and its last row.
    rows: Vec<[usize; 2]>,
}

impl Numbered {
    fn new(axis: &Axis) -> Self {
        Self { loads: vec![0; usize::try_from(axis.len()).unwrap_or(0)], rows: Vec::new() }
    }

    fn take(&mut self, axis: &Axis, row: usize, spans: &[[u64; 2]]) {
        for [first, end] in spans {
            let from = usize::try_from(axis.place(*first)).unwrap_or(usize::MAX);
            for loads in self.loads.iter_mut().skip(from).take((end - first) as usize) {
                let sweep = usize::from(*loads);
                match self.rows.get_mut(sweep) {
                    Some(rows) => rows[1] = row,
                    None => self.rows.push([row; 2]),
                }
                *loads = loads.saturating_add(1);
            }
        }
    }

    /// The sweeps, where they are few and one follows the other; none else.
    fn apart(self) -> Vec<[usize; 2]> {
        let follow = self.rows.windows(2).all(|pair| pair[0][1] < pair[1][0]);
        if follow && self.rows.len() <= MOST_SWEEPS { self.rows } else { Vec::new() }
    }
}
