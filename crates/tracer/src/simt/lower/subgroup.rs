//! Subgroup operations, a component at a time.

use naga::ir::{CollectiveOperation, Direction, Expression, GatherMode, SubgroupOperation};
use naga::{Handle, Span};

use super::super::ir::{Inst, Reg};
use super::super::ops::{Binary, Unary};
use super::super::subgroup::Subgroup;
use super::types::Kind;
use super::{Frame, Lower, Value};
use warpbook_base::diag::Diagnostic;

type Id = Handle<Expression>;

impl<'a> Lower<'a> {
    /// A bit for each lane; without a predicate, of all active ones.
    pub(super) fn ballot(
        &mut self,
        frame: &mut Frame<'a>,
        predicate: Option<Id>,
        result: Id,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let a = match predicate {
            Some(predicate) => self.reg(frame, predicate)?,
            None => self.b.constant(1),
        };
        self.b.at(span);
        let dst = [(); 4].map(|()| self.b.temp());
        let index = self.b.constant(0);
        self.b.push(Inst::Subgroup { op: Subgroup::Ballot, dst, a, index });
        frame.values[result.index()] = Some(Value::Regs(dst.to_vec()));
        Ok(())
    }

    /// A vote, a reduction or a scan.
    pub(super) fn collective(
        &mut self,
        frame: &mut Frame<'a>,
        (op, shape): (SubgroupOperation, CollectiveOperation),
        argument: Id,
        result: Id,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let kind = self.kind(frame, argument)?;
        let op = combination(op, kind);
        let op = match shape {
            CollectiveOperation::Reduce => Subgroup::Reduce(op),
            CollectiveOperation::InclusiveScan => Subgroup::InclusiveScan(op),
            // Only sums and products have one.
            CollectiveOperation::ExclusiveScan => Subgroup::ExclusiveScan {
                op,
                identity: match op {
                    Binary::FMul => 1.0_f32.to_bits(),
                    Binary::IMul => 1,
                    _ => 0,
                },
            },
        };
        let index = self.b.constant(0);
        self.among_lanes(frame, op, argument, index, result, span)
    }

    /// A value of another lane.
    pub(super) fn gather(
        &mut self,
        frame: &mut Frame<'a>,
        mode: GatherMode,
        argument: Id,
        result: Id,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let (op, index) = match mode {
            GatherMode::BroadcastFirst => (Subgroup::First, self.b.constant(0)),
            GatherMode::Broadcast(index) => (Subgroup::Broadcast, self.reg(frame, index)?),
            GatherMode::Shuffle(index) => (Subgroup::Shuffle, self.reg(frame, index)?),
            GatherMode::ShuffleDown(by) => (Subgroup::ShuffleDown, self.reg(frame, by)?),
            GatherMode::ShuffleUp(by) => (Subgroup::ShuffleUp, self.reg(frame, by)?),
            GatherMode::ShuffleXor(bits) => (Subgroup::ShuffleXor, self.reg(frame, bits)?),
            GatherMode::QuadBroadcast(index) => (Subgroup::Quad, self.reg(frame, index)?),
            GatherMode::QuadSwap(direction) => {
                let bits = match direction {
                    Direction::X => 1,
                    Direction::Y => 2,
                    Direction::Diagonal => 3,
                };
                (Subgroup::ShuffleXor, self.b.constant(bits))
            }
        };
        self.among_lanes(frame, op, argument, index, result, span)
    }

    fn among_lanes(
        &mut self,
        frame: &mut Frame<'a>,
        op: Subgroup,
        argument: Id,
        index: Reg,
        result: Id,
        span: Span,
    ) -> Result<(), Diagnostic> {
        let half = self.kind(frame, argument)? == Kind::Half;
        let values = self.regs(frame, argument)?;
        self.b.at(span);
        let mut out = Vec::new();
        for a in values {
            let dst = self.b.temp();
            self.b.push(Inst::Subgroup { op, dst: [dst; 4], a, index });
            out.push(if half { self.b.un(Unary::RoundToHalf, dst) } else { dst });
        }
        frame.values[result.index()] = Some(Value::Regs(out));
        Ok(())
    }
}

fn combination(op: SubgroupOperation, kind: Kind) -> Binary {
    use SubgroupOperation as S;
    match (op, kind) {
        (S::All | S::And, _) => Binary::And,
        (S::Any | S::Or, _) => Binary::Or,
        (S::Xor, _) => Binary::Xor,
        (S::Add, Kind::Float | Kind::Half) => Binary::FAdd,
        (S::Add, _) => Binary::IAdd,
        (S::Mul, Kind::Float | Kind::Half) => Binary::FMul,
        (S::Mul, _) => Binary::IMul,
        (S::Min, Kind::Float | Kind::Half) => Binary::FMin,
        (S::Min, Kind::Int) => Binary::IMin,
        (S::Min, _) => Binary::UMin,
        (S::Max, Kind::Float | Kind::Half) => Binary::FMax,
        (S::Max, Kind::Int) => Binary::IMax,
        (S::Max, _) => Binary::UMax,
    }
}
