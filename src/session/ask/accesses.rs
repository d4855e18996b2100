//! The single accesses of a workgroup, with what was found in it.

use std::sync::Arc;

use super::query::Of;
use super::run::{Plan, Ran, Watched};
use crate::base::diag::Diagnostic;
use crate::figures::{Accesses, ask};

impl Watched for ask::Accesses {
    fn watch(&self, of: &Of, plan: &mut Plan) {
        let Of::Workgroup(_, shown, workgroup) = of else { return };
        plan.spec.shown = *shown;
        plan.spec.counts = true;
        plan.spec.timeline_workgroups = vec![*workgroup];
        plan.spec.only_timeline_workgroups = !plan.is_whole;
        // Checking races is quick for one workgroup, and mostly the same in all.
        plan.spec.races_shown = true;
    }

    fn read(&self, of: &Of, ran: &mut Ran<'_>) -> Result<Accesses, Vec<Diagnostic>> {
        let pass = of.shown().and_then(|shown| ran.done.record.passes.get_mut(shown.pass));
        let (timeline, trace) = pass.map(|pass| (pass.timeline.take(), pass.trace.as_ref())).unwrap_or_default();
        Ok(Accesses {
            timeline: Arc::new(timeline.unwrap_or_default()),
            findings: trace.map(|trace| trace.findings.clone()).unwrap_or_default(),
        })
    }
}
