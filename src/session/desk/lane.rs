//! A worker that answers questions in the order of their importance.

use super::worker::Worker;
use crate::session::ask::Question;

/// A worker, and the questions that it was given and has not answered.
pub struct Lane<T: Send + From<Question> + 'static> {
    /// The worker.
    pub worker: Worker<T>,
    pending: Vec<Question>,
}

impl<T: Send + From<Question> + 'static> Lane<T> {
    /// A lane of a worker that has nothing to do.
    pub fn new(worker: Worker<T>) -> Self {
        Self { worker, pending: Vec::new() }
    }

    /// Orders answers to these questions alone, in this order. Other orders are cancelled, but for the one with the number `spared`.
    pub fn want(&mut self, questions: Vec<Question>, spared: u64) {
        if !questions.starts_with(&self.pending) {
            self.worker.cancel_but(spared);
            self.pending.clear();
        }
        for question in &questions[self.pending.len()..] {
            self.worker.enqueue(T::from(question.clone()));
        }
        self.pending = questions;
    }

    /// Takes note that a question was answered.
    pub fn answered(&mut self, question: &Question) {
        self.pending.retain(|pending| pending != question);
    }

    /// The questions that are not answered yet.
    pub fn pending(&self) -> &[Question] {
        &self.pending
    }

    /// Cancels all orders but the one with the number `spared`.
    pub fn cancel(&mut self, spared: u64) {
        self.worker.cancel_but(spared);
        self.pending.clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use super::*;
    use crate::session::desk::worker::Order;
    use crate::trace::record::Backend;

    #[test]
    fn what_is_still_wanted_goes_on_and_a_more_important_question_goes_first() {
        let (seen, log) = channel();
        let (go, wait) = channel::<()>();
        let mut lane = Lane::new(Worker::start("test", move |orders: Receiver<Order<Question>>| {
            let _ = wait.recv();
            for order in orders {
                let _ = seen.send((order.task, order.cancel.load(std::sync::atomic::Ordering::Relaxed)));
            }
        }));
        let [first, second, third] = [Backend::Simt, Backend::Wgpu, Backend::Cuda].map(Question::Ceilings);
        lane.want(vec![first.clone()], 0);
        lane.want(vec![first.clone(), second.clone()], 0);
        assert_eq!(lane.pending(), [first.clone(), second.clone()]);
        lane.want(vec![third.clone(), second.clone()], 0);
        lane.answered(&third);
        assert_eq!(lane.pending(), std::slice::from_ref(&second));
        lane.want(vec![second.clone()], 0);
        let _ = go.send(());
        lane.worker.finish();
        let order = [(first, true), (second.clone(), true), (third, false), (second, false)];
        assert_eq!(log.iter().collect::<Vec<_>>(), order);
    }
}
