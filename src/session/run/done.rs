//! A program that ran, and its problems.

use super::check_failure::failed_check;
use super::model;
use crate::base::diag::Diagnostic;
use crate::device::Launch;
use crate::job::{self, Job};
use crate::trace::Record;

/// A program that ran.
#[derive(Clone, Debug)]
pub struct Done {
    pub job: Job,
    pub record: Record,
}

impl Done {
    /// How a pass was launched.
    #[must_use]
    pub fn launch(&self, place: usize) -> Option<Launch> {
        model::launched(&self.job, &self.record, place)
    }

    /// Its problems: a failed check, and the tracer's findings at their lines.
    #[must_use]
    pub fn problems(&self) -> Vec<Diagnostic> {
        let findings = self.record.findings().map(|(place, finding)| {
            let launch = self.job.passes[place].launch();
            let file = launch.map_or(self.job.place.file.as_str(), job::Launch::file);
            let text = launch.map_or("", |launch| launch.text());
            finding.diagnostic(file, text)
        });
        failed_check(&self.job, &self.record).into_iter().chain(findings).collect()
    }
}
