//! Instructions on small matrices: `mma`, `wmma`, `ldmatrix`, `stmatrix`, `movmatrix`.

use warpbook_base::diag::Diagnostic;

use super::super::collective::{Collective, What};
use super::super::ir::{Builtin, Inst, Len, Place, Reg, Term, Width};
use super::super::matrix::{Number, Of, Rearrange, Shape, Sum};
use super::super::ops::{Binary, Ternary};
use super::lower::Lower;
use super::memory::Parts;
use super::module::{Instruction, Operand, Ty};

/// A `wmma` matrix in memory.
struct Stored {
    /// Whether its rows lie one after the other; else its columns.
    rows: bool,
    /// Elements from one to the next.
    stride: Reg,
    /// Bytes of an element.
    bytes: u32,
}

impl Lower<'_> {
    /// `movmatrix`.
    pub(super) fn transpose(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, src] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let word = self.word(src, Ty::Bits(32))?;
        let moved = self.rearranged(Rearrange::Transpose, vec![word], 1);
        self.write_word(dst, moved[0])
    }

    /// `ldmatrix`.
    pub(super) fn load_matrices(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [dst, address] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let results = listed(dst);
        let lines = self.lines(i, address, results.len(), &[])?;
        let moved = self.rearranged(Rearrange::Gather { transposed: i.has("trans") }, lines, results.len());
        results.iter().zip(moved).try_for_each(|(dst, word)| self.write_word(dst, word))
    }

    /// `stmatrix`.
    pub(super) fn store_matrices(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [address, src] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let words = listed(src).iter().map(|src| self.word(src, Ty::Bits(32))).collect::<Result<Vec<_>, _>>()?;
        self.store_lines(i, address, &words, i.has("trans"))
    }

    /// Words that move between lanes.
    fn rearranged(&mut self, how: Rearrange, words: Vec<Reg>, results: usize) -> Vec<Reg> {
        let d: Vec<Reg> = (0..results).map(|_| self.b.temp()).collect();
        self.b.collective(Collective::on(What::Rearrange(how), [words, Vec::new(), Vec::new(), d.clone()]));
        d
    }

    /// The lines of 16 bytes that the lanes of up to four tiles load, at an address with more `terms`.
    fn lines(&mut self, i: &Instruction, at: &Operand, tiles: usize, terms: &[Term]) -> Result<Vec<Reg>, Diagnostic> {
        let [root] = self.roots(at)?[..] else { return Err(self.error("this address may lead to several variables")) };
        if ![1, 2, 4].contains(&tiles) {
            return Err(self.unsupported(i));
        }
        let mut place = self.place(i, at, Parts { width: Width::Word, components: 4, words: 1 }, root)?;
        place.terms.extend_from_slice(terms);
        let zero = self.b.constant(0);
        let dst = [0; 4].map(|_| self.b.temp());
        let place = self.b.add_place(place);
        let load = Inst::Load { place, dst };
        if tiles == 4 || self.kernel.target.needs_all_rows() {
            self.b.push(load);
            return Ok(dst.to_vec());
        }
        // Only the lanes of these tiles have lines.
        let variables = dst.map(|_| self.b.var(None, zero));
        self.open_if_lane_below(8 * tiles);
        self.b.push(load);
        variables.iter().zip(dst).for_each(|(var, src)| self.b.write(*var, src));
        self.b.push(Inst::EndIf);
        Ok(variables.into_iter().map(|var| self.b.read(var)).collect())
    }

    fn open_if_lane_below(&mut self, lanes: usize) {
        let (lane, limit) = (self.b.builtin(Builtin::Lane), self.b.constant(lanes as u32));
        let cond = self.b.bin(Binary::ULt, lane, limit);
        self.b.push(Inst::If { cond, counted: false });
    }

    fn store_lines(
        &mut self,
        i: &Instruction,
        address: &Operand,
        words: &[Reg],
        transposed: bool,
    ) -> Result<(), Diagnostic> {
        let tiles = words.len();
        let [root] = self.roots(address)?[..] else {
            return Err(self.error("this address may lead to several variables"));
        };
        if ![1, 2, 4].contains(&tiles) {
            return Err(self.unsupported(i));
        }
        // Lanes without a line take part with any words.
        let words = words.iter().cycle().take(4).copied().collect();
        let src = self.rearranged(Rearrange::Scatter { transposed }, words, 4);
        let place = self.place(i, address, Parts { width: Width::Word, components: 4, words: 1 }, root)?;
        let place = self.b.add_place(place);
        if tiles < 4 {
            self.open_if_lane_below(8 * tiles);
        }
        self.b.push(Inst::Store { place, src: [src[0], src[1], src[2], src[3]] });
        if tiles < 4 {
            self.b.push(Inst::EndIf);
        }
        Ok(())
    }

    /// `mma` and `wmma.mma`.
    pub(super) fn mma(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let shape = shape(i).ok_or_else(|| self.unsupported(i))?;
        let [d, a, b, c] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let [of_a, of_b, of_c, of_d] = shape.registers();
        let mut words = |operand: &Operand, count: usize| -> Result<Vec<Reg>, Diagnostic> {
            let parts = listed(operand);
            // A fragment of `wmma` may hold its elements several times.
            let fits = parts.len() == count || i.words[0] == "wmma" && parts.len() > count;
            if !fits {
                return Err(self.unsupported(i));
            }
            parts[..count].iter().map(|part| self.word(part, Ty::Bits(32))).collect()
        };
        let (a, b, c) = (words(a, of_a)?, words(b, of_b)?, words(c, of_c)?);
        let results = listed(d);
        if results.len() != of_d {
            return Err(self.unsupported(i));
        }
        let d: Vec<Reg> = results.iter().map(|_| self.b.temp()).collect();
        self.b.collective(Collective::on(What::Multiply(shape), [a, b, c, d.clone()]));
        results.iter().zip(d).try_for_each(|(dst, word)| self.write_word(dst, word))
    }

    /// `wmma.load` and `wmma.store`, as NVIDIA's GPUs do it: from shared memory by `ldmatrix`; else lanes load words of a tile.
    pub(super) fn wmma(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let store = i.has("store");
        let (parts, address, stride) = match (store, i.operands.as_slice()) {
            (false, [parts, address, stride @ ..]) | (true, [address, parts, stride @ ..]) => {
                (listed(parts), address, stride.first())
            }
            _ => return Err(self.unsupported(i)),
        };
        let (of, number) = match i.words.get(2).map(String::as_str) {
            Some("a") => (Of::A, number(i.words.last().map_or("", String::as_str))),
            Some("b") => (Of::B, number(i.words.last().map_or("", String::as_str))),
            _ => (Of::Sum, Some(Number::F16)),
        };
        let sum = match i.words.last().map(String::as_str) {
            Some("f16") => Sum::F16,
            Some("s32") => Sum::I32 { saturates: false },
            _ => Sum::F32,
        };
        let (Some(number), Some((m, n, k))) = (number, i.words.iter().find_map(|word| sizes(word))) else {
            return Err(self.unsupported(i));
        };
        let shape = Shape { m, n, k, factors: [number; 2], sums: [sum; 2] };
        let rows = i.has("row");
        let bytes = match of {
            Of::Sum if sum == Sum::F16 => 2,
            Of::Sum => 4,
            _ => 4 / number.per_word(),
        };
        let columns = match of {
            Of::A if rows => k,
            Of::B if !rows => k,
            Of::A => m,
            Of::Sum if !rows => m,
            _ => n,
        };
        let stride = match stride {
            Some(stride) => self.word(stride, Ty::Unsigned(32))?,
            None => self.b.constant(columns),
        };
        let stored = Stored { rows, stride, bytes };
        if of == Of::Sum {
            return self.sums(i, (shape, &stored), address, parts, store);
        }
        let [of_a, of_b, ..] = shape.registers();
        let tiles = if of == Of::A { of_a } else { of_b };
        if parts.len() < tiles {
            return Err(self.unsupported(i));
        }
        // Lines of a tile are rows of A and columns of B.
        let across = (of == Of::A) == rows;
        let words = if i.has("shared") && bytes == 2 {
            self.shared_tiles(i, address, (shape, of), &stored, across)?
        } else {
            (0..tiles as u32)
                .map(|t| self.tile(i, address, (shape.tile(of, t), &stored), across))
                .collect::<Result<Vec<_>, _>>()?
        };
        // Registers beyond those repeat them.
        parts.iter().zip(words.iter().cycle()).try_for_each(|(dst, word)| self.write_word(dst, *word))
    }

    /// The tiles of a factor in shared memory, by `ldmatrix` of up to four at once.
    fn shared_tiles(
        &mut self,
        i: &Instruction,
        address: &Operand,
        (shape, of): (Shape, Of),
        stored: &Stored,
        across: bool,
    ) -> Result<Vec<Reg>, Diagnostic> {
        let [of_a, of_b, ..] = shape.registers();
        let tiles = if of == Of::A { of_a } else { of_b };
        let lane = self.b.builtin(Builtin::Lane);
        let (three, seven) = (self.b.constant(3), self.b.constant(7));
        let (tile, line) = (self.b.bin(Binary::UShr, lane, three), self.b.bin(Binary::And, lane, seven));
        let mut words = Vec::new();
        for first in (0..tiles).step_by(4) {
            let count = (tiles - first).min(4);
            // Where the lane's tile begins: its first line, and the place in it.
            let zero = self.b.constant(0);
            let (mut line_of, mut at_of) = (zero, zero);
            for t in (0..count).rev() {
                let (l, at) = shape.tile(of, (first + t) as u32);
                let (l, at) = if across { (l, at) } else { (at, l) };
                let (l, at, t) = (self.b.constant(l), self.b.constant(at), self.b.constant(t as u32));
                let is_this = self.b.bin(Binary::IEq, tile, t);
                line_of = self.b.tri(Ternary::Select, is_this, l, line_of);
                at_of = self.b.tri(Ternary::Select, is_this, at, at_of);
            }
            let line = self.b.bin(Binary::IAdd, line_of, line);
            let moved = self.b.bin(Binary::IMul, line, stored.stride);
            let index = self.b.bin(Binary::IAdd, moved, at_of);
            let term = Term { index, stride: stored.bytes.into(), len: Len::Unsigned };
            let lines = self.lines(i, address, count, &[term])?;
            words.extend(self.rearranged(Rearrange::Gather { transposed: !across }, lines, count));
        }
        Ok(words)
    }

    /// The index of an element of each lane's: line `lane / 4 + first`, place `lane % 4 * step + at`.
    fn index(&mut self, (first, at): (u32, u32), step: u32, stride: Reg) -> Reg {
        let lane = self.b.builtin(Builtin::Lane);
        let (two, three) = (self.b.constant(2), self.b.constant(3));
        let (line, word) = (self.b.bin(Binary::UShr, lane, two), self.b.bin(Binary::And, lane, three));
        let (first, at, step) = (self.b.constant(first), self.b.constant(at), self.b.constant(step));
        let line = self.b.bin(Binary::IAdd, line, first);
        let moved = self.b.bin(Binary::IMul, line, stride);
        let word = self.b.bin(Binary::IMul, word, step);
        let index = self.b.bin(Binary::IAdd, moved, word);
        self.b.bin(Binary::IAdd, index, at)
    }

    /// The same where what is a line of the tile is not one in memory.
    fn index_down(&mut self, (first, at): (u32, u32), step: u32, stride: Reg) -> Reg {
        let lane = self.b.builtin(Builtin::Lane);
        let (two, three) = (self.b.constant(2), self.b.constant(3));
        let (line, word) = (self.b.bin(Binary::UShr, lane, two), self.b.bin(Binary::And, lane, three));
        let (first, at, step) = (self.b.constant(first), self.b.constant(at), self.b.constant(step));
        let line = self.b.bin(Binary::IAdd, line, first);
        let word = self.b.bin(Binary::IMul, word, step);
        let word = self.b.bin(Binary::IAdd, word, at);
        let moved = self.b.bin(Binary::IMul, word, stride);
        self.b.bin(Binary::IAdd, moved, line)
    }

    fn element_place(
        &mut self,
        i: &Instruction,
        address: &Operand,
        (index, bytes): (Reg, u32),
        (width, components): (Width, u8),
    ) -> Result<Place, Diagnostic> {
        let [root] = self.roots(address)?[..] else {
            return Err(self.error("this address may lead to several variables"));
        };
        let mut place = self.place(i, address, Parts { width, components, words: 1 }, root)?;
        place.terms.push(Term { index, stride: bytes.into(), len: Len::Unsigned });
        place.vector = 0;
        Ok(place)
    }

    /// A tile of a factor: a word of each lane.
    fn tile(
        &mut self,
        i: &Instruction,
        address: &Operand,
        ((line, at), stored): ((u32, u32), &Stored),
        across: bool,
    ) -> Result<Reg, Diagnostic> {
        let per = 4 / stored.bytes;
        let zero = self.b.constant(0);
        let load = |me: &mut Self, index: Reg, width: Width| -> Result<Reg, Diagnostic> {
            let place = me.element_place(i, address, (index, stored.bytes), (width, 1))?;
            let (place, dst) = (me.b.add_place(place), me.b.temp());
            me.b.push(Inst::Load { place, dst: [dst, zero, zero, zero] });
            Ok(dst)
        };
        if across || per == 1 {
            let index = match across {
                true => self.index((line, at), per, stored.stride),
                false => self.index_down((line, at), per, stored.stride),
            };
            return load(self, index, Width::Word);
        }
        if per == 2 {
            // Words along memory, and then turned.
            let index = self.index((at, line), per, stored.stride);
            let word = load(self, index, Width::Word)?;
            return Ok(self.rearranged(Rearrange::Transpose, vec![word], 1)[0]);
        }
        let mut word = zero;
        for n in 0..per {
            let index = self.index_down((line, at + n), per, stored.stride);
            let byte = load(self, index, Width::Byte)?;
            let by = self.b.constant(8 * n);
            let moved = self.b.bin(Binary::Shl, byte, by);
            word = self.b.bin(Binary::Or, word, moved);
        }
        Ok(word)
    }

    /// Sums, from memory or to it: two neighbours of a row in each lane.
    fn sums(
        &mut self,
        i: &Instruction,
        (shape, stored): (Shape, &Stored),
        address: &Operand,
        parts: &[Operand],
        store: bool,
    ) -> Result<(), Diagnostic> {
        let [.., count] = shape.registers();
        if parts.len() != count {
            return Err(self.unsupported(i));
        }
        let (zero, sixteen) = (self.b.constant(0), self.b.constant(16));
        let halves = stored.bytes == 2;
        let per = if halves { 1 } else { 2 };
        for (t, parts) in (0..).zip(parts.chunks(per)) {
            let tile = shape.tile(Of::Sum, t);
            // By access: its index, width, components.
            let accesses: Vec<(Reg, Width, u8)> = match (stored.rows, halves) {
                (true, true) => vec![(self.index(tile, 2, stored.stride), Width::Word, 1)],
                (true, false) => vec![(self.index(tile, 2, stored.stride), Width::Word, 2)],
                (false, _) => {
                    let width = if halves { Width::Short } else { Width::Word };
                    let second = (tile.0, tile.1 + 1);
                    [tile, second].map(|tile| (self.index_down(tile, 2, stored.stride), width, 1)).to_vec()
                }
            };
            let mut values = Vec::new();
            if store {
                for part in parts {
                    values.push(self.word(part, Ty::Bits(32))?);
                }
                if halves && !stored.rows {
                    values.push(self.b.bin(Binary::UShr, values[0], sixteen));
                }
            }
            let mut at = 0;
            for (index, width, components) in accesses {
                let place = self.element_place(i, address, (index, stored.bytes), (width, components))?;
                let place = self.b.add_place(place);
                let moved = usize::from(components);
                if store {
                    let mut src = [zero; 4];
                    src[..moved].copy_from_slice(&values[at..at + moved]);
                    self.b.push(Inst::Store { place, src });
                    at += moved;
                } else {
                    let mut dst = [zero; 4];
                    dst[..moved].iter_mut().for_each(|reg| *reg = self.b.temp());
                    self.b.push(Inst::Load { place, dst });
                    values.extend_from_slice(&dst[..moved]);
                }
            }
            if store {
                continue;
            }
            if halves && !stored.rows {
                let high = self.b.bin(Binary::Shl, values[1], sixteen);
                values = vec![self.b.bin(Binary::Or, values[0], high)];
            }
            parts.iter().zip(values).try_for_each(|(dst, word)| self.write_word(dst, word))?;
        }
        Ok(())
    }
}

/// The registers of an operand in braces, or the one that it is.
pub(super) fn listed(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Parts(parts) => parts,
        one => std::slice::from_ref(one),
    }
}

/// `m16n8k16` and the like.
pub(super) fn sizes(word: &str) -> Option<(u32, u32, u32)> {
    let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    Some((m.parse().ok()?, n.parse().ok()?, k.parse().ok()?))
}

pub(super) fn number(word: &str) -> Option<Number> {
    Some(match word {
        "f16" => Number::F16,
        "bf16" => Number::Bf16,
        "tf32" => Number::Tf32,
        "s8" => Number::S8,
        "u8" => Number::U8,
        _ => return None,
    })
}

fn sum(word: &str, saturates: bool) -> Option<Sum> {
    Some(match word {
        "f32" => Sum::F32,
        "f16" => Sum::F16,
        "s32" => Sum::I32 { saturates },
        _ => return None,
    })
}

/// The shape of `mma` or `wmma.mma`, if it is one that is known.
fn shape(i: &Instruction) -> Option<Shape> {
    let wmma = i.words[0] == "wmma";
    let at = i.words.iter().position(|word| sizes(word).is_some())?;
    let (m, n, k) = sizes(&i.words[at])?;
    let types: Vec<&str> = i.words[at + 1..]
        .iter()
        .map(String::as_str)
        .filter(|w| number(w).is_some() || ["f32", "s32"].contains(w))
        .collect();
    let (d, a, b, c) = match types.as_slice() {
        [d, a, b, c] => (*d, *a, *b, *c),
        // Two types are those of the sums, and the factors halves.
        [d, c] if wmma => (*d, "f16", "f16", *c),
        _ => return None,
    };
    let saturates = i.has("satfinite");
    let shape = Shape { m, n, k, factors: [number(a)?, number(b)?], sums: [sum(d, saturates)?, sum(c, saturates)?] };
    let shape = Shape { sums: [shape.sums[1], shape.sums[0]], ..shape };
    let bytes = matches!(shape.factors[0], Number::S8 | Number::U8);
    let deep = 32 / (4 / shape.factors[0].per_word());
    let known = if wmma {
        let square = [(16, 16), (32, 8), (8, 32)].contains(&(m, n));
        square
            && k == if shape.factors[0] == Number::Tf32 { 8 } else { 16 }
            && (shape.factors[0] != Number::Tf32 || m == 16)
    } else {
        (m, n) == (16, 8) && (k == deep || 2 * k == deep) && i.has("row") && i.has("col")
    };
    let extra = ["sp", "and", "xor", "block_scale"].iter().any(|word| i.has(word));
    let alike = shape.factors[0] == shape.factors[1] || bytes;
    let integer = |sum: Sum| matches!(sum, Sum::I32 { .. });
    let fits = shape.sums.iter().all(|sum| integer(*sum) == bytes)
        && alike
        && matches!(shape.factors[1], Number::S8 | Number::U8) == bytes
        && (shape.factors[0] == Number::F16 || !shape.sums.contains(&Sum::F16));
    (known && fits && !extra && (bytes || !saturates)).then_some(shape)
}
