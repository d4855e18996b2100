//! The parameters that a page offers to set.

use serde::{Deserialize, Serialize};

use crate::lesson::{Lesson, Param, Step};
use crate::session::jobs::setting::{Setting, parameters_of};
use crate::session::jobs::{self, cost};

/// The most values of a domain that a control offers as they are.
const VALUES: usize = 24;

/// Operations or bytes of a launch that a page traces in a few seconds: its controls offer no larger one.
const QUICK: f64 = 1e8;

/// A parameter, its value, and the values that it can have, each in words.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// Its id.
    pub id: String,
    /// Its name.
    pub label: String,
    /// Its effect and the meaning of its values, in a sentence.
    pub help: String,
    /// Its value.
    pub value: f64,
    /// Its values.
    pub values: Vec<(f64, String)>,
}

/// The parameters that a step's program depends on; where there are too many values, some of them with the present one.
#[must_use]
pub fn controls(setting: &Setting, step: &Step) -> Vec<Control> {
    let used = parameters_of(&setting.lesson, &step.variant);
    let params = setting.lesson.params.iter().filter(|param| used.contains(&param.id));
    let control = |param: &Param| {
        let value = setting.params.get(&param.id).copied().unwrap_or(param.default);
        let is_quick = |of: &f64| {
            let params = jobs::with(&setting.params, &[(param.id.clone(), *of)]);
            cost::needed(&setting.lesson, &step.variant, &params).is_none_or(|work| work <= QUICK)
        };
        // A domain can have millions of values, so some are chosen before their work is estimated: those of the lesson, and powers of two.
        let mut shown: Vec<f64> = match param.domain.len() {
            len if len <= VALUES => (0..len).map_while(|i| param.domain.nth(i)).collect(),
            _ => {
                of_lesson(&setting.lesson, &param.id).chain((0..32).map(|power| f64::from(2_u32.pow(power)))).collect()
            }
        };
        shown.retain(|of| param.domain.accepts(*of) && is_quick(of));
        shown.push(value);
        shown.sort_by(f64::total_cmp);
        shown.dedup();
        let values = shown.into_iter().map(|of| (of, param.words(of))).collect();
        let (label, help) = (param.label.clone(), param.help.clone());
        Control { id: param.id.clone(), label, help, value, values }
    };
    params.map(control).collect()
}

/// The values of a parameter that a lesson's pages and experiments have.
fn of_lesson<'a>(lesson: &'a Lesson, id: &'a str) -> impl Iterator<Item = f64> + 'a {
    let of_pages =
        lesson.steps.iter().flat_map(|step| &step.set).filter(move |(name, _)| name == id).map(|(_, value)| *value);
    let swept = lesson.experiments.iter().filter(move |experiment| experiment.over == id);
    of_pages.chain(swept.flat_map(|experiment| experiment.values.iter().copied()))
}
