//! Random kernels on the tracer and on the graphics driver: both have to compute the same, bit for bit.
//!
//! `WARPBOOK_DIFFERENTIAL` is how many kernels run (default 500) and `WARPBOOK_SEED` the first one's seed. Without a driver the
//! tracer is compared with itself at another warp width; where `WARPBOOK_REQUIRE_GPU` is set there must be one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod driver;
mod grammar;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use driver::Driver;
use grammar::Kernel;
use warpbook::base::rng;
use warpbook::base::tensor::{Elem, Tensor};
use warpbook::job::TraceSpec;
use warpbook::simt::{self, Options, Program};

/// Kernels of a run, unless the environment says otherwise.
const COUNT: u64 = 500;
/// Processes that share a run.
const PARTS: u64 = 2;
/// The variable that tells a process which seeds are its own.
const PART: &str = "WARPBOOK_DIFFERENTIAL_PART";
/// What stands before a seed on such a process's standard output.
const AT: &str = "@kernel ";
/// What stands before each line of a report there.
const WRONG: &str = "@wrong ";
/// This test.
const NAME: &str = "random_kernels_compute_the_same_on_the_tracer_and_the_driver";
const GROUPS: u32 = 2;
/// Sizes of workgroups: whole warps, a warp cut off, and fewer lanes than a warp.
const SIZES: [u32; 4] = [64, 48, 100, 20];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap_or_else(|e| panic!("{name}={value}: {e}")))
}

/// The buffers before a run: `Input`, `Uni`, the digests, and `Store`.
fn buffers(size: u32, store_bytes: u32) -> Vec<Vec<u32>> {
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
        vec![0; (size * GROUPS) as usize],
        vec![0; store_bytes as usize / 4],
    ]
}

fn trace(program: &Program, buffers: &mut [Vec<u32>], warp_width: u32) -> Result<(), String> {
    let mut tensors: Vec<Tensor> =
        buffers.iter().map(|words| Tensor { elem: Elem::U32, words: words.clone() }).collect();
    let spec = TraceSpec { warp_width, ..TraceSpec::default() };
    let options = Options { spec, threads: Some(1), count: true, ..Options::default() };
    let outcome = simt::run(program, &mut tensors, [GROUPS, 1, 1], &options, &AtomicBool::new(false), &|_, _| {});
    let trace = outcome.map_err(|e| e.to_string())?.trace;
    if !trace.complete || !trace.findings.is_empty() {
        return Err(format!("findings: {:?}", trace.findings));
    }
    for (words, tensor) in buffers.iter_mut().zip(tensors) {
        *words = tensor.words;
    }
    Ok(())
}

/// Why the two sides disagree on `kernel`, if they do.
fn disagreement(driver: Option<&Driver>, kernel: &Kernel, size: u32) -> Option<String> {
    let source = grammar::module(kernel, size, GROUPS);
    let program = match Program::compile("kernel.wgsl", &source, "main", &[]) {
        Ok(program) => program,
        Err(why) => return Some(format!("the tracer refuses it: {}", why[0])),
    };
    // A kernel need not use every buffer.
    let bindings: Vec<usize> = program.bindings().iter().map(|b| b.binding as usize).collect();
    let store = program.bindings().iter().find(|b| b.binding == 3).map_or(4, |b| b.min_bytes);
    let before = buffers(size, store);
    let on_tracer = |warp_width| {
        let mut used: Vec<Vec<u32>> = bindings.iter().map(|b| before[*b].clone()).collect();
        trace(&program, &mut used, warp_width)?;
        let mut all = before.clone();
        bindings.iter().zip(used).for_each(|(b, words)| all[*b] = words);
        Ok::<_, String>(all)
    };
    let traced = match on_tracer(32) {
        Ok(traced) => traced,
        Err(why) => return Some(format!("the tracer stops: {why}")),
    };
    let other = match driver {
        Some(driver) => {
            let mut device = before.clone();
            driver.run(&source, &mut device, GROUPS).map(|()| device)
        }
        None => on_tracer(8),
    };
    let other = match other {
        Ok(other) => other,
        Err(why) => return Some(format!("the other side refuses it: {why}")),
    };
    // The sign of a zero is open.
    let same = |(a, b): (&u32, &u32)| a == b || (a | b) == 0x8000_0000;
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

/// The kernel of `seed` with as few statements as still bring about a disagreement of the same sort; its report.
fn reduced(driver: Option<&Driver>, seed: u64, size: u32, why: String) -> String {
    let sort = |why: &str| why.split([':', ',']).next().unwrap_or_default().to_owned();
    let mut skip = BTreeSet::new();
    let (mut best, mut why) = (grammar::kernel(seed, &skip), why);
    for n in 0..best.statements {
        skip.insert(n);
        let smaller = grammar::kernel(seed, &skip);
        match disagreement(driver, &smaller, size) {
            Some(still) if sort(&still) == sort(&why) => (best, why) = (smaller, still),
            _ => _ = skip.remove(&n),
        }
    }
    format!("seed {seed}, workgroups of {size}: {why}\n{}", grammar::module(&best, size, GROUPS))
}

/// Runs every `PARTS`-th kernel from `first` to `end`, and says on standard output which one is at work and what went wrong.
fn part(first: u64, end: u64) {
    let driver = Driver::open().ok();
    let mut out = std::io::stdout();
    for seed in (first..end).step_by(PARTS as usize) {
        writeln!(out, "{AT}{seed}").unwrap();
        let size = SIZES[(seed / SIZES.len() as u64 % SIZES.len() as u64) as usize];
        if let Some(why) = disagreement(driver.as_ref(), &grammar::kernel(seed, &BTreeSet::new()), size) {
            for line in reduced(driver.as_ref(), seed, size, why).lines() {
                writeln!(out, "{WRONG}{line}").unwrap();
            }
        }
    }
    writeln!(out, "{AT}end").unwrap();
}

/// What came of one part of the run.
#[derive(Default)]
struct Outcome {
    wrong: String,
    /// Seeds of kernels that killed the driver.
    crashes: Vec<u64>,
}

/// Runs a part in processes of its own, since compilers of drivers crash: whenever one did, the next goes on behind the kernel.
fn supervised(mut first: u64, end: u64) -> Outcome {
    let mut outcome = Outcome::default();
    while first < end {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", NAME, "--nocapture"])
            .env(PART, format!("{first} {end}"))
            // The software driver's compiler then takes half as long, and LLVM 15's does not crash in its register allocation.
            .env("GALLIVM_PERF", "nopt")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut at = None;
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            // The test's own name may stand before the first seed, and remarks of its runner between.
            if let Some((_, seed)) = line.split_once(AT) {
                at = Some(seed.parse::<u64>().unwrap_or(end));
            } else if let Some(report) = line.strip_prefix(WRONG) {
                outcome.wrong += &format!("{report}\n");
            }
        }
        let status = child.wait().unwrap();
        let at = at.unwrap_or_else(|| panic!("no kernel was run: {status}"));
        if at < end {
            // A panic is ours; a signal is the driver's.
            assert!(status.code().is_none(), "seed {at}: {status}");
            outcome.crashes.push(at);
        }
        first = at + PARTS;
    }
    outcome
}

#[test]
fn random_kernels_compute_the_same_on_the_tracer_and_the_driver() {
    if let Ok(range) = std::env::var(PART) {
        let (first, end) = range.split_once(' ').unwrap();
        return part(first.parse().unwrap(), end.parse().unwrap());
    }
    let (count, first) = (setting("WARPBOOK_DIFFERENTIAL", COUNT), setting("WARPBOOK_SEED", 0));
    let started = Instant::now();
    let against = match Driver::open() {
        Ok(driver) => driver.name,
        Err(why) => {
            assert!(std::env::var_os("WARPBOOK_REQUIRE_GPU").is_none(), "a driver is required here: {why}");
            format!("itself with warps of 8 lanes, since there is no driver here: {why}")
        }
    };
    let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..PARTS).map(|n| scope.spawn(move || supervised(first + n, first + count))).collect();
        parts.into_iter().map(|part| part.join().unwrap()).collect()
    });
    let seconds = started.elapsed().as_secs_f64();
    let crashes: Vec<u64> = outcomes.iter().flat_map(|o| o.crashes.clone()).collect();
    let mut err = std::io::stderr();
    writeln!(err, "{count} kernels on the tracer and {against}: {seconds:.1} s").unwrap();
    if !crashes.is_empty() {
        writeln!(err, "the driver crashed at these, which say nothing of the tracer: {crashes:?}").unwrap();
    }
    let wrong: String = outcomes.into_iter().map(|o| o.wrong).collect();
    assert!(wrong.is_empty(), "{wrong}");
    assert!(crashes.len() as u64 * 20 <= count, "the driver crashed too often to have been compared");
}
