//! Instructions of Hopper: barriers in shared memory, the copy engine's boxes, products of matrices in shared memory.

use warpbook_base::diag::Diagnostic;
use warpbook_base::tensor::Elem;

use super::super::boxes::Boxes;
use super::super::collective::{Collective, What};
use super::super::ir::{Mem, Place, Reg, Width};
use super::super::matrix::{Number, Shape, Sum};
use super::super::mbarriers::Does;
use super::super::ops::{Binary, Unary};
use super::super::subgroup::Subgroup;
use super::super::wgmma::Wgmma;
use super::addresses::{self, Root};
use super::lower::Lower;
use super::matrices::{listed, number, sizes};
use super::memory::Parts;
use super::module::{Base, Instruction, Operand, Part, Ty};
use crate::dispatch::{Argument, TensorMap};
use crate::trace::Space;

/// Bytes that rows of a matrix and of its boxes are multiples of.
const PIECE: u64 = 16;

/// Instructions that access textures and surfaces.
const TEXTURES: [&str; 5] = ["tex", "tld4", "suld", "sust", "sured"];

impl Lower<'_> {
    /// The tensor map that a parameter is.
    pub(super) fn map(&self, name: &str) -> Option<(&TensorMap, Elem)> {
        self.map_of(addresses::param(self.kernel, name)?)
    }

    fn map_of(&self, param: usize) -> Option<(&TensorMap, Elem)> {
        match self.ptx.arguments.get(param) {
            Some(Argument::Map(map, elem)) => Some((map, *elem)),
            _ => None,
        }
    }

    /// The parameter with the buffer of a map.
    fn buffer_of(&self, map: &TensorMap) -> Option<usize> {
        let is_it = |argument: &Argument| matches!(argument, Argument::Buffer(name) if *name == map.buffer);
        self.ptx.arguments.iter().position(is_it)
    }

    /// Notes which buffers are accessed by maps: their elements' types, whether they are written, and the bytes that they need.
    pub(super) fn mapped(
        &mut self,
        types: &mut [Option<Ty>],
        written: &mut [bool],
        least: &mut [u32],
    ) -> Result<(), Diagnostic> {
        for part in &self.kernel.body {
            let Part::Instruction(i) = part else { continue };
            let Some(at) = i.operands.iter().position(|operand| matches!(operand, Operand::Box { .. })) else {
                continue;
            };
            self.at = i.at;
            if TEXTURES.contains(&i.words[0].as_str()) {
                return Err(self.texture(i));
            }
            let (map, elem) = self.map_of_box(&i.operands[at])?;
            let Some(p) = self.buffer_of(map) else {
                return Err(
                    self.error(format!("its tensor map is of the buffer `{}`, which is no argument", map.buffer))
                );
            };
            let bytes = map.rows.checked_mul(map.columns).and_then(|n| n.checked_mul(elem.bytes()));
            let Some(bytes) = bytes.and_then(|bytes| u32::try_from(bytes).ok()) else {
                return Err(self.error(format!("the tensor map of `{}` is larger than 4 GiB", map.buffer)));
            };
            least[p] = least[p].max(bytes);
            written[p] |= at == 0 && i.has("global");
            types[p] = types[p].or(Some(match elem {
                Elem::F16 => Ty::Float(16),
                Elem::Bf16 => Ty::Bf16,
                Elem::F32 => Ty::Float(32),
                Elem::I32 => Ty::Signed(32),
                Elem::U32 => Ty::Unsigned(32),
            }));
        }
        Ok(())
    }

    /// The error of an instruction that accesses a texture, with the array that would do.
    fn texture(&self, i: &Instruction) -> Diagnostic {
        let (shape, index) =
            match ["1d", "2d", "3d", "a1d", "a2d", "cube", "acube"].into_iter().find(|shape| i.has(shape)) {
                Some("1d") => ("one dimension", "p[x]"),
                Some("3d") => ("three dimensions", "p[(z * height + y) * width + x]"),
                Some("a1d") => ("layers of one dimension", "p[layer * width + x]"),
                Some("a2d") => ("layers of two dimensions", "p[(layer * height + y) * width + x]"),
                Some("cube" | "acube") => ("the faces of a cube", "p[(face * width + y) * width + x]"),
                _ => ("two dimensions", "p[y * width + x]"),
            };
        let what = if i.words[0].starts_with("su") { "surface" } else { "texture" };
        let error = self.error(format!("a {what} of {shape} cannot be traced"));
        error.hint(format!("give the kernel an array in its place, as a pointer p, and access {index}"))
    }

    /// The map of a box.
    fn map_of_box(&self, operand: &Operand) -> Result<(&TensorMap, Elem), Diagnostic> {
        let roots = addresses::of_operand(self.kernel, operand, &self.origins).0;
        match roots.as_slice() {
            [Root::Param(p)] => self.map_of(*p).ok_or_else(|| {
                self.error("this box's tensor map is no argument of the launch").hint("give the parameter a tensor map")
            }),
            _ => Err(self.error("it is not known which tensor map this box is of")),
        }
    }

    /// `cp.async.bulk…`.
    pub(super) fn bulk(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let none = [const { Vec::new() }; 4];
        match (i.words[3].as_str(), i.operands.as_slice()) {
            ("commit_group", []) => self.b.collective(Collective::on(What::CommitBoxes, none)),
            ("wait_group", [Operand::Whole(left)]) => {
                let left = u32::try_from(*left).unwrap_or(u32::MAX);
                self.b.collective(Collective::on(What::WaitForBoxes { left }, none));
            }
            ("tensor", [to, map @ Operand::Box { at, .. }, barrier, ..]) if self.is_plain(i) => {
                let barrier = self.shared_address(barrier)?;
                return self.moved_box(i, (map, at), to, Some(barrier));
            }
            ("tensor", [map @ Operand::Box { at, .. }, from, ..]) if self.is_plain(i) => {
                return self.moved_box(i, (map, at), from, None);
            }
            ("shared::cluster" | "shared::cta", [to, from, size, barrier, ..])
                if i.words.get(4).is_some_and(|word| word == "global") && !is_multicast(i) =>
            {
                return self.moved_run(i, (from, to), size, Some(barrier));
            }
            ("global", [to, from, size, ..]) if i.has("bulk_group") => {
                return self.moved_run(i, (to, from), size, None);
            }
            _ => return Err(self.unsupported(i)),
        }
        Ok(())
    }

    /// Whether a box goes to one block, and has two dimensions.
    fn is_plain(&self, i: &Instruction) -> bool {
        i.has("2d") && !is_multicast(i) && !i.words.iter().any(|word| word.starts_with("im2col"))
    }

    /// `cp.async.bulk` without a tensor map: bytes that follow one another, between a buffer and shared memory.
    fn moved_run(
        &mut self,
        i: &Instruction,
        (global, shared): (&Operand, &Operand),
        size: &Operand,
        barrier: Option<&Operand>,
    ) -> Result<(), Diagnostic> {
        let [root] = self.roots(global)?[..] else {
            return Err(self.error("this address may lead to several buffers"));
        };
        let parts = Parts { width: Width::Word, components: 4, words: 1 };
        let place = self.place_in(i, global, parts, root, Some("global"))?;
        let zero = self.b.constant(0);
        let mut first = self.b.constant((place.whole.map_or(0, |whole| whole.start) & 0xFFFF_FFFF) as u32);
        for term in &place.terms {
            let stride = self.b.constant((term.stride & 0xFFFF_FFFF) as u32);
            let part = self.b.bin(Binary::IMul, term.index, stride);
            first = self.b.bin(Binary::IAdd, first, part);
        }
        let shared = self.shared_address(shared)?;
        let barrier_at = barrier.map_or(Ok(zero), |barrier| self.shared_address(barrier))?;
        let size = self.word(size, Ty::Unsigned(32))?;
        let matrix = self.whole_place(place.mem, place.variable);
        let (matrix, other) = (self.b.add_place(matrix), self.all_shared(i)?);
        let other = self.b.add_place(other);
        self.b.collective(Collective {
            what: What::Box(Boxes::run(barrier.is_some())),
            place: Some(matrix),
            other: Some(other),
            a: vec![shared, first, zero, barrier_at, size],
            b: Vec::new(),
            c: Vec::new(),
            d: Vec::new(),
        });
        Ok(())
    }

    fn moved_box(
        &mut self,
        i: &Instruction,
        (operand, at): (&Operand, &[Operand]),
        shared: &Operand,
        barrier: Option<Reg>,
    ) -> Result<(), Diagnostic> {
        let (map, elem) = self.map_of_box(operand)?;
        let each = elem.bytes();
        let (pitch, width) = (map.columns * each, u64::from(map.box_columns) * each);
        let fits = pitch.is_multiple_of(PIECE)
            && width.is_multiple_of(PIECE)
            && (1..=256).contains(&map.box_columns)
            && (1..=256).contains(&map.box_rows)
            && [0, 32, 64, 128].contains(&map.swizzle)
            && (map.swizzle == 0 || width <= map.swizzle.into());
        if !fits {
            return Err(self.error(format!("the tensor map of `{}` is none that the hardware takes", map.buffer)).hint(
                "rows of a matrix and of a box have multiples of 16 bytes, a box at most 256 rows and columns, and rows of no \
                 more bytes than are swizzled",
            ));
        }
        let small = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let boxes = Boxes {
            load: barrier.is_some(),
            elem: small(each),
            pitch: small(pitch),
            rows: small(map.rows),
            width: small(width),
            height: map.box_rows,
            swizzle: map.swizzle,
        };
        let buffer = self.buffer_of(map).and_then(|p| self.params[p]).ok_or_else(|| self.unsupported(i))?;
        let matrix = self.whole_place(Mem::Buffer(buffer.variable), buffer.variable);
        let other = self.all_shared(i)?;
        let [x, y] = at else { return Err(self.unsupported(i)) };
        let mut a = vec![self.shared_address(shared)?, self.word(x, Ty::Signed(32))?, self.word(y, Ty::Signed(32))?];
        a.extend(barrier);
        let place = Some(self.b.add_place(matrix));
        let other = Some(self.b.add_place(other));
        let nothing = || Vec::new();
        self.b.collective(Collective {
            what: What::Box(boxes),
            place,
            other,
            a,
            b: nothing(),
            c: nothing(),
            d: nothing(),
        });
        Ok(())
    }

    /// A place of 16 bytes anywhere in a memory.
    fn whole_place(&self, mem: Mem, variable: u16) -> Place {
        Place {
            mem,
            variable,
            offset: 0,
            terms: Vec::new(),
            whole: None,
            components: 4,
            width: Width::Word,
            unit: 4,
            atomic: false,
            joined: Default::default(),
            sync: Default::default(),
            updates: false,
            checked: false,
            returns: false,
            vector: 0,
            line: 0,
        }
    }

    /// One anywhere in shared memory.
    fn all_shared(&self, i: &Instruction) -> Result<Place, Diagnostic> {
        let variables = &self.b.ir.variables;
        let first = variables.iter().position(|v| v.space == Space::Shared).and_then(|n| u16::try_from(n).ok());
        Ok(self.whole_place(Mem::Shared, first.ok_or_else(|| self.unsupported(i))?))
    }

    /// An address of shared memory, as a number of 32 bits.
    fn shared_address(&mut self, operand: &Operand) -> Result<Reg, Diagnostic> {
        let (base, offset) = match operand {
            Operand::Address { base: Base::Reg(reg), offset } => (Operand::Reg(*reg), *offset),
            Operand::Address { base: Base::Name(name), offset } => (Operand::Name(name.clone()), *offset),
            _ => return Err(self.error("an address of shared memory is expected")),
        };
        let start = match base {
            Operand::Reg(reg) if self.ty(reg).is_wide() => self.pair(&base)?[0],
            _ => self.word(&base, Ty::Unsigned(32))?,
        };
        let offset = self.b.constant(offset as u32);
        Ok(self.b.bin(Binary::IAdd, start, offset))
    }

    pub(super) fn mbarrier(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let one = self.b.constant(1);
        let word = |me: &mut Self, operand: &Operand| me.word(operand, Ty::Unsigned(32));
        let is_address = |operand: &Operand| matches!(operand, Operand::Address { .. });
        if i.has("noComplete") {
            return Err(self.unsupported(i));
        }
        // Results come before the address.
        let (results, rest) = i.operands.split_at(i.operands.iter().position(is_address).unwrap_or(0));
        let [address, rest @ ..] = rest else { return Err(self.unsupported(i)) };
        let a = vec![self.shared_address(address)?];
        let (does, b, c) = match (i.words[1].as_str(), rest) {
            ("init", [count]) => (Does::Init, vec![word(self, count)?], Vec::new()),
            ("inval", []) => (Does::Invalidate, Vec::new(), Vec::new()),
            ("expect_tx", [bytes]) => (Does::Expect, vec![word(self, bytes)?], Vec::new()),
            ("complete_tx", [bytes]) => (Does::Complete, vec![word(self, bytes)?], Vec::new()),
            (how @ ("arrive" | "arrive_drop"), rest) => {
                let does = Does::Arrive { drops: how == "arrive_drop" };
                match (i.has("expect_tx"), rest) {
                    (true, [bytes]) => (does, vec![one], vec![word(self, bytes)?]),
                    (false, [count]) => (does, vec![word(self, count)?], Vec::new()),
                    (false, []) => (does, vec![one], Vec::new()),
                    _ => return Err(self.unsupported(i)),
                }
            }
            (how @ ("test_wait" | "try_wait"), [which, ..]) => {
                let parity = i.has("parity");
                let which = if parity { word(self, which)? } else { self.pair(which)?[0] };
                (Does::Test { parity, waits: how == "try_wait" }, vec![which], Vec::new())
            }
            _ => return Err(self.unsupported(i)),
        };
        let result = results.first().filter(|result| **result != Operand::Nothing);
        let d: Vec<Reg> = result.iter().map(|_| self.b.temp()).collect();
        self.b.collective(Collective::on(What::Mbarrier(does), [a, b, c, d.clone()]));
        match (result, d.first()) {
            (Some(result), Some(value)) => self.write_word(result, *value),
            _ => Ok(()),
        }
    }

    pub(super) fn wgmma(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let none = [const { Vec::new() }; 4];
        let what = match (i.words[1].as_str(), i.operands.as_slice()) {
            ("mma_async", operands) if !i.has("sp") => return self.product_in_shared(i, operands),
            // A product is done where it begins here.
            ("fence", []) => return Ok(()),
            ("commit_group", []) => What::CommitProducts,
            ("wait_group", [Operand::Whole(left)]) => {
                What::WaitForProducts { left: u32::try_from(*left).unwrap_or(u32::MAX) }
            }
            _ => return Err(self.unsupported(i)),
        };
        self.b.collective(Collective::on(what, none));
        Ok(())
    }

    /// `wgmma.mma_async`: sums, factors, whether it adds, signs, which factors are transposed.
    fn product_in_shared(&mut self, i: &Instruction, operands: &[Operand]) -> Result<(), Diagnostic> {
        let (Some((64, n, k)), [d, left, right, adds, rest @ ..]) = (i.words.iter().find_map(|w| sizes(w)), operands)
        else {
            return Err(self.unsupported(i));
        };
        let types = i.words.iter().rev().take(3).rev().map(String::as_str).collect::<Vec<_>>();
        let (sum, a, b) = match types.as_slice() {
            [sum @ ("f32" | "f16"), a, b] => (if *sum == "f16" { Sum::F16 } else { Sum::F32 }, number(a), number(b)),
            _ => return Err(self.unsupported(i)),
        };
        let (Some(a), Some(b)) = (a, b) else { return Err(self.unsupported(i)) };
        let shape = Shape { m: 16, n, k, factors: [a, b], sums: [sum; 2] };
        let is_known = a == b
            && matches!(a, Number::F16 | Number::Bf16 | Number::Tf32)
            && (sum == Sum::F32 || a == Number::F16)
            && n.is_multiple_of(8)
            && (8..=256).contains(&n)
            && k == 8 * a.per_word();
        let in_registers = matches!(left, Operand::Parts(_));
        // Signs, and what is transposed: of factors in shared memory, of 16 bits.
        let mut rest = rest.iter().map(|operand| match operand {
            Operand::Whole(bits) => Some(*bits),
            _ => None,
        });
        let mut next = |usual: u64| rest.next().map_or(Some(usual), |given| given);
        let signs = [next(1), next(1)];
        let turns = if in_registers { [Some(0), next(0)] } else { [next(0), next(0)] };
        let (Some([sign_a, sign_b]), Some([turn_a, turn_b]), true) = (both(signs), both(turns), is_known) else {
            return Err(self.unsupported(i));
        };
        if (turn_a | turn_b) != 0 && a == Number::Tf32 {
            return Err(self.unsupported(i));
        }
        let how = Wgmma {
            shape,
            in_registers,
            transposed: [turn_a != 0, turn_b != 0],
            negated: [sign_a, sign_b].map(|sign| sign != 1),
        };
        let [lefts, _, sums, _] = shape.registers();
        let results = listed(d);
        if results.len() != sums || in_registers && listed(left).len() != lefts {
            return Err(self.unsupported(i));
        }
        let a = match in_registers {
            true => listed(left).iter().map(|part| self.word(part, Ty::Bits(32))).collect::<Result<_, _>>()?,
            false => self.pair(left)?.to_vec(),
        };
        let mut b = self.pair(right)?.to_vec();
        if !matches!(adds, Operand::Whole(1)) {
            b.push(self.word(adds, Ty::Pred)?);
        }
        let c = results.iter().map(|part| self.word(part, Ty::Bits(32))).collect::<Result<Vec<_>, _>>()?;
        let other = self.all_shared(i)?;
        let other = Some(self.b.add_place(other));
        let d: Vec<Reg> = results.iter().map(|_| self.b.temp()).collect();
        self.b.collective(Collective { what: What::Wgmma(how), place: None, other, a, b, c, d: d.clone() });
        results.iter().zip(d).try_for_each(|(dst, word)| self.write_word(dst, word))
    }

    /// `elect.sync`: the first active lane.
    pub(super) fn elect(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, _] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let (leader, is_leader) = match dst {
            Operand::Two(leader, is_leader) => (Operand::Reg(*leader), Operand::Reg(*is_leader)),
            Operand::Reg(reg) if self.ty(*reg) == Ty::Pred => (Operand::Nothing, Operand::Reg(*reg)),
            _ => return Err(self.unsupported(i)),
        };
        let (zero, one) = (self.b.constant(0), self.b.constant(1));
        let active = self.subgroup(Subgroup::Ballot, one, zero);
        let first = self.b.un(Unary::CountTrailingZeros, active);
        let lane = self.b.builtin(super::super::ir::Builtin::Lane);
        let is_first = self.b.bin(Binary::IEq, lane, first);
        self.write_word(&leader, first)?;
        self.write_word(&is_leader, is_first)
    }
}

/// Whether a copy goes to several blocks of a cluster.
fn is_multicast(i: &Instruction) -> bool {
    i.words.iter().any(|word| word.starts_with("multicast"))
}

fn both(two: [Option<u64>; 2]) -> Option<[u64; 2]> {
    match two {
        [Some(a), Some(b)] => Some([a, b]),
        _ => None,
    }
}
