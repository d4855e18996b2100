//! Operations that the lanes of a warp do together, carried out.

use super::{Stop, Surroundings, Warp};
use crate::simt::collective::{Collective, Members, What};
use crate::simt::lanes::lanes_of;
use crate::simt::observers::{Meet, Observer};
use crate::trace::FindingKind;

impl<const W: usize> Warp<W> {
    /// Executes one; says why the warp stops, where it does.
    pub(super) fn collective<O: Observer>(&mut self, id: u32, around: &mut Surroundings<'_, O>) -> Option<Stop> {
        let code = around.code;
        let together = &code.collectives[id as usize];
        match together.what {
            What::Cooperative { size, half } => {
                self.need_all_lanes("cooperative matrices need", around);
                self.multiply_add(size, half, together, around);
            }
            What::Multiply(shape) => {
                self.need_all_lanes("a product of matrices needs", around);
                self.multiply(shape, together, &mut around.fuel);
            }
            What::Copy => self.begin_copy(together, around),
            What::CommitCopies => self.copies.commit(self.mask),
            What::WaitForCopies { left } => self.wait_for_copies(left, around),
            What::Box(boxes) => self.move_box(id, boxes, together, around),
            What::CommitBoxes => self.readings.commit(self.mask),
            What::WaitForBoxes { left } => self.wait_for_boxes(Some(left), around),
            What::Wgmma(how) => {
                self.need_all_lanes("a product of matrices needs", around);
                self.wgmma(id, how, together, around);
            }
            What::CommitProducts => self.products.commit(self.mask),
            What::WaitForProducts { left } => self.wait_for_products(Some(left), around),
            What::Mbarrier(does) => return self.mbarrier(does, together, around),
            What::NamedBarrier { waits } => return self.named_barrier(waits, together, around),
            What::Lanes => self.meet_lanes(together, around),
            What::Members(members) => self.check_members(members, together, around),
            What::Fence(fence) => around.observer.meet(self.mask, Meet::Fence(fence)),
            What::Rearrange(how) => {
                self.need_all_lanes("the rows of matrices need", around);
                self.rearrange(how, together);
            }
        }
        None
    }

    /// The lanes of each mask wait for each other.
    fn meet_lanes<O: Observer>(&mut self, of: &Collective, around: &mut Surroundings<'_, O>) {
        let mut rest = self.mask;
        while O::ACTIVE && rest != 0 {
            let lane = rest.trailing_zeros();
            let members = u64::from(self.value(&of.a, 0, lane)) & rest | 1 << lane;
            around.observer.meet(members, Meet::Lanes);
            rest &= !members;
        }
    }

    /// Reports lanes that are not in their own mask, lanes of a mask that do not come, and lanes that give different masks.
    fn check_members<O>(&self, members: Members, of: &Collective, around: &mut Surroundings<'_, O>) {
        let Members { name, left, in_both_arms, line } = members;
        let mut rest = self.mask;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let mask = u64::from(self.value(&of.a, 0, lane));
            let here = mask & self.mask;
            let missing = mask & self.launched & !self.mask & !self.exited;
            let other = lanes_of(here).find(|other| u64::from(self.value(&of.a, 0, *other)) != mask);
            let why = if mask >> lane & 1 == 0 {
                "does not name the lane itself".to_owned()
            } else if missing != 0 && !left {
                let lanes = listed(missing);
                if in_both_arms {
                    around.report(line, FindingKind::InactiveLane, |at, _| {
                        format!(
                            "{name} here waits for {lanes} at another {name}, in the other arm of the branch: sm_70 and later let them \
                             meet, but the tracer runs one arm after the other, so that its results from here on mean nothing; \
                             move it out of the branch to trace it (workgroup {}, warp {})",
                            at.workgroup, at.warp,
                        )
                    });
                    return;
                }
                format!("names {lanes}, which took another way and do not come to it")
            } else if let Some(other) = other {
                format!("names lane {other}, whose own mask is {:#010x}", self.value(&of.a, 0, other))
            } else {
                // The lanes that it names give the same mask.
                rest &= !here;
                continue;
            };
            around.report(line, FindingKind::InactiveLane, |at, _| {
                format!(
                    "the mask {mask:#010x} that lane {lane} gives {name} {why}: the result is not defined (workgroup {}, warp {})",
                    at.workgroup, at.warp,
                )
            });
            return;
        }
    }

    /// Reports lanes that are missing.
    pub(super) fn need_all_lanes<O>(&self, need: &str, around: &mut Surroundings<'_, O>) {
        let missing = Self::FULL & !self.mask;
        let line = around.code.lines[self.pc - 1];
        // A part of another operation has no line, and is reported there.
        if missing != 0 && line != 0 {
            around.report(line, FindingKind::InactiveLane, |at, _| {
                format!(
                    "{need} every lane of a warp, and {} of {W} are not active here: what comes out is not defined \
                     (workgroup {}, warp {})",
                    missing.count_ones(),
                    at.workgroup,
                    at.warp,
                )
            });
        }
    }
}

/// The lanes of a mask in words, such as "lanes 4 and 16 to 31".
fn listed(mut mask: u64) -> String {
    let mut runs = Vec::new();
    while mask != 0 {
        let first = mask.trailing_zeros();
        let count = (mask >> first).trailing_ones();
        let last = first + count - 1;
        runs.push(if count == 1 { first.to_string() } else { format!("{first} to {last}") });
        mask &= !(u64::MAX >> (64 - count) << first);
    }
    let is_one = runs.len() == 1 && !runs[0].contains("to");
    let last = runs.pop().unwrap_or_default();
    let all = if runs.is_empty() { last } else { format!("{} and {last}", runs.join(", ")) };
    if is_one { format!("lane {all}") } else { format!("lanes {all}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_listed_as_runs() {
        assert_eq!(listed(0x10), "lane 4");
        assert_eq!(listed(0xFFFF_0010), "lanes 4 and 16 to 31");
        assert_eq!(listed(u64::MAX), "lanes 0 to 63");
    }
}
