//! The ledger and the days in words, for the window and for the command line.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use super::calibration::Row;
use super::evidence::Evidence;
use super::gathered::{Gathered, Kind, gathered};
use super::journal::{Item, ItemKind, Standing};
use super::ledger::{Concept, due};
use super::story::{Day, Story};
use crate::base::units::digits3;
use crate::lesson::{Block, Lesson};

/// The parts of the ledger, in its order.
pub const PARTS: [Standing; 3] = [Standing::Mastered, Standing::Developing, Standing::BlindSpot];

/// The ledger as JSON.
#[derive(Serialize)]
pub struct Ledger {
    concepts: Vec<Concept>,
    due: Vec<Item>,
    calibration: BTreeMap<String, Row>,
    clocks: BTreeMap<String, Row>,
    days: BTreeMap<String, Day>,
    words: Vec<Gathered>,
}

impl Ledger {
    /// The ledger at some time, in seconds since 1970.
    #[must_use]
    pub fn of(lessons: &[Arc<Lesson>], story: &Story, concepts: Vec<Concept>, now: i64) -> Self {
        Self {
            concepts,
            due: due(lessons, story, now),
            calibration: story.calibration.iter().map(|(kind, of)| (kind.clone(), Row::of(of))).collect(),
            clocks: story.clocks.iter().map(|(device, of)| (device.clone(), Row::of(of))).collect(),
            days: story.days.clone(),
            words: gathered(story),
        }
    }
}

/// A concept's evidence in words.
#[must_use]
pub fn evidence(concept: &Concept) -> String {
    let all = concept.evidence.len();
    let sum = |count: fn(&Evidence) -> u32| concept.evidence.iter().map(|test| count(&test.answers)).sum::<u32>();
    let (right, given, practised) = (sum(|of| of.right), sum(|of| of.graded), sum(|of| of.practised));
    let read = concept.steps.iter().filter(|step| step.read).count();
    let mut parts = Vec::new();
    if all > 0 {
        parts.push(match given {
            0 => format!("none of {all} {} answered", plural(all, "test")),
            _ => format!("{right} of {given} {} right", plural(given as usize, "answer")),
        });
    }
    let (days, varied) = concept.since();
    if days > 0 {
        let numbers = if varied { "" } else { ", none with other numbers yet" };
        parts.push(format!("right on {days} {}{numbers}", plural(days, "day")));
    }
    if practised > 0 {
        parts.push(format!("{practised} with the solution in sight"));
    }
    let tries = sum(|of| of.tries);
    if tries > 0 {
        parts.push(format!("{tries} {} of an exercise in vain", if tries == 1 { "try" } else { "tries" }));
    }
    if !concept.steps.is_empty() {
        parts.push(format!("{read} of {} {} read", concept.steps.len(), plural(concept.steps.len(), "page")));
    }
    if let Some(moved) = &concept.moved {
        parts.push(format!("moved by hand: {}", moved.why));
    }
    parts.join(", ")
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

/// The ledger in Markdown, line by line.
#[must_use]
pub fn ledger(lessons: &[Arc<Lesson>], story: &Story, concepts: &[Concept]) -> Vec<String> {
    let mut lines = vec!["# Ledger".to_owned()];
    for part in PARTS {
        lines.extend([String::new(), format!("## {}", part.name()), String::new()]);
        let of_part: Vec<&Concept> = concepts.iter().filter(|concept| concept.standing == Some(part)).collect();
        if of_part.is_empty() {
            lines.push("Nothing yet.".to_owned());
        }
        for concept in of_part {
            let places: Vec<String> =
                concept.steps.iter().map(|at| format!("{}: {}", title_of(lessons, &at.lesson), at.title)).collect();
            let places = if places.is_empty() { String::new() } else { format!(" ({})", places.join("; ")) };
            lines.push(format!("- **{}**: {}{places}", concept.name, evidence(concept)));
        }
    }
    let rest = concepts.iter().filter(|concept| concept.standing.is_none()).count();
    lines.extend([String::new(), format!("{rest} {} not begun.", plural(rest, "concept"))]);
    let found = gathered(story);
    for (title, kind, mark) in [("Action items", Kind::Task, "[ ] "), ("Key insights", Kind::Insight, "")] {
        let mut of_kind = found.iter().filter(|of| of.kind == kind).peekable();
        if of_kind.peek().is_some() {
            lines.extend([String::new(), format!("## {title}"), String::new()]);
        }
        let line = |of: &Gathered| {
            let page = page_of(lessons, &format!("{}/{}", of.lesson, of.step), None);
            format!("- {mark}{} ({page})", of.text)
        };
        lines.extend(of_kind.map(line));
    }
    lines
}

fn title_of<'a>(lessons: &'a [Arc<Lesson>], id: &'a str) -> &'a str {
    lessons.iter().find(|lesson| lesson.id == id).map_or(id, |lesson| lesson.title.as_str())
}

/// The title of the page that a lesson's thing is on; `of` is the lesson's id, a slash and the thing's.
fn page_of(lessons: &[Arc<Lesson>], of: &str, block: Option<fn(String) -> Block>) -> String {
    let (lesson, id) = of.split_once('/').unwrap_or((of, ""));
    let known = lessons.iter().find(|known| known.id == lesson);
    let step = known.and_then(|known| match block {
        Some(block) => known.step_with(&block(id.to_owned())),
        None => known.steps.iter().find(|step| step.id == id),
    });
    step.map_or_else(|| of.to_owned(), |step| format!("{} ({})", step.title, title_of(lessons, lesson)))
}

/// The work of a day in a sentence.
#[must_use]
pub fn in_a_line(day: &Day) -> String {
    let mut parts = Vec::new();
    if day.seconds >= 60 {
        parts.push(format!("{} min", day.seconds / 60));
    }
    let mut count = |count: usize, one: &str| {
        if count > 0 {
            parts.push(format!("{count} {}", plural(count, one)));
        }
    };
    count(day.read.len(), "page");
    count(day.predicted.len(), "prediction");
    count(day.solved.len(), "exercise");
    count(day.changed.len(), "kernel");
    count(day.measured.len(), "experiment");
    count(day.reviewed.1 as usize, "review");
    count(day.words.len(), "note");
    if parts.is_empty() { "a look".to_owned() } else { parts.join(", ") }
}

/// A day's page in Markdown, line by line.
#[must_use]
pub fn worklog(lessons: &[Arc<Lesson>], name: &str, day: &Day) -> Vec<String> {
    let mut lines = vec![format!("# {name}"), String::new(), format!("{}.", in_a_line(day))];
    let mut part = |title: &str, found: Vec<String>| {
        if !found.is_empty() {
            lines.extend([String::new(), format!("## {title}"), String::new()]);
            lines.extend(found);
        }
    };
    let on = |of: &str| page_of(lessons, of, None);
    part("Read", day.read.iter().map(|(of, s)| format!("- {}{}", on(of), minutes(*s))).collect());
    let right = |right: &Option<bool>| match right {
        Some(true) => "right",
        Some(false) => "not right",
        None => "not graded",
    };
    let predicted = day.predicted.iter();
    part(
        "Predicted",
        predicted.map(|(of, ok)| format!("- {}: {}", page_of(lessons, of, Some(Block::Predict)), right(ok))).collect(),
    );
    let tried = day.tried.iter().filter(|(of, _)| !day.solved.contains_key(*of));
    let tried = tried.map(|(of, n)| format!("- {}: {n} tried in vain", page_of(lessons, of, Some(Block::Exercise))));
    let solved = day.solved.iter().map(|(of, hints)| {
        let hints = if *hints == 0 { String::new() } else { format!(", {hints} {} open", plural(*hints, "hint")) };
        format!("- {}: solved{hints}", page_of(lessons, of, Some(Block::Exercise)))
    });
    part("Exercises", solved.chain(tried).collect());
    let kernel = |(of, (figures, wrong)): (&String, &(BTreeMap<_, _>, bool))| {
        format!("- {of}{}{}", changes(figures), if *wrong { "; its result is wrong" } else { "" })
    };
    part("Kernels", day.changed.iter().map(kernel).collect());
    part("Measured", day.measured.iter().map(|(of, device)| format!("- {of} on {device}")).collect());
    if day.reviewed.1 > 0 {
        part("Reviewed", vec![format!("- {} of {} right", day.reviewed.0, day.reviewed.1)]);
    }
    part("Moved in the ledger", day.moved.iter().map(|(concept, why)| format!("- {concept}: {why}")).collect());
    let words = day
        .words
        .iter()
        .flat_map(|(of, words)| [format!("### {}", on(of)), String::new(), words.trim().to_owned(), String::new()]);
    part("In my own words", words.collect());
    lines.pop_if(|last| last.is_empty());
    lines
}

fn minutes(seconds: u64) -> String {
    if seconds >= 60 { format!(", {} min", seconds / 60) } else { String::new() }
}

/// The figures that a change of a kernel changed, in words.
#[must_use]
pub fn changes(figures: &BTreeMap<String, [Option<f64>; 2]>) -> String {
    let digits = |figure: &Option<f64>| figure.map_or_else(|| "none".to_owned(), digits3);
    let all: Vec<String> =
        figures.iter().map(|(name, [from, to])| format!("{name} {} → {}", digits(from), digits(to))).collect();
    if all.is_empty() { String::new() } else { format!(": {}", all.join(", ")) }
}

/// A time ahead in words, in days from the first one on.
#[must_use]
pub fn ahead(seconds: i64) -> String {
    match seconds {
        ..=0 => "now".to_owned(),
        1..=86_399 => "within a day".to_owned(),
        _ => {
            let days = usize::try_from(seconds / 86_400).unwrap_or(usize::MAX);
            format!("in {days} {}", plural(days, "day"))
        }
    }
}

/// An item in words: its kind, and the title of its page.
#[must_use]
pub fn item(lessons: &[Arc<Lesson>], item: &Item) -> String {
    let of = format!("{}/{}", item.lesson, item.id);
    match item.kind {
        ItemKind::Prediction => format!("Prediction: {}", page_of(lessons, &of, Some(Block::Predict))),
        ItemKind::Exercise => format!("Exercise: {}", page_of(lessons, &of, Some(Block::Exercise))),
        ItemKind::Card => format!("Your question: {}", title_of(lessons, &item.lesson)),
    }
}
