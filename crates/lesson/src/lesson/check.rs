//! Checks that the parts of a lesson fit together: every name resolves, no value depends on itself, every run has a
//! size.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::cycles::{Endless, Walk};
use super::document::{Declared, Draft, Kind};
use super::excerpt::Findings;
use super::fields::did_you_mean;
use super::mention::{Access, Mention, Of};
use super::model::{Program, Variant};
use super::scope::{
    DEVICE, DEVICE_FIELDS, EXERCISE, MAX_CHAIN, PREDICTED_TIME, ROUNDS, WORK_FIELDS, counted_fields, result_fields,
};
use super::text::Section;
use crate::base::diag::{Diagnostic, Place, nearest};
use crate::base::expr::FUNCTIONS;
use crate::trace::record::Backend;

/// Checks a draft against its text, and the references between its parts.
pub(super) fn check(draft: &Draft, sections: &[Section], mentions: &[Mention], explorers: &[&str], found: &Findings) {
    let known = draft.declared.iter().map(|declared| (declared.kind, declared.id.as_str())).collect();
    let check = Check { draft, explorers, found, known, behind: RefCell::default() };
    check.duplicates();
    check.values_end();
    for mention in mentions {
        check.mention(mention);
    }
    check.headings(sections);
    check.placed_once(mentions);
    check.required_values();
    check.conditions();
    check.matrices();
    check.exercises();
}

pub(super) struct Check<'a> {
    pub draft: &'a Draft,
    explorers: &'a [&'a str],
    found: &'a Findings,
    /// Every id with its kind.
    known: HashSet<(Kind, &'a str)>,
    /// The result that each value depends on, for the values looked up so far.
    behind: RefCell<HashMap<String, Option<String>>>,
}

impl<'a> Check<'a> {
    pub fn error(&self, place: &Place, message: impl Into<String>, hint: impl Into<String>) {
        self.found.report(Diagnostic { place: Some(place.clone()), ..Diagnostic::error(message).hint(hint) });
    }

    fn warning(&self, place: &Place, message: impl Into<String>, hint: impl Into<String>) {
        self.found.report(Diagnostic { place: Some(place.clone()), ..Diagnostic::warning(message).hint(hint) });
    }

    fn declared(&self, kind: Kind) -> impl Iterator<Item = &'a Declared> {
        self.draft.declared.iter().filter(move |declared| declared.kind == kind)
    }

    fn has(&self, kind: Kind, id: &str) -> bool {
        self.known.contains(&(kind, id))
    }

    fn ids(&self, kind: Kind) -> impl Iterator<Item = &'a str> {
        self.declared(kind).map(|declared| declared.id.as_str())
    }

    /// Checks that ids of one kind differ, and so do all names that expressions use.
    fn duplicates(&self) {
        let shared = |kind: Kind| matches!(kind, Kind::Param | Kind::Value | Kind::Kernel | Kind::Program);
        let mut first: HashMap<(Kind, &str), &Place> = HashMap::new();
        for declared in &self.draft.declared {
            let kind = if shared(declared.kind) { Kind::Param } else { declared.kind };
            match first.entry((kind, &declared.id)) {
                Entry::Vacant(free) => {
                    free.insert(&declared.place);
                }
                Entry::Occupied(earlier) => {
                    let hint = format!("it is first used in line {}; choose another", earlier.get().line);
                    self.error(&declared.place, format!("the id `{}` is here twice", declared.id), hint);
                }
            }
            let id = declared.id.as_str();
            let own = (shared(declared.kind) && (FUNCTIONS.contains(&id) || matches!(id, DEVICE | EXERCISE)))
                || (matches!(declared.kind, Kind::Part(_))
                    && result_fields().chain([ROUNDS]).any(|field| field.name == id));
            if own {
                self.error(
                    &declared.place,
                    format!("`{id}` has a meaning of its own in expressions"),
                    "choose another id",
                );
            }
        }
    }

    /// Checks that no value refers to itself, and that no chain of values is too long.
    fn values_end(&self) {
        let values = &self.draft.lesson.values;
        let mut walk = Walk::new(&self.draft.lesson);
        let mut reported: Vec<&str> = Vec::new();
        for index in 0..values.len() {
            let Err(endless) = walk.from(index) else { continue };
            let (Endless::Circle(path) | Endless::TooLong(path)) = &endless;
            let Some(first) = path.first().filter(|first| !reported.contains(first)) else { continue };
            let Some(declared) = self.declared(Kind::Value).find(|declared| declared.id == **first) else { continue };
            match &endless {
                Endless::Circle(path) => {
                    let message = format!("the value `{first}` follows from itself: {}", path.join(" → "));
                    let hint = "break the circle: a value follows from parameters, results and other values";
                    self.error(&declared.place, message, hint);
                }
                Endless::TooLong(_) => {
                    let message = format!("values refer to one another more than {MAX_CHAIN} deep from `{first}` on");
                    self.error(&declared.place, message, "write some of them out");
                }
            }
            reported.extend(path);
        }
    }

    fn mention(&self, mention: &Mention) {
        let Mention { name, place, of } = mention;
        let unknown = |kind: Kind, what: &str| {
            if !self.has(kind, name) {
                self.error(place, format!("there is no {what} `{name}`"), did_you_mean(name, self.ids(kind)));
            }
        };
        match of {
            Of::Param if self.has(Kind::Value, name) => {
                let hint = format!("name a parameter; a text shows a value with {{{{= {name}}}}}");
                self.error(place, format!("`{name}` is a value, and only a parameter can be set"), hint);
            }
            Of::Param => match nearest(name, self.ids(Kind::Value)) {
                Some(near) if !self.has(Kind::Param, name) && nearest(name, self.ids(Kind::Param)).is_none() => {
                    let hint = format!("did you mean the value `{near}`? A text shows it with {{{{= {near}}}}}");
                    self.error(place, format!("there is no parameter `{name}`"), hint);
                }
                _ => unknown(Kind::Param, "parameter"),
            },
            Of::Kernel => unknown(Kind::Kernel, "kernel"),
            Of::Value => unknown(Kind::Value, "value"),
            Of::Program => self.program(name, place),
            Of::Pass(program) => self.part(name, place, program, "pass", |program| {
                program.passes().into_iter().map(|pass| pass.id.clone()).collect()
            }),
            Of::Buffer(program) => self.part(name, place, program, "buffer", |program| {
                program.buffers.iter().map(|buffer| buffer.name.clone()).collect()
            }),
            Of::Part(program) => self.part(name, place, program, "pass or repetition", |program| {
                let passes = program.passes().into_iter().map(|pass| pass.id.clone());
                passes.chain(program.repeats().into_iter().map(|repeat| repeat.id.clone())).collect()
            }),
            Of::Rung(program, pass) => self.part(name, place, program, "kernel for this pass", |program| {
                let launch = program.pass(pass).and_then(|pass| pass.launch());
                launch.map(|launch| launch.rungs.clone()).unwrap_or_default()
            }),
            Of::Experiment => unknown(Kind::Experiment, "experiment"),
            Of::Curve(experiment) => self.curve(name, place, experiment),
            Of::Prediction => unknown(Kind::Prediction, "prediction"),
            Of::Exercise => unknown(Kind::Exercise, "exercise"),
            Of::Explorer => {
                if !self.explorers.contains(&name.as_str()) {
                    let hint = did_you_mean(name, self.explorers.iter().copied());
                    self.error(place, format!("there is no explorer `{name}`"), hint);
                }
            }
            Of::Setting(value, at) => {
                // The name of an experiment's parameter is a mention of its own, and is reported there.
                if at != place {
                    unknown(Kind::Param, "parameter");
                }
                let param = self.draft.lesson.param(name);
                if let Some(param) = param.filter(|param| !param.domain.accepts(*value)) {
                    let message = format!("`{name}` cannot be {value}");
                    self.error(at, message, format!("it is {}", param.domain.describe()));
                }
            }
            Of::Name(access) => self.name(name, place, access),
        }
    }

    /// Checks the name of something that can be run.
    fn program(&self, name: &str, place: &Place) {
        let lesson = &self.draft.lesson;
        if lesson.program(name).is_some() || self.has(Kind::Program, name) {
            return;
        }
        if self.has(Kind::Kernel, name) {
            // If a kernel has errors, it is unknown whether it has buffers.
            if lesson.kernel(name).is_some() {
                let message = format!("the kernel `{name}` has no buffers, so that it cannot be run by itself");
                self.error(place, message, "give it `buffers`, or name a program that it is a part of");
            }
            return;
        }
        let known = self.ids(Kind::Kernel).chain(self.ids(Kind::Program));
        self.error(place, format!("there is no kernel or program `{name}`"), did_you_mean(name, known));
    }

    /// Checks a name within a program; `known` gives the valid ones.
    fn part(&self, name: &str, place: &Place, program: &str, what: &str, known: impl Fn(&Program) -> Vec<String>) {
        // A missing program is reported where it is named.
        let Some(program) = self.draft.lesson.program(program) else { return };
        let known = known(program);
        if !known.iter().any(|id| id == name) {
            let message = format!("`{}` has no {what} `{name}`", program.id);
            self.error(place, message, did_you_mean(name, known.iter().map(String::as_str)));
        }
    }

    /// Checks a curve's name within an experiment.
    fn curve(&self, name: &str, place: &Place, experiment: &str) {
        // A missing experiment is reported where it is named.
        let Some(experiment) = self.draft.lesson.experiments.iter().find(|known| known.id == experiment) else {
            return;
        };
        let known: Vec<&str> = experiment.curves.iter().map(|curve| curve.id.as_str()).collect();
        if !known.contains(&name) {
            self.error(place, format!("`{}` has no curve `{name}`", experiment.id), did_you_mean(name, known));
        }
    }

    /// Checks a name in an expression that may use what `access` allows.
    fn name(&self, name: &str, place: &Place, access: &Access) {
        if let Some((run, field)) = name.split_once('.') {
            return self.result(run, field, place, access);
        }
        if self.has(Kind::Param, name) {
            return;
        }
        if self.has(Kind::Value, name) {
            let result = if *access == Access::Results { None } else { self.result_behind(name) };
            if let Some(result) = result {
                let message = format!("`{name}` depends on the result `{result}`, which this may not");
                self.error(place, message, allowed(access));
            }
            return;
        }
        let known = self.ids(Kind::Param).chain(self.ids(Kind::Value));
        self.error(place, format!("nothing here is called `{name}`"), did_you_mean(name, known));
    }

    fn result<'s>(&'s self, run: &str, field: &str, place: &Place, access: &'s Access) {
        // The runs that may be referred to, each with its program.
        let own = |id: &'s str| (id, id);
        let programs = || self.ids(Kind::Kernel).chain(self.ids(Kind::Program)).map(own);
        let pairs = |(id, program): &'s (String, String)| (id.as_str(), program.as_str());
        let runs: Vec<(&str, &str)> = match access {
            Access::Fixed => {
                let message = format!("`{run}.{field}` is a result, and what sizes a run cannot depend on results");
                return self.error(place, message, allowed(access));
            }
            Access::Results => programs().chain([own(DEVICE)]).collect(),
            Access::Probes(ids) => ids.iter().map(pairs).chain([own(DEVICE)]).collect(),
            Access::Counts(ids) => ids.iter().map(pairs).collect(),
            Access::Exercise(program) => vec![(EXERCISE, program.as_str())],
        };
        let Some((_, program)) = runs.iter().find(|(known, _)| *known == run) else {
            let message = format!("there is no run `{run}` here to take `{field}` of");
            return self.error(place, message, did_you_mean(run, runs.iter().map(|(known, _)| *known)));
        };
        let mut fields: Vec<&str> = match access {
            Access::Counts(_) => counted_fields().chain([PREDICTED_TIME]).map(|field| field.name).collect(),
            _ if run == DEVICE => DEVICE_FIELDS.iter().map(|field| field.name).collect(),
            _ => result_fields().map(|field| field.name).collect(),
        };
        let lesson = &self.draft.lesson;
        let last = field.rsplit_once('.').map_or(field, |(_, last)| last);
        // The lesson's own arithmetic is among the results that are the same on any machine, but needs no trace.
        let counted = counted_fields().skip(WORK_FIELDS.len()).any(|field| field.name == last);
        let untraced = lesson.elsewhere(&Variant::plain(program), Backend::Simt);
        if let Some(kernel) = untraced.first().filter(|_| *access == Access::Results && counted) {
            let message = format!("`{run}.{field}` is counted by the tracer, and {} is CUDA C++ only", kernel.file());
            return self.error(place, message, "use what is timed of it: `time`, `bytes_per_s` or `flops_per_s`");
        }
        let program = lesson.program(program);
        let passes = program.map(Program::passes).unwrap_or_default();
        let (of, last) = match field.split_once('.') {
            Some((pass, last)) if passes.iter().any(|known| known.id == pass) => (format!("{run}.{pass}"), last),
            Some((pass, _)) => {
                let hint = did_you_mean(pass, passes.iter().map(|pass| pass.id.as_str()));
                return self.error(place, format!("`{run}` has no pass `{pass}`"), hint);
            }
            None => {
                fields.extend(program.filter(|program| !program.repeats().is_empty()).map(|_| ROUNDS.name));
                fields.extend(program.into_iter().flat_map(|program| &program.series).map(|series| series.id.as_str()));
                (run.to_owned(), field)
            }
        };
        if !fields.contains(&last) {
            let message = if result_fields().any(|known| known.name == last) {
                format!("`{of}.{last}` needs a clock, and this is shown where nothing can be timed")
            } else {
                format!("a run has no result `{last}`")
            };
            self.error(place, message, did_you_mean(last, fields));
        }
    }

    /// A result that the value `id` depends on, if there is one.
    fn result_behind(&self, id: &str) -> Option<String> {
        if let Some(known) = self.behind.borrow().get(id) {
            return known.clone();
        }
        let found = self.find_behind(id);
        self.behind.borrow_mut().insert(id.to_owned(), found.clone());
        found
    }

    fn find_behind(&self, id: &str) -> Option<String> {
        let values = &self.draft.lesson.values;
        let mut seen = vec![id];
        let mut next = 0;
        while next < seen.len() {
            let names = values.iter().find(|value| value.id == seen[next]).map(|value| value.expr.names());
            for (name, _) in names.into_iter().flatten() {
                if name.contains('.') {
                    return Some(name.to_owned());
                }
                if !seen.contains(&name) {
                    seen.push(name);
                }
            }
            next += 1;
        }
        None
    }

    /// Checks that the kernel that an exercise replaces can be traced, because the tracer judges exercises.
    fn exercises(&self) {
        let lesson = &self.draft.lesson;
        for exercise in &lesson.exercises {
            let untraced = lesson.elsewhere(&exercise.variant, Backend::Simt);
            let declared = self.declared(Kind::Exercise).find(|declared| declared.id == exercise.id);
            if let (Some(kernel), Some(declared)) = (untraced.first(), declared) {
                let message = format!("the exercise's kernel `{}` is written in CUDA C++ only", kernel.id);
                self.error(&declared.place, message, "name a WGSL kernel: the tracer judges exercises");
            }
        }
    }

    /// Checks that the steps of lesson.ron and the headings of the text are the same, in the same order.
    fn headings(&self, sections: &[Section]) {
        if self.draft.steps.is_none() {
            return;
        }
        let mut written: HashSet<&str> = HashSet::new();
        for section in sections {
            if !written.insert(&section.id) {
                self.error(&section.place, format!("the step `{}` has two headings", section.id), "join them");
            } else if !self.has(Kind::Step, &section.id) {
                let hint = did_you_mean(&section.id, self.ids(Kind::Step));
                self.error(&section.place, format!("lesson.ron has no step `{}`", section.id), hint);
            }
        }
        for step in self.declared(Kind::Step).filter(|step| !written.contains(step.id.as_str())) {
            let message = format!("the step `{}` has no heading in text.md", step.id);
            self.error(&step.place, message, format!("add `## Title {{#{}}}` to text.md", step.id));
        }
        let here: Vec<&str> = self.ids(Kind::Step).filter(|id| written.contains(id)).collect();
        let there = sections.iter().filter(|section| self.has(Kind::Step, &section.id));
        if let Some((section, id)) = there.zip(&here).find(|(section, id)| section.id != **id) {
            let message = format!("the step `{}` is here, and lesson.ron has `{id}` next", section.id);
            self.error(&section.place, message, "put both into the same order");
        }
    }

    /// Checks that each prediction and each exercise is in the text exactly once.
    fn placed_once(&self, mentions: &[Mention]) {
        let mut placed: HashMap<(Kind, &str), Vec<&Mention>> = HashMap::new();
        for mention in mentions {
            match mention.of {
                Of::Prediction => placed.entry((Kind::Prediction, &mention.name)).or_default().push(mention),
                Of::Exercise => placed.entry((Kind::Exercise, &mention.name)).or_default().push(mention),
                _ => {}
            }
        }
        let things = self.declared(Kind::Prediction).chain(self.declared(Kind::Exercise));
        for thing in things {
            let mut places = placed.get(&(thing.kind, thing.id.as_str())).into_iter().flatten();
            let word = if thing.kind == Kind::Exercise { "exercise" } else { "predict" };
            let line = format!("{{{{{word} {}}}}}", thing.id);
            if places.next().is_none() {
                self.warning(
                    &thing.place,
                    format!("{line} is nowhere in text.md, so nobody will see this"),
                    "place it",
                );
            }
            for again in places {
                self.error(&again.place, format!("{line} is in the text twice"), "keep one of them");
            }
        }
    }
}

fn allowed(access: &Access) -> &'static str {
    match access {
        Access::Fixed => "use parameters, and values that follow from them alone",
        Access::Results => "use parameters, values and results of kernels",
        Access::Probes(_) => "use parameters and results of the probes",
        Access::Counts(_) => "use parameters and counted results of the probes",
        Access::Exercise(_) => "use parameters and results of `exercise`",
    }
}
