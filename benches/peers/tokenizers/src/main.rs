//! Warpbook's tokenizer beside `bpe-openai`, `tiktoken-rs` and Hugging Face's `tokenizers`: the same text, in memory,
//! on all cores, in one process.
//!
//!     cargo run --release --manifest-path benches/peers/tokenizers/Cargo.toml -- TEXT [encode|train]
//!
//! Peers that work on one core get parts of 64 KiB that end with a line, one after the other on each core. Each is
//! timed three times, in turn, and the median is printed. Ids and merges are compared, where both sides promise the
//! same.

use std::cell::RefCell;
use std::time::Instant;

use rayon::prelude::*;
use tokenizers::decoders::DecoderWrapper;
use tokenizers::models::bpe::{BPE, BpeTrainerBuilder};
use tokenizers::normalizers::NormalizerWrapper;
use tokenizers::pre_tokenizers::PreTokenizerWrapper;
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::{PostProcessorWrapper, SplitDelimiterBehavior, TokenizerImpl};
use warpbook::gpu::tokenizer::encode::encoding_on;
use warpbook::gpu::tokenizer::train::{Goal, training_on};
use warpbook::tokenizer::count::Pieces;
use warpbook::tokenizer::encode::{encode, encode_parts};
use warpbook::tokenizer::train::train;
use warpbook::tokenizer::{Pattern, Ties, rank_file};
use warpbook::trace::record::Backend;

const ROUNDS: usize = 3;

/// Devices, each with a name for its rows.
const DEVICES: [(Backend, &str); 2] = [(Backend::Cuda, "warpbook cuda"), (Backend::Wgpu, "warpbook wgpu")];

fn main() {
    let path = std::env::args().nth(1).expect("a text file");
    let only = std::env::args().nth(2);
    let wanted = |what: &str| only.as_deref().is_none_or(|only| only == what);
    let text = std::fs::read_to_string(&path).expect("a text in UTF-8");
    let parts = lines(&text, 64 << 10);
    println!("{} bytes, {} cores", text.len(), rayon::current_num_threads());
    if wanted("encode") {
        encoding(&text, &parts);
    }
    if wanted("train") {
        for size in [512, 32_768] {
            training(&text, &parts, size);
        }
    }
}

/// Parts of at least `size` bytes that end with a line.
fn lines(text: &str, size: usize) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, _) in text.match_indices('\n') {
        if at - from >= size {
            parts.push(&text[from..=at]);
            from = at + 1;
        }
    }
    parts.push(&text[from..]);
    parts
}

/// Runs each in turn, prints the median of their seconds, and what each gave at last.
fn compare<T>(what: &str, bytes: usize, each: &[(&str, &dyn Fn() -> T)]) -> Vec<T> {
    let mut times = vec![Vec::new(); each.len()];
    let mut results = Vec::new();
    for _ in 0..ROUNDS {
        results.clear();
        for ((_, run), times) in each.iter().zip(&mut times) {
            let start = Instant::now();
            results.push(run());
            times.push(start.elapsed().as_secs_f64());
        }
    }
    for ((name, _), times) in each.iter().zip(&mut times) {
        times.sort_by(f64::total_cmp);
        let [least, median, most] = [times[0], times[ROUNDS / 2], times[ROUNDS - 1]];
        println!("{what}  {name:<14} {median:.3} s ({least:.3} to {most:.3})  {:.1} MB/s", bytes as f64 / 1e6 / median);
    }
    results
}

fn encoding(text: &str, parts: &[&str]) {
    let ours = rank_file::built_in("cl100k_base").expect("is built in").expect("is sound");
    let tiktoken = tiktoken_rs::cl100k_base().expect("is built in");
    let openai = bpe_openai::cl100k_base();
    let counts = compare("encode, cl100k", text.len(), &[
        ("warpbook", &|| encode_parts(&ours, Pattern::Cl100k, text).iter().map(Vec::len).sum::<usize>()),
        ("bpe-openai", &|| parts.par_iter().map(|part| openai.encode(part).len()).sum::<usize>()),
        ("tiktoken-rs", &|| parts.par_iter().map(|part| tiktoken.encode_ordinary(part).len()).sum::<usize>()),
    ]);
    // Parts end with lines, where a run of white space may be cut that our own parts keep whole.
    println!("    ids: {counts:?}");
    let whole = tiktoken.encode_ordinary(parts[0]);
    assert!(encode(&ours, Pattern::Cl100k, parts[0]).iter().eq(&whole), "ids differ");
    let of_cores = encode(&ours, Pattern::Cl100k, text);
    for (backend, name) in DEVICES {
        let start = Instant::now();
        let encoded = encoding_on(backend, &ours, Pattern::Cl100k, text.len(), |device| {
            println!("    {name} is ready after {:.2} s", start.elapsed().as_secs_f64());
            let device = RefCell::new(device);
            let ids = || device.borrow_mut().encode(text).expect("the device encodes");
            assert!(ids().concat() == of_cores, "ids differ");
            compare("encode, cl100k", text.len(), &[(name, &|| ids().iter().map(Vec::len).sum::<usize>())]);
            Ok(())
        });
        if let Err(why) = encoded {
            println!("    {name}: {why}");
        }
    }
}

type HuggingFace =
    TokenizerImpl<BPE, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

fn training(text: &str, parts: &[&str], size: usize) {
    let ours = || {
        let start = Instant::now();
        let mut pieces = Pieces::default();
        pieces.add(Pattern::Cl100k, text);
        let pieces = pieces.in_order();
        let counted = start.elapsed().as_secs_f64();
        let merges = train(&pieces, size, Ties::Smallest, |_| ()).expect("a text of this size").len();
        println!("    {} different pieces in {counted:.3} s, merges after {:.3} s", pieces.len(), start.elapsed().as_secs_f64());
        merges
    };
    let theirs = || {
        let pattern = SplitPattern::Regex(Pattern::Cl100k.expression().expect("has one").to_owned());
        let split = Split::new(pattern, SplitDelimiterBehavior::Isolated, false).expect("a pattern");
        let steps = vec![split.into(), ByteLevel::new(false, false, false).into()];
        let mut tokenizer: HuggingFace = TokenizerImpl::new(BPE::default());
        tokenizer.with_pre_tokenizer(Some(PreTokenizerWrapper::Sequence(Sequence::new(steps))));
        let alphabet = ByteLevel::alphabet().into_iter().collect();
        let mut trainer = BpeTrainerBuilder::new().vocab_size(size).show_progress(false).initial_alphabet(alphabet).build();
        tokenizer.train(&mut trainer, parts.iter().map(|part| (*part).to_owned())).expect("trains");
        tokenizer.get_vocab_size(false) - 256
    };
    let what = format!("train to {size}");
    let merges = compare(&what, text.len(), &[("warpbook", &ours), ("tokenizers", &theirs)]);
    println!("    merges: {merges:?}");
    let mut pieces = Pieces::default();
    pieces.add(Pattern::Cl100k, text);
    let of_cores = train(&pieces.in_order(), size, Ties::Smallest, |_| ()).expect("a text of this size");
    for (backend, name) in DEVICES {
        let goal = Goal { pattern: Pattern::Cl100k, ties: Ties::Smallest, size };
        let start = Instant::now();
        let trained = training_on(backend, goal, text.len(), |device| {
            println!("    {name} is ready after {:.2} s", start.elapsed().as_secs_f64());
            let device = RefCell::new(device);
            let merges = || device.borrow_mut().train(&[text], &mut |_| ()).expect("the device trains");
            assert!(merges() == of_cores, "merges differ");
            compare(&what, text.len(), &[(name, &|| merges().len())]);
            Ok(())
        });
        if let Err(why) = trained {
            println!("    {name}: {why}");
        }
    }
}
