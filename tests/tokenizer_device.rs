//! `warpbook tokenizer encode` on a graphics driver: the same ids as on the processor's cores, whatever the text.
mod common;

use common::texts::{SCRIPTS, corpus, random_strings};
use common::{devices, driver, warpbook};
use warpbook::gpu::encode::{Encode, on_device};
use warpbook::tokenizer::{Pattern, Ties, Vocabulary, count::Pieces, encode, rank_file, train};
use warpbook::trace::record::Backend;

/// Texts that a device's kernels are too small for, or nearly: one letter, one sign, numbers, spaces, lines, words as long as a warp's memory takes.
fn extremes() -> Vec<String> {
    let runs = ["a", "=", "7", " ", "\n", " \n", "中", "a1", "Aa", "é'", "\u{301}"];
    let mut texts: Vec<String> = runs.iter().map(|run| run.repeat(100_000 / run.len())).collect();
    texts.extend(
        [63, 64, 65, 1023, 1024, 1025].map(|length| format!("{} and {}", "x".repeat(length), "yz".repeat(length / 2))),
    );
    texts.push(String::new());
    texts
}

fn same_as_on_cores(device: &mut dyn Encode, vocabulary: &Vocabulary, pattern: Pattern, text: &str) {
    let ids = device.encode(text).expect("the device encodes").concat();
    let expected = encode::encode(vocabulary, pattern, text);
    if ids != expected {
        let at = ids
            .iter()
            .zip(&expected)
            .position(|(id, expected)| id != expected)
            .unwrap_or(ids.len().min(expected.len()));
        let before = vocabulary.decode(&expected[..at]).expect("our own ids").len();
        let near: String = text.get(before.saturating_sub(20)..).unwrap_or(text).chars().take(60).collect();
        panic!("{pattern:?}: token {at} differs, in {near:?}: {:?} for {:?}", ids.get(at), expected.get(at));
    }
}

#[test]
fn a_driver_gives_the_same_ids_as_the_cores() {
    if !driver(&devices()) {
        return;
    }
    let mut pieces = Pieces::default();
    pieces.add(Pattern::Gpt2, &corpus());
    let trained =
        Vocabulary::from_merges(&train::train(&pieces.in_order(), 600, Ties::Smallest, |_| {}).expect("a short text"));
    let built_in = |name| rank_file::shared(name).expect("it is built in");
    let strings = random_strings(10_000);
    let joined = strings.concat();
    let all = [
        (&trained, Pattern::Gpt2),
        (built_in("cl100k_base"), Pattern::Cl100k),
        (built_in("o200k_base"), Pattern::O200k),
    ];
    for (vocabulary, pattern) in all {
        let encoded = on_device(Backend::Wgpu, vocabulary, pattern, 1 << 18, |device| {
            for string in SCRIPTS.iter().copied().chain(strings.iter().take(500).map(String::as_str)) {
                same_as_on_cores(device, vocabulary, pattern, string);
            }
            // Longer than the memory that was asked for, so that it goes in parts.
            same_as_on_cores(device, vocabulary, pattern, &joined);
            same_as_on_cores(device, vocabulary, pattern, &corpus().repeat(200));
            for text in extremes() {
                same_as_on_cores(device, vocabulary, pattern, &text);
            }
            Ok(())
        });
        encoded.expect("the driver is there");
    }
}

#[test]
fn the_command_line_says_where_it_cannot_encode() {
    let encode = |backend: &str, pattern: &str| {
        warpbook(&["tokenizer", "encode", "--vocab", "cl100k_base", "--pattern", pattern, "--backend", backend, "text"])
    };
    for (run, message) in [
        (encode("simt", "cl100k"), "the tracer is no device for large texts"),
        (encode("wgpu", "none"), "the pattern `none` leaves one piece"),
    ] {
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(run.err.contains(message) && run.err.contains("hint: "), "{}", run.err);
    }
    if driver(&devices()) {
        let run = encode("wgpu", "cl100k");
        assert_eq!((run.code, run.out), (0, warpbook(&["tokenizer", "encode", "--vocab", "cl100k_base", "text"]).out));
    }
}
