//! Profiles: figures of single runs from outside the pack's experiments, such as a profiler's counters, kept in
//! `assets/profiles/`.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;

use crate::base::diag::{Diagnostic, did_you_mean};
use crate::base::versioned::Versioned;
use crate::lesson::{Pack, PackFiles};

/// Where a pack's profiles are.
pub const FOLDER: &str = "assets/profiles";

/// How a profile's file is read.
const FILE: Versioned = Versioned {
    what: "profile",
    version: 1,
    unreadable: "compare with the built-in ones, in assets/profiles/",
    other_version: "use the program that it was written for",
};

/// Figures observed on a device, on one day and with one command.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The file's name without its ending.
    #[serde(skip)]
    pub id: String,
    /// The version of the file's format.
    pub format_version: u32,
    /// The device's name, as its driver gives it.
    pub device: String,
    /// The driver's name and version.
    pub driver: String,
    /// The day, as YYYY-MM-DD.
    pub date: String,
    /// The command that gave the figures.
    pub command: String,
    /// How they were taken, for readers.
    pub how: String,
    pub runs: Vec<Run>,
}

/// One kernel at some settings.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The run's name in quotes.
    pub id: String,
    /// The lesson that the kernel is from; empty for a kernel from elsewhere.
    #[serde(default)]
    pub lesson: String,
    pub kernel: String,
    /// Parameters by id.
    pub set: BTreeMap<String, f64>,
    /// The counters that were read.
    pub counters: Vec<Counter>,
}

/// A figure: its name, its value, and its unit.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "(String, f64, String)")]
pub struct Counter {
    /// Its name in quotes.
    pub name: String,
    /// Its value, in the unit without a prefix.
    pub value: f64,
    /// The unit: "s", "B/s"; empty for a count.
    pub unit: String,
}

impl TryFrom<(String, f64, String)> for Counter {
    type Error = String;

    fn try_from((name, value, unit): (String, f64, String)) -> Result<Self, String> {
        if !value.is_finite() || value < 0.0 {
            return Err(format!("`{name}` is {value}, which cannot be"));
        }
        Ok(Self { name, value, unit })
    }
}

impl Profile {
    /// Its device and date: "NVIDIA H100 80GB HBM3, 2026-11-21".
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}, {}", self.device, self.date)
    }

    #[must_use]
    pub fn run(&self, id: &str) -> Option<&Run> {
        self.runs.iter().find(|run| run.id == id)
    }

    /// Its lessons, kernels and parameters that the pack does not have, as warnings about `file`.
    fn strangers(&self, file: &str, pack: &Pack) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for run in self.runs.iter().filter(|run| !run.lesson.is_empty()) {
            let mut said = |what: String, hint: String| {
                let message = format!("the run `{}` is of {what}, which the pack has not", run.id);
                found.push(Diagnostic::warning(message).in_file(file).hint(hint));
            };
            let Some(lesson) = pack.lessons.iter().find(|lesson| lesson.id == run.lesson) else {
                let known = pack.lessons.iter().map(|lesson| lesson.id.as_str());
                said(format!("a lesson `{}`", run.lesson), did_you_mean(&run.lesson, known));
                continue;
            };
            if lesson.kernel(&run.kernel).is_none() {
                let known = lesson.kernels.iter().map(|kernel| kernel.id.as_str());
                said(format!("a kernel `{}`", run.kernel), did_you_mean(&run.kernel, known));
            }
            for id in run.set.keys().filter(|id| lesson.param(id).is_none()) {
                let known = lesson.params.iter().map(|param| param.id.as_str());
                said(format!("a parameter `{id}`"), did_you_mean(id, known));
            }
        }
        found
    }
}

/// Parses the text of a profile's file; `id` becomes the profile's id.
///
/// # Errors
/// The first mistake, at its line and column: RON that cannot be read, a version or field of another program, a figure
/// that cannot be, a name that is there twice or cannot be used in a quote.
pub fn read(id: &str, file: &str, text: &str) -> Result<Profile, Diagnostic> {
    let profile: Profile = FILE.read(file, text)?;
    let at = |name: &str, nth: usize, message: String, hint: &str| {
        let offset = text.match_indices(&format!("\"{name}\"")).nth(nth).map_or(0, |(offset, _)| offset);
        Diagnostic::error(message).at(file, text, &(offset..offset)).hint(hint)
    };
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let counters = || profile.runs.iter().flat_map(|run| &run.counters).map(|counter| &counter.name);
    if let Some(name) = profile.runs.iter().map(|run| &run.id).chain(counters()).find(|name| !is_name(name)) {
        let hint = "names are letters, digits and `_`, beginning with a letter";
        return Err(at(name, 0, format!("`{name}` cannot be named in a quote"), hint));
    }
    let mut runs = HashSet::new();
    for run in &profile.runs {
        if !runs.insert(&run.id) {
            return Err(at(&run.id, 1, format!("the run `{}` is here twice", run.id), "give each an id of its own"));
        }
        let mut names = HashSet::new();
        if let Some(twice) = run.counters.iter().find(|counter| !names.insert(&counter.name)) {
            let message = format!("the run `{}` has `{}` twice", run.id, twice.name);
            return Err(at(&run.id, 0, message, "keep one of them"));
        }
    }
    Ok(Profile { id: id.to_owned(), ..profile })
}

/// A pack's profiles in the order of their names, and the problems of their files.
#[must_use]
pub fn load(files: &PackFiles, pack: &Pack) -> (Vec<Profile>, Vec<Diagnostic>) {
    let (mut profiles, mut problems) = (Vec::new(), Vec::new());
    for path in files.list(FOLDER) {
        let name = path.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/'));
        let Some(id) = name.and_then(|name| name.strip_suffix(".ron")) else { continue };
        let file = files.display(&path);
        match files.require(&path).and_then(|text| read(id, &file, &text)) {
            Ok(profile) => {
                problems.extend(profile.strangers(&file, pack));
                profiles.push(profile);
            }
            Err(problem) => problems.push(problem),
        }
    }
    (profiles, problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session;

    const GOOD: &str = "(\n    format_version: 1, device: \"D\", driver: \"1\", date: \"2026-11-21\", command: \"ncu\", how: \"once\",\n    \
                        runs: [\n        (id: \"narrow\", lesson: \"zzz\", kernel: \"copy\", set: {\"n\": 4}, counters: [(\"time\", 1.5e-6, \"s\")]),\n    \
                        ],\n)\n";

    #[test]
    fn what_is_written_is_read() {
        let profile = read("d-ncu", "d.ron", GOOD);
        let counter = Counter { name: "time".into(), value: 1.5e-6, unit: "s".into() };
        assert_eq!(profile.as_ref().map(|p| p.run("narrow").map(|run| run.counters.clone())), Ok(Some(vec![counter])));
        assert_eq!(profile.as_ref().map(Profile::name), Ok("D, 2026-11-21".to_owned()));
        let pack = session::load(&PackFiles::Embedded).0;
        let strange: Vec<String> =
            profile.iter().flat_map(|p| p.strangers("d.ron", &pack)).map(|d| d.to_string()).collect();
        assert!(strange.len() == 1 && strange[0].contains("a lesson `zzz`, which the pack has not"), "{strange:?}");
    }

    #[test]
    fn mistakes_are_told_at_their_places() {
        let found = |from: &str, to: &str| {
            assert!(GOOD.contains(from), "{from}");
            read("d", "d.ron", &GOOD.replace(from, to)).err().map(|d| d.to_string()).unwrap_or_default()
        };
        for (from, to, place, said) in [
            ("version: 1", "version: 2", "d.ron:2:5:", "this profile has format 2"),
            ("how:", "hwo:", "d.ron:2:", "hwo"),
            ("1.5e-6", "-1", "d.ron:4:", "`time` is -1, which cannot be"),
            ("1.5e-6", "inf", "d.ron:4:", "`time` is inf, which cannot be"),
            ("(\"time\"", "(\"t ime\"", "d.ron:4:", "`t ime` cannot be named in a quote"),
            ("[(\"time\"", "[(\"time\", 1, \"s\"), (\"time\"", "d.ron:4:14:", "the run `narrow` has `time` twice"),
            (
                "    ],\n)",
                "        (id: \"narrow\", kernel: \"k\", set: {}, counters: [])],\n)",
                "d.ron:5:",
                "is here twice",
            ),
            ("],\n)", "]", "d.ron:", "cannot read this profile"),
        ] {
            let problem = found(from, to);
            assert!(problem.starts_with(place) && problem.contains(said), "{problem}");
        }
    }
}
