//! Loading a pack: its index, then each lesson. A lesson with errors is left out, and all findings are returned.

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::document::{self, Draft, Reading, is_id};
use super::excerpt::{Findings, Source};
use super::fields::{Node, did_you_mean};
use super::mention::Mentions;
use super::model::{Lesson, Pack, Program};
use super::records;
use super::text::{self, Section};
use super::{check, model::Step};
use crate::base::diag::{Diagnostic, Place};
use crate::job::ReferenceSignature;
use crate::pack::PackFiles;

const INDEX: &str = "lessons/index.ron";

/// Loads a pack. `references` are those that a kernel's check may name.
///
/// Besides the pack, this returns every error and warning in it, lesson by lesson; the lessons in the pack have no
/// errors.
#[must_use]
pub fn load(files: &PackFiles, references: &[ReferenceSignature], explorers: &[&str]) -> (Pack, Vec<Diagnostic>) {
    let mut pack = Pack::default();
    let (order, mut diagnostics) = match files.require(INDEX) {
        Ok(index) => read_index(files, &index),
        Err(missing) => (Vec::new(), vec![missing]),
    };
    let read: Vec<_> = order.par_iter().map(|id| load_lesson(files, id, references, explorers)).collect();
    for (lesson, found) in read {
        pack.lessons.extend(lesson.map(Arc::new));
        diagnostics.extend(found);
    }
    (pack, diagnostics)
}

/// The ids of the lessons that are in the index and have a folder.
fn read_index(files: &PackFiles, index: &str) -> (Vec<String>, Vec<Diagnostic>) {
    let mut folders: BTreeSet<String> = BTreeSet::new();
    for path in files.list("lessons") {
        if let Some((id, _)) = path.strip_prefix("lessons/").and_then(|rest| rest.split_once('/')) {
            folders.insert(id.to_owned());
        }
    }
    let found = Findings::default();
    let (mut order, mut entered): (Vec<String>, BTreeSet<String>) = Default::default();
    let name = files.display(INDEX);
    let source = Source::new(&name, index, &found);
    if let Some(fields) = Node::whole(&source).fields(&records::INDEX) {
        let version = fields.get("format_version").map(|_| document::version(&fields, "pack"));
        if version.is_none() {
            fields.needed("format_version");
        }
        let order_node = fields.get("order");
        let listed = order_node.and_then(Node::list);
        fields.finish();
        if version == Some(None) {
            return (Vec::new(), found.finish());
        }
        let complete = order_node.filter(|_| listed.is_some());
        for text in listed.into_iter().flatten().filter_map(Node::text) {
            if !folders.contains(&text.value) || !is_id(&text.value, true) {
                let message = format!("there is no lesson in {}", files.display(&format!("lessons/{}", text.value)));
                text.error(message, did_you_mean(&text.value, folders.iter().map(String::as_str)));
            } else if !entered.insert(text.value.clone()) {
                text.error(format!("the lesson `{}` is listed twice", text.value), "keep one of them");
            } else {
                order.push(text.value);
            }
        }
        for folder in folders.iter().filter(|folder| !entered.contains(*folder)) {
            let Some(node) = complete else { break };
            let warning =
                Diagnostic::warning(format!("the lesson `{folder}` is not listed in `order`, so it is not shown"));
            source.report(warning.in_place(&node.place()).hint("list it, or remove its folder"));
        }
    }
    (order, found.finish())
}

fn load_lesson(
    files: &PackFiles,
    id: &str,
    references: &[ReferenceSignature],
    explorers: &[&str],
) -> (Option<Lesson>, Vec<Diagnostic>) {
    let path = |file: &str| format!("lessons/{id}/{file}");
    let (document, prose) = match (files.require(&path("lesson.ron")), files.require(&path("text.md"))) {
        (Ok(document), Ok(prose)) => (document, prose),
        (document, prose) => return (None, document.err().into_iter().chain(prose.err()).collect()),
    };
    let (document_name, prose_name) = (files.display(&path("lesson.ron")), files.display(&path("text.md")));
    let (found, mentions) = (Findings::default(), Mentions::default());
    let document = Source::new(&document_name, &document, &found);
    let prose = Source::new(&prose_name, &prose, &found);

    let draft = document::read(&document, &Reading { files, id, references, mentions: &mentions });
    let sections = text::sections(prose.whole(), &mentions);
    let lesson = draft.map(|draft| {
        if let Some(place) = draft.steps.as_ref().filter(|_| draft.lesson.steps.is_empty() && !draft.declares_a_step())
        {
            document.at(place, "a lesson has at least one step", "add one to `steps`");
        }
        check::check(&draft, &sections, &mentions.finish(), explorers, &found);
        let mut lesson = join(draft.lesson, sections);
        add_python(files, &mut lesson, &prose);
        lesson
    });
    let diagnostics = found.finish();
    let sound = !diagnostics.iter().any(Diagnostic::is_error);
    (lesson.filter(|_| sound), diagnostics)
}

/// Gives each step the title and the prose of its section, and fills in the passes and titles that the lesson leaves
/// out.
fn join(mut lesson: Lesson, sections: Vec<Section>) -> Lesson {
    let first = |lesson: &Lesson, program: &str| {
        let passes = lesson.program(program).map(Program::passes).unwrap_or_default();
        let launching = passes.iter().find(|pass| pass.launch().is_some());
        launching.or(passes.first()).map(|pass| pass.id.clone()).unwrap_or_default()
    };
    let of_steps: Vec<String> = lesson.steps.iter().map(|step| first(&lesson, &step.variant.program)).collect();
    for (step, pass) in lesson.steps.iter_mut().zip(of_steps).filter(|(step, _)| step.pass.is_empty()) {
        step.pass = pass;
    }
    let of_exercises: Vec<String> = lesson.exercises.iter().map(|e| first(&lesson, &e.variant.program)).collect();
    for (exercise, pass) in lesson.exercises.iter_mut().zip(of_exercises).filter(|(e, _)| e.pass.is_empty()) {
        exercise.pass = pass;
    }
    let mut experiments = std::mem::take(&mut lesson.experiments);
    for curve in experiments.iter_mut().flat_map(|e| &mut e.curves).filter(|curve| curve.title.is_empty()) {
        curve.title = lesson.title_of(&curve.variant);
        let pass = curve.pass.as_ref().and_then(|id| lesson.program(&curve.variant.program)?.pass(id));
        curve.title.extend(pass.map(|pass| format!(", {}", pass.title)));
    }
    lesson.experiments = experiments;
    for section in sections {
        if let Some(step) = lesson.steps.iter_mut().find(|step: &&mut Step| step.id == section.id) {
            step.title = section.title;
            step.blocks = section.blocks;
        }
    }
    lesson
}

/// Gives each step its Python: `python/STEP.py` in the lesson's folder. A file of no step is reported.
fn add_python(files: &PackFiles, lesson: &mut Lesson, prose: &Source<'_>) {
    let folder = format!("lessons/{}/python", lesson.id);
    for path in files.list(&folder) {
        let Some(id) = path.strip_prefix(&format!("{folder}/")).and_then(|name| name.strip_suffix(".py")) else {
            continue;
        };
        let name = files.display(&path);
        let place = Place::start(&name);
        match (lesson.steps.iter_mut().find(|step| step.id == id), files.read(&path)) {
            (Some(step), Ok(text)) => step.python = Some(text.into()),
            (Some(_), Err(_)) => {
                prose.report(
                    Diagnostic::error(format!("cannot read {name}")).in_place(&place).hint("make it plain text"),
                );
            }
            (None, _) => {
                let hint = did_you_mean(id, lesson.steps.iter().map(|step| step.id.as_str()));
                prose.report(Diagnostic::warning(format!("there is no step `{id}`")).in_place(&place).hint(hint));
            }
        }
    }
}

impl Draft {
    fn declares_a_step(&self) -> bool {
        self.declared.iter().any(|declared| declared.kind == document::Kind::Step)
    }
}
