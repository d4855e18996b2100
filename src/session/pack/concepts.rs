//! The concepts of a pack: those that steps introduce, and those that predictions and exercises test.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::diag::{Diagnostic, Place};
use crate::lesson::{Lesson, Pack};

/// Warnings about a pack's concepts that no step introduces or that nothing tests, and about lessons that are
/// presupposed and not there.
#[must_use]
pub fn concept_problems(pack: &Pack) -> Vec<Diagnostic> {
    let lessons = || pack.lessons.iter().map(|lesson| &**lesson);
    let taught = first(lessons().flat_map(|lesson| lesson.steps.iter().map(move |s| (lesson, &s.teaches, &s.place))));
    let tested = first(lessons().flat_map(|lesson| {
        let predictions = lesson.predictions.iter().map(|p| (&p.teaches, &p.place));
        let exercises = lesson.exercises.iter().map(|e| (&e.teaches, &e.place));
        predictions.chain(exercises).map(move |(teaches, place)| (lesson, teaches, place))
    }));
    let warn = |(concept, (lesson, place)): (&&str, &(&Lesson, &Place)), what: &str, hint: &str| {
        let warning = Diagnostic::warning(format!("{what} the concept `{concept}`")).in_place(place).hint(hint);
        lesson.named(vec![warning])
    };
    let untaught = tested.iter().filter(|(concept, _)| !taught.contains_key(*concept)).flat_map(|found| {
        warn(found, "no step introduces", "name it in `teaches` of the step that explains it, in the same words")
    });
    let untested = taught.iter().filter(|(concept, _)| !tested.contains_key(*concept)).flat_map(|found| {
        warn(found, "nothing tests", "name it in `teaches` of a prediction or an exercise, in the same words")
    });
    let ids: BTreeSet<&str> = lessons().map(|lesson| lesson.id.as_str()).collect();
    let missing = lessons().flat_map(|lesson| {
        let gone = lesson.presupposes.iter().filter(|id| !ids.contains(id.as_str()));
        let warnings = gone.map(|id| {
            Diagnostic::warning(format!("the lesson `{}` presupposes `{id}`, which the pack does not have", lesson.id))
                .in_file(&format!("lessons/{}/lesson.ron", lesson.id))
                .hint("write the ids of lessons that lessons/index.ron names")
        });
        lesson.named(warnings)
    });
    untaught.chain(untested).chain(missing).collect()
}

/// The first place of each concept.
fn first<'a>(
    all: impl Iterator<Item = (&'a Lesson, &'a Vec<String>, &'a Place)>,
) -> BTreeMap<&'a str, (&'a Lesson, &'a Place)> {
    let mut found = BTreeMap::new();
    for (lesson, teaches, place) in all {
        for concept in teaches {
            found.entry(concept.as_str()).or_insert((lesson, place));
        }
    }
    found
}
