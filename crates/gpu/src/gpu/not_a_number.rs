//! The first pass that leaves an element that is not a number, for a series that has one.

use super::backend::Failure;
use super::walk::{Host, Turn, Walked, walk};
use crate::base::tensor::{Elem, Tensor};
use crate::job::{BindingKind, Job, Node, Repeat};
use crate::trace::record::{Warning, WarningKind};

/// Whether a figure of a series is not a number.
pub(super) fn is_in_series(walked: &Walked) -> bool {
    walked.series.iter().any(|(_, figures)| figures.iter().any(|figure| figure.is_nan()))
}

/// Goes through a program again on a host that is as it was at the start, up to the first pass after which a float that
/// it writes is not a number. None if there is no such pass.
///
/// # Errors
/// As [`walk`].
pub(super) fn first(job: &Job, host: &mut dyn Host) -> Result<Option<Warning>, Failure> {
    let plain = Job { checks: Vec::new(), series: Vec::new(), looks: Vec::new(), film: Vec::new(), ..job.clone() };
    let mut search = Search { job: &plain, host, infinite: None, found: None };
    let walked = walk(&plain, &mut search, false)?;
    let Search { infinite, found, .. } = search;
    Ok(found.map(|found| {
        let round = plain.repeats().into_iter().zip(&walked.rounds).find(|(repeat, _)| holds(repeat, found.turn.pass));
        let round = round.map_or_else(String::new, |(_, (id, rounds))| format!(", in round {} of `{id}`", rounds + 1));
        let message = format!(
            "a series is not a number: the first is `{}` after {}{round}",
            found.element(job),
            found.launch(job)
        );
        let hint = match infinite {
            Some(infinite) => format!("`{}` is infinite first, after {}", infinite.element(job), infinite.launch(job)),
            None => "look at what the pass loads: `--print` shows a buffer".to_owned(),
        };
        Warning { kind: WarningKind::NotANumber, message, hint }
    }))
}

/// Whether a pass is in a repetition.
fn holds(repeat: &Repeat, pass: usize) -> bool {
    repeat.body.iter().any(|node| match node {
        Node::Pass(known) => *known == pass,
        Node::Repeat(inner) => holds(inner, pass),
    })
}

/// An element of a buffer after a launch.
#[derive(Clone, Copy)]
struct Found {
    turn: Turn,
    buffer: usize,
    index: usize,
}

impl Found {
    fn element(self, job: &Job) -> String {
        format!("{}[{}]", job.buffers[self.buffer].name, self.index)
    }

    fn launch(self, job: &Job) -> String {
        format!("launch {} of `{}`", self.turn.launch + 1, job.passes[self.turn.pass].id)
    }
}

/// A host whose buffers are searched after each pass.
struct Search<'a> {
    job: &'a Job,
    host: &'a mut dyn Host,
    /// The first infinite element.
    infinite: Option<Found>,
    /// The first element that is not a number.
    found: Option<Found>,
}

impl Host for Search<'_> {
    fn pass(&mut self, turn: Turn) -> Result<bool, Failure> {
        let goes_on = self.host.pass(turn)?;
        for (buffer, kind) in self.job.passes[turn.pass].touched() {
            let is_float = matches!(self.job.buffers[buffer].elem, Elem::F32 | Elem::F16 | Elem::Bf16);
            if kind != BindingKind::ReadWrite || !is_float {
                continue;
            }
            let content = self.host.content(buffer)?;
            let at = |wanted: &dyn Fn(usize) -> bool| (0..content.len()).find(|i| wanted(*i));
            let found = |index| Found { turn, buffer, index };
            // Elements that were never written hold a NaN of their own, the poison.
            self.found = at(&|i| content.get(i).is_nan() && !content.is_poison(i)).map(found);
            if self.found.is_some() {
                return Ok(false);
            }
            self.infinite = self.infinite.or_else(|| at(&|i| content.get(i).is_infinite()).map(found));
        }
        Ok(goes_on)
    }

    fn content(&mut self, buffer: usize) -> Result<Tensor, Failure> {
        self.host.content(buffer)
    }

    fn elements(&mut self, buffer: usize, first: u64, count: u64) -> Result<Vec<f64>, Failure> {
        self.host.elements(buffer, first, count)
    }

    fn cancelled(&self) -> bool {
        self.host.cancelled()
    }

    fn goes_on(&mut self) -> bool {
        self.host.goes_on()
    }
}
