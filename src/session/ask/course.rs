//! The intervals of a launch's workgroups, and the bytes that each pass of the program moves: whether its result is right or not.

use super::query::Of;
use super::run::{Plan, Ran, Watched};
use crate::base::diag::Diagnostic;
use crate::figures::{Metered, MeteredPass, ask};
use crate::lesson::Program;
use crate::trace::Course;

impl Watched for ask::Course {
    fn watch(&self, of: &Of, plan: &mut Plan) {
        let ask::Course(variables) = self;
        (plan.spec.counts, plan.spec.course) = (true, Some(variables.clone()));
        plan.spec.shown = of.shown().unwrap_or_default();
    }

    fn read(&self, _: &Of, ran: &mut Ran<'_>) -> Result<Course, Vec<Diagnostic>> {
        Ok(ran.done.record.passes.iter_mut().find_map(|pass| pass.course.take()).unwrap_or_default())
    }
}

impl Watched for ask::Moved {
    fn watch(&self, _: &Of, plan: &mut Plan) {
        plan.spec.counts = true;
        plan.spec.course.get_or_insert_default();
    }

    fn read(&self, _: &Of, ran: &mut Ran<'_>) -> Result<Metered, Vec<Diagnostic>> {
        let titles = ran.program().map(Program::passes).unwrap_or_default();
        let metered = ran.done.record.passes.iter().enumerate().map(|(place, pass)| {
            let title = titles.get(place).map_or(&pass.id, |pass| &pass.title).clone();
            MeteredPass { title, launches: pass.launches, moved: pass.moved.clone() }
        });
        let title = ran.program().map_or_else(String::new, |program| program.title.clone());
        Ok(Metered { title, passes: metered.collect() })
    }
}
