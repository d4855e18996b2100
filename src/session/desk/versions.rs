//! Compiling the learner's versions of kernels, on a thread of its own.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::event::{Event, Outbox};
use super::worker::{Order, Worker};
use crate::base::diag::Diagnostic;
use crate::job::Language;
use crate::lesson::Lesson;
use crate::session::jobs::{self, Params};
use crate::session::learn::edits::{self, Edit};
use crate::session::run;
use crate::trace::record::Backend;

/// A version of a kernel that is to be compiled.
pub struct Attempt {
    /// The lesson without versions.
    pub plain: Arc<Lesson>,
    pub edit: Edit,
    /// The learner's parameters.
    pub params: Params,
    /// Seed of the random inputs.
    pub seed: u64,
}

impl Attempt {
    /// Compile errors.
    fn problems(&self) -> Vec<Diagnostic> {
        let lesson = edits::with(&self.plain, std::slice::from_ref(&self.edit));
        // In CUDA C++ it is compiled when it is measured.
        let backend = if self.edit.language == Language::Cuda { Backend::Cuda } else { Backend::Simt };
        let purpose = run::purpose(backend, self.seed, true);
        jobs::build(&lesson, &self.edit.variant(), &self.params, &purpose).err().unwrap_or_default()
    }
}

/// Starts the thread that compiles versions of kernels, of each only the newest text.
pub(super) fn versions(out: Outbox) -> Worker<Attempt> {
    Worker::start("versions", move |orders: Receiver<Order<Attempt>>| {
        let mut pending: VecDeque<Attempt> = VecDeque::new();
        while let Some(task) = pending.pop_front().or_else(|| orders.recv().ok().map(|order| order.task)) {
            pending.extend(orders.try_iter().map(|order| order.task));
            if pending.iter().all(|newer| newer.edit.id != task.edit.id) {
                let problems = task.problems();
                out.send(Event::Tried(task.edit.id, task.edit.source, problems));
            }
        }
    })
}
