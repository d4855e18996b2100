//! The lessons' cover pictures on the start page: traced on their own thread, one by one, as the page requests them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;

use super::Desk;
use super::event::{Event, Outbox};
use super::worker::{Order, Worker};
use crate::lesson::Lesson;
use crate::session::show::cover::{self, Cover};

/// The requested pictures, by lesson.
#[derive(Default)]
pub struct Covers(BTreeMap<String, Wanted>);

/// A requested picture.
struct Wanted {
    /// Its order's number.
    number: u64,
    /// None until it is traced; then None inside if it cannot be.
    cover: Option<Option<Arc<Cover>>>,
}

impl Covers {
    /// A lesson's picture; None before it is there, and if it cannot be traced.
    #[must_use]
    pub fn of(&self, lesson: &str) -> Option<&Arc<Cover>> {
        self.0.get(lesson)?.cover.as_ref()?.as_ref()
    }

    /// Whether a lesson's picture was requested.
    #[must_use]
    pub fn is_asked(&self, lesson: &str) -> bool {
        self.0.contains_key(lesson)
    }

    /// Whether a picture is on its way.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.0.values().any(|wanted| wanted.cover.is_none())
    }
}

/// Starts the thread that traces covers.
pub(super) fn tracer(out: Outbox) -> Worker<Arc<Lesson>> {
    Worker::start("covers", move |orders: Receiver<Order<Arc<Lesson>>>| {
        for Order { number, task, cancel } in orders {
            if !cancel.load(Ordering::Relaxed) {
                let cover = cover::of(&task, &cancel);
                out.send(Event::Cover(task.id.clone(), number, cover.map(Arc::new)));
            }
        }
    })
}

impl Desk {
    /// Orders a lesson's picture, once.
    pub(super) fn ask_cover(&mut self, id: &str) {
        let lesson = self.state.pack.lessons.iter().find(|lesson| lesson.id == id).cloned();
        let Some(lesson) = lesson.filter(|_| !self.state.covers.is_asked(id)) else { return };
        self.covers.enqueue(lesson);
        self.state.covers.0.insert(id.to_owned(), Wanted { number: self.covers.last(), cover: None });
    }

    /// Takes a picture, unless the pack has changed since it was ordered.
    pub(super) fn take_cover(&mut self, id: &str, number: u64, cover: Option<Arc<Cover>>) {
        if let Some(wanted) = self.state.covers.0.get_mut(id).filter(|wanted| wanted.number == number) {
            wanted.cover = Some(cover);
        }
    }

    /// Drops all pictures after the lessons have changed, so that they are requested again.
    pub(super) fn forget_covers(&mut self) {
        self.covers.cancel();
        self.state.covers = Covers::default();
    }
}
