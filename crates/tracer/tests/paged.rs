//! Buffers that are larger than the tracer's memory: their pages are held from their first access on, and addresses,
//! values and messages are those of the whole buffer.

use std::sync::atomic::AtomicBool;

use warpbook_base::diag::Diagnostic;
use warpbook_base::tensor::{Elem, Tensor};
use warpbook_tracer::dispatch::{Argument, TraceSpec};
use warpbook_tracer::simt::{self, Options, Outcome, Program, Ptx};

/// Bytes of the large buffer: 3 · 2^30 words.
const BYTES: u64 = 12 << 30;

/// Words of it that are in memory.
const HELD: usize = 1 << 16;

/// A block's first thread gets a row of 256 words; `address` computes the byte in `%rd5` from the row in `%r1` and the
/// thread in `%r2`.
fn kernel(address: &str, body: &str) -> Program {
    let text = format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n\
         .visible .entry k(.param .u64 table, .param .u64 rows, .param .u64 out)\n{{\n\
         .reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
         ld.param.u64 %rd1, [table];\nld.param.u64 %rd2, [rows];\nld.param.u64 %rd3, [out];\n\
         mov.u32 %r3, %ctaid.x;\nmov.u32 %r2, %tid.x;\n\
         mul.wide.u32 %rd4, %r3, 4;\nadd.s64 %rd4, %rd2, %rd4;\nld.global.u32 %r1, [%rd4];\n\
         {address}\nadd.s64 %rd5, %rd1, %rd5;\n\
         mad.lo.s32 %r5, %r3, 32, %r2;\nmul.wide.u32 %rd6, %r5, 4;\nadd.s64 %rd6, %rd3, %rd6;\n\
         {body}\nret;\n}}\n"
    );
    let arguments = ["table", "rows", "out"].map(|name| Argument::Buffer(name.to_owned()));
    let ptx = Ptx {
        file: "k.ptx",
        text: &text,
        entry: "k",
        block: [32, 1, 1],
        shared_bytes: 0,
        arguments: &arguments,
        source: &|_, line| Some(line),
    };
    Program::compile_ptx(&ptx).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
}

/// The byte as 64 bits.
const WIDE: &str =
    "mul.wide.u32 %rd5, %r1, 256;\ncvt.u64.u32 %rd7, %r2;\nadd.s64 %rd5, %rd5, %rd7;\nshl.b64 %rd5, %rd5, 2;";
/// The element as an `int`.
const NARROW: &str = "mad.lo.s32 %r4, %r1, 256, %r2;\nmul.wide.s32 %rd5, %r4, 4;";

/// Stores to the word, loads it again and writes it out.
const COPY: &str = "st.global.u32 [%rd5], %r1;\nld.global.u32 %r6, [%rd5];\nst.global.u32 [%rd6], %r6;";

fn run(program: &Program, rows: &[u32], held: usize) -> Result<(Outcome, Vec<u32>), Diagnostic> {
    let of = |words: Vec<u32>| Tensor { elem: Elem::U32, words };
    let mut buffers = [of(vec![0; held]), of(rows.to_vec()), of(vec![7; 32 * rows.len()])];
    let spec = TraceSpec { races: true, ..TraceSpec::default() };
    let options = Options { spec, paged: vec![Some(BYTES)], ..Options::default() };
    let grid = [u32::try_from(rows.len()).unwrap_or(0), 1, 1];
    let outcome = simt::run(program, &mut buffers, grid, &options, &AtomicBool::new(false), &|_, _| {})?;
    let [_, _, out] = buffers;
    Ok((outcome, out.words))
}

fn messages(outcome: &Outcome) -> Vec<&str> {
    outcome.trace.findings.iter().map(|finding| finding.message.as_str()).collect()
}

#[test]
fn any_row_of_a_large_buffer_is_stored_and_loaded() {
    let rows = [0, 12_582_911, 9_000_000, 4_194_304];
    let (outcome, out) = run(&kernel(WIDE, COPY), &rows, HELD).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(messages(&outcome), [""; 0]);
    let wanted: Vec<u32> = rows.iter().flat_map(|row| [*row; 32]).collect();
    assert_eq!(out, wanted);
    // A row's 32 words are 4 sectors, as in a buffer that is in memory as a whole.
    assert_eq!(outcome.trace.global.store.sectors, 2 * 4 * rows.len() as u64);
}

#[test]
fn an_element_beyond_two_to_the_31_as_an_int_is_before_the_start() {
    // 9,000,000 · 256 is 2,304,000,000, and as an `int` -1,990,967,296.
    let (outcome, out) = run(&kernel(NARROW, COPY), &[9_000_000], HELD).unwrap_or_else(|error| panic!("{error}"));
    let found = messages(&outcome);
    assert!(
        found[0].starts_with("index -1990967296 is before the start of `table`, which has 3221225472 elements"),
        "{found:?}"
    );
    assert_eq!(out, [0; 32]);
}

#[test]
fn a_row_past_the_end_is_named() {
    let (outcome, _) = run(&kernel(WIDE, COPY), &[12_582_912], HELD).unwrap_or_else(|error| panic!("{error}"));
    let found = messages(&outcome);
    assert!(
        found[0].starts_with("index 3221225472 is past the end of `table`, which has 3221225472 elements"),
        "{found:?}"
    );
}

#[test]
fn a_race_is_named_by_the_byte_of_the_buffer() {
    let body = "st.global.u32 [%rd5], %r3;";
    let (outcome, _) =
        run(&kernel(WIDE, body), &[9_000_000, 9_000_000], HELD).unwrap_or_else(|error| panic!("{error}"));
    let found = messages(&outcome);
    assert!(found[0].contains("word 2304000000 (byte 9216000000) of `table`"), "{found:?}");
}

#[test]
fn pages_are_the_same_to_each_thread_of_this_machine() {
    let rows: Vec<u32> = (0..60).map(|i| i * 200_003).collect();
    let (first, one) = run(&kernel(WIDE, COPY), &rows, HELD).unwrap_or_else(|error| panic!("{error}"));
    let (second, other) = run(&kernel(WIDE, COPY), &rows, HELD).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((one, first.trace.global), (other, second.trace.global));
}

#[test]
fn a_launch_that_touches_more_than_is_held_is_an_error() {
    // Two pages of 1,024 words are held, and three rows are in three.
    let error = run(&kernel(WIDE, COPY), &[0, 1_000_000, 2_000_000], 2048).err().map(|error| error.to_string());
    let error = error.unwrap_or_default();
    assert!(error.contains("touches more than 8,192 of the 12,884,901,888 bytes of `table`"), "{error}");
    assert!(run(&kernel(WIDE, COPY), &[0, 1_000_000], 2048).is_ok());
    let found =
        run(&kernel(WIDE, COPY), &[12_582_912, 0, 1_000_000, 2_000_000], 2048).err().map(|error| error.to_string());
    let found = found.unwrap_or_default();
    assert!(found.contains("found until then:\nline ") && found.contains("past the end of `table`"), "{found}");
}
