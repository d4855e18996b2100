//! Calls of functions that the compiler did not inline, what a kernel prints and asserts, and what is refused by name.

use warpbook_tracer::simt;
use warpbook_tracer::trace::{FindingKind, NoteKind};

use crate::common::{Case, close, floats, ints, random, randoms, text_of};

fn of(entry: &'static str, grid: u32, block: u32) -> Case {
    Case::of("corpus/calls", entry, grid, block)
}

#[test]
fn functions_are_called() {
    let (buffers, _) = of("calls", 1, 64).floats(&[0.5; 128]).int(4).clean();
    let got = floats(&buffers[0]);
    for i in 0..64 {
        assert_eq!(got[i], 2.0 * i as f32, "{i}");
        let v = 2.0 * (i as f32 + 1.0);
        let signed = if i % 2 == 1 { -v } else { v };
        assert_eq!(got[i + 64], if i < 32 { 0.5 } else { signed }, "{i}");
    }
}

#[test]
fn structs_are_given_and_returned() {
    let (buffers, _) = of("structs", 1, 16).floats(&[0.0; 16]).int(7).clean();
    let wanted = (0..16_i32).map(|i| {
        let d = |k: i32| i32::from((k * i) as i8) - k;
        f64::from(i + 7 + i + i * 2 + i + d(1) + d(4))
    });
    close(&floats(&buffers[0]), wanted);
}

#[test]
fn calls_within_calls() {
    let values = randoms(50, 100);
    let (buffers, _) = of("nested", 1, 64).ints(&values).ints(&[0; 50]).int(50).clean();
    let inner = |x: i32| values[(x & 7) as usize] + x;
    let wanted: Vec<i32> = values.iter().map(|x| (0..(x & 3) + 1).map(|k| inner(x + k)).sum()).collect();
    assert_eq!(ints(&buffers[1]), wanted);
}

#[test]
fn a_function_with_a_barrier_is_called_twice() {
    let a = random(64);
    let (buffers, _) = of("twice", 1, 64).floats(&a).floats(&[0.0; 2]).clean();
    let of = |f: fn(f64) -> f64| a.iter().map(|x| f(f64::from(*x))).sum();
    close(&floats(&buffers[1]), [of(|x| x), of(|x| x * x)]);
}

#[test]
fn what_cannot_be_followed_is_refused_by_name() {
    for (case, words) in [
        (of("recursive", 1, 32).ints(&[0; 32]).int(3), "`fibonacci` calls itself"),
        (of("through_a_pointer", 1, 32).floats(&[0.0; 32]).int(1), "a call through a pointer"),
        (of("allocates", 1, 32).ints(&[0; 64]), "`malloc` in a kernel"),
    ] {
        let said = case.refused();
        assert!(said.starts_with("calls.ptx:") && said.contains(words), "{said}");
        assert!(said.contains("(line "), "the line of the source: {said}");
    }
}

#[test]
fn parameters_are_known_of_a_kernel_that_is_refused() {
    let parameters =
        simt::ptx_signature("calls.ptx", &text_of("corpus/calls", "ptx"), "recursive").unwrap_or_default().parameters;
    assert_eq!(parameters.iter().map(|p| p.is_pointer).collect::<Vec<_>>(), [true, false]);
}

#[test]
fn printed_texts_are_notes_in_the_order_of_blocks() {
    let (_, outcome) = of("prints", 3, 32).floats(&random(32)).int(3).clean();
    let notes = &outcome.trace.notes;
    assert_eq!(notes.len(), 12, "{notes:?}");
    assert!(notes.iter().all(|note| note.kind == NoteKind::Printed));
    let a = random(32);
    let wanted = format!("lane 1 of block has {:5.2}, 123456789012 x ff%\n", a[1]);
    assert_eq!((notes[1].message.as_str(), &notes[1].line), (wanted.as_str(), &notes[0].line));
    let ends: Vec<&str> = [3, 7, 11].iter().map(|n| notes[*n].message.trim_end()).collect();
    assert_eq!(ends, ["block 0 ends", "block 1 ends", "block 2 ends"]);
    let (_, outcome) = of("prints", 1000, 32).floats(&a).int(3).clean();
    let last = outcome.trace.notes.last().map(|note| note.message.clone()).unwrap_or_default();
    assert!(outcome.trace.notes.len() < 100 && last.contains("more"), "{last}");
}

#[test]
fn assertions_and_traps_are_found_at_their_lines() {
    let run = |values: &[f32]| of("asserts", 1, 64).floats(values).floats(&[0.0; 64]);
    run(&[1.0; 64]).clean();
    let mut values = [1.0; 64];
    values[40] = -1.0;
    let found = run(&values).found();
    assert_eq!(found, [(FindingKind::Assertion, "assert(in[i] > 0);".to_owned())]);
    let (_, outcome) = run(&values).run();
    let message = &outcome.trace.findings[0].message;
    assert!(message.contains("the assertion `in[i] > 0` fails here (block 0, warp 1, lane 8"), "{message}");
    values[40] = 1e6;
    assert_eq!(run(&values).found(), [(FindingKind::Assertion, "if (out[i] > 100) __trap();".to_owned())]);
}
