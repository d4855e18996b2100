//! Loads of words of shared memory that follow each other become one of 8 or 16 bytes: the assembler joins them where it can prove that
//! the address is a multiple of that, so the hardware counts one request.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::module::{Base, Instruction, Kernel, Memory, Operand, Part, RegId, Ty};
use super::registers::uses;
use super::variables::places;

/// The exponent for zero, which is a multiple of every power of two, and for a register before its first write is seen.
const ANY: u32 = 63;
/// The exponent of the alignment of shared memory as a whole, 1,024 bytes.
const START: u32 = 10;
/// The maximum number of passes over the instructions in search of alignments: it bounds the time for a long text.
const ROUNDS: usize = 32;

/// Joins the loads of `kernel` that the assembler joins.
pub(super) fn join_loads(kernel: &mut Kernel) {
    let multiples = Multiples::of(kernel);
    let mut gone = vec![false; kernel.body.len()];
    for run in runs(kernel) {
        for (first, members) in groups(kernel, &multiples, run) {
            let destinations: Vec<Operand> =
                members.iter().filter_map(|at| load(&kernel.body[*at])).map(|l| Operand::Reg(l.to)).collect();
            let lowest = members.first().and_then(|at| load(&kernel.body[*at])).map(|l| l.address.clone());
            members.iter().filter(|at| **at != first).for_each(|at| gone[*at] = true);
            let (Some(lowest), Part::Instruction(i)) = (lowest, &mut kernel.body[first]) else { continue };
            i.words.insert(i.words.len() - 1, format!("v{}", destinations.len()));
            i.operands[..2].clone_from_slice(&[Operand::Parts(destinations), lowest]);
        }
    }
    let mut gone = gone.into_iter();
    kernel.body.retain(|_| !gone.next().unwrap_or(false));
}

/// A load of one word of shared memory.
struct Load<'a> {
    to: RegId,
    address: &'a Operand,
    base: &'a Base,
    offset: i64,
    /// Whether the word is sign-extended in a 64-bit register.
    is_signed: bool,
}

fn load(part: &Part) -> Option<Load<'_>> {
    let Part::Instruction(i) = part else { return None };
    let plain = i.words[0] == "ld"
        && i.has("shared")
        && !["volatile", "v2", "v4", "acquire", "relaxed"].iter().any(|word| i.has(word));
    let is_word = i.types().last().is_some_and(|ty| ty.bits() == 32);
    match i.operands.as_slice() {
        [Operand::Reg(to), address @ Operand::Address { base, offset }, ..]
            if plain && is_word && i.guard.is_none() =>
        {
            Some(Load {
                to: *to,
                address,
                base,
                offset: *offset,
                is_signed: i.types().last().is_some_and(|ty| ty.is_signed()),
            })
        }
        _ => None,
    }
}

/// The parts of the body between which nothing branches, waits or writes shared memory.
fn runs(kernel: &Kernel) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = 0;
    for (at, part) in kernel.body.iter().enumerate() {
        if ends(part) {
            runs.push(start..at);
            start = at + 1;
        }
    }
    runs.push(start..kernel.body.len());
    runs
}

fn ends(part: &Part) -> bool {
    let Part::Instruction(i) = part else { return true };
    match i.words[0].as_str() {
        "st" | "atom" | "red" => !["global", "local", "param"].iter().any(|space| i.has(space)),
        "bra" | "brx" | "ret" | "exit" | "call" | "bar" | "barrier" | "membar" | "fence" | "cp" | "stmatrix"
        | "mbarrier" | "wgmma" | "nanosleep" | "trap" | "printf" | "assert" | "setmaxnreg" => true,
        "wmma" => i.has("store"),
        _ => false,
    }
}

/// The loads of a run that are joined, each with where the joined one is: in the order of their words.
fn groups(kernel: &Kernel, multiples: &Multiples, run: Range<usize>) -> Vec<(usize, Vec<usize>)> {
    // The key is the base, the number of writes to it so far, and whether words are sign-extended.
    let mut by_base: BTreeMap<(String, usize, bool), Offsets> = BTreeMap::new();
    let mut written: HashMap<RegId, usize> = HashMap::new();
    // By register, where the run uses it.
    let mut used: HashMap<RegId, Vec<usize>> = HashMap::new();
    for at in run {
        if let Some(Load { to, base, offset, is_signed, .. }) = load(&kernel.body[at]) {
            let extends = is_signed && kernel.regs[to as usize].is_wide();
            let version = match base {
                Base::Reg(reg) => written.get(reg).copied().unwrap_or(0),
                _ => 0,
            };
            let new = || Offsets { multiple: multiples.base(base), loads: BTreeMap::new() };
            by_base
                .entry((format!("{base:?}"), version, extends))
                .or_insert_with(new)
                .loads
                .entry(offset)
                .or_insert(at);
        }
        if let Part::Instruction(i) = &kernel.body[at] {
            let (mut reads, mut writes) = (Vec::new(), Vec::new());
            uses(i, |reg| reads.push(reg), |reg| writes.push(reg));
            writes.iter().for_each(|reg| *written.entry(*reg).or_default() += 1);
            reads.into_iter().chain(writes).for_each(|reg| used.entry(reg).or_default().push(at));
        }
    }
    let is_free = |first: usize, at: usize| {
        let to = load(&kernel.body[at]).map(|load| load.to);
        let places = to.and_then(|to| used.get(&to)).map_or(&[][..], Vec::as_slice);
        places.get(places.partition_point(|place| *place < first)).is_none_or(|place| *place >= at)
    };
    by_base.into_values().flat_map(|offsets| offsets.joined(is_free)).collect()
}

/// The loads of words from one base.
struct Offsets {
    /// The exponent of the base's alignment, which is a power of two.
    multiple: u32,
    /// The place of the first load of each offset.
    loads: BTreeMap<i64, usize>,
}

impl Offsets {
    /// The loads that are joined: four words, or else two. `is_free` says whether a load's register is used from one place to its own.
    fn joined(mut self, is_free: impl Fn(usize, usize) -> bool) -> Vec<(usize, Vec<usize>)> {
        let mut found = Vec::new();
        for (words, power) in [(4, 4), (2, 3)] {
            if self.multiple < power {
                continue;
            }
            let starts: Vec<i64> = self.loads.keys().copied().filter(|offset| offset % (4 * words) == 0).collect();
            for start in starts {
                let offsets = || (0..words).map(move |word| start.saturating_add(4 * word));
                let members: Option<Vec<usize>> = offsets().map(|offset| self.loads.get(&offset).copied()).collect();
                let Some(members) = members else { continue };
                let first = members.iter().copied().min().unwrap_or_default();
                if members.iter().all(|at| is_free(first, *at)) {
                    offsets().for_each(|offset| {
                        self.loads.remove(&offset);
                    });
                    found.push((first, members));
                }
            }
        }
        found
    }
}

/// Known alignments in bytes, each as the exponent of a power of two.
struct Multiples {
    /// Of variables in shared memory, by name.
    variables: HashMap<String, u32>,
    /// Of registers' values, by register; 0 for all if [`ROUNDS`] do not suffice.
    registers: Vec<u32>,
}

impl Multiples {
    fn of(kernel: &Kernel) -> Self {
        let placed = kernel.variables.iter().zip(places(kernel)).filter(|(v, _)| v.memory == Memory::Shared);
        let variables = placed.filter_map(|(v, place)| {
            // Of dynamic shared memory only the declared alignment is known.
            let power = if v.bytes > 0 { place?.trailing_zeros().min(START) } else { v.align.trailing_zeros() };
            Some((v.name.clone(), power))
        });
        let mut found = Self { variables: variables.collect(), registers: vec![ANY; kernel.regs.len()] };
        if !found.find(kernel) {
            found.registers.fill(0);
        }
        found
    }

    /// Lowers the registers' exponents until they hold for every instruction; false if that takes too long.
    fn find(&mut self, kernel: &Kernel) -> bool {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for part in &kernel.body {
                let Part::Instruction(i) = part else { continue };
                let new = self.result(i);
                let lower = |reg: RegId| {
                    let known = &mut self.registers[reg as usize];
                    changed |= new < *known;
                    *known = new.min(*known);
                };
                uses(i, |_| {}, lower);
            }
            if !changed {
                return true;
            }
        }
        false
    }

    fn base(&self, base: &Base) -> u32 {
        match base {
            Base::Reg(reg) => self.registers[*reg as usize],
            Base::Name(name) => self.variables.get(name).copied().unwrap_or(0),
            Base::Nothing => 0,
        }
    }

    /// The exponent of an instruction's result.
    fn result(&self, i: &Instruction) -> u32 {
        let known = |at: usize| match i.operands.get(at) {
            Some(Operand::Reg(reg)) => self.registers[*reg as usize],
            Some(Operand::Whole(0)) => ANY,
            Some(Operand::Whole(value)) => value.trailing_zeros(),
            Some(Operand::Name(name)) => self.variables.get(name).copied().unwrap_or(0),
            _ => 0,
        };
        let whole = |ty: &Ty| matches!(ty, Ty::Bits(_) | Ty::Unsigned(_) | Ty::Signed(_));
        // Parts of a value are not multiples of what it is, nor is the end of a range.
        let is_one = matches!(i.operands.first(), Some(Operand::Reg(_)));
        if !is_one || i.has("sat") || !i.types().iter().all(whole) {
            return 0;
        }
        let product = || (known(1) + known(2)).min(ANY);
        match (i.words[0].as_str(), i.operands.get(2)) {
            ("mov" | "cvta" | "cvt", _) => known(1),
            ("shl", Some(Operand::Whole(by))) => (known(1) + (*by).min(64) as u32).min(ANY),
            ("add" | "sub" | "or" | "xor" | "min" | "max" | "selp", _) => known(1).min(known(2)),
            ("and", _) => known(1).max(known(2)),
            ("mul", _) if !i.has("hi") => product(),
            ("mad", _) if !i.has("hi") => product().min(known(3)),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::inlined;
    use super::*;

    /// The loads of a kernel with a body, after they are joined: `v4 12` for four words from byte 12 on.
    fn loads(body: &str) -> Vec<String> {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .f32 %f<9>;\n.reg .b32 %r<9>;\n\
             .reg .pred %p<3>;\n.reg .b64 %rd<3>;\n.reg .b16 %rs<3>;\n.shared .align 4 .b8 odd[12];\n.shared .align 4 .b8 tile[256];\n{body}\nret;\n}}\n"
        );
        let mut kernel = inlined::kernel("k.ptx", &text, "k", &|_, _| None).unwrap_or_else(|why| panic!("{why}"));
        join_loads(&mut kernel);
        let loads = kernel.body.iter().filter_map(|part| match part {
            Part::Instruction(i) if i.words[0] == "ld" => Some(i),
            _ => None,
        });
        let said = loads.map(|i| {
            let Some(Operand::Address { offset, .. }) = i.operands.get(1) else { panic!("{i:?}") };
            let words = i.words.iter().find(|word| word.starts_with('v')).map_or("one", String::as_str);
            format!("{words} {offset}")
        });
        said.collect()
    }

    /// A row of `tile`, of as many bytes as a power of two.
    fn row(power: u32) -> String {
        format!("mov.u32 %r1, %tid.y;\nshl.b32 %r2, %r1, {power};\nmov.u32 %r3, tile;\nadd.s32 %r4, %r3, %r2;\n")
    }

    fn words(offsets: &[u32]) -> String {
        let load = |(i, offset): (usize, &u32)| format!("ld.shared.f32 %f{}, [%r4+{offset}];\n", i + 1);
        offsets.iter().enumerate().map(load).collect()
    }

    #[test]
    fn neighbours_are_one_load_as_wide_as_the_address_is_known_to_allow() {
        assert_eq!(loads(&(row(4) + &words(&[0, 4, 8, 12]))), ["v4 0"]);
        assert_eq!(loads(&(row(3) + &words(&[0, 4, 8, 12]))), ["v2 0", "v2 8"]);
        assert_eq!(loads(&(row(2) + &words(&[0, 4]))), ["one 0", "one 4"]);
        // In any order, and only from a multiple of their size on.
        assert_eq!(loads(&(row(4) + &words(&[8, 4, 12, 16, 20]))), ["v2 8", "one 4", "v2 16"]);
        // A variable comes after those that the kernel mentions before it.
        let after = "ld.shared.f32 %f3, [odd];\nld.shared.f32 %f1, [tile];\nld.shared.f32 %f2, [tile+4];\n";
        assert_eq!(loads(after), ["one 0", "one 0", "one 4"]);
        assert_eq!(loads("ld.shared.f32 %f1, [tile];\nld.shared.f32 %f2, [tile+4];\n"), ["v2 0"]);
    }

    #[test]
    fn what_may_change_a_word_or_its_register_keeps_loads_apart() {
        let pair = |between: &str| {
            loads(&format!("{}ld.shared.f32 %f1, [%r4];\n{between}\nld.shared.f32 %f2, [%r4+4];\n", row(4)))
        };
        assert_eq!(pair("add.f32 %f3, %f4, %f5;"), ["v2 0"]);
        for between in [
            "st.shared.f32 [%r3], %f4;",
            "bar.sync 0;",
            "@%p1 bra $there;\n$there:",
            "add.f32 %f3, %f2, %f5;",
            "mov.f32 %f2, %f5;",
            "add.s32 %r4, %r4, 16;",
        ] {
            assert_eq!(pair(between).len(), 2, "{between}");
        }
        // A predicate may leave one of them out.
        assert_eq!(loads(&(row(4) + "ld.shared.f32 %f1, [%r4];\n@%p1 ld.shared.f32 %f2, [%r4+4];\n")).len(), 2);
    }

    #[test]
    fn words_that_are_extended_in_two_ways_are_loaded_apart() {
        let both = |first: &str, second: &str| {
            loads(&format!("{}ld.shared.{first} %rd1, [%r4];\nld.shared.{second} %rd2, [%r4+4];\n", row(4))).len()
        };
        assert_eq!([both("s32", "s32"), both("u32", "b32"), both("s32", "u32")], [1, 1, 2]);
    }

    #[test]
    fn a_part_of_a_value_is_no_multiple_of_what_the_value_is() {
        let start = "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 20;\nmov.u32 %r3, tile;\n";
        let of = |made: &str| loads(&format!("{start}{made}\nadd.s32 %r4, %r3, %r5;\n{}", words(&[0, 4])));
        assert_eq!(of("mov.u32 %r5, %r2;"), ["v2 0"]);
        assert_eq!(of("mov.b32 {%rs1, %rs2}, %r2;\ncvt.u32.u16 %r5, %rs2;").len(), 2);
        assert_eq!(of("add.sat.s32 %r5, %r2, %r2;").len(), 2);
    }

    #[test]
    fn a_value_of_a_loop_is_a_multiple_of_what_all_its_writes_are() {
        let walk = |step: u32| {
            let start = format!("{}$again:\nadd.s32 %r4, %r4, {step};\n", row(4));
            loads(&(start + &words(&[0, 4, 8, 12]) + "@%p1 bra $again;\n"))
        };
        assert_eq!(walk(64), ["v4 0"]);
        assert_eq!(walk(8), ["v2 0", "v2 8"]);
        assert_eq!(walk(4).len(), 4);
    }
}
