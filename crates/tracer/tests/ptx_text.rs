//! PTX that is damaged or uses what the tracer does not know: refused with its line, or run; never a panic.

use std::sync::atomic::AtomicBool;

use warpbook_base::tensor::{Elem, Tensor};
use warpbook_tracer::dispatch::{Argument, TraceSpec};
use warpbook_tracer::simt::{self, Options, Program, Ptx};
use warpbook_tracer::trace::FindingKind;

const BASIC: &str = include_str!("ptx/basic.ptx");

/// A source of choices without a pattern.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % most.max(1)
    }
}

/// The text with a part of it lost, repeated or exchanged.
fn damaged(text: &str, dice: &mut Dice) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    for _ in 0..=dice.below(3) {
        let (a, b) = (dice.below(lines.len()), dice.below(lines.len()));
        match dice.below(4) {
            0 => _ = lines.remove(a),
            1 => lines.insert(a, lines[b]),
            2 => lines.swap(a, b),
            _ => lines.truncate(a),
        }
        if lines.is_empty() {
            break;
        }
    }
    let text = lines.join("\n");
    let words: Vec<&str> = text.split_inclusive(|c: char| " ,;[]%.".contains(c)).collect();
    let (at, from) = (dice.below(words.len()), dice.below(words.len()));
    words.iter().enumerate().map(|(i, word)| if i == at { words[from] } else { *word }).collect()
}

#[test]
fn damaged_text_is_refused_or_runs() {
    let mut dice = Dice(0x1234_5678_9ABC_DEF1);
    let (mut refused, mut ran) = (0, 0);
    for _ in 0..400 {
        let text = damaged(BASIC, &mut dice);
        let Ok(entries) = simt::ptx_entries("basic.ptx", &text) else {
            refused += 1;
            continue;
        };
        if entries.is_empty() {
            continue;
        }
        let entry = &entries[dice.below(entries.len())];
        let Ok(simt::Signature { parameters, .. }) = simt::ptx_signature("basic.ptx", &text, entry) else {
            refused += 1;
            continue;
        };
        let arguments: Vec<Argument> = parameters
            .iter()
            .map(|p| match p.is_pointer && p.bytes == 8 {
                true => Argument::Buffer(p.name.clone()),
                false => Argument::Value(vec![3; p.bytes as usize]),
            })
            .collect();
        let ptx = Ptx {
            file: "basic.ptx",
            text: &text,
            entry,
            block: [32, 1, 1],
            shared_bytes: 256,
            arguments: &arguments,
            source: &|_, _| None,
        };
        match Program::compile_ptx(&ptx) {
            Err(errors) => {
                assert!(!errors[0].message.contains("compiler failed"), "{}\n{text}", errors[0]);
                assert!(errors[0].place.is_some(), "{}", errors[0]);
                refused += 1;
            }
            Ok(program) => {
                let buffer = || Tensor { elem: Elem::U32, words: vec![1; 64] };
                let mut buffers: Vec<Tensor> = program.bindings().iter().map(|_| buffer()).collect();
                let spec = TraceSpec { races: true, ..TraceSpec::default() };
                let options = Options { spec, fuel: 100_000, threads: Some(1), ..Options::default() };
                let cancel = AtomicBool::new(false);
                let outcome = simt::run(&program, &mut buffers, [2, 1, 1], &options, &cancel, &|_, _| {});
                assert!(outcome.is_ok(), "{:?}", outcome.err());
                ran += 1;
            }
        }
    }
    assert!(refused > 20 && ran > 20, "{refused} refused, {ran} ran");
}

#[test]
fn mistakes_are_named_at_their_line() {
    let cases = [
        ("ld.global.f32", "frobnicate.f32", "`frobnicate.f32` cannot be traced yet"),
        ("$L__BB0_2;", "$L__BB9_9;", "there is no label `$L__BB9_9` to branch to"),
        ("bar.sync \t0;", "barrier.cluster.arrive;", "`barrier.cluster.arrive` cannot be traced yet"),
        ("bar.sync \t0;", "add.u32;", "`add.u32` cannot be traced yet"),
        ("bar.sync \t0;", "lop3.b32;", "`lop3.b32` cannot be traced yet"),
        ("bar.sync \t0;", "sub.rz.sat.f64 %r1, %r1, %r1;", "`sub.rz.sat.f64` cannot be traced yet"),
        ("bar.sync \t0;", "prmt.f4e.b32 %r1, %r1, %r1, %r1;", "`prmt.f4e.b32` cannot be traced yet"),
        ("mov.u32 \t%r2, %ctaid.x;", "mov.u32 \t%r2, %envreg9;", "%envreg9"),
        ("mov.u32 \t%r2, %ctaid.x;", "mov.u32 \t%q2, %ctaid.x;", "a result must go to a register"),
    ];
    for (from, to, said) in cases {
        assert!(BASIC.contains(from), "{from}");
        let text = BASIC.replacen(from, to, 1);
        let at = text[..text.find(to).unwrap_or(0)].matches('\n').count() + 1;
        let entry = text[..text.find(to).unwrap_or(0)].rfind(".entry ").map(|i| &text[i + 7..]);
        let entry = entry.and_then(|rest| rest.split('(').next()).unwrap_or_default().to_owned();
        let parameters = simt::ptx_signature("basic.ptx", &text, &entry).unwrap_or_default().parameters;
        let arguments: Vec<Argument> = parameters
            .iter()
            .map(|p| {
                if p.is_pointer { Argument::Buffer(p.name.clone()) } else { Argument::Value(vec![0; p.bytes as usize]) }
            })
            .collect();
        let ptx = Ptx {
            file: "basic.ptx",
            text: &text,
            entry: &entry,
            block: [256, 1, 1],
            shared_bytes: 0,
            arguments: &arguments,
            source: &|_, _| None,
        };
        let error = Program::compile_ptx(&ptx).err().map(|errors| errors[0].to_string()).unwrap_or_default();
        assert!(
            error.contains(said) && error.starts_with(&format!("basic.ptx:{at}:")),
            "{error}, wanted {said} at {at}"
        );
    }
}

/// A kernel that does not end, of which nothing but a jump is counted, stops when its fuel is used up.
#[test]
fn an_empty_loop_uses_fuel() {
    for body in ["$L:\n\tbra $L;\n", "$L:\n\t@%p1 add.u32 %r1, %r1, 1;\n\tbra $L;\n"] {
        let text = format!(
            ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p<2>;\n.reg .b32 %r<2>;\n{body}ret;\n}}\n"
        );
        let ptx = Ptx {
            file: "k.ptx",
            text: &text,
            entry: "k",
            block: [32, 1, 1],
            shared_bytes: 0,
            arguments: &[],
            source: &|_, _| None,
        };
        let program = Program::compile_ptx(&ptx).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let options = Options { fuel: 10_000, threads: Some(1), ..Options::default() };
        let outcome = simt::run(&program, &mut [], [1, 1, 1], &options, &AtomicBool::new(false), &|_, _| {});
        let findings = outcome.map(|outcome| outcome.trace.findings).unwrap_or_default();
        assert!(findings.len() == 1 && findings[0].kind == FindingKind::OutOfFuel, "{findings:?}");
    }
}

/// The word `%r1` of each lane after some instructions on `%rd1`, its value of 64 bits.
fn words(instructions: &str, values: &[u64]) -> Vec<u32> {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n.reg .pred %p<2>;\n\
         .reg .b16 %rs<4>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<6>;\n.reg .f64 %fd<2>;\nld.param.u64 %rd2, [in];\nld.param.u64 %rd3, [out];\n\
         mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd4, %r2, 8;\nadd.u64 %rd2, %rd2, %rd4;\nld.global.u64 %rd1, [%rd2];\n\
         mov.b64 {{%r3, %r4}}, %rd1;\nmov.b64 %fd1, %rd1;\n{instructions}\n\
         mul.wide.u32 %rd4, %r2, 4;\nadd.u64 %rd3, %rd3, %rd4;\nst.global.u32 [%rd3], %r1;\nret;\n}}\n"
    );
    let arguments = ["in", "out"].map(|name| Argument::Buffer(name.to_owned()));
    let ptx = Ptx {
        file: "k.ptx",
        text: &text,
        entry: "k",
        block: [u32::try_from(values.len()).unwrap_or(0), 1, 1],
        shared_bytes: 0,
        arguments: &arguments,
        source: &|_, _| None,
    };
    let program = Program::compile_ptx(&ptx).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let given = values.iter().flat_map(|value| [*value as u32, (value >> 32) as u32]).collect();
    let mut buffers =
        [Tensor { elem: Elem::U32, words: given }, Tensor { elem: Elem::U32, words: vec![7; values.len()] }];
    let cancel = AtomicBool::new(false);
    let outcome = simt::run(&program, &mut buffers, [1, 1, 1], &Options::default(), &cancel, &|_, _| {});
    assert!(outcome.is_ok(), "{:?}", outcome.err());
    buffers[1].words.clone()
}

/// Instructions that no kernel of the corpus has, each beside its value for the 64 bits of a lane.
#[test]
fn instructions_give_their_values() {
    let values = [0, 1, u64::MAX, 1 << 63, 0x7FF8_0000_0000_0000, 0x7FF0_0000_0000_0001, 0x7FF0_0000_0000_0000]
        .into_iter()
        .chain([0x3FF0_0000_3F80_0000, 0x8000_0001_FFFF_0021, 0x7FFF_FFFF_0000_0002, 0x1234_5678_9ABC_DEF0]);
    let values: Vec<u64> = values.collect();
    let predicate = |test: &str| format!("{test};\nselp.u32 %r1, 1, 0, %p1;");
    let halves = |value: u64| (value as u32, (value >> 32) as u32);
    type Wanted<'a> = &'a dyn Fn(u64) -> u32;
    let cases: &[(String, Wanted<'_>)] = &[
        ("add.sat.s32 %r1, %r3, %r4;".into(), &|value| {
            let (low, high) = halves(value);
            low.cast_signed().saturating_add(high.cast_signed()).cast_unsigned()
        }),
        ("bfind.shiftamt.u32 %r1, %r3;".into(), &|value| match halves(value).0 {
            0 => u32::MAX,
            low => low.leading_zeros(),
        }),
        ("copysign.f32 %r1, %r3, %r4;".into(), &|value| {
            let (sign, rest) = halves(value);
            f32::from_bits(rest).copysign(f32::from_bits(sign)).to_bits()
        }),
        (predicate("testp.notanumber.f64 %p1, %fd1"), &|value| f64::from_bits(value).is_nan().into()),
        (predicate("testp.finite.f32 %p1, %r3"), &|value| f32::from_bits(halves(value).0).is_finite().into()),
    ];
    for (instructions, wanted) in cases {
        let wanted: Vec<u32> = values.iter().map(|value| wanted(*value)).collect();
        assert_eq!(words(instructions, &values), wanted, "{instructions}");
    }
}

/// The findings of a kernel with this body on 64 threads, and its second buffer. It is given two buffers of 64 words, `%rd1` and `%rd2`, of which the
/// first holds 0, 1, …; `%r1` is the thread, and `s` has 512 bytes of shared memory.
fn ran(body: &str) -> (Vec<String>, Vec<u32>) {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n.reg .pred %p<4>;\n\
         .reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.shared .align 8 .b8 s[512];\nld.param.u64 %rd1, [in];\nld.param.u64 %rd2, [out];\n\
         mov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
    );
    let arguments = ["in", "out"].map(|name| Argument::Buffer(name.to_owned()));
    let ptx = Ptx {
        file: "k.ptx",
        text: &text,
        entry: "k",
        block: [64, 1, 1],
        shared_bytes: 0,
        arguments: &arguments,
        source: &|_, _| None,
    };
    let program = Program::compile_ptx(&ptx).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut buffers =
        [Tensor { elem: Elem::U32, words: (0..64).collect() }, Tensor { elem: Elem::U32, words: vec![7; 64] }];
    let cancel = AtomicBool::new(false);
    let options = Options { spec: TraceSpec { races: true, ..TraceSpec::default() }, ..Options::default() };
    let outcome = simt::run(&program, &mut buffers, [1, 1, 1], &options, &cancel, &|_, _| {});
    let findings = outcome.map(|outcome| outcome.trace.findings).unwrap_or_default();
    (findings.into_iter().map(|finding| finding.message).collect(), buffers[1].words.clone())
}

/// Each thread stores the address of its word, of one buffer or of the other, and reads through its neighbour's.
const THROUGH_MEMORY: &str = "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd1, %rd3;\nadd.s64 %rd5, %rd2, %rd3;\nand.b32 %r2, %r1, 1;\n\
     setp.eq.u32 %p1, %r2, 1;\nselp.b64 %rd6, %rd5, %rd4, %p1;\nmov.u32 %r3, s;\nshl.b32 %r4, %r1, 3;\nadd.u32 %r4, %r3, %r4;\n\
     STORE\nbar.sync 0;\nxor.b32 %r5, %r1, 1;\nshl.b32 %r5, %r5, 3;\nadd.u32 %r5, %r3, %r5;\nld.shared.u64 %rd7, [%r5];\n\
     ld.global.u32 %r6, [%rd7];\nbar.sync 0;\nst.global.u32 [%rd5], %r6;";

#[test]
fn addresses_go_through_memory() {
    let (findings, words) = ran(&THROUGH_MEMORY.replace("STORE", "st.shared.u64 [%r4], %rd6;"));
    assert_eq!(findings, [""; 0]);
    // An even thread reads its odd neighbour's word of `out`, which is 7, and an odd one its neighbour's number.
    assert_eq!(words, (0..64).map(|i| if i % 2 == 0 { 7 } else { i - 1 }).collect::<Vec<_>>());
    let nowhere = "mov.b64 %rd8, 12;\nselp.b64 %rd6, %rd6, %rd8, %p1;\nst.shared.u64 [%r4], %rd6;";
    let (findings, _) = ran(&THROUGH_MEMORY.replace("STORE", nowhere));
    assert!(findings.len() == 1 && findings[0].contains("leads nowhere"), "{findings:?}");
}

#[test]
fn a_barrier_in_a_loop_waits_for_those_that_are_left() {
    // The second warp returns before the loop, or leaves it after fewer rounds and goes on behind it.
    let looped = |before: &str, rounds: &str| {
        format!(
            "{before}\nmov.u32 %r2, 0;\n$again:\nbar.sync 0;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p2, %r2, {rounds};\n@%p2 bra $again;\n\
                 mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r2;\n$out:"
        )
    };
    let late = "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra $out;";
    assert_eq!(ran(&looped(late, "3")).0, [""; 0]);
    let (findings, _) = ran(&looped("shr.u32 %r3, %r1, 5;\nmov.u32 %r4, 3;\nsub.u32 %r3, %r4, %r3;", "%r3"));
    assert!(findings.len() == 1 && findings[0].contains("warp 1 has ended"), "{findings:?}");
    // Lanes that went on behind one loop may return before the next.
    let twice = looped("", "2").replace("$out:", "") + &looped(late, "3").replace("$again", "$more");
    assert_eq!(ran(&twice).0, [""; 0]);
}

#[test]
fn an_exchange_whose_old_value_is_not_read_depends_on_nothing() {
    let exchanged = |read: &str| ran(&format!("atom.shared.exch.b32 %r2, [s], 5;\n{read}")).0;
    assert_eq!(exchanged(""), [""; 0]);
    let findings = exchanged("add.u32 %r3, %r2, 1;\nst.global.u32 [%rd2], %r3;");
    assert!(findings.iter().any(|found| found.contains("is read before")), "{findings:?}");
}

#[test]
fn a_vote_of_the_workgroup_does_not_wait_for_those_who_returned() {
    let body = "setp.ge.u32 %p1, %r1, 40;\n@%p1 bra $out;\nsetp.lt.u32 %p2, %r1, 20;\nbar.red.popc.u32 %r2, 0, %p2;\n\
                mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r2;\n$out:";
    let (findings, words) = ran(body);
    assert_eq!((findings, words[0], words[39], words[40]), (Vec::new(), 20, 20, 7));
}
