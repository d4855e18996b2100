//! A worker's process and its streams. Each stream has a thread, so that no wait can outlast its deadline.

use std::io::{Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{FrameError, Reply, Request, WorkerCommand, protocol};
use crate::base::diag::Diagnostic;

/// A message of the reading thread.
#[derive(Debug)]
pub(super) enum Incoming {
    /// The worker greeted.
    Hello,
    /// A message.
    Reply(Reply),
    /// There will be nothing more.
    End(FrameError),
}

/// A running worker. Dropping it ends the process.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    outgoing: Option<Sender<Vec<u8>>>,
    incoming: Receiver<Incoming>,
    stderr: Arc<Mutex<Vec<u8>>>,
}

/// How much of what a worker says on standard error is kept, in bytes.
const LAST_WORDS: usize = 2048;

/// How long an idle worker may take to end in good order.
const SHUTDOWN: Duration = Duration::from_millis(300);

/// A message as it goes over the stream.
pub(super) fn frame(request: &Request) -> Result<Vec<u8>, FrameError> {
    let mut bytes = Vec::new();
    protocol::write(&mut bytes, request)?;
    Ok(bytes)
}

impl Worker {
    /// Starts the process and its threads; the greeting comes as [`Incoming::Hello`].
    pub(super) fn start(command: &WorkerCommand) -> Result<Self, Diagnostic> {
        let failed = |what: String| {
            Diagnostic::error(format!("cannot start the worker process {}: {what}", command.program.display()))
                .hint("restart Warpbook: its file may have been moved or updated while it ran")
        };
        let mut child = Command::new(&command.program)
            .args(&command.args)
            .envs(command.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let (Some(mut stdin), Some(mut stdout), Some(mut stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            // It ends by itself, since its standard input is closed.
            return Err(failed("it has no streams".to_owned()));
        };
        let (outgoing, frames) = mpsc::channel::<Vec<u8>>();
        std::thread::spawn(move || {
            if protocol::write_hello(&mut stdin).is_err() {
                return;
            }
            // A worker that does not read any more is noticed by its silence, so a failed write needs no report.
            while frames.recv().is_ok_and(|frame| stdin.write_all(&frame).and_then(|()| stdin.flush()).is_ok()) {}
        });
        let (sender, incoming) = mpsc::channel();
        std::thread::spawn(move || {
            let mut next = protocol::read_hello(&mut stdout).map(|()| Incoming::Hello);
            loop {
                let (message, last) = match next {
                    Ok(message) => (message, false),
                    Err(error) => (Incoming::End(error), true),
                };
                if sender.send(message).is_err() || last {
                    return;
                }
                next = protocol::read(&mut stdout).map(Incoming::Reply);
            }
        });
        let words = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&words);
        std::thread::spawn(move || {
            let mut chunk = [0; 512];
            while let Ok(n @ 1..) = stderr.read(&mut chunk) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&chunk[..n]);
                let excess = kept.len().saturating_sub(LAST_WORDS);
                kept.drain(..excess);
            }
        });
        Ok(Self { child, outgoing: Some(outgoing), incoming, stderr: words })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Queues a frame for the writing thread.
    pub(super) fn send(&self, frame: Vec<u8>) {
        if let Some(outgoing) = &self.outgoing {
            // The thread ends when the worker's stream does, and the reading thread says so.
            let _ = outgoing.send(frame);
        }
    }

    pub(super) fn receive(&self, timeout: Duration) -> Result<Incoming, RecvTimeoutError> {
        self.incoming.recv_timeout(timeout)
    }

    /// Ends the process at once, whatever it is doing.
    pub(super) fn kill(&mut self) {
        // It fails only where the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// How the process ended by itself; none when it had to be killed although its stream was closed.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        let status = self.wait(Duration::from_secs(2));
        if status.is_none() {
            self.kill();
        }
        status
    }

    /// The last line that the worker wrote to standard error.
    pub(super) fn last_words(&self) -> String {
        // The thread that reads them may lag a moment after the end of the process.
        std::thread::sleep(TICK_BEHIND);
        let bytes = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&bytes);
        let telling = |line: &&str| !line.trim().is_empty() && !line.contains("RUST_BACKTRACE");
        text.lines().rev().find(telling).unwrap_or_default().trim().to_owned()
    }

    fn wait(&mut self, longest: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + longest;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(2)),
                _ => return None,
            }
        }
    }
}

/// The longest lag of the standard-error thread.
const TICK_BEHIND: Duration = Duration::from_millis(20);

impl Drop for Worker {
    fn drop(&mut self) {
        if self.is_alive() {
            if let Ok(frame) = frame(&Request::Shutdown) {
                self.send(frame);
            }
            // Closing the queue closes the worker's standard input, which ends a worker that did not understand.
            self.outgoing = None;
            if self.wait(SHUTDOWN).is_none() {
                self.kill();
            }
        }
    }
}

/// The signal that ended a process, where the system has signals.
#[cfg(unix)]
pub(super) fn signal(ended: Option<ExitStatus>) -> Option<i32> {
    ended.and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status))
}

#[cfg(not(unix))]
pub(super) fn signal(_: Option<ExitStatus>) -> Option<i32> {
    None
}

/// " (SIGSEGV)" and the like for the signals that end a worker, the same on all common systems.
pub(super) fn signal_name(number: i32) -> &'static str {
    match number {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}
