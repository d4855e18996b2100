//! `warpbook tokenizer` on a graphics driver: the same ids and the same merges as on the processor's cores, whatever
//! the text.
use crate::common::texts::{SCRIPTS, corpus, random_strings};
use crate::common::{devices, driver, warpbook};
use warpbook::gpu::tokenizer::encode::{Encode, encoding_on};
use warpbook::gpu::tokenizer::train::{Goal, TrainProgress, training_on};
use warpbook::tokenizer::{Pattern, Ties, Vocabulary, count::Pieces, encode, rank_file, train};
use warpbook::trace::record::Backend;

/// Texts that a device's kernels are too small for, or nearly: one letter, one sign, numbers, spaces, lines, words as
/// long as a warp's memory takes.
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
        (built_in("cl100k_base"), Pattern::Llama3),
    ];
    for (vocabulary, pattern) in all {
        let encoded = encoding_on(Backend::Wgpu, vocabulary, pattern, 1 << 18, |device| {
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

/// Merges of texts that follow each other, learnt on the cores.
fn learnt_on_cores(texts: &[&str], goal: Goal) -> Vec<(u32, u32)> {
    let mut pieces = Pieces::default();
    texts.iter().for_each(|text| pieces.add(goal.pattern, text));
    train::train(&pieces.in_order(), goal.size, goal.ties, |_| {}).expect("short texts")
}

#[test]
fn a_driver_learns_the_same_merges_as_the_cores() {
    if !driver(&devices()) {
        return;
    }
    let strings = random_strings(2_000).concat();
    let corpus = corpus().repeat(3);
    // Runs of equal letters, ties everywhere, one word, no pair at all, nothing.
    let runs = "aaaaaaaaa aaa aaaa bbb abababab\n".repeat(50);
    let scripts = SCRIPTS.concat();
    let texts: [&[&str]; 6] = [&[&scripts, &corpus], &[&strings], &[&runs], &["abcabc"], &["a b"], &[]];
    for pattern in [Pattern::Gpt2, Pattern::Cl100k, Pattern::O200k, Pattern::Llama3] {
        for ties in [Ties::First, Ties::Smallest, Ties::Greatest] {
            let goal = Goal { pattern, ties, size: 256 + 300 };
            let longest = texts.iter().map(|texts| texts.concat().len()).max().unwrap_or_default();
            let learnt = training_on(Backend::Wgpu, goal, longest, |device| {
                for texts in texts {
                    let merges = device.train(texts, &mut |_| ())?;
                    assert_eq!(merges, learnt_on_cores(texts, goal), "{pattern:?}, {ties:?}: {:.40}", texts.concat());
                }
                Ok(())
            });
            learnt.expect("the driver is there");
        }
    }
}

#[test]
fn tables_grow_with_the_text() {
    if !driver(&devices()) {
        return;
    }
    // Nearly all words are different, many more than a text of this length usually has; and the text goes in many parts.
    let words: Vec<String> = (0..150_000_u32).map(|i| format!(" {:x}", i.wrapping_mul(2_654_435_761))).collect();
    let text = words.concat();
    let goal = Goal { pattern: Pattern::Gpt2, ties: Ties::Smallest, size: 256 + 8 };
    let mut again = 0;
    let learnt = training_on(Backend::Wgpu, goal, 400_000, |device| {
        device.train(&[&text], &mut |came| again += u32::from(matches!(came, TrainProgress::Again(_))))
    });
    assert_eq!(learnt.expect("the driver is there"), learnt_on_cores(&[&text], goal));
    assert!(again > 0, "no table was too small");
}

#[test]
fn the_command_line_says_what_a_device_cannot_do() {
    let train = |pattern: &str, size: &str| {
        let out = std::env::temp_dir().join("warpbook-untrained.json");
        let out = out.to_str().expect("a path in UTF-8");
        let asked = ["--vocab", size, "--pattern", pattern, "--backend", "wgpu", "-o", out];
        warpbook(&[&["tokenizer", "train", "Cargo.toml"], &asked[..]].concat())
    };
    let encode = |backend: &str, pattern: &str| {
        warpbook(&["tokenizer", "encode", "--vocab", "cl100k_base", "--pattern", pattern, "--backend", backend, "text"])
    };
    for (run, message) in [
        (encode("wgpu", "none"), "the pattern `none` leaves one piece"),
        (train("none", "300"), "the pattern `none` leaves one piece"),
        (train("gpt2", "65537"), "a device learns 65536 tokens at most"),
        (train("gpt2", "32k"), "write it in digits"),
    ] {
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(run.err.contains(message), "{}", run.err);
    }
    if driver(&devices()) {
        let run = encode("wgpu", "cl100k");
        assert_eq!((run.code, run.out), (0, warpbook(&["tokenizer", "encode", "--vocab", "cl100k_base", "text"]).out));
    }
}
