//! A program's counts.

use std::sync::Arc;

use super::query::Of;
use super::run::{Plan, Ran, Watched};
use crate::base::diag::Diagnostic;
use crate::figures::{Traced, ask};
use crate::job::Caches;
use crate::session::run::model;

impl Watched for ask::Counts {
    fn watch(&self, _: &Of, plan: &mut Plan) {
        (plan.check, plan.spec.counts) = (true, true);
        plan.spec.caches = Some(Caches::H200);
        plan.spec.races |= plan.is_own;
    }

    fn read(&self, _: &Of, ran: &mut Ran<'_>) -> Result<Traced, Vec<Diagnostic>> {
        ran.is_right()?;
        let (job, record) = (ran.done.job.clone(), ran.done.record.clone());
        let launches = (0..job.passes.len()).map(|place| model::launched(&job, &record, place)).collect();
        Ok(Traced { job: Arc::new(job), record: Arc::new(record), launches, wrong: ran.wrong.clone() })
    }
}
