//! The learner's text file, counted on its own thread.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;

use super::event::{Event, Outbox, Work};
use super::worker::{Order, Worker};
use crate::session::show::text_file::{self, Counted};

/// The learner's text file.
#[derive(Default)]
pub struct TextFile {
    /// The file that is being counted.
    pub counting: Option<Counting>,
    /// The file that was counted last.
    pub(super) counted: Option<Arc<Counted>>,
}

/// A file that is being counted.
pub struct Counting {
    /// Its order's number.
    pub(super) number: u64,
    /// The lesson that it was given to.
    pub(super) lesson: String,
    /// Its name, without its folder.
    pub name: String,
    /// Bytes done, and bytes in all.
    pub progress: (u64, u64),
}

/// Starts the thread that counts texts.
pub(super) fn counter(out: Outbox) -> Worker<PathBuf> {
    Worker::start("texts", move |orders: Receiver<Order<PathBuf>>| {
        for Order { number, task, cancel } in orders {
            if !cancel.load(Ordering::Relaxed) {
                let report = |done, all| out.send(Event::TextRead(number, done, all));
                match text_file::count(&task, &cancel, report) {
                    Ok(Some(counted)) => out.send(Event::TextCounted(number, Ok(Box::new(counted)))),
                    Ok(None) => {}
                    Err(problem) => out.send(Event::TextCounted(number, Err(problem))),
                }
            }
            out.send(Event::Done(Work::Text, number));
        }
    })
}
