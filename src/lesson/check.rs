//! Whether the parts of a lesson fit together: every name resolves, every value has an end, every run has a size.

use super::conditions::{Figure, Wanted};
use super::document::{Declared, Draft, Kind};
use super::excerpt::Findings;
use super::fields::did_you_mean;
use super::mention::{Access, Mention, Of};
use super::model::Lesson;
use super::scenes::SceneKind;
use super::scope::{COUNTED_FIELDS, DEVICE, DEVICE_FIELDS, EXERCISE, Env, MAX_CHAIN, Settings, result_fields};
use super::text::Section;
use crate::base::diag::{Diagnostic, Place};
use crate::base::expr::{EvalError, FUNCTIONS};
use crate::base::wgsl;
use crate::trace::record::Backend;

/// Checks a draft against its text and what its parts say of one another.
pub(super) fn check(draft: &Draft, sections: &[Section], mentions: &[Mention], explorers: &[&str], found: &Findings) {
    let check = Check { draft, explorers, found };
    check.duplicates();
    check.values_end();
    for mention in mentions {
        check.mention(mention);
    }
    check.headings(sections);
    check.placed_once(mentions);
    check.figures();
    check.conditions();
    check.matrices();
    check.scenes();
    check.exercise();
}

struct Check<'a> {
    draft: &'a Draft,
    explorers: &'a [&'a str],
    found: &'a Findings,
}

impl<'a> Check<'a> {
    fn error(&self, place: &Place, message: impl Into<String>, hint: impl Into<String>) {
        self.found.report(Diagnostic { place: Some(place.clone()), ..Diagnostic::error(message).hint(hint) });
    }

    fn warning(&self, place: &Place, message: impl Into<String>, hint: impl Into<String>) {
        self.found.report(Diagnostic { place: Some(place.clone()), ..Diagnostic::warning(message).hint(hint) });
    }

    fn declared(&self, kind: Kind) -> impl Iterator<Item = &'a Declared> {
        self.draft.declared.iter().filter(move |declared| declared.kind == kind)
    }

    fn ids(&self, kind: Kind) -> impl Iterator<Item = &'a str> {
        self.declared(kind).map(|declared| declared.id.as_str())
    }

    /// Ids of one kind differ, and so do all names that expressions use.
    fn duplicates(&self) {
        let shared = |kind: Kind| matches!(kind, Kind::Param | Kind::Value | Kind::Kernel);
        let all = &self.draft.declared;
        for (i, declared) in all.iter().enumerate() {
            let clash = all[..i].iter().find(|earlier| {
                earlier.id == declared.id
                    && (earlier.kind == declared.kind || (shared(earlier.kind) && shared(declared.kind)))
            });
            if let Some(earlier) = clash {
                let first = format!("it is first used in line {}; choose another", earlier.place.line);
                self.error(&declared.place, format!("the id `{}` is here twice", declared.id), first);
            }
            let id = declared.id.as_str();
            if shared(declared.kind) && (FUNCTIONS.contains(&id) || matches!(id, DEVICE | EXERCISE)) {
                self.error(
                    &declared.place,
                    format!("`{id}` has a meaning of its own in expressions"),
                    "choose another id",
                );
            }
        }
    }

    /// Values do not refer to themselves, nor to one another without end.
    fn values_end(&self) {
        let values = &self.draft.lesson.values;
        let mut walk = Walk { lesson: &self.draft.lesson, heights: vec![None; values.len()], path: Vec::new() };
        let mut reported: Vec<&str> = Vec::new();
        for index in 0..values.len() {
            walk.path.clear();
            let Err(endless) = walk.height(index) else { continue };
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
            if !self.ids(kind).any(|id| id == name) {
                self.error(place, format!("there is no {what} `{name}`"), did_you_mean(name, self.ids(kind)));
            }
        };
        match of {
            Of::Param if self.ids(Kind::Value).any(|id| id == name) => {
                let hint = format!("show the value with {{{{= {name}}}}}");
                self.error(place, format!("`{name}` is a value, and only a parameter can be set"), hint);
            }
            Of::Param => unknown(Kind::Param, "parameter"),
            Of::Kernel => unknown(Kind::Kernel, "kernel"),
            Of::Experiment => unknown(Kind::Experiment, "experiment"),
            Of::Prediction => unknown(Kind::Prediction, "prediction"),
            Of::Exercise => {
                if self.ids(Kind::Exercise).next().is_none() {
                    self.error(place, "this lesson has no exercise", "add `exercise: (…)` to lesson.ron");
                }
            }
            Of::Explorer => {
                if !self.explorers.contains(&name.as_str()) {
                    let hint = did_you_mean(name, self.explorers.iter().copied());
                    self.error(place, format!("there is no explorer `{name}`"), hint);
                }
            }
            Of::Setting(value, at) => {
                // The name of an experiment's parameter is mentioned, and reported, by itself.
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

    /// A name in an expression that may use what `access` says.
    fn name(&self, name: &str, place: &Place, access: &Access) {
        if let Some((run, field)) = name.split_once('.') {
            return self.result(run, field, place, access);
        }
        if self.ids(Kind::Param).any(|id| id == name) {
            return;
        }
        if self.ids(Kind::Value).any(|id| id == name) {
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

    fn result(&self, run: &str, field: &str, place: &Place, access: &Access) {
        let runs: Vec<&str> = match access {
            Access::Fixed => {
                let message = format!("`{run}.{field}` is a result, and what sizes a run cannot depend on results");
                return self.error(place, message, allowed(access));
            }
            Access::Results => self.ids(Kind::Kernel).chain([DEVICE]).collect(),
            Access::Probes(ids) => ids.iter().map(String::as_str).chain([DEVICE]).collect(),
            Access::Counts(ids) => ids.iter().map(String::as_str).collect(),
            Access::Exercise => vec![EXERCISE],
        };
        if !runs.contains(&run) {
            let message = format!("there is no run `{run}` here to take `{field}` of");
            return self.error(place, message, did_you_mean(run, runs));
        }
        let fields: Vec<&str> = match access {
            Access::Counts(_) => COUNTED_FIELDS.to_vec(),
            _ if run == DEVICE => DEVICE_FIELDS.to_vec(),
            _ => result_fields().collect(),
        };
        let untraced = self.draft.lesson.kernel(run).filter(|kernel| !kernel.runs_on(Backend::Simt));
        // The lesson's own arithmetic is among what is the same everywhere, and needs no trace.
        let counted = COUNTED_FIELDS.contains(&field) && !matches!(field, "bytes" | "flops");
        if let Some(kernel) = untraced.filter(|_| *access == Access::Results && counted) {
            let message = format!("`{run}.{field}` is counted by the tracer, and {} is CUDA C++ only", kernel.file);
            return self.error(place, message, "use what is timed of it: `time`, `bytes_per_s` or `flops_per_s`");
        }
        if !fields.contains(&field) {
            let message = if result_fields().any(|known| known == field) {
                format!("`{run}.{field}` needs a clock, and this is shown where nothing can be timed")
            } else {
                format!("a run has no result `{field}`")
            };
            self.error(place, message, did_you_mean(field, fields));
        }
    }

    /// A result that the value `id` depends on, if there is one.
    fn result_behind(&self, id: &str) -> Option<String> {
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

    /// An exercise is judged by the tracer, so the kernel whose place it takes is one that can be traced.
    fn exercise(&self) {
        let lesson = &self.draft.lesson;
        let kernel = lesson.exercise.as_ref().and_then(|exercise| lesson.kernel(&exercise.kernel));
        let untraced = kernel.filter(|kernel| !kernel.runs_on(Backend::Simt));
        if let Some((kernel, declared)) = untraced.zip(self.declared(Kind::Exercise).next()) {
            let message = format!("the exercise's kernel `{}` is written in CUDA C++ only", kernel.id);
            self.error(&declared.place, message, "name a WGSL kernel: the tracer judges exercises");
        }
    }

    /// The steps of lesson.ron and the headings of the text are the same, in the same order.
    fn headings(&self, sections: &[Section]) {
        for (i, section) in sections.iter().enumerate() {
            if sections[..i].iter().any(|earlier| earlier.id == section.id) {
                self.error(&section.place, format!("the step `{}` has two headings", section.id), "join them");
            } else if !self.ids(Kind::Step).any(|id| id == section.id) {
                let hint = did_you_mean(&section.id, self.ids(Kind::Step));
                self.error(&section.place, format!("lesson.ron has no step `{}`", section.id), hint);
            }
        }
        let written = |id: &str| sections.iter().any(|section| section.id == id);
        for step in self.declared(Kind::Step).filter(|step| !written(&step.id)) {
            let message = format!("the step `{}` has no heading in text.md", step.id);
            self.error(&step.place, message, format!("add `## Title {{#{}}}` to text.md", step.id));
        }
        let here: Vec<&str> = self.ids(Kind::Step).filter(|id| written(id)).collect();
        let there = sections.iter().filter(|section| here.contains(&section.id.as_str()));
        if let Some((section, id)) = there.zip(&here).find(|(section, id)| section.id != **id) {
            let message = format!("the step `{}` stands here, and lesson.ron has `{id}` next", section.id);
            self.error(&section.place, message, "put both into the same order");
        }
    }

    /// Each prediction and the exercise stand in the text, once.
    fn placed_once(&self, mentions: &[Mention]) {
        let things = self.declared(Kind::Prediction).chain(self.declared(Kind::Exercise));
        for thing in things {
            let mut places = mentions.iter().filter(|mention| match mention.of {
                Of::Prediction => thing.kind == Kind::Prediction && mention.name == thing.id,
                Of::Exercise => thing.kind == Kind::Exercise,
                _ => false,
            });
            let line = if thing.kind == Kind::Exercise {
                "{{exercise}}".to_owned()
            } else {
                format!("{{{{predict {}}}}}", thing.id)
            };
            if places.next().is_none() {
                self.warning(
                    &thing.place,
                    format!("{line} is nowhere in text.md, so nobody will see this"),
                    "place it",
                );
            }
            for again in places {
                self.error(&again.place, format!("{line} stands in the text twice"), "keep one of them");
            }
        }
    }

    /// Whatever sizes a kernel's runs has a value at every setting that the lesson itself uses.
    fn figures(&self) {
        let lesson = &self.draft.lesson;
        let uses = settings_in_use(lesson);
        for figure in &self.draft.figures {
            for Use { set, .. } in uses.iter().filter(|used| used.kernel == figure.kernel) {
                let settings: Settings = set.iter().cloned().collect();
                let env = Env::fixed(&lesson.params, &lesson.values, &settings);
                let mut conditions = self.draft.conditions.iter().filter(|c| c.kernel == figure.kernel);
                if conditions.any(|condition| !condition.requirement.holds(&env)) {
                    continue;
                }
                let result = match figure.wanted {
                    Wanted::Count(least) => env.whole(&figure.expr, least).map(drop),
                    Wanted::Number | Wanted::Constant(..) | Wanted::Room(..) => env.eval(&figure.expr).map(drop),
                };
                let problem = match (result, &figure.wanted) {
                    // What is missing or endless was reported where it is named.
                    (Err(EvalError::Missing(_) | EvalError::TooDeep(_)), _) => continue,
                    (Err(error), _) => error.to_string(),
                    (Ok(()), Wanted::Constant(name, scalar)) => match env.eval(&figure.expr) {
                        Ok(value) if !scalar.holds(value) => wgsl::unfit(name, *scalar, value).message,
                        _ => continue,
                    },
                    (Ok(()), Wanted::Room(name, count)) => match (env.eval(count), env.eval(&figure.expr)) {
                        (Ok(has), Ok(needed)) if has < needed => {
                            format!("the library needs {needed} elements of `{name}`, which has {has}")
                        }
                        _ => continue,
                    },
                    (Ok(()), _) => continue,
                };
                let problem = format!("{problem}, at {}", at(set));
                self.error(&figure.place, problem, "round it, or bound it with min and max");
                break;
            }
        }
    }

    /// What a kernel requires holds wherever the lesson itself runs it, save in sweeps.
    fn conditions(&self) {
        let lesson = &self.draft.lesson;
        let uses = settings_in_use(lesson);
        for condition in &self.draft.conditions {
            for Use { set, .. } in uses.iter().filter(|used| used.shown && used.kernel == condition.kernel) {
                let settings: Settings = set.iter().cloned().collect();
                let env = Env::fixed(&lesson.params, &lesson.values, &settings);
                match env.eval(&condition.requirement.condition) {
                    Err(EvalError::Missing(_) | EvalError::TooDeep(_)) => {}
                    _ if condition.requirement.holds(&env) => {}
                    _ => {
                        let text = &condition.requirement.text;
                        let message = format!("{text}: this does not hold at {}, where the lesson runs it", at(set));
                        self.error(
                            &condition.requirement.place,
                            message,
                            "change the condition, or what the lesson sets there",
                        );
                        break;
                    }
                }
            }
        }
    }

    /// A matrix has whole rows at the defaults.
    fn matrices(&self) {
        let lesson = &self.draft.lesson;
        let defaults = Settings::default();
        let env = Env::fixed(&lesson.params, &lesson.values, &defaults);
        for kernel in &lesson.kernels {
            for buffer in &kernel.buffers {
                let Some(columns) = &buffer.columns else { continue };
                let (Ok(count), Ok(across)) = (env.whole(&buffer.count, 1), env.whole(columns, 1)) else { continue };
                let is_this = |f: &&Figure| f.kernel == kernel.id && f.expr.source() == columns.source();
                let figure = self.draft.figures.iter().find(is_this).filter(|_| !count.is_multiple_of(across));
                if let Some(figure) = figure {
                    let message =
                        format!("`{}` has {count} elements, which is no whole number of rows of {across}", buffer.name);
                    self.error(&figure.place, message, "make `count` the rows times the `columns`");
                }
            }
        }
    }

    /// A step's kernel has what its scene shows.
    fn scenes(&self) {
        let lesson = &self.draft.lesson;
        for step in &lesson.steps {
            let Some(declared) = self.declared(Kind::Step).find(|declared| declared.id == step.id) else { continue };
            if lesson.kernel(&step.kernel).is_some_and(|kernel| !step.scene.fits(kernel)) {
                let message = format!("the step `{}` has nothing to show as {}", step.id, step.scene.name());
                let missing = match step.scene {
                    SceneKind::Roofline => "say how many `flops` its kernel's work takes",
                    _ => "give its kernel's matrices their `columns`",
                };
                self.error(&declared.place, message, format!("{missing}, or choose another scene"));
            }
        }
    }
}

/// One run of a kernel, at settings that the lesson names or allows.
struct Use<'a> {
    kernel: &'a str,
    set: Vec<(String, f64)>,
    /// Whether the lesson itself puts the kernel there, outside a sweep.
    shown: bool,
}

/// Settings in words.
fn at(set: &[(String, f64)]) -> String {
    let set: Vec<String> = set.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if set.is_empty() { "the defaults".to_owned() } else { set.join(", ") }
}

/// Where a lesson runs its kernels: each at the defaults, with each parameter at its ends, and wherever a part of the
/// lesson sets parameters.
fn settings_in_use(lesson: &Lesson) -> Vec<Use<'_>> {
    let mut uses: Vec<Use<'_>> = Vec::new();
    let shown = |kernel, set: &[(String, f64)]| Use { kernel, set: set.to_vec(), shown: true };
    for kernel in &lesson.kernels {
        uses.push(shown(&kernel.id, &[]));
        for param in &lesson.params {
            let ends = [param.domain.nth(0), param.domain.nth(param.domain.len().saturating_sub(1))];
            let ends = ends.into_iter().flatten().map(|end| vec![(param.id.clone(), end)]);
            uses.extend(ends.map(|set| Use { kernel: &kernel.id, set, shown: false }));
        }
    }
    uses.extend(lesson.steps.iter().map(|step| shown(&step.kernel, &step.set)));
    let probes = lesson.predictions.iter().flat_map(|prediction| &prediction.probes);
    uses.extend(probes.map(|probe| shown(&probe.kernel, &probe.set)));
    for experiment in &lesson.experiments {
        for kernel in &experiment.kernels {
            let points = experiment.values.iter().map(|value| vec![(experiment.over.clone(), *value)]);
            uses.extend(points.map(|set| Use { kernel, set, shown: false }));
        }
    }
    uses.extend(lesson.exercise.iter().map(|exercise| shown(&exercise.kernel, &exercise.set)));
    uses
}

fn allowed(access: &Access) -> &'static str {
    match access {
        Access::Fixed => "use parameters, and values that follow from them alone",
        Access::Results => "use parameters, values and results of kernels",
        Access::Probes(_) => "use parameters and results of the probes",
        Access::Counts(_) => "use parameters and counted results of the probes",
        Access::Exercise => "use parameters and results of `exercise`",
    }
}

/// A walk along the values that values refer to.
struct Walk<'a> {
    lesson: &'a Lesson,
    /// The longest chain of values from each on, where it is known.
    heights: Vec<Option<usize>>,
    path: Vec<&'a str>,
}

/// Why a walk does not end, with the values on it.
enum Endless<'a> {
    /// From a value back to itself.
    Circle(Vec<&'a str>),
    /// Further than anyone needs.
    TooLong(Vec<&'a str>),
}

impl<'a> Walk<'a> {
    /// The longest chain from the value at `index` on.
    fn height(&mut self, index: usize) -> Result<usize, Endless<'a>> {
        let lesson = self.lesson;
        let value = &lesson.values[index];
        let earlier = self.path.iter().position(|id| *id == value.id);
        self.path.push(&value.id);
        if let Some(earlier) = earlier {
            return Err(Endless::Circle(self.path[earlier..].to_vec()));
        }
        // Also what bounds the recursion.
        if self.path.len() > MAX_CHAIN {
            return Err(Endless::TooLong(self.path.clone()));
        }
        let height = match self.heights[index] {
            Some(height) => height,
            None => {
                let mut below = 0;
                for (name, _) in value.expr.names() {
                    if let Some(next) = lesson.values.iter().position(|value| value.id == name) {
                        below = below.max(self.height(next)?);
                    }
                }
                below + 1
            }
        };
        self.heights[index] = Some(height);
        if self.path.len() - 1 + height > MAX_CHAIN {
            return Err(Endless::TooLong(self.path.clone()));
        }
        self.path.pop();
        Ok(height)
    }
}
