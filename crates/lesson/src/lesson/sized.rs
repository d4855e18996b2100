//! Checks that every expression that sizes a run has a value at all settings that the lesson uses.

use std::collections::{BTreeSet, HashMap};

use super::check::Check;
use super::conditions::{RequiredValue, Wanted};
use super::model::{AgainstDecl, AnswerKind, Lesson, Prediction, Program, Variant};
use super::scope::{Env, Settings};
use crate::base::expr::EvalError;
use crate::base::units::count;
use crate::base::wgsl;

impl Check<'_> {
    /// Checks that every expression that sizes runs has a value at every setting that the lesson uses.
    pub(super) fn required_values(&self) {
        let lesson = &self.draft.lesson;
        let uses = settings_in_use(lesson);
        let uses = by_owner(lesson, &uses);
        for figure in &self.draft.required {
            for Use { set, .. } in uses.get(figure.owner.as_str()).into_iter().flatten() {
                let settings: Settings = set.iter().cloned().collect();
                let env = Env::fixed(&lesson.params, &lesson.values, &settings);
                let mut conditions = self.draft.conditions.iter().filter(|c| c.kernel == figure.owner);
                if conditions.any(|condition| !condition.requirement.holds(&env)) {
                    continue;
                }
                let result = match figure.wanted {
                    Wanted::Count(least) | Wanted::Between(least, _) => env.whole(&figure.expr, least).map(Some),
                    Wanted::Number | Wanted::Amount | Wanted::Constant(..) | Wanted::BufferLength(..) => {
                        env.eval(&figure.expr).map(|_| None)
                    }
                };
                let problem = match (result, &figure.wanted) {
                    // Missing names and endless values were reported where they are named.
                    (Err(EvalError::Missing(_) | EvalError::TooDeep(_)), _) => continue,
                    (Err(error), _) => error.to_string(),
                    (Ok(Some(whole)), Wanted::Between(_, most)) if whole > *most => {
                        format!("`{}` is {}, and {} is the most", figure.expr.source(), count(whole), count(*most))
                    }
                    (Ok(_), Wanted::Amount) => match env.eval(&figure.expr) {
                        Ok(value) if value < 0.0 => format!("`{}` is {value}, which is negative", figure.expr.source()),
                        _ => continue,
                    },
                    (Ok(_), Wanted::Constant(name, scalar)) => match env.eval(&figure.expr) {
                        Ok(value) if !scalar.holds(value) => wgsl::unfit(name, *scalar, value).message,
                        _ => continue,
                    },
                    (Ok(_), Wanted::BufferLength(name, count)) => match (env.eval(count), env.eval(&figure.expr)) {
                        (Ok(has), Ok(needed)) if has < needed => {
                            format!("the library needs {needed} elements of `{name}`, which has {has}")
                        }
                        _ => continue,
                    },
                    (Ok(_), _) => continue,
                };
                let problem = format!("{problem}, at {}", at(set));
                self.error(&figure.place, problem, "round it, or bound it with min and max");
                break;
            }
        }
    }

    /// Checks that a kernel's requirements are met wherever the lesson runs it, except in sweeps.
    pub(super) fn conditions(&self) {
        let lesson = &self.draft.lesson;
        let uses = settings_in_use(lesson);
        let uses = by_owner(lesson, &uses);
        for condition in &self.draft.conditions {
            let concerned = uses.get(condition.kernel.as_str()).into_iter().flatten();
            for Use { set, .. } in concerned.filter(|used| used.shown) {
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

    /// Checks that each matrix has whole rows at the defaults.
    pub(super) fn matrices(&self) {
        let lesson = &self.draft.lesson;
        let defaults = Settings::default();
        let env = Env::fixed(&lesson.params, &lesson.values, &defaults);
        for program in &lesson.programs {
            for buffer in &program.buffers {
                let Some(columns) = &buffer.columns else { continue };
                let (Ok(count), Ok(across)) = (env.whole(&buffer.count, 1), env.whole(columns, 1)) else { continue };
                let is_this = |f: &&RequiredValue| f.owner == program.id && f.expr.source() == columns.source();
                let figure = self.draft.required.iter().find(is_this).filter(|_| !count.is_multiple_of(across));
                if let Some(figure) = figure {
                    let message =
                        format!("`{}` has {count} elements, which is no whole number of rows of {across}", buffer.name);
                    self.error(&figure.place, message, "make `count` the rows times the `columns`");
                }
            }
        }
    }
}

/// One run of a program, at settings that the lesson sets or allows.
struct Use {
    variant: Variant,
    set: Vec<(String, f64)>,
    /// Whether the lesson itself shows it, outside a sweep.
    shown: bool,
}

/// Uses by owner: their program, the kernels that it launches, and those that its checks compare with.
fn by_owner<'a>(lesson: &'a Lesson, uses: &'a [Use]) -> HashMap<&'a str, Vec<&'a Use>> {
    let mut owners: HashMap<&Variant, BTreeSet<&str>> = HashMap::new();
    let mut sorted: HashMap<&str, Vec<&Use>> = HashMap::new();
    for used in uses {
        let needed = owners.entry(&used.variant).or_insert_with(|| {
            let checks = lesson.program(&used.variant.program).into_iter().flat_map(|program| &program.checks);
            let checked = checks.filter_map(|check| match &check.against {
                AgainstDecl::Kernel(launch) => launch.rungs.first().map(String::as_str),
                _ => None,
            });
            let launched = lesson.launched(&used.variant).into_iter().flatten().map(|kernel| kernel.id.as_str());
            launched.chain(checked).chain([used.variant.program.as_str()]).collect()
        });
        for owner in needed.iter() {
            sorted.entry(owner).or_default().push(used);
        }
    }
    sorted
}

/// Settings in words.
fn at(set: &[(String, f64)]) -> String {
    let set: Vec<String> = set.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if set.is_empty() { "the defaults".to_owned() } else { set.join(", ") }
}

/// The runs of a lesson's programs: each at the defaults, with each parameter at its ends, and wherever a part of the
/// lesson sets parameters.
fn settings_in_use(lesson: &Lesson) -> Vec<Use> {
    let mut uses: Vec<Use> = Vec::new();
    let shown =
        |variant: &Variant, set: &[(String, f64)]| Use { variant: variant.clone(), set: set.to_vec(), shown: true };
    for variant in lesson.programs.iter().flat_map(Program::variants) {
        // A kernel that is not the first one of a pass need not support the defaults.
        uses.push(Use { shown: variant.rungs.is_empty(), ..shown(&variant, &[]) });
        for param in &lesson.params {
            let ends = [param.domain.nth(0), param.domain.nth(param.domain.len().saturating_sub(1))];
            let ends = ends.into_iter().flatten().map(|end| vec![(param.id.clone(), end)]);
            uses.extend(ends.map(|set| Use { variant: variant.clone(), set, shown: false }));
        }
    }
    uses.extend(lesson.steps.iter().map(|step| shown(&step.variant, &step.set)));
    let answers = lesson.predictions.iter().filter_map(Prediction::answer);
    uses.extend(answers.flat_map(|answer| &answer.probes).map(|probe| shown(&probe.variant, &probe.set)));
    for asked in &lesson.predictions {
        let AnswerKind::Curve(decl) = &asked.asks else { continue };
        let Some((experiment, curve)) = decl.of(lesson) else { continue };
        let at = |value: &f64| decl.set.iter().cloned().chain([(experiment.over.clone(), *value)]).collect();
        let points = experiment.values.iter().map(at);
        uses.extend(points.map(|set| Use { variant: curve.variant.clone(), set, shown: false }));
    }
    for experiment in &lesson.experiments {
        for curve in &experiment.curves {
            let points = experiment.values.iter().map(|value| vec![(experiment.over.clone(), *value)]);
            uses.extend(points.map(|set| Use { variant: curve.variant.clone(), set, shown: false }));
        }
    }
    for exercise in &lesson.exercises {
        let judged = std::iter::once(&exercise.set).chain(&exercise.also);
        uses.extend(judged.map(|set| shown(&exercise.variant, set)));
    }
    uses
}
