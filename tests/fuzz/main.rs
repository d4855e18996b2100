//! Any text at all, WGSL or PTX: the tracer compiles and runs what random changes make of the corpus, and never panics,
//! hangs or takes all memory.
//!
//! `WARPBOOK_FUZZ` is how many texts are tried (default 2000) and `WARPBOOK_SEED` the first one's seed. They run in
//! processes of this test's own, so that a crash or a hang costs one of them. What fails is made as small as still
//! fails in the same way, and printed as a file for `tests/corpus/`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod assembly;
mod judge;
mod mutate;
mod reduce;
mod shapes;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use judge::Verdict;
use mutate::Corpus;

/// Texts of a run, unless the environment says otherwise.
const COUNT: u64 = 2000;
/// Processes that share a run.
const PARTS: u64 = 2;
/// How long one text may take. Most take milliseconds, and other programs may run beside.
const PATIENCE: Duration = Duration::from_secs(20);
/// The variable that tells a process what is its own: seeds as `first end`, or a file.
const PART: &str = "WARPBOOK_FUZZ_PART";
/// The prefix of a seed on such a process's standard output.
const AT: &str = "@text ";
/// The prefix of its outcome.
const VERDICT: &str = "@verdict ";

/// A language with the test that tries texts in it.
#[derive(Clone, Copy)]
struct Language {
    /// The test's name.
    test: &'static str,
    /// How files in it end.
    ending: &'static str,
    /// Reads the corpus, and gives what makes the text of a seed.
    texts: fn() -> Box<dyn Fn(u64) -> String>,
    judge: fn(&str, u64) -> Verdict,
}

const WGSL: Language = Language {
    test: "no_text_brings_the_tracer_down",
    ending: "wgsl",
    texts: || {
        let corpus = Corpus::read();
        // Now and then a large one of a known shape, else a changed piece of the corpus.
        Box::new(move |seed| if seed % 50 == 7 { shapes::text(seed / 50) } else { corpus.text(seed) })
    },
    judge: judge::judge,
};

const PTX: Language = Language {
    test: "no_ptx_brings_the_tracer_down",
    ending: "ptx",
    texts: || {
        let corpus = assembly::Corpus::read();
        Box::new(move |seed| corpus.text(seed))
    },
    judge: judge::judge_ptx,
};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |value| value.parse().unwrap_or_else(|e| panic!("{name}={value}: {e}")))
}

/// Tries what `part` names, one text after the other, and says on standard output which, and what came of it.
fn part(part: &str, language: Language) {
    judge::listen_for_panics();
    let mut out = std::io::stdout();
    let mut say = |line: String| out.write_all(format!("\n{line}\n").as_bytes()).unwrap();
    let mut try_one = |seed: u64, text: &str| {
        say(format!("{AT}{seed}"));
        say(format!("{VERDICT}{}", (language.judge)(text, seed).line()));
    };
    if let Some((first, end)) = part.split_once(' ') {
        let text_of = (language.texts)();
        for seed in (first.parse::<u64>().unwrap()..end.parse().unwrap()).step_by(PARTS as usize) {
            try_one(seed, &text_of(seed));
        }
    } else {
        try_one(0, &std::fs::read_to_string(part).unwrap());
    }
    say(format!("{AT}end"));
}

/// A process that tries texts.
struct Trial {
    child: Child,
    lines: Receiver<String>,
}

impl Trial {
    fn start(part: &str, language: Language) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", language.test, "--nocapture"])
            .env(PART, part)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    /// The seed that is tried next and what comes of it; none at the end.
    fn next(&mut self) -> Option<(u64, Verdict)> {
        let mut at = None;
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line == format!("{AT}end") => {
                    _ = self.child.wait();
                    return None;
                }
                Ok(line) => {
                    if let Some(seed) = line.strip_prefix(AT) {
                        at = seed.parse().ok();
                    } else if let (Some(verdict), Some(seed)) = (line.strip_prefix(VERDICT), at) {
                        return Some((seed, Verdict::of_line(verdict)));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    _ = self.child.kill();
                    _ = self.child.wait();
                    let what = format!("it takes longer than {} s", PATIENCE.as_secs());
                    return Some((at.unwrap_or(0), Verdict::wrong("slow", &what)));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.child.wait().unwrap();
                    let seed = at.unwrap_or_else(|| panic!("nothing was tried: {status}"));
                    return Some((seed, Verdict::wrong("crash", &status.to_string())));
                }
            }
        }
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Tries `text` alone.
fn try_alone(text: &str, file: &PathBuf, language: Language) -> Verdict {
    std::fs::write(file, text).unwrap();
    Trial::start(&file.to_string_lossy(), language)
        .next()
        .map_or_else(|| Verdict::wrong("crash", "it said nothing"), |(_, verdict)| verdict)
}

/// The outcomes of some texts: how often each, and the faults.
#[derive(Default)]
struct Outcome {
    counts: BTreeMap<&'static str, u64>,
    wrong: Vec<(u64, Verdict)>,
}

/// Tries every `PARTS`-th seed from `first` to `end`; after a text that crashes its process, the next process
/// continues.
fn supervised(mut first: u64, end: u64, language: Language) -> Outcome {
    let mut outcome = Outcome::default();
    while first < end {
        let mut trial = Trial::start(&format!("{first} {end}"), language);
        first = end;
        while let Some((seed, verdict)) = trial.next() {
            *outcome.counts.entry(verdict.name()).or_default() += 1;
            let died = verdict.is_end();
            if verdict.sort().is_some() {
                outcome.wrong.push((seed, verdict));
            }
            if died {
                first = seed + PARTS;
                break;
            }
        }
    }
    outcome
}

#[test]
fn no_text_brings_the_tracer_down() {
    all(WGSL);
}

#[test]
fn no_ptx_brings_the_tracer_down() {
    all(PTX);
}

/// Tries texts in a language.
fn all(language: Language) {
    if let Ok(which) = std::env::var(PART) {
        return part(&which, language);
    }
    let (count, first) = (setting("WARPBOOK_FUZZ", COUNT), setting("WARPBOOK_SEED", 0));
    let started = Instant::now();
    let outcomes: Vec<Outcome> = std::thread::scope(|scope| {
        let parts: Vec<_> =
            (0..PARTS).map(|n| scope.spawn(move || supervised(first + n, first + count, language))).collect();
        parts.into_iter().map(|part| part.join().unwrap()).collect()
    });
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    outcomes.iter().flat_map(|o| &o.counts).for_each(|(name, n)| *counts.entry(name).or_default() += n);
    let seconds = started.elapsed().as_secs_f64();
    let line = format!("{count} texts of {} in {seconds:.1} s: {counts:?}\n", language.ending);
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    let text_of = (language.texts)();
    let mut sorts: BTreeMap<String, (u64, String)> = BTreeMap::new();
    for (seed, verdict) in outcomes.into_iter().flat_map(|o| o.wrong) {
        if let Some(sort) = verdict.sort() {
            // One of each sort is enough to begin with.
            sorts.entry(sort.to_owned()).or_insert((seed, verdict.line()));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let mut report = String::new();
    for (sort, (seed, line)) in &sorts {
        let file = folder.path().join(format!("text.{}", language.ending));
        let small = reduce::reduce(&text_of(*seed), |text| try_alone(text, &file, language).sort() == Some(sort));
        report += &format!("seed {seed}: {line}\n--- as a file ---\n{small}\n--- end ---\n");
    }
    assert!(report.is_empty(), "{report}");
    assert_eq!(counts.values().sum::<u64>(), count, "some texts were not tried");
    // Changes that only ever give nonsense would try nothing but the parser.
    let ran = counts.get("ran").copied().unwrap_or(0);
    assert!(ran * 10 >= count || count < 100, "only {ran} of {count} texts ran");
}

#[test]
fn failures_are_noticed_and_made_small() {
    let nobody = |text: &str| judge::judge(text, 0);
    assert_eq!(nobody("").name(), "refused");
    assert_eq!(nobody("@compute @workgroup_size(1) fn main() {}").name(), "ran");
    assert_eq!(nobody("fn").name(), "rejected");
    assert_eq!(
        judge::after_panic("src/simt/x.rs:1:1: oops", true).map(|c| c.line()).as_deref(),
        Some("wrong panic at src/simt/x.rs:1:1: oops")
    );
    assert!(judge::after_panic("registry/naga-30.0.1/src/x.rs:1:1: oops", true).is_none());
    assert!(judge::after_panic("registry/naga-30.0.1/src/x.rs:1:1: oops", false).is_some());
    let text = "fn a() { b(1, 2); }\nfn c() { wanted(3, here); }\nfn d() {}\n";
    assert_eq!(reduce::reduce(text, |t| t.contains("wanted") && t.contains("here")), "wantedhere");
}
