//! Subgroup operations in random kernels.
//!
//! In divergent control flow there are only operations that read active lanes: votes, reductions, scans, and the first
//! lane's value. Shuffles and quads are in uniform control flow. Floats are only added, since sums of small ones are
//! exact in any order.

use super::Writer;
use super::frame::Shape;
use super::types::{Scalar, Ty};

/// Private variables with the built-in values, the entry point's inputs, and how it copies them.
pub const VALUES: [&str; 3] = [
    "var<private> lane: u32;\nvar<private> lanes: u32;\nvar<private> warp: u32;\nvar<private> warps: u32;\n",
    ",\n  @builtin(subgroup_invocation_id) a: u32, @builtin(subgroup_size) b: u32, @builtin(subgroup_id) c: u32, @builtin(num_subgroups) d: u32",
    " lane = a; lanes = b; warp = c; warps = d;",
];

/// The variables in them.
pub const NAMES: [&str; 4] = ["lane", "lanes", "warp", "warps"];

impl Writer<'_> {
    /// An operation among the active lanes that gives `n` components of `s`; none for what there is none for.
    pub(super) fn collective(&mut self, n: u32, s: Scalar, depth: u32) -> Option<String> {
        let ty = Ty::Vec(n, s);
        let fun = match s {
            Scalar::Bool if n == 1 => self.pick(&["subgroupAll", "subgroupAny"]),
            Scalar::Bool => return None,
            Scalar::F32 | Scalar::F16 => self.pick(&["subgroupMin", "subgroupMax", "subgroupBroadcastFirst"]),
            Scalar::U32 if n == 4 && self.draw(3) == 0 => {
                return Some(format!("subgroupBallot({})", self.live(&Ty::scalar(Scalar::Bool), depth)));
            }
            _ => self.pick(&[
                "subgroupAdd",
                "subgroupMul",
                "subgroupMin",
                "subgroupMax",
                "subgroupAnd",
                "subgroupOr",
                "subgroupXor",
                "subgroupExclusiveAdd",
                "subgroupInclusiveAdd",
                "subgroupExclusiveMul",
                "subgroupInclusiveMul",
                "subgroupBroadcastFirst",
            ]),
        };
        Some(format!("{fun}({})", self.live(&ty, depth)))
    }

    /// Operations where all lanes are. Those that name a lane need it to have an invocation.
    pub(super) fn subgroups_meet(&mut self, shape: Shape) {
        let kinds = if shape.is_whole() { 11 } else { 1 };
        for _ in 0..2 + self.draw(3) {
            let ty = Ty::Vec(1 + self.draw(4), self.numeric());
            let (value, n) = (self.live(&ty, 2), self.draw(8));
            let index = self.live(&Ty::scalar(Scalar::U32), 1);
            let text = match self.draw(kinds) {
                0 => match ty {
                    Ty::Vec(n, s) => self.collective(n, s, 2).unwrap_or(value),
                    _ => value,
                },
                1 | 2 => format!("subgroupShuffle({value}, {index} % lanes)"),
                // Beyond the last lane or the first the result is open.
                3 => format!("select({}(), subgroupShuffleUp({value}, {n}u), lane >= {n}u)", ty.name()),
                4 => format!("select({}(), subgroupShuffleDown({value}, {n}u), lane + {n}u < lanes)", ty.name()),
                5 => format!("subgroupShuffleXor({value}, {n}u % lanes)"),
                6 => format!("quadBroadcast({value}, {}u)", n % 4),
                7 => format!("quadSwapX({value})"),
                8 => format!("quadSwapY({value})"),
                9 => format!("quadSwapDiagonal({value})"),
                _ => format!("subgroupBroadcast({value}, {n}u)"),
            };
            let name = self.name("g");
            self.text += &format!("  let {name} = {text};\n");
            self.digest(&name, &ty);
        }
    }
}
