//! Finds data races between the workgroups of a launch in which nothing orders them: barriers reach one workgroup, and
//! nothing is released.
//!
//! Each word remembers, for each kind of access, which workgroup did it, or that several did: whatever their order, the
//! same is left in the end. Where that shows a race, the launch runs once more, in order, to see which lanes at which
//! lines it was. Strong accesses that do not commute are suspects only: a workgroup may know from what an atomic
//! returned that it is the last one ([`crate::simt::again`] tries another order).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use super::deed::{Conflict, Deed};
use super::word::Mark;
use crate::simt::code::{Code, Op};
use crate::simt::ir::Mem;
use crate::simt::memory::Buffer;
use crate::trace::AccessKind;

/// Encoding of a word's workgroups: 0 for none, n + 1 for workgroup n, this for several.
const SEVERAL: u32 = u32::MAX;

/// Encoding of the values stored to a word: 0 for none, this plus the value for one, and [`DIFFERENT`].
const ONE: u64 = 1 << 32;
const DIFFERENT: u64 = 1 << 33;

/// Parts of a page: a launch that touches a few parts of a large buffer costs no more than their pages.
const PAGE: usize = 1 << 6;

/// A value for each part of a buffer, in pages that are allocated when they are first touched.
struct Pages<T>(Vec<OnceLock<Box<[T]>>>);

impl<T: Default> Pages<T> {
    fn new(parts: usize) -> Self {
        Self((0..parts.div_ceil(PAGE)).map(|_| OnceLock::new()).collect())
    }

    fn touched(&self, part: usize) -> Option<&T> {
        self.0.get(part / PAGE)?.get()?.get(part % PAGE)
    }

    fn at(&self, part: usize) -> Option<&T> {
        let page = self.0.get(part / PAGE)?.get_or_init(|| (0..PAGE).map(|_| T::default()).collect());
        page.get(part % PAGE)
    }
}

/// Who touched each word of a buffer.
struct Shadow {
    /// By kind of access, then by part.
    by: Vec<(Deed, Pages<AtomicU32>)>,
    /// The values of plain stores; None where storing the same is no excuse.
    values: Option<Pages<AtomicU64>>,
    pages: usize,
}

/// How the accesses of several workgroups to a part conflict, worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// All store one value.
    Alike,
    /// Plain accesses beside strong ones, which may be of a thread that knows that it is the last.
    Mixed,
    /// A strong load gets another value in another order.
    Value,
    /// Strong accesses leave another word in another order.
    Word,
    /// A race.
    Race,
}

/// A part of a buffer that workgroups touch by accesses that conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raced {
    pub buffer: u16,
    pub index: u32,
    pub standing: Standing,
}

impl Shadow {
    /// The parts that are touched by conflicting accesses of several workgroups, in order.
    fn raced(&self) -> impl Iterator<Item = (usize, Standing)> {
        let is_touched =
            |page: &usize| self.by.iter().any(|(_, by)| by.0.get(*page).is_some_and(|page| page.get().is_some()));
        let parts = (0..self.pages).filter(is_touched).flat_map(|page| page * PAGE..(page + 1) * PAGE);
        parts.filter_map(|part| Some((part, self.standing(part)?)))
    }

    fn standing(&self, part: usize) -> Option<Standing> {
        let who = |by: &Pages<AtomicU32>| by.touched(part).map_or(0, |who| who.load(Relaxed));
        let mut worst = None;
        for (i, (a, by)) in self.by.iter().enumerate() {
            let one = who(by);
            for (b, other) in self.by[..=i].iter().filter(|_| one != 0) {
                let (other, alike) = (who(other), a == b);
                let are_two = if alike { one == SEVERAL } else { other != 0 && (one != other || one == SEVERAL) };
                let standing = match a.conflict(*b) {
                    Some(Conflict::Race) if alike && a.is_store() && self.is_one_value(part) => Some(Standing::Alike),
                    Some(Conflict::Race) if a.is_weak() != b.is_weak() && !is_narrow(a) && !is_narrow(b) => {
                        Some(Standing::Mixed)
                    }
                    Some(Conflict::Race) => Some(Standing::Race),
                    Some(Conflict::Word) => Some(Standing::Word),
                    Some(Conflict::Value | Conflict::Told) => Some(Standing::Value),
                    None => None,
                };
                worst = worst.max(standing.filter(|_| are_two));
            }
        }
        worst
    }

    fn is_one_value(&self, part: usize) -> bool {
        let values = self.values.as_ref().and_then(|values| values.touched(part));
        values.is_some_and(|value| value.load(Relaxed) & DIFFERENT == 0)
    }
}

fn is_narrow(deed: &Deed) -> bool {
    matches!(deed, Deed::NarrowRead | Deed::NarrowWrite)
}

/// Who touched which word of the buffers, over a whole launch.
pub struct Between {
    /// By binding; None for buffers that cannot race.
    shadows: Vec<Option<Shadow>>,
}

impl Between {
    /// Nothing was touched yet. `excused`: whether workgroups that store one value are.
    pub fn new(code: &Code, buffers: &[Buffer<'_>], excused: bool) -> Self {
        let grain = code.grain();
        let mut deeds: Vec<Vec<Deed>> = vec![Vec::new(); buffers.len()];
        for op in &code.ops {
            let (at, kind, op) = match op {
                Op::Load { place, .. } | Op::LoadOne { place, .. } => (*place, AccessKind::Load, None),
                Op::Store { place, .. } => (*place, AccessKind::Store, None),
                Op::Atomic { place, op, .. } | Op::AtomicWords { place, op, .. } => {
                    (*place, AccessKind::Atomic, Some(*op))
                }
                Op::Collective { id } => {
                    let together = &code.collectives[*id as usize];
                    let Some(place) = together.place else { continue };
                    let kind = if together.what.stores() { AccessKind::Store } else { AccessKind::Load };
                    (place, kind, None)
                }
                _ => continue,
            };
            let place = &code.places[at as usize];
            let deed = Deed::at(place, kind, op).afar(place);
            if let Mem::Buffer(buffer) = place.mem
                && !deeds[usize::from(buffer)].contains(&deed)
            {
                deeds[usize::from(buffer)].push(deed);
            }
        }
        let shadows = buffers.iter().zip(deeds).map(|(buffer, deeds)| match buffer {
            Buffer::Written(words) if deeds.iter().any(|deed| deed.writes()) => {
                let parts = words.len() * 4 / grain as usize;
                let by = deeds.into_iter().map(|deed| (deed, Pages::new(parts))).collect();
                Some(Shadow { by, values: excused.then(|| Pages::new(parts)), pages: parts.div_ceil(PAGE) })
            }
            _ => None,
        });
        Self { shadows: shadows.collect() }
    }

    /// A workgroup accesses a part of a buffer, by an access that is such a `deed` for the others.
    pub(super) fn touch(&self, buffer: u16, index: u32, (by, deed): (&Mark, Deed), workgroup: u64) {
        let Some(Some(shadow)) = self.shadows.get(usize::from(buffer)) else { return };
        let of = shadow.by.iter().find(|(of, _)| *of == deed);
        let Some(part) = of.and_then(|(_, pages)| pages.at(index as usize)) else { return };
        let me = u32::try_from(workgroup + 1).unwrap_or(SEVERAL).min(SEVERAL - 1);
        let now = part.load(Relaxed);
        if now != me && now != SEVERAL && part.compare_exchange(0, me, Relaxed, Relaxed).is_err_and(|other| other != me)
        {
            part.store(SEVERAL, Relaxed);
        }
        if let (true, Some(values)) = (deed.is_store(), &shadow.values)
            && let Some(value) = values.at(index as usize)
        {
            let stored = ONE | u64::from(by.value);
            if value.compare_exchange(0, stored, Relaxed, Relaxed).is_err_and(|other| other != stored) {
                value.store(DIFFERENT, Relaxed);
            }
        }
    }

    /// Of each buffer the first part that workgroups race for by plain accesses, or to which all store one value, and
    /// all parts where the order of strong accesses may matter.
    ///
    /// A part with plain accesses beside strong ones is given, too, if it is the first.
    pub fn raced(&self) -> Vec<Raced> {
        let shadows = self.shadows.iter().zip(0..).filter_map(|(shadow, buffer)| Some((shadow.as_ref()?, buffer)));
        let each = shadows.flat_map(|(shadow, buffer)| {
            let (mut strong, mut plain) = (Vec::new(), None);
            for (part, standing) in shadow.raced() {
                let raced = Raced { buffer, index: u32::try_from(part).unwrap_or(u32::MAX), standing };
                match standing {
                    Standing::Value | Standing::Word => strong.push(raced),
                    _ if plain.is_none_or(|plain: Raced| plain.standing < standing) => plain = Some(raced),
                    _ => {}
                }
            }
            plain.into_iter().chain(strong)
        });
        each.collect()
    }

    /// Whether several workgroups change a word of a buffer by atomics.
    pub fn is_contended(&self, buffer: u16) -> bool {
        let shadow = self.shadows.get(usize::from(buffer)).and_then(Option::as_ref);
        let changes =
            shadow.into_iter().flat_map(|shadow| &shadow.by).filter(|(deed, _)| deed.writes() && !deed.is_plain());
        let mut parts = changes.flat_map(|(_, by)| by.0.iter().filter_map(OnceLock::get).flatten());
        parts.any(|who| who.load(Relaxed) == SEVERAL)
    }
}
