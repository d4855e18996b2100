//! A worker thread with an order queue: orders run one by one, and a newer one can cancel all earlier ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// An order and its cancel flag.
pub struct Order<T> {
    /// Its place among the orders of its worker, from 1.
    pub number: u64,
    pub task: T,
    /// Set when the result is no longer wanted.
    pub cancel: Arc<AtomicBool>,
}

/// The sending side. Dropping it ends the thread after the current order, which is cancelled.
pub struct Worker<T: Send + 'static> {
    orders: Option<Sender<Order<T>>>,
    pending: Vec<(u64, Arc<AtomicBool>)>,
    last: u64,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static> Worker<T> {
    /// Starts a thread that calls `work` with the orders as they come.
    pub fn start(name: &str, work: impl FnOnce(Receiver<Order<T>>) + Send + 'static) -> Self {
        let (orders, received) = channel();
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || work(received)).ok();
        Self { orders: Some(orders), pending: Vec::new(), last: 0, thread }
    }

    /// The number of the last order.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Queues an order after the others; false if the thread is gone and cannot take it.
    pub fn enqueue(&mut self, task: T) -> bool {
        let cancel = Arc::new(AtomicBool::new(false));
        self.pending.retain(|(_, flag)| Arc::strong_count(flag) > 1);
        self.last += 1;
        self.pending.push((self.last, cancel.clone()));
        self.orders.as_ref().is_some_and(|orders| orders.send(Order { number: self.last, task, cancel }).is_ok())
    }

    /// Cancels every order so far.
    pub fn cancel(&mut self) {
        self.cancel_but(0);
    }

    /// Cancels every order so far except the one of this number.
    pub fn cancel_but(&mut self, number: u64) {
        self.pending.retain(|(of, flag)| {
            flag.store(*of != number, Ordering::Relaxed);
            *of == number
        });
    }

    /// Cancels every order so far, then adds this one.
    pub fn replace(&mut self, task: T) -> bool {
        self.cancel();
        self.enqueue(task)
    }

    /// Lets the orders finish, and waits for that.
    pub fn finish(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has reported it; nothing more to wait for.
            let _ = thread.join();
        }
    }
}

impl<T: Send + 'static> Drop for Worker<T> {
    fn drop(&mut self) {
        self.cancel();
        self.orders = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_order_calls_off_the_older() {
        let (seen, log) = channel();
        let (go, wait) = channel::<()>();
        let mut worker = Worker::start("test", move |orders: Receiver<Order<u32>>| {
            let _ = wait.recv();
            for order in orders {
                let _ = seen.send((order.task, order.cancel.load(Ordering::Relaxed)));
            }
        });
        worker.enqueue(1);
        worker.enqueue(2);
        worker.replace(3);
        let _ = go.send(());
        worker.finish();
        assert_eq!(log.iter().collect::<Vec<_>>(), [(1, true), (2, true), (3, false)]);
    }
}
