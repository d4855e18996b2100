//! Barriers in shared memory, and numbered ones, as warps meet them.

use super::{Stop, Surroundings, Warp};
use crate::simt::collective::Collective;
use crate::simt::engine::Mbarrier;
use crate::simt::ir::Variable;
use crate::simt::lanes::lanes_of;
use crate::simt::mbarriers::{Does, NAMED};
use crate::simt::observers::{Meet, Observer};
use crate::trace::{FindingKind, Space};

impl<const W: usize> Warp<W> {
    /// A register's value in a lane.
    pub(super) fn value(&self, regs: &[u32], i: usize, lane: u32) -> u32 {
        regs.get(i).map_or(0, |reg| self.vectors[*reg as usize][lane as usize])
    }

    /// Carries out an operation on a barrier in shared memory. Some if the warp has to stop for it.
    pub(super) fn mbarrier<O: Observer>(
        &mut self,
        does: Does,
        of: &Collective,
        around: &mut Surroundings<'_, O>,
    ) -> Option<Stop> {
        if let Does::Test { parity, waits } = does {
            return self.test(of, (parity, waits), around);
        }
        let mut states = [0; W];
        for lane in lanes_of(self.mask) {
            let (address, value) = (self.value(&of.a, 0, lane), self.value(&of.b, 0, lane));
            let line = around.code.lines[self.pc - 1];
            if does == Does::Init {
                let shared = around.shared.len() * 4;
                if address & 7 != 0 || address as usize + 8 > shared {
                    around.report(line, FindingKind::Misaligned, |at, _| {
                        format!(
                            "an mbarrier takes 8 bytes of shared memory, at a multiple of 8: byte {address} of {shared} is no \
                             place for one (workgroup {}, warp {}, lane {lane})",
                            at.workgroup, at.warp
                        )
                    });
                    continue;
                }
                around.engine.barriers.retain(|barrier| barrier.address != address);
                around.engine.barriers.push(Mbarrier::new(address, value));
                continue;
            }
            let Some(barrier) = around.engine.barrier(address) else {
                self.no_barrier(address, lane, around);
                continue;
            };
            match does {
                Does::Arrive { drops } => {
                    states[lane as usize] = barrier.phase;
                    let expected = barrier.expected;
                    around.observer.meet(1 << lane, Meet::Arrives(address));
                    let bytes = of.c.first().map(|reg| self.vectors[*reg as usize][lane as usize]);
                    let fits = self.change_barrier(address, around, |barrier| {
                        bytes.into_iter().for_each(|bytes| barrier.expect(bytes.into()));
                        barrier.arrive(value, if drops { value } else { 0 })
                    });
                    if fits == Some(false) {
                        around.report(line, FindingKind::DivergentBarrier, |at, variables| {
                            format!(
                                "the mbarrier at {} gets more arrivals in a phase than the {expected} that it was initialised \
                                 for (workgroup {}, warp {}, lane {lane})",
                                at_byte(address, variables),
                                at.workgroup,
                                at.warp
                            )
                        });
                    }
                }
                Does::Expect => _ = self.change_barrier(address, around, |barrier| barrier.expect(value.into())),
                Does::Complete => _ = self.change_barrier(address, around, |barrier| barrier.expect(-i64::from(value))),
                _ => around.engine.barriers.retain(|barrier| barrier.address != address),
            }
        }
        if let Some(reg) = of.d.first() {
            self.set(*reg, &states, true);
        }
        // After arriving the warp lets others run: one that waits for a place to be released refills it then, and not when all that
        // it has loaded is used. One that announces bytes goes on, to ask for them.
        let lets_go = matches!(does, Does::Arrive { .. }) && of.c.is_empty();
        lets_go.then_some(Stop::Yields)
    }

    /// Changes a barrier, which may complete a phase of it; None if there is no such barrier.
    pub(super) fn change_barrier<O: Observer, T>(
        &self,
        address: u32,
        around: &mut Surroundings<'_, O>,
        change: impl FnOnce(&mut Mbarrier) -> T,
    ) -> Option<T> {
        let barrier = around.engine.barrier(address)?;
        let before = barrier.phase;
        let changed = change(barrier);
        if barrier.phase != before {
            around.observer.meet(self.mask, Meet::Completes(address));
        }
        Some(changed)
    }

    /// Reports a barrier that was not initialised.
    fn no_barrier<O>(&self, address: u32, lane: u32, around: &mut Surroundings<'_, O>) {
        around.report(around.code.lines[self.pc - 1], FindingKind::Uninitialized, |at, variables| {
            format!(
                "there is no mbarrier at {}: it has to be initialised first (workgroup {}, warp {}, lane {lane})",
                at_byte(address, variables),
                at.workgroup,
                at.warp
            )
        });
    }

    /// Whether phases are complete. A warp of which no lane could go on waits.
    fn test<O: Observer>(
        &mut self,
        of: &Collective,
        (parity, waits): (bool, bool),
        around: &mut Surroundings<'_, O>,
    ) -> Option<Stop> {
        let (mut out, mut last, mut any) = ([0; W], None, false);
        for lane in lanes_of(self.mask) {
            let (address, which) = (self.value(&of.a, 0, lane), self.value(&of.b, 0, lane));
            if last != Some(address) {
                // A box is there when it is waited for.
                self.land(address, around);
            }
            let Some(barrier) = around.engine.barrier(address) else {
                self.no_barrier(address, lane, around);
                // No thread will complete the phase: the lane goes on, so that the run ends.
                (out[lane as usize], any) = (1, true);
                continue;
            };
            let complete = if parity { barrier.is_complete(which) } else { barrier.phase != which };
            if complete {
                around.observer.meet(1 << lane, Meet::Passes(address));
            }
            last = Some(address);
            any |= complete;
            out[lane as usize] = u32::from(complete);
        }
        if !any && waits {
            self.pc -= 1;
            return Some(Stop::Waits);
        }
        if let Some(reg) = of.d.first() {
            self.set(*reg, &out, true);
        }
        (!any).then_some(Stop::Yields)
    }

    /// Arrives at the barrier with a number, and waits there if it `waits`.
    pub(super) fn named_barrier<O: Observer>(
        &mut self,
        waits: bool,
        of: &Collective,
        around: &mut Surroundings<'_, O>,
    ) -> Option<Stop> {
        self.check_barrier(around);
        let lane = self.mask.trailing_zeros();
        let (number, wanted) = (self.value(&of.a, 0, lane), self.value(&of.b, 0, lane));
        around.observer.meet(self.mask, Meet::Arrives(NAMED | number));
        let (goes_on, completes) = around.engine.arrive(number, wanted, (around.at.warp, waits));
        if completes {
            around.observer.meet(self.mask, Meet::Completes(NAMED | number));
        }
        if !goes_on {
            return Some(Stop::Named(number));
        }
        if waits {
            around.observer.meet(self.mask, Meet::Passes(NAMED | number));
        }
        None
    }

    /// The thing that the warp waits for, for people.
    pub(in crate::simt) fn waits_for<O>(&self, around: &mut Surroundings<'_, O>) -> String {
        let code = around.code;
        let crate::simt::code::Op::Collective { id } = code.ops[self.pc] else { return String::new() };
        let of = &code.collectives[id as usize];
        let lane = self.mask.trailing_zeros().min(W as u32 - 1);
        let (address, which) = (self.value(&of.a, 0, lane), self.value(&of.b, 0, lane));
        let name = at_byte(address, around.variables);
        let Some(barrier) = around.engine.barrier(address) else { return format!("the mbarrier at {name}") };
        let bytes = match barrier.bytes {
            0 => String::new(),
            bytes => format!(" and {bytes} bytes"),
        };
        format!(
            "a phase of parity {} of the mbarrier at {name}, which lacks {} of {} arrivals{bytes}",
            which & 1,
            barrier.missing,
            barrier.expected
        )
    }
}

/// The name of a byte of shared memory, for people.
fn at_byte(address: u32, variables: &[Variable]) -> String {
    let is_there = |v: &&Variable| v.space == Space::Shared && (v.base..v.base + v.bytes).contains(&address);
    match variables.iter().find(is_there) {
        Some(variable) => format!("byte {} of `{}`", address - variable.base, variable.name),
        None => format!("byte {address} of shared memory"),
    }
}
