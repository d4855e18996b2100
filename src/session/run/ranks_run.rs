//! Multi-process runs: one of several ranks that run a program together.

use super::output::RanksOutput;
use super::{Done, Runner};
use crate::base::diag::Diagnostic;
use crate::gpu::ranks::Between;
use crate::gpu::share as shares;
use crate::job::Job;
use crate::lesson::{Lesson, Variant};
use crate::ranks::meeting::Meeting;
use crate::session::jobs::fingerprint::of_job;
use crate::session::jobs::{self, Params, share};

/// This rank, with its connection to the others.
pub struct Together {
    meeting: Meeting,
    /// Between GPUs; None for TCP.
    between: Option<Between>,
    /// Whether something failed: all ranks know it, and have stopped.
    is_over: bool,
}

impl Together {
    /// A rank that has met the others.
    #[must_use]
    pub fn new(meeting: Meeting, between: Option<Between>) -> Self {
        Self { meeting, between, is_over: false }
    }

    /// Whether a run failed. Then all ranks know it, and nothing more is run.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    #[must_use]
    pub fn rank(&self) -> usize {
        self.meeting.world().rank
    }

    /// Whether this rank is the one that reports.
    #[must_use]
    pub fn reports(&self) -> bool {
        self.rank() == 0
    }

    /// The report of the ranks.
    #[must_use]
    pub fn output(&self) -> RanksOutput {
        RanksOutput { number: self.meeting.world().size, over: self.between.map_or("host", Between::name) }
    }

    /// The joint name of the ranks' devices.
    #[must_use]
    pub fn name(&self, device: &str) -> String {
        let RanksOutput { number, over } = self.output();
        let over = match self.between {
            None => "TCP",
            Some(Between::Nccl) => "NCCL",
            Some(Between::Peers) => over,
        };
        format!("{number} × {device} over {over}")
    }

    /// Runs this rank's share of a program at some parameters, while the others run theirs.
    pub fn program(
        &mut self,
        runner: &Runner<'_>,
        variant: &Variant,
        params: &Params,
    ) -> Result<Done, Vec<Diagnostic>> {
        self.run(runner, variant, params, jobs::build(runner.lesson, variant, params, runner.purpose)?)
    }

    /// Runs this rank's share of a job, while the others run theirs.
    ///
    /// # Errors
    /// The problems that kept it from running, even if caused by another rank.
    pub fn run(
        &mut self,
        runner: &Runner<'_>,
        variant: &Variant,
        params: &Params,
        job: Job,
    ) -> Result<Done, Vec<Diagnostic>> {
        let world = self.meeting.world();
        let (rank, size) = (world.rank, world.size);
        let share = share::share(runner.lesson, variant, params, runner.purpose, rank, job)?;
        let Some(share) = share else { return Err(vec![not_shared(runner.lesson, &variant.program)]) };
        if share.ranks != size {
            let message = format!("there are {size} ranks, and `{}` is for {}", variant.program, share.ranks);
            return Err(vec![Diagnostic::error(message).hint("start as many ranks as the lesson has")]);
        }
        let agreed = self.meeting.agree_on_job(&of_job(&share.whole, runner.backend));
        self.is_over |= agreed.is_err();
        agreed.map_err(|problem| vec![problem])?;
        let record = shares::run(runner.backend, &share, self.between, &mut self.meeting);
        self.is_over |= record.is_err();
        let record = record.map_err(|problem| vec![problem])?;
        Ok(Done { job: share.whole, record })
    }

    /// Releases the others, if they are still connected; returns whether this rank goes on alone.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn leave(self) -> Result<bool, Diagnostic> {
        let goes_on = self.reports();
        if !self.is_over {
            self.meeting.leave()?;
        }
        Ok(goes_on)
    }
}

fn not_shared(lesson: &Lesson, program: &str) -> Diagnostic {
    Diagnostic::error(format!("`{program}` of `{}` is not made for several processes", lesson.id))
}

/// The number of ranks of the chosen programs that are made for several processes; None if there are no such programs.
///
/// # Errors
/// When a program's number of ranks has no usable value, or two differ.
pub fn ranks(lesson: &Lesson, chosen: &[Variant], params: &Params) -> Result<Option<usize>, Vec<Diagnostic>> {
    let mut found = None;
    for variant in chosen {
        let ranks = share::ranks(lesson, variant, params)?;
        if let (Some(one), Some(other)) = (found, ranks)
            && one != other
        {
            let message = format!("programs of `{}` have {one} and {other} ranks", lesson.id);
            return Err(vec![Diagnostic::error(message).hint("choose one of them with --program")]);
        }
        found = found.or(ranks);
    }
    Ok(found)
}
