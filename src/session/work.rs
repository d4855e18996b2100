//! How much there is to do in a launch, and settings at which it is little.

use super::jobs::{self, Params};
use crate::lesson::scope::Env;
use crate::lesson::{Domain, Kernel, Lesson};

/// Operations or bytes that a quick launch needs at most, if its sizes can be so small.
const QUICK: f64 = 2e6;

/// What a kernel's work needs at some parameters, as the lesson counts it: operations or bytes, whichever are more. None where an
/// expression has no usable value.
#[must_use]
pub fn needed(lesson: &Lesson, kernel: &Kernel, params: &Params) -> Option<f64> {
    let env = Env::fixed(&lesson.params, &lesson.values, params);
    Some(env.eval(&kernel.bytes).ok()?.max(env.eval(&kernel.flops).ok()?))
}

/// The lesson's defaults, with sizes halved until the kernel has little to do: always the one that spares most.
#[must_use]
pub fn quick(lesson: &Lesson, kernel: &Kernel) -> Params {
    let mut params = jobs::defaults(lesson);
    let work = |params: &Params| needed(lesson, kernel, params).unwrap_or(0.0);
    while work(&params) > QUICK {
        let halved = lesson.params.iter().filter_map(|param| {
            let least = match &param.domain {
                Domain::Choice(_) => return None,
                Domain::PowersOfTwo { min, .. } | Domain::Range { min, .. } => *min,
            };
            let half = (params.get(&param.id)? / 2.0).floor().max(least);
            Some(jobs::with(&params, &[(param.id.clone(), half)]))
        });
        match halved.min_by(|a, b| work(a).total_cmp(&work(b))) {
            Some(less) if work(&less) < work(&params) => params = less,
            _ => break,
        }
    }
    params
}
