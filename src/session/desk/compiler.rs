//! Compiling shaders: the program on the bench, and the learner's versions of kernels, each on a thread of its own.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;

use super::event::{Event, Outbox};
use super::worker::{Order, Worker};
use crate::base::diag::Diagnostic;
use crate::job::Job;
use crate::lesson::{Facts, Lesson, Variant};
use crate::session::jobs::setting::Setting;
use crate::session::jobs::{self, Params};
use crate::session::learn::edits::{self, Edit, Language};
use crate::session::run;
use crate::trace::record::Backend;

/// The program on the bench with its shaders compiled.
#[derive(Clone, Debug)]
pub struct Built {
    /// Which program at which settings; see `Setting::traced_key`.
    pub key: String,
    /// The lesson, by its id, and the program.
    pub of: (String, Variant),
    /// The compiled job.
    pub job: Arc<Job>,
    /// Facts of each pass, from which the stage chooses its pictures.
    pub facts: Vec<Facts>,
}

/// Starts the thread that compiles the program on the bench.
pub(super) fn builder(out: Outbox) -> Worker<(Setting, Variant)> {
    Worker::start("builder", move |orders: Receiver<Order<(Setting, Variant)>>| {
        for Order { task: (setting, variant), cancel, .. } in orders {
            if !cancel.load(Ordering::Relaxed) {
                let key = setting.traced_key(&variant);
                let purpose = run::purpose(Backend::Simt, setting.seed, true);
                let job = jobs::build(&setting.lesson, &variant, &setting.params, &purpose).ok();
                let built = job.map(|job| Built {
                    key: key.clone(),
                    of: (setting.lesson.id.clone(), variant),
                    facts: (0..job.passes.len()).map(|place| jobs::facts(&job, place)).collect(),
                    job: Arc::new(job),
                });
                out.send(Event::Built(key, built));
            }
        }
    })
}

/// A version of a kernel that is to be compiled.
pub struct Attempt {
    /// The lesson without versions.
    pub plain: Arc<Lesson>,
    /// The version.
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
