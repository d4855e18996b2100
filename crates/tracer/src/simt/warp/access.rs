//! Loads, stores and atomics of a warp: from indices to addresses, within bounds, to words.

use super::{Surroundings, Warp};
use crate::simt::code::{Index, Place};
use crate::simt::ir::{AtomicOp, Mem, Width};
use crate::simt::lanes::lanes_of;
use crate::simt::memory::{Buffer, Words};
use crate::simt::observers::{Access, Addresses, Observer, Operand, Outside};
use crate::simt::ops::Src;
use crate::trace::AccessKind;

/// How a warp's addresses relate to each other.
#[derive(Clone, Copy)]
pub(super) enum Form {
    One(u32),
    Linear {
        base: u32,
        step: u32,
    },
    /// In [`Warp::addresses`].
    Lanes,
}

/// The kind of an access, with its operand.
#[derive(Clone, Copy)]
pub(super) enum Does {
    Load,
    Store([Src; 4]),
}

/// The operands of an atomic, and what came of it, as observers see them.
pub(super) struct Atomic<'a> {
    pub op: AtomicOp,
    pub value: Src,
    /// By lane, the word before.
    pub was: &'a [u32],
    /// Lanes that left the word.
    pub failed: u64,
    /// Whether it is an exchange whose old value nobody reads.
    pub replaces: bool,
}

/// Addresses that were checked, and the lanes they belong to.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub form: Form,
    pub mask: u64,
}

/// The steps that watching an access of these lanes is taken for, besides its instruction: it takes as long, and fuel bounds time.
fn steps(lanes: u64) -> u64 {
    u64::from(lanes.count_ones() / 8)
}

impl<const W: usize> Warp<W> {
    /// The addresses of `place`, without the lanes that would go out of bounds: these are reported.
    pub(super) fn resolve<O>(&mut self, place: &Place, around: &mut Surroundings<'_, O>) -> Target {
        if let Some(whole) = &place.whole {
            return self.resolve_whole(place, *whole, around);
        }
        let (mut base, mut step) = (place.offset, 0_u32);
        let (first, last) = (self.mask.trailing_zeros(), 63 - self.mask.leading_zeros());
        let mut lanes = false;
        let mut inside = true;
        for term in &place.terms {
            match term.index {
                Index::One(index) => {
                    let index = self.scalars[index as usize];
                    inside &= index < term.len;
                    base = base.wrapping_add(term.moved(index));
                }
                Index::Linear { base: index, step: by } => {
                    let (index, by) = (self.scalars[index as usize], self.scalars[by as usize]);
                    let low = i64::from(index.wrapping_add(first.wrapping_mul(by)));
                    let high = low + i64::from(last - first) * i64::from(by.cast_signed());
                    inside &= low < i64::from(term.len) && (0..i64::from(term.len)).contains(&high);
                    base = base.wrapping_add(term.moved(index));
                    step = step.wrapping_add(term.moved(by));
                }
                Index::Lanes(index) => {
                    let index = &self.vectors[index as usize];
                    let outside = index.iter().fold(false, |outside, i| outside | (*i >= term.len));
                    inside &= !outside;
                    if lanes {
                        for (address, index) in self.addresses.iter_mut().zip(index) {
                            *address = address.wrapping_add(term.moved(*index));
                        }
                    } else {
                        for (address, index) in self.addresses.iter_mut().zip(index) {
                            *address = term.moved(*index);
                        }
                    }
                    lanes = true;
                }
            }
        }
        if !inside {
            return self.resolve_checked(place, around);
        }
        let form = if lanes {
            for (lane, address) in (0..).zip(&mut self.addresses) {
                *address = address.wrapping_add(base).wrapping_add(step.wrapping_mul(lane));
            }
            Form::Lanes
        } else if step == 0 {
            Form::One(base)
        } else {
            Form::Linear { base, step }
        };
        Target { form, mask: self.mask }
    }

    /// The address of one lane's access.
    pub(super) fn address(&self, target: Target, lane: u32) -> u32 {
        match target.form {
            Form::One(address) => address,
            Form::Linear { base, step } => base.wrapping_add(step.wrapping_mul(lane)),
            Form::Lanes => self.addresses[lane as usize],
        }
    }

    /// The same, lane by lane.
    #[cold]
    fn resolve_checked<O>(&mut self, place: &Place, around: &mut Surroundings<'_, O>) -> Target {
        let mut mask = self.mask;
        for lane in lanes_of(self.mask) {
            let mut address = place.offset;
            for term in &place.terms {
                let index = match term.index {
                    Index::One(index) => self.scalars[index as usize],
                    Index::Linear { base, step } => {
                        self.scalars[base as usize].wrapping_add(lane.wrapping_mul(self.scalars[step as usize]))
                    }
                    Index::Lanes(index) => self.vectors[index as usize][lane as usize],
                };
                if index >= term.len {
                    mask &= !(1 << lane);
                    let invocation = u64::from(around.at.warp) * W as u64 + u64::from(lane);
                    let outside = Outside::at(index.cast_signed().into(), term.len.into());
                    around.report_outside(place, outside, None, (lane, invocation));
                }
                address = address.wrapping_add(term.moved(index));
            }
            self.addresses[lane as usize] = address;
        }
        Target { form: Form::Lanes, mask }
    }

    /// Shows a load, or a store that is about to happen.
    pub(super) fn observe<O: Observer>(
        &self,
        site: u32,
        place: &Place,
        does: Does,
        target: Target,
        around: &mut Surroundings<'_, O>,
    ) {
        if O::ACTIVE && place.mem != Mem::Local && target.mask != 0 {
            let (kind, src, count) = match does {
                Does::Load => (AccessKind::Load, [Src::scalar(0); 4], 0),
                Does::Store(src) => (AccessKind::Store, src, usize::from(place.components)),
            };
            let operands = src.map(|src| self.operand(src));
            let operands = &operands[..count];
            around.observer.access(&Access { kind, operands, ..self.access(site, place, target) });
            around.fuel = around.fuel.saturating_sub(steps(target.mask));
        }
    }

    /// Shows an atomic, once it was carried out.
    pub(super) fn observe_atomic<O: Observer>(
        &self,
        site: u32,
        place: &Place,
        Atomic { op, value, was, failed, replaces }: Atomic<'_>,
        target: Target,
        around: &mut Surroundings<'_, O>,
    ) {
        if O::ACTIVE && target.mask != 0 {
            let (kind, operands, was) = (AccessKind::Atomic, [self.operand(value)], Some(was));
            let access = self.access(site, place, target);
            around.observer.access(&Access {
                kind,
                op: Some(op),
                operands: &operands,
                was,
                failed,
                replaces,
                ..access
            });
            around.fuel = around.fuel.saturating_sub(steps(target.mask));
        }
    }

    fn operand(&self, src: Src) -> Operand<'_> {
        match src.is_scalar() {
            true => Operand::One(self.scalars[src.reg() as usize]),
            false => Operand::Lanes(&self.vectors[src.reg() as usize]),
        }
    }

    /// A store of something that is not in registers, as observers see it.
    pub(super) fn access<'a>(&'a self, site: u32, place: &'a Place, target: Target) -> Access<'a> {
        let addresses = match target.form {
            Form::One(address) => Addresses::One(address),
            Form::Linear { base, step } => Addresses::Linear { base, step },
            Form::Lanes => Addresses::Lanes(&self.addresses),
        };
        Access::of(site, place, AccessKind::Store, target.mask, addresses)
    }

    /// Loads from a place that all lanes share.
    pub(super) fn load_one<O: Observer>(&mut self, site: u32, dst: &[u32; 4], around: &mut Surroundings<'_, O>) {
        let code = around.code;
        let place = &code.places[site as usize];
        let target = self.resolve(place, around);
        self.observe(site, place, Does::Load, target, around);
        if place.width != Width::Word {
            return self.load_one_narrow(place, target, dst, around);
        }
        for (word, dst) in (0..place.components).zip(dst) {
            self.scalars[*dst as usize] = match (target.form, place.mem) {
                (Form::One(address), Mem::Buffer(buffer)) => {
                    let i = address as usize / 4 + usize::from(word);
                    match &around.buffers[usize::from(buffer)] {
                        Buffer::Read(words) => words.word(i),
                        Buffer::Written(words) => words.word(i),
                    }
                }
                (Form::One(address), Mem::Shared) => around.shared.word(address as usize / 4 + usize::from(word)),
                // Out of bounds.
                _ => 0,
            };
        }
    }

    /// Loads a vector register a word.
    pub(super) fn load<O: Observer>(&mut self, site: u32, dst: &[u32; 4], around: &mut Surroundings<'_, O>) {
        let code = around.code;
        let place = &code.places[site as usize];
        let target = self.resolve(place, around);
        self.observe(site, place, Does::Load, target, around);
        let dst = &dst[..usize::from(place.components)];
        if place.width != Width::Word {
            return self.load_narrow(place, target, dst, around);
        }
        match place.mem {
            Mem::Buffer(buffer) => match &around.buffers[usize::from(buffer)] {
                Buffer::Read(words) => self.gather(*words, target, dst),
                Buffer::Written(words) => self.gather(words.as_slice(), target, dst),
            },
            Mem::Shared => self.gather(&*around.shared, target, dst),
            Mem::Local => self.load_local(target, dst[0], around.code.vectors),
        }
    }

    fn gather<M: Words + ?Sized>(&mut self, memory: &M, target: Target, dst: &[u32]) {
        let all = target.mask == Self::FULL;
        for (word, dst) in dst.iter().enumerate() {
            let values: [u32; W] = match target.form {
                Form::One(address) => [memory.word(address as usize / 4 + word); W],
                Form::Linear { base, step: 4 } if all => memory.run(base as usize / 4 + word),
                Form::Linear { base, step } if all => {
                    let mut values = [0; W];
                    for (lane, value) in (0..).zip(&mut values) {
                        *value = memory.word(base.wrapping_add(step.wrapping_mul(lane)) as usize / 4 + word);
                    }
                    values
                }
                Form::Lanes if all => {
                    let mut values = [0; W];
                    for (value, address) in values.iter_mut().zip(&self.addresses) {
                        *value = memory.word(*address as usize / 4 + word);
                    }
                    values
                }
                Form::Linear { base, step } => self.some_lanes(target.mask, |_, lane| {
                    memory.word(base.wrapping_add(step.wrapping_mul(lane)) as usize / 4 + word)
                }),
                Form::Lanes => self
                    .some_lanes(target.mask, |me, lane| memory.word(me.addresses[lane as usize] as usize / 4 + word)),
            };
            self.set(*dst, &values, true);
        }
    }

    /// A value for each lane of `mask`, 0 for the others: these are inactive, or out of bounds.
    pub(super) fn some_lanes(&self, mask: u64, value: impl Fn(&Self, u32) -> u32) -> [u32; W] {
        let mut values = [0; W];
        for lane in lanes_of(mask) {
            values[lane as usize] = value(self, lane);
        }
        values
    }

    /// Stores.
    pub(super) fn store<O: Observer>(&mut self, site: u32, src: &[Src; 4], around: &mut Surroundings<'_, O>) {
        let code = around.code;
        let place = &code.places[site as usize];
        let target = self.resolve(place, around);
        self.observe(site, place, Does::Store(*src), target, around);
        let src = &src[..usize::from(place.components)];
        if place.width != Width::Word {
            return self.store_narrow(place, target, src, around);
        }
        match place.mem {
            Mem::Buffer(buffer) => {
                if let Buffer::Written(words) = &around.buffers[usize::from(buffer)] {
                    self.scatter(target, src, |i, value| {
                        if let Some(word) = words.get(i) {
                            word.store(value, std::sync::atomic::Ordering::Relaxed);
                        }
                    });
                }
            }
            Mem::Shared => {
                let words = &mut *around.shared;
                self.scatter(target, src, |i, value| {
                    if let Some(word) = words.get_mut(i) {
                        *word = value;
                    }
                });
            }
            Mem::Local => self.store_local(target, src[0], around.code.vectors),
        }
    }

    /// Lanes store in order: where several go to one place, the last one's value stays.
    fn scatter(&self, target: Target, src: &[Src], mut store: impl FnMut(usize, u32)) {
        for (word, src) in src.iter().enumerate() {
            let reg = src.reg() as usize;
            let splat;
            let values = if src.is_scalar() {
                splat = [self.scalars[reg]; W];
                &splat
            } else {
                &self.vectors[reg]
            };
            match target.form {
                Form::One(address) => {
                    let last = 63 - target.mask.leading_zeros();
                    store(address as usize / 4 + word, values[last as usize]);
                }
                Form::Linear { base, step } if target.mask == Self::FULL => {
                    for (lane, value) in (0..).zip(values) {
                        store(base.wrapping_add(step.wrapping_mul(lane)) as usize / 4 + word, *value);
                    }
                }
                Form::Linear { base, step } => {
                    for lane in lanes_of(target.mask) {
                        let address = base.wrapping_add(step.wrapping_mul(lane));
                        store(address as usize / 4 + word, values[lane as usize]);
                    }
                }
                Form::Lanes => {
                    for lane in lanes_of(target.mask) {
                        store(self.addresses[lane as usize] as usize / 4 + word, values[lane as usize]);
                    }
                }
            }
        }
    }

    /// Local memory has a row a word, in which each lane has its own.
    fn load_local(&mut self, target: Target, dst: u32, first_row: u32) {
        let row = |address: u32| first_row as usize + address as usize / 4;
        let values = match target.form {
            Form::One(address) => self.vectors[row(address)],
            Form::Linear { base, step } => self.some_lanes(target.mask, |me, lane| {
                me.vectors[row(base.wrapping_add(step.wrapping_mul(lane)))][lane as usize]
            }),
            Form::Lanes => {
                self.some_lanes(target.mask, |me, lane| me.vectors[row(me.addresses[lane as usize])][lane as usize])
            }
        };
        self.set(dst, &values, true);
    }

    fn store_local(&mut self, target: Target, src: Src, first_row: u32) {
        let values =
            if src.is_scalar() { [self.scalars[src.reg() as usize]; W] } else { self.vectors[src.reg() as usize] };
        if let Form::One(address) = target.form {
            self.set(first_row + address / 4, &values, true);
            return;
        }
        for lane in lanes_of(target.mask) {
            let address = self.address(target, lane);
            self.vectors[first_row as usize + address as usize / 4][lane as usize] = values[lane as usize];
        }
    }
}
