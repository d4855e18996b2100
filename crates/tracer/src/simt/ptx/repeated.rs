//! Loads of what the thread has just loaded: the assembler keeps the value in its register, so the hardware counts one request. Triton's
//! inline assembly repeats loads so, for elements that are the same.

use std::collections::HashMap;

use super::module::{Base, Instruction, Kernel, Operand, Part, RegId};
use super::registers::uses;

/// Operations that leave memory as it is.
const QUIET: [&str; 41] = [
    "ld",
    "ldu",
    "mov",
    "add",
    "sub",
    "mul",
    "mad",
    "fma",
    "shl",
    "shr",
    "and",
    "or",
    "xor",
    "not",
    "cvt",
    "cvta",
    "setp",
    "selp",
    "min",
    "max",
    "neg",
    "abs",
    "div",
    "rem",
    "bfe",
    "bfi",
    "prmt",
    "lop3",
    "shf",
    "ex2",
    "lg2",
    "rcp",
    "sqrt",
    "rsqrt",
    "createpolicy",
    "clz",
    "popc",
    "set",
    "sin",
    "cos",
    "tanh",
];

/// Suffixes of loads that other threads may be waited for by, and that are always made.
const ORDERED: [&str; 3] = ["volatile", "acquire", "relaxed"];

/// Replaces loads that repeat an earlier one of the same block, with nothing between that may change memory, by moves.
pub(super) fn drop_repeated(kernel: &mut Kernel) {
    // The registers that hold the value of a load, by the load.
    let mut known: HashMap<Loaded, Vec<Version>> = HashMap::new();
    let mut writes: HashMap<RegId, usize> = HashMap::new();
    let mut body = Vec::with_capacity(kernel.body.len());
    for part in std::mem::take(&mut kernel.body) {
        let Part::Instruction(i) = part else {
            known.clear();
            body.push(part);
            continue;
        };
        let version = |reg: RegId| Version { reg, writes: writes.get(&reg).copied().unwrap_or(0) };
        let loaded = loaded(&i, &version);
        let before = loaded.as_ref().and_then(|(loaded, _)| known.get(loaded));
        let is_there = |from: &Version, to: RegId| version(from.reg) == *from && from.reg != to;
        let moves = match (&loaded, before) {
            (Some((_, to)), Some(from)) if from.iter().zip(to).all(|(from, to)| is_there(from, *to)) => {
                let bits = i.types().last().map_or(32, |ty| ty.bits());
                let one = |(from, to): (&Version, &RegId)| Instruction {
                    words: vec!["mov".to_owned(), format!("b{bits}")],
                    operands: vec![Operand::Reg(*to), Operand::Reg(from.reg)],
                    ..i.clone()
                };
                from.iter().zip(to).map(one).collect()
            }
            _ => vec![i.clone()],
        };
        if !QUIET.contains(&i.words[0].as_str()) || ORDERED.iter().any(|word| i.has(word)) {
            known.clear();
        }
        uses(&i, |_| {}, |reg| *writes.entry(reg).or_default() += 1);
        if let (Some((loaded, to)), true) = (loaded, moves.len() == 1 && moves[0].words[0] == "ld") {
            let now = to.into_iter().map(|reg| Version { reg, writes: writes.get(&reg).copied().unwrap_or(0) });
            known.insert(loaded, now.collect());
        }
        body.extend(moves.into_iter().map(Part::Instruction));
    }
    kernel.body = body;
}

/// A register with the number of writes to it so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Version {
    reg: RegId,
    writes: usize,
}

/// The identity of a load: two equal ones give equal values. Its words, its address and its predicate.
#[derive(PartialEq, Eq, Hash)]
struct Loaded {
    words: Vec<String>,
    base: Result<Version, String>,
    offset: i64,
    guard: Option<(Version, bool)>,
}

/// A load that may be dropped, and the registers that it is loaded to.
fn loaded(i: &Instruction, version: &dyn Fn(RegId) -> Version) -> Option<(Loaded, Vec<RegId>)> {
    let [to, Operand::Address { base, offset }, ..] = i.operands.as_slice() else { return None };
    let register = |operand: &Operand| if let Operand::Reg(reg) = operand { Some(*reg) } else { None };
    let to = match to {
        Operand::Parts(parts) => parts.iter().map(register).collect::<Option<Vec<_>>>()?,
        one => vec![register(one)?],
    };
    let base = match base {
        Base::Reg(reg) => Ok(version(*reg)),
        other => Err(format!("{other:?}")),
    };
    let is_plain = i.words[0] == "ld" && !i.has("param") && !ORDERED.iter().any(|word| i.has(word));
    // Where it stays in caches changes nothing.
    let words = i.words.iter().filter(|word| !word.contains("::")).cloned().collect();
    let guard = i.guard.map(|(reg, when)| (version(reg), when));
    is_plain.then_some((Loaded { words, base, offset: *offset, guard }, to))
}

#[cfg(test)]
mod tests {
    use super::super::inlined;
    use super::*;

    /// The words of the loads that are left of a body, and of the moves in place of others.
    fn left(body: &str) -> Vec<String> {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %r<9>;\n.reg .pred %p<3>;\n.reg .b64 %rd<9>;\n{body}\nret;\n}}\n"
        );
        let mut kernel = inlined::kernel("k.ptx", &text, "k", &|_, _| None).unwrap_or_else(|why| panic!("{why}"));
        drop_repeated(&mut kernel);
        let is_shown = |i: &&Instruction| ["ld", "mov"].contains(&i.words[0].as_str());
        let instructions =
            kernel.body.iter().filter_map(|part| if let Part::Instruction(i) = part { Some(i) } else { None });
        instructions.filter(is_shown).map(|i| i.words.join(".")).collect()
    }

    const TWICE: &str = "@%p1 ld.global.b32 %r1, [%rd1];\nBETWEEN\n@%p1 ld.global.b32 %r2, [%rd1];";

    #[test]
    fn a_repeated_load_is_a_move() {
        assert_eq!(left(&TWICE.replace("BETWEEN", "add.s32 %r3, %r4, 1;")), ["ld.global.b32", "mov.b32"]);
        let policies = "ld.global.L1::evict_last.v2.b32 {%r1, %r2}, [%rd1+8];\nld.global.v2.b32 {%r3, %r4}, [%rd1+8];";
        assert_eq!(left(policies), ["ld.global.L1::evict_last.v2.b32", "mov.b32", "mov.b32"]);
    }

    #[test]
    fn what_may_change_the_value_keeps_both() {
        for between in [
            "st.global.b32 [%rd2], %r3;",
            "bar.sync 0;",
            "ld.acquire.gpu.global.b32 %r3, [%rd2];",
            "add.s64 %rd1, %rd1, 4;",
            "add.s32 %r1, %r1, 1;",
            "setp.eq.u32 %p1, %r3, 0;",
            "$there:",
        ] {
            let loads = left(&TWICE.replace("BETWEEN", between));
            assert_eq!(loads.iter().filter(|words| *words == "ld.global.b32").count(), 2, "{between}");
        }
        assert_eq!(left("ld.global.b32 %r1, [%rd1];\n@%p1 ld.global.b32 %r2, [%rd1];"), ["ld.global.b32"; 2]);
        assert_eq!(
            left("ld.volatile.global.b32 %r1, [%rd1];\nld.volatile.global.b32 %r2, [%rd1];"),
            ["ld.volatile.global.b32"; 2]
        );
    }
}
