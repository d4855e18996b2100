//! Random arithmetic on addresses: sums, products, shifts and casts of values of 32 and 64 bits, to an offset in bytes
//! from a pointer. The tracer's loads are compared with a plain computation of the same steps.

use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use warpbook_base::tensor::{Elem, Tensor};
use warpbook_tracer::dispatch::Argument;
use warpbook_tracer::simt::{self, Options, Program, Ptx};

/// Bytes of the buffer that is read; the pointer leads to its middle.
const BYTES: i64 = 8192;

/// Random programs.
const PROGRAMS: u32 = 4000;

/// A step, on values of earlier steps by their numbers modulo those that there are.
#[derive(Clone, Debug)]
enum Step {
    /// `op` of two values of 64 bits: add, sub, or one of them times a number, or shifted.
    Add(usize, usize),
    Sub(usize, usize),
    Times(usize, i16),
    Shift(usize, u8),
    Mad(usize, i8, usize),
    Neg(usize),
    /// A cast of the low bits of a wide register to 64 bits: from 8, 16 or 32, signed or not.
    Cast(usize, u8, bool),
    /// A value of 32 bits, from a wide one, and back with a product.
    Word(usize, bool, i16),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Step::Add(a, b)),
        (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Step::Sub(a, b)),
        (any::<usize>(), -5_i16..5).prop_map(|(a, by)| Step::Times(a, by)),
        (any::<usize>(), 0_u8..4).prop_map(|(a, by)| Step::Shift(a, by)),
        (any::<usize>(), -3_i8..4, any::<usize>()).prop_map(|(a, by, c)| Step::Mad(a, by, c)),
        any::<usize>().prop_map(Step::Neg),
        (any::<usize>(), 0_u8..3, any::<bool>()).prop_map(|(a, bits, signed)| Step::Cast(a, 8 << bits, signed)),
        (any::<usize>(), any::<bool>(), -4_i16..5).prop_map(|(a, signed, by)| Step::Word(a, signed, by)),
    ]
}

/// The low bits of a value, extended.
fn extended(value: i64, bits: u8, signed: bool) -> i64 {
    let shift = 64 - u32::from(bits);
    if signed { value << shift >> shift } else { ((value.cast_unsigned() << shift) >> shift).cast_signed() }
}

/// The values of all steps for a thread: first its number, and a number that the kernel loads.
fn values(steps: &[Step], thread: i64, loaded: i64) -> Vec<i64> {
    let mut values = vec![thread, loaded];
    for step in steps {
        let at = |i: &usize| values[i % values.len()];
        let value = match step {
            Step::Add(a, b) => at(a).wrapping_add(at(b)),
            Step::Sub(a, b) => at(a).wrapping_sub(at(b)),
            Step::Times(a, by) => at(a).wrapping_mul((*by).into()),
            Step::Shift(a, by) => at(a).wrapping_shl((*by).into()),
            Step::Mad(a, by, c) => at(a).wrapping_mul((*by).into()).wrapping_add(at(c)),
            Step::Neg(a) => at(a).wrapping_neg(),
            Step::Cast(a, bits, signed) => extended(at(a), *bits, *signed),
            Step::Word(a, signed, by) => extended(at(a), 32, *signed).wrapping_mul(match signed {
                true => (*by).into(),
                false => i64::from(i32::from(*by).cast_unsigned()),
            }),
        };
        values.push(value);
    }
    values
}

/// The kernel in PTX: `out[thread] = bytes[middle + last value]`.
fn ptx(steps: &[Step]) -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 bytes, .param .u64 numbers, .param .u64 out)\n{\n\
         .reg .b32 %r<200>;\n.reg .b64 %rd<200>;\n.reg .b16 %h<9>;\n\
         ld.param.u64 %rd100, [bytes];\ncvta.to.global.u64 %rd101, %rd100;\n\
         ld.param.u64 %rd102, [numbers];\ncvta.to.global.u64 %rd103, %rd102;\n\
         ld.param.u64 %rd104, [out];\ncvta.to.global.u64 %rd105, %rd104;\n\
         mov.u32 %r100, %tid.x;\ncvt.u64.u32 %rd0, %r100;\nmul.wide.u32 %rd106, %r100, 8;\n\
         add.s64 %rd107, %rd103, %rd106;\nld.global.u64 %rd1, [%rd107];\n",
    );
    for (n, step) in (2..).zip(steps) {
        let at = |i: &usize| i % n;
        let line = match step {
            Step::Add(a, b) => format!("add.s64 %rd{n}, %rd{}, %rd{};", at(a), at(b)),
            Step::Sub(a, b) => format!("sub.s64 %rd{n}, %rd{}, %rd{};", at(a), at(b)),
            Step::Times(a, by) => format!("mul.lo.s64 %rd{n}, %rd{}, {by};", at(a)),
            Step::Shift(a, by) => format!("shl.b64 %rd{n}, %rd{}, {by};", at(a)),
            Step::Mad(a, by, c) => format!("mad.lo.s64 %rd{n}, %rd{}, {by}, %rd{};", at(a), at(c)),
            Step::Neg(a) => format!("neg.s64 %rd{n}, %rd{};", at(a)),
            Step::Cast(a, bits, signed) => {
                let sign = if *signed { 's' } else { 'u' };
                format!("cvt.{sign}64.{sign}{bits} %rd{n}, %rd{};", at(a))
            }
            Step::Word(a, signed, by) => {
                let sign = if *signed { 's' } else { 'u' };
                let by = if *signed { by.to_string() } else { i32::from(*by).cast_unsigned().to_string() };
                format!("cvt.u32.u64 %r{n}, %rd{};\nmul.wide.{sign}32 %rd{n}, %r{n}, {by};", at(a))
            }
        };
        let _ = writeln!(text, "{line}");
    }
    let last = steps.len() + 1;
    let _ = write!(
        text,
        "add.s64 %rd110, %rd101, %rd{last};\nld.global.u8 %h1, [%rd110+{}];\nadd.s64 %rd111, %rd105, %rd0;\nst.global.u8 [%rd111], %h1;\nret;\n}}\n",
        BYTES / 2
    );
    text
}

fn byte(at: i64) -> u8 {
    (at.wrapping_mul(2_654_435_761) >> 13) as u8
}

#[test]
fn what_is_loaded_is_at_the_place_that_the_steps_lead_to() {
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(Config::default(), random);
    let strategy = (proptest::collection::vec(step(), 1..9), proptest::collection::vec(-300_i64..300, 32));
    let words: Vec<u32> =
        (0..BYTES / 4).map(|word| u32::from_le_bytes(std::array::from_fn(|i| byte(4 * word + i as i64)))).collect();
    let (mut inside, mut outside) = (0, 0);
    for _ in 0..PROGRAMS {
        let Ok(tree) = strategy.new_tree(&mut runner) else { panic!("no program") };
        let (steps, numbers): (Vec<Step>, Vec<i64>) = tree.current();
        let at: Vec<i64> = (0..32)
            .map(|thread| values(&steps, thread, numbers[thread as usize]).last().copied().unwrap_or(0))
            .map(|offset| offset.wrapping_add(BYTES / 2))
            .collect();
        let is_inside = at.iter().all(|at| (0..BYTES).contains(at));
        let text = ptx(&steps);
        let arguments = ["bytes", "numbers", "out"].map(|name| Argument::Buffer(name.to_owned()));
        let ptx = Ptx {
            file: "k.ptx",
            text: &text,
            entry: "k",
            block: [32, 1, 1],
            shared_bytes: 0,
            arguments: &arguments,
            source: &|_, line| Some(line),
        };
        let program = Program::compile_ptx(&ptx).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
        let of = |words: Vec<u32>| Tensor { elem: Elem::U32, words };
        let pairs = numbers.iter().flat_map(|n| [*n as u32, (*n >> 32) as u32]).collect();
        let mut buffers = [of(words.clone()), of(pairs), of(vec![0; 8])];
        let outcome =
            simt::run(&program, &mut buffers, [1; 3], &Options::default(), &AtomicBool::new(false), &|_, _| {});
        let outcome = outcome.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let found = !outcome.trace.findings.is_empty();
        assert_eq!(found, !is_inside, "{:?}\n{steps:?}\n{at:?}\n{text}", outcome.trace.findings);
        if is_inside {
            let got: Vec<u8> = buffers[2].words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let wanted: Vec<u8> = at.iter().map(|at| byte(*at)).collect();
            assert_eq!(got, wanted, "{steps:?}\n{text}");
            inside += 1;
        } else {
            outside += 1;
        }
    }
    assert!(inside > 1000 && outside > 300, "{inside} inside, {outside} outside");
}
