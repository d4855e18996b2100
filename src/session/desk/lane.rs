//! A worker that answers questions in the order of their importance, several by one run where that is possible.

use super::worker::Worker;
use crate::session::ask::{Query, together};

/// A worker, and the questions that it was given and has not answered.
pub struct Lane<T: Send + 'static> {
    /// The worker.
    pub worker: Worker<T>,
    pending: Vec<Query>,
}

/// Orders that questions come in: each is a list that is answered at once.
pub trait Orders: Send + 'static {
    /// The orders for these questions.
    fn of(queries: Vec<Query>) -> Vec<Self>
    where
        Self: Sized;
}

impl Orders for Vec<Query> {
    fn of(queries: Vec<Query>) -> Vec<Self> {
        together(queries)
    }
}

impl<T: Orders> Lane<T> {
    /// A lane of a worker that has nothing to do.
    pub fn new(worker: Worker<T>) -> Self {
        Self { worker, pending: Vec::new() }
    }

    /// Orders answers to these questions alone, in this order. Other orders are cancelled, but for the one with the number `spared`.
    pub fn want(&mut self, queries: Vec<Query>, spared: u64) {
        let is_still = |pending: &Query| queries.contains(pending);
        if queries.first() != self.pending.first() || !self.pending.iter().all(is_still) {
            self.worker.cancel_but(spared);
            self.pending.clear();
        }
        let new: Vec<Query> = queries.into_iter().filter(|query| !self.pending.contains(query)).collect();
        self.pending.extend(new.iter().cloned());
        for order in T::of(new) {
            self.worker.enqueue(order);
        }
    }

    /// Takes note that a question was answered.
    pub fn answered(&mut self, query: &Query) {
        self.pending.retain(|pending| pending != query);
    }

    /// The questions that are not answered yet.
    pub fn pending(&self) -> &[Query] {
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
    use crate::figures::ask;
    use crate::session::desk::worker::Order;
    use crate::trace::record::Backend;

    #[test]
    fn what_is_still_wanted_goes_on_and_a_more_important_question_goes_first() {
        let (seen, log) = channel();
        let (go, wait) = channel::<()>();
        let mut lane = Lane::new(Worker::start("test", move |orders: Receiver<Order<Vec<Query>>>| {
            let _ = wait.recv();
            for order in orders {
                let _ = seen.send((order.task, order.cancel.load(std::sync::atomic::Ordering::Relaxed)));
            }
        }));
        let [first, second, third] =
            [Backend::Simt, Backend::Wgpu, Backend::Cuda].map(|backend| Query::new(backend, ask::Ceilings));
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
        let order = order.map(|(query, is_cancelled)| (vec![query], is_cancelled));
        assert_eq!(log.iter().collect::<Vec<_>>(), order);
    }
}
