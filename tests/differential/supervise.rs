//! Work with a driver, in processes of its own: compilers of drivers crash.

use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::process::{Command, Stdio};

/// Processes that share a run.
const PARTS: u64 = 2;
/// The variable that tells a process which items are its own.
const PART: &str = "WARPBOOK_DIFFERENTIAL_PART";
/// The prefix of an item's number on such a process's standard output.
const AT: &str = "@item ";
/// The prefix of each line of a report there.
const WRONG: &str = "@wrong ";

/// The outcome of a run.
#[derive(Default)]
pub struct Outcome {
    /// The problem in words.
    pub wrong: String,
    /// Items that killed the driver.
    pub crashes: Vec<u64>,
}

/// In a process that [`supervised`] started: works on its items, and says on standard output which one is at work and
/// what `work` reports. Elsewhere: gives `false` at once.
pub fn is_part(mut work: impl FnMut(u64) -> Option<String>) -> bool {
    let Ok(range) = std::env::var(PART) else { return false };
    let mut out = std::io::stdout();
    let (first, end) = range.split_once(' ').unwrap();
    let (first, end): (u64, u64) = (first.parse().unwrap(), end.parse().unwrap());
    for item in (first..end).step_by(PARTS as usize) {
        writeln!(out, "{AT}{item}").unwrap();
        for line in work(item).iter().flat_map(|report| report.lines()) {
            writeln!(out, "{WRONG}{line}").unwrap();
        }
    }
    writeln!(out, "{AT}end").unwrap();
    true
}

/// Lets processes of `test` work on `items`, with `environment` set; after a crash, the next process continues after
/// the item.
pub fn supervised(test: &str, items: Range<u64>, environment: &[(&str, &str)]) -> Outcome {
    let parts: Vec<Outcome> = std::thread::scope(|scope| {
        let part = |n| part(test, items.start + n..items.end, environment);
        let parts: Vec<_> = (0..PARTS).map(|n| scope.spawn(move || part(n))).collect();
        parts.into_iter().map(|part| part.join().unwrap()).collect()
    });
    let crashes = parts.iter().flat_map(|part| part.crashes.clone()).collect();
    Outcome { wrong: parts.into_iter().map(|part| part.wrong).collect(), crashes }
}

fn part(test: &str, mut items: Range<u64>, environment: &[(&str, &str)]) -> Outcome {
    let mut outcome = Outcome::default();
    while !items.is_empty() {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", test, "--nocapture"])
            .env(PART, format!("{} {}", items.start, items.end))
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut at = None;
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            let line = line.unwrap();
            // The test's own name may precede the first item, and remarks of its runner may be between items.
            if let Some((_, item)) = line.split_once(AT) {
                at = Some(item.parse::<u64>().unwrap_or(items.end));
            } else if let Some(report) = line.strip_prefix(WRONG) {
                outcome.wrong += &format!("{report}\n");
            }
        }
        let status = child.wait().unwrap();
        let at = at.unwrap_or_else(|| panic!("no item was worked on: {status}"));
        if at < items.end {
            // A panic is ours; a signal is the driver's.
            assert!(status.code().is_none(), "item {at}: {status}");
            outcome.crashes.push(at);
        }
        items.start = at + PARTS;
    }
    outcome
}
