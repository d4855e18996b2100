//! A message on standard error, once a command takes long, that it is still at work.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::out;

/// The time of the first message; the time between two messages doubles.
const FIRST: Duration = Duration::from_secs(10);

/// Prints the message now and then, until dropped.
pub(super) struct Patience {
    _stop: Sender<()>,
}

impl Patience {
    pub fn start() -> Self {
        let (stop, stopped) = channel();
        std::thread::spawn(move || {
            let (began, mut wait) = (Instant::now(), FIRST);
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                out::note(&format!("still running after {} s; press Ctrl-C to stop", began.elapsed().as_secs()));
                wait = began.elapsed();
            }
        });
        Self { _stop: stop }
    }
}
