//! Parameters that rule a kernel out: unmet requirements of a lesson, and values with which a shader does not compile.

use super::{Params, with};
use crate::base::diag::{Diagnostic, any_of};
use crate::base::expr::{Expr, Scope};
use crate::lesson::scope::Env;
use crate::lesson::{Lesson, Variant};

/// The error that a kernel of a program cannot run at these parameters: the unmet requirement and its numbers. None if
/// all are met.
#[must_use]
pub fn unmet(lesson: &Lesson, variant: &Variant, params: &Params) -> Option<Diagnostic> {
    let (kernel, requirement) = lesson.unmet(variant, params)?;
    let env = Env::fixed(&lesson.params, &lesson.values, params);
    let mut now: Vec<String> = Vec::new();
    for (name, _) in requirement.condition.names() {
        let said = env.get(name).map_or_else(|why| why.to_string(), |value| format!("{name} = {value}"));
        if !now.contains(&said) {
            now.push(said);
        }
    }
    let to_turn = lesson.blame(&requirement.condition).into_iter().map(|id| {
        let name = known_as(lesson, &id);
        let Some(param) = lesson.param(&id) else { return name };
        let is_met = |value: f64| lesson.unmet(variant, &with(params, &[(id.clone(), value)])).is_none();
        let now = params.get(&id).copied().unwrap_or(param.default);
        let near: Vec<String> = param.domain.neighbours(now, is_met).iter().flatten().map(f64::to_string).collect();
        if near.is_empty() { name } else { format!("{name} to {}", any_of(&near)) }
    });
    let to_turn: Vec<String> = to_turn.collect();
    let message = format!("kernel `{}` cannot run: {}: now {}", kernel.id, requirement.text, now.join(", "));
    let problem = Diagnostic { place: Some(requirement.place.clone()), ..Diagnostic::error(message) };
    Some(problem.hint(format!("change {}", to_turn.join(", or "))))
}

/// The parameters to change if a shader does not compile at `params`: the one with whose default it `compiles`, or all
/// that differ from their defaults. None if the parameters are not the cause.
pub(super) fn blamed(
    lesson: &Lesson,
    constants: &[(String, Expr)],
    params: &Params,
    compiles: impl Fn(&Params) -> bool,
) -> Option<String> {
    let behind = constants.iter().flat_map(|(_, value)| lesson.blame(value));
    let behind: Vec<String> = behind.collect();
    let changed = lesson.params.iter().filter(|param| {
        behind.contains(&param.id) && params.get(&param.id).is_some_and(|value| *value != param.default)
    });
    let changed: Vec<_> = changed.collect();
    let defaults: Vec<(String, f64)> = changed.iter().map(|param| (param.id.clone(), param.default)).collect();
    if changed.is_empty() || !compiles(&with(params, &defaults)) {
        return None;
    }
    let alone =
        changed.iter().zip(&defaults).find(|(_, default)| compiles(&with(params, std::slice::from_ref(*default))));
    let guilty = alone.map_or(changed.clone(), |(param, _)| vec![*param]);
    let each = guilty.iter().map(|param| {
        let now = params.get(&param.id).copied().unwrap_or(param.default);
        format!("{}, now {now}", known_as(lesson, &param.id))
    });
    let each: Vec<String> = each.collect();
    let (their, values) = (if guilty.len() == 1 { "its default" } else { "their defaults" }, guilty.iter());
    let values: Vec<String> = values.map(|param| param.default.to_string()).collect();
    Some(format!("change {}: with {their}, {}, the shader compiles", each.join("; "), values.join(", ")))
}

/// A parameter as the window and the command line name it.
#[must_use]
pub fn known_as(lesson: &Lesson, id: &str) -> String {
    match lesson.param(id) {
        Some(param) if param.label != id => format!("{} (`{id}`)", param.label),
        _ => format!("`{id}`"),
    }
}
