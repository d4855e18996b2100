//! Random kernels on the tracer and on the driver, bit for bit.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Instant;

use warpbook::base::rng;

use super::case::Case;
use super::driver::Driver;
use super::grammar::{self, Features, Kernel};
use super::supervise;

/// Kernels of a run, unless the environment says otherwise.
const COUNT: u64 = 2000;
/// One kernel of this many is drawn a second time with features that not every driver has.
const EXTENDED: u64 = 10;

/// How naga, for tracer and driver alike, refuses one kernel in thousands after it put overrides' values in: an
/// expression of a constant array in a nested block is then emitted twice. Nothing is left to compare.
const BROKEN_OVERRIDES: &str = "can't be introduced - it's already in scope";

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap_or_else(|e| panic!("{name}={value}: {e}")))
}

/// The buffers before a run: `Input`, `Uni`, the digests, and `Store`.
fn buffers(lanes: u32, store_bytes: u32) -> Vec<Vec<u32>> {
    let tame = |seed, i| ((rng::word(seed, i) % 2048) as f32 / 8.0 - 128.0).to_bits();
    let whole = |seed, i: u64| match rng::word(seed, i + 1000) % 3 {
        0 => rng::word(seed, i),
        1 => rng::word(seed, i) % 16,
        _ => 0_u32.wrapping_sub(rng::word(seed, i) % 9),
    };
    let fill = |seed, words: usize, is_float: &dyn Fn(usize) -> bool| {
        let word = |i| if is_float(i) { tame(seed, i as u64) } else { whole(seed, i as u64) };
        (0..words).map(word).collect()
    };
    vec![
        fill(1, grammar::INPUT_WORDS, &|i| grammar::INPUT_FLOATS.contains(&i)),
        fill(2, grammar::UNI_WORDS, &|i| grammar::UNI_FLOATS.iter().any(|r| r.contains(&i))),
        vec![0; lanes as usize],
        vec![0; store_bytes as usize / 4],
    ]
}

/// A sort of kernels, and what runs them.
struct Family<'a> {
    /// The features that they use.
    features: fn(u64) -> Features,
    driver: Option<&'a Driver>,
    warp_width: u32,
}

/// Why the two sides disagree on `kernel`, if they do.
fn disagreement(family: &Family, kernel: &Kernel) -> Option<String> {
    let source = kernel.source();
    let case = Case { source: &source, constants: &kernel.constants, grid: kernel.shape.grid };
    let program = match case.program() {
        Ok(program) => program,
        Err(why) if why.contains(BROKEN_OVERRIDES) => return None,
        Err(why) => return Some(format!("the tracer refuses it: {why}")),
    };
    // A kernel need not use every buffer.
    let store = program.bindings().iter().find(|b| b.binding == 3).map_or(4, |b| b.min_bytes);
    let mut traced = buffers(kernel.shape.lanes(), store);
    let mut other = traced.clone();
    match case.trace(&program, &mut traced, family.warp_width) {
        Ok(findings) if findings.is_empty() => {}
        Ok(findings) => return Some(format!("the tracer finds fault: {findings:?}")),
        Err(why) => return Some(format!("the tracer stops: {why}")),
    }
    let run = match family.driver {
        Some(driver) => driver.run(&case, program.bindings(), &mut other),
        None => case.trace(&program, &mut other, 8).map(|_| ()),
    };
    if let Err(why) = run {
        return Some(format!("the other side refuses it: {why}"));
    }
    // The sign of a zero is open.
    let half = kernel.features.half;
    let plain = |x: u32| match x {
        0x8000_0000 => 0,
        _ if half => [x & 0xFFFF, x & 0xFFFF_0000].into_iter().filter(|h| !matches!(h, 0x8000 | 0x8000_0000)).sum(),
        _ => x,
    };
    let same = |(a, b): (&u32, &u32)| plain(*a) == plain(*b);
    for buffer in [2, 3] {
        let wrong = traced[buffer].iter().zip(&other[buffer]).position(|pair| !same(pair));
        if let Some(at) = wrong {
            let (a, b) = (traced[buffer][at], other[buffer][at]);
            let what = if buffer == 2 { "the digests" } else { "the store" };
            return Some(format!("in {what}, word {at}: the tracer has {a:#x}, the other side {b:#x}"));
        }
    }
    None
}

/// The fault of the kernel of `seed`, with as few statements as still cause a disagreement of the same kind.
fn report(family: &Family, seed: u64) -> Option<String> {
    let sort = |why: &str| why.split([':', ',']).next().unwrap_or_default().to_owned();
    let features = (family.features)(seed);
    let mut skip = BTreeSet::new();
    let mut best = grammar::kernel(seed, features, &skip);
    let mut why = disagreement(family, &best)?;
    for n in 0..best.statements {
        skip.insert(n);
        let smaller = grammar::kernel(seed, features, &skip);
        match disagreement(family, &smaller) {
            Some(still) if sort(&still) == sort(&why) => (best, why) = (smaller, still),
            _ => _ = skip.remove(&n),
        }
    }
    Some(format!("seed {seed}, a grid of {:?}: {why}\n{:?}\n{}", best.shape.grid, best.constants, best.source()))
}

/// Runs `count` kernels of a family on both sides, in processes of test `name`.
fn compare(name: &str, count: u64, against: &str, environment: &[(&str, &str)]) {
    let (first, started) = (setting("WARPBOOK_SEED", 0), Instant::now());
    let outcome = supervise::supervised(name, first..first + count, environment);
    let seconds = started.elapsed().as_secs_f64();
    let mut err = std::io::stderr();
    writeln!(err, "{count} kernels on the tracer and {against}: {seconds:.1} s").unwrap();
    if !outcome.crashes.is_empty() {
        writeln!(err, "the driver crashed at these, which say nothing of the tracer: {:?}", outcome.crashes).unwrap();
    }
    assert!(outcome.wrong.is_empty(), "{}", outcome.wrong);
    assert!(outcome.crashes.len() as u64 * 20 <= count, "the driver crashed too often to have been compared");
}

#[test]
fn kernels_compute_the_same_on_the_tracer_and_the_driver() {
    let driver = Driver::open();
    let family = Family { features: |_| Features::default(), driver: driver.as_ref().ok(), warp_width: 32 };
    if supervise::is_part(|seed| report(&family, seed)) {
        return;
    }
    let against = match driver {
        Ok(driver) => driver.name,
        Err(why) => {
            assert!(std::env::var_os("WARPBOOK_REQUIRE_GPU").is_none(), "a driver is required here: {why}");
            format!("itself with warps of 8 lanes, since there is no driver here: {why}")
        }
    };
    let name = "random::kernels_compute_the_same_on_the_tracer_and_the_driver";
    compare(name, setting("WARPBOOK_DIFFERENTIAL", COUNT), &against, &[super::UNOPTIMISED, super::NARROW]);
}

#[test]
fn kernels_with_subgroups_and_halves_compute_the_same() {
    let driver = Driver::open();
    let warp_width = driver.as_ref().map_or(8, |driver| driver.subgroup[1]);
    let features = |seed| Features { subgroups: seed % 3 != 0, half: seed % 3 != 1 };
    let family = Family { features, driver: driver.as_ref().ok(), warp_width };
    if supervise::is_part(|seed| report(&family, seed)) {
        return;
    }
    let against = match driver {
        Ok(driver) if driver.is_extended() => format!("{} with subgroups and halves", driver.name),
        missing => {
            assert!(
                std::env::var_os("WARPBOOK_REQUIRE_GPU").is_none(),
                "a driver with subgroups and halves is required here"
            );
            let why =
                missing.err().unwrap_or("the driver has no f16, or no subgroups of one size from 8 to 64".to_owned());
            writeln!(std::io::stderr(), "subgroups and halves are not compared here: {why}").unwrap();
            return;
        }
    };
    let name = "random::kernels_with_subgroups_and_halves_compute_the_same";
    compare(name, setting("WARPBOOK_DIFFERENTIAL", COUNT) / EXTENDED, &against, &[super::UNOPTIMISED, super::WIDE]);
}
