//! Texts that grow: reading one of twice the length takes at most little more than twice the steps, whatever it
//! repeats.
//!
//! A step is a basic block of the compiled code: LLVM's coverage calls a counter in each. So it needs flags of its own:
//! `tests/grow/run`. `WARPBOOK_GROW` is how many random texts are tried for each reader (default 100), `WARPBOOK_SEED`
//! the first one's seed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod readers;
mod shapes;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use readers::Reader;
use shapes::Shape;

/// Units of the smallest text of a shape.
const UNITS: u32 = 1000;

/// The share of twice the steps by which a text of twice the length may exceed them: `n·log n` at this size exceeds
/// them by a tenth.
const ALLOWED: f64 = 1.25;

/// Steps that a text may take in any case: tables that double, and what is done once.
const FREE: u64 = 2_000_000;

static STEPS: AtomicU64 = AtomicU64::new(0);

/// LLVM's coverage calls this in each basic block; it leaves functions of such a name uncounted.
#[expect(unsafe_code, reason = "the compiler's coverage calls it by this name")]
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_trace_pc() {
    STEPS.fetch_add(1, Relaxed);
}

/// The steps that a reader takes for a text, without those of a library that is known to be slower, and limited for it.
fn steps(reader: &Reader, text: &str) -> u64 {
    let of = |read: fn(&str)| {
        let before = STEPS.load(Relaxed);
        read(text);
        STEPS.load(Relaxed) - before
    };
    let known = reader.known.map_or(0, of);
    of(reader.read).saturating_sub(known)
}

/// The complaint about a shape whose steps grow faster than its text; None if they do not.
fn judge(reader: &Reader, shape: &Shape) -> Option<String> {
    let mut last = steps(reader, &shape.text(UNITS));
    for times in [2, 4] {
        let text = shape.text(times * UNITS);
        let now = steps(reader, &text);
        if now > FREE && now as f64 > last.max(FREE / 4) as f64 * 2.0 * ALLOWED {
            let (bytes, units) = (text.len(), times * UNITS);
            return Some(format!("{shape:?}: {units} units, {bytes} bytes, take {now} steps, half of them {last}"));
        }
        last = now;
    }
    None
}

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().map_or(usual, |text| text.parse().unwrap())
}

/// Tries a reader's shapes, and random ones, each once: what was compiled lately is not compiled again.
fn try_all(reader: &Reader) {
    // One at a time: all threads count together.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let seed = number("WARPBOOK_SEED", 1);
    let random = (seed..seed + number("WARPBOOK_GROW", 100)).map(|seed| shapes::random(reader, seed));
    let mut tried = HashSet::new();
    let all = (reader.shapes)().into_iter().chain(random).filter(|shape| tried.insert(shape.clone()));
    let wrong: Vec<String> = all.filter_map(|shape| judge(reader, &shape)).collect();
    assert!(STEPS.load(Relaxed) > 0, "nothing is counted in this build: run tests/grow/run");
    assert!(wrong.is_empty(), "more than n·log n steps:\n{}", wrong.join("\n"));
}

#[test]
fn ptx() {
    try_all(&readers::PTX);
}

#[test]
fn wgsl() {
    try_all(&readers::WGSL);
}

#[test]
fn own_words() {
    try_all(&readers::WORDS);
}

#[test]
fn journal() {
    try_all(&readers::JOURNAL);
}

#[test]
fn expressions() {
    try_all(&readers::EXPRESSION);
}
