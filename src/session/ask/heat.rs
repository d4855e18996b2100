//! How often a launch fetches each element of its matrices.

use super::query::Of;
use super::run::{Plan, Ran, Watched};
use crate::base::diag::Diagnostic;
use crate::figures::ask;
use crate::trace::Heat;

impl Watched for ask::Heat {
    fn watch(&self, of: &Of, plan: &mut Plan) {
        (plan.check, plan.spec.heat, plan.spec.shown) = (true, true, of.shown().unwrap_or_default());
    }

    fn read(&self, of: &Of, ran: &mut Ran<'_>) -> Result<Heat, Vec<Diagnostic>> {
        ran.is_right()?;
        let pass = of.shown().and_then(|shown| ran.done.record.passes.get_mut(shown.pass));
        pass.and_then(|pass| pass.heat.take()).ok_or_else(|| vec![Diagnostic::error("the launch fetches no matrix")])
    }
}
