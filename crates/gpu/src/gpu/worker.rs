//! The worker process: owns a device, answers one request after the other, and ends when its client does.

use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

use super::backend::{Backend, Event, Failure, Sink};
use super::fake::{self, Fake};
use super::protocol::{self, FrameError, Reply, Request};
use super::wgpu;
use crate::base::diag::Diagnostic;

/// The `worker` subcommand: serves standard input and output, with the graphics driver's device. `--cuda` takes CUDA's,
/// and `--device` chooses one by its number or a part of its name. `--nvrtc` only compiles, for such a worker; `--sandbox` becomes another program that can open few files. `--fake`
/// takes a scripted device in place of a real one, `--fake-slow` one that hangs where it is asked for its best rates,
/// `--fake-version` also greets with another version of the protocol.
#[must_use]
pub fn main(args: &[String]) -> ExitCode {
    let (input, output) = (std::io::stdin(), std::io::stdout());
    let ended = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => serve(input, output, || wgpu::open().map(|b| Box::new(b) as Box<dyn Backend>), leave),
        ["--cuda"] => serve(input, output, || open_cuda(None), leave),
        ["--cuda", "--device", which] => serve(input, output, || open_cuda(Some(which)), leave),
        #[cfg(feature = "cuda")]
        [super::cuda::confined::FLAG] => return super::cuda::confined::main(),
        [super::sandbox::FLAG, file, writable, program, ..] => {
            return super::sandbox::main(file, writable, program, &args[4..]);
        }
        ["--fake"] => serve(input, output, || Ok(Box::new(Fake::default())), leave),
        ["--fake-slow"] => serve(input, output, || Ok(Box::new(Fake { hangs_at_ceilings: true })), leave),
        ["--fake-version"] => fake::greet_as_another_version(output),
        _ => return ExitCode::from(2),
    };
    if ended.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(feature = "cuda")]
#[expect(clippy::unnecessary_wraps, reason = "its signature is that of backends that may fail to open")]
fn open_cuda(which: Option<&str>) -> Result<Box<dyn Backend>, Diagnostic> {
    Ok(Box::new(super::cuda::CudaBackend::new(which.map(str::to_owned))))
}

#[cfg(not(feature = "cuda"))]
fn open_cuda(_which: Option<&str>) -> Result<Box<dyn Backend>, Diagnostic> {
    Err(Diagnostic::error("this build has no CUDA backend")
        .hint("build it with the feature `cuda`, which is on by default; or use another backend"))
}

/// Ends a process whose client is gone while the device is still at work. A driver's own clean-up at exit may wait for
/// work that never ends, so it gets half a second.
#[expect(
    clippy::disallowed_methods,
    reason = "nobody is left to return a code to, and the device cannot be waited for"
)]
fn leave() {
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(500));
        std::process::abort();
    });
    std::process::exit(1);
}

/// Answers the requests that come from `input` until it is closed, a shutdown is asked for, or the device is lost.
///
/// `open` finds the device at the first request, and again after it failed. `orphaned` is called on another thread when
/// `input` is closed while a request is being worked on.
///
/// # Errors
/// When the streams fail or the client is no client of this version.
pub fn serve(
    input: impl Read + Send + 'static,
    mut output: impl Write,
    mut open: impl FnMut() -> Result<Box<dyn Backend>, Diagnostic>,
    orphaned: impl FnOnce() + Send + 'static,
) -> Result<(), FrameError> {
    let mut input = input;
    protocol::write_hello(&mut output)?;
    protocol::read_hello(&mut input)?;
    let flags = Arc::new(Flags::default());
    let (sender, requests) = mpsc::channel();
    let of_reader = Arc::clone(&flags);
    std::thread::spawn(move || {
        receive(&mut input, &sender, &of_reader);
        drop(sender);
        of_reader.cancelled.store(true, Ordering::SeqCst);
        if of_reader.busy.load(Ordering::SeqCst) {
            orphaned();
        }
    });
    let mut backend = None;
    while let Ok(request) = requests.recv() {
        if request == Request::Shutdown {
            break;
        }
        let mut reporter = Reporter { output: &mut output, flags: &flags, last: Instant::now() };
        let reply = answer(&request, &mut backend, &mut open, &mut reporter);
        let fatal = matches!(&reply, Reply::Failed(failure) if failure.fatal);
        // A device that is lost may keep this process from ending: as long as that lasts, it is at work.
        flags.busy.store(fatal, Ordering::SeqCst);
        match protocol::write(&mut output, &reply) {
            Err(FrameError::Oversized(length)) => {
                let message = format!("the answer takes {length} bytes, more than a message can hold");
                protocol::write(&mut output, &Reply::Failed(Diagnostic::error(message).into()))?;
            }
            other => other?,
        }
        if fatal {
            break;
        }
    }
    Ok(())
}

/// Flags shared by the reading thread and the working thread.
#[derive(Default)]
struct Flags {
    cancelled: AtomicBool,
    busy: AtomicBool,
}

/// Passes requests on until the stream ends. A cancel takes effect at once, so it does not queue after the work it
/// cancels.
fn receive(input: &mut impl Read, sender: &Sender<Request>, flags: &Flags) {
    while let Ok(request) = protocol::read::<Request>(input) {
        if request == Request::Cancel {
            flags.cancelled.store(true, Ordering::SeqCst);
            continue;
        }
        // Here and not where the work begins: a cancel that comes in between belongs to this request.
        flags.cancelled.store(false, Ordering::SeqCst);
        flags.busy.store(true, Ordering::SeqCst);
        if sender.send(request).is_err() {
            return;
        }
    }
}

fn answer(
    request: &Request,
    backend: &mut Option<Box<dyn Backend>>,
    open: &mut impl FnMut() -> Result<Box<dyn Backend>, Diagnostic>,
    sink: &mut dyn Sink,
) -> Reply {
    let backend = match backend {
        Some(backend) => backend,
        None => {
            sink.event(Event::Stage("opening the device".to_owned()));
            match open() {
                Ok(opened) => backend.insert(opened),
                Err(diagnostic) => return Reply::Failed(diagnostic.into()),
            }
        }
    };
    let result: Result<Reply, Failure> = match request {
        Request::Describe | Request::Cancel | Request::Shutdown => backend.describe().map(Reply::Device),
        Request::Parts => Ok(Reply::Parts(backend.parts())),
        Request::Compile(job) => backend.compile(job).map(Reply::Compiled),
        Request::Assemble(job) => backend.assemble(job).map(Reply::Assembled),
        Request::Ceilings => backend.ceilings(sink).map(Reply::Ceilings),
        Request::Run(job) => backend.run(job, sink).map(|record| Reply::Record(Box::new(record))),
    };
    result.unwrap_or_else(Reply::Failed)
}

/// The minimum time between two reports that the work goes on.
const PULSE: Duration = Duration::from_secs(1);

struct Reporter<'a, W> {
    output: &'a mut W,
    flags: &'a Flags,
    /// The last event.
    last: Instant,
}

impl<W: Write> Sink for Reporter<'_, W> {
    fn event(&mut self, event: Event) {
        if event == Event::Alive && self.last.elapsed() < PULSE {
            return;
        }
        self.last = Instant::now();
        if protocol::write(self.output, &Reply::Event(event)).is_err() {
            // The client no longer listens.
            self.flags.cancelled.store(true, Ordering::SeqCst);
        }
    }

    fn cancelled(&self) -> bool {
        self.flags.cancelled.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(list: &[Request]) -> Result<std::io::Cursor<Vec<u8>>, FrameError> {
        let mut input = Vec::new();
        protocol::write_hello(&mut input)?;
        for request in list {
            protocol::write(&mut input, request)?;
        }
        Ok(std::io::Cursor::new(input))
    }

    fn replies(mut output: &[u8]) -> Result<Vec<Reply>, FrameError> {
        protocol::read_hello(&mut output)?;
        let mut replies = Vec::new();
        while !output.is_empty() {
            replies.push(protocol::read(&mut output)?);
        }
        Ok(replies)
    }

    #[test]
    fn requests_are_answered_in_order() -> Result<(), FrameError> {
        let job = Box::new(fake::job("answers", 8));
        let input = requests(&[Request::Describe, Request::Run(job), Request::Ceilings, Request::Shutdown])?;
        let mut output = Vec::new();
        serve(input, &mut output, || Ok(Box::new(Fake::default())), || ())?;
        let results: Vec<Reply> = replies(&output)?.into_iter().filter(|r| !matches!(r, Reply::Event(_))).collect();
        assert!(
            matches!(&results[..], [Reply::Device(d), Reply::Record(r), Reply::Ceilings(_)]
                if d.name == fake::device().name && r.program == "answers"),
            "{results:?}"
        );
        Ok(())
    }

    #[test]
    fn a_device_that_does_not_open_is_tried_again() -> Result<(), FrameError> {
        let input = requests(&[Request::Describe, Request::Describe, Request::Shutdown])?;
        let (mut output, mut tries) = (Vec::new(), 0);
        let open = || -> Result<Box<dyn Backend>, Diagnostic> {
            tries += 1;
            if tries == 1 { Err(Diagnostic::error("no driver")) } else { Ok(Box::new(Fake::default())) }
        };
        serve(input, &mut output, open, || ())?;
        let results: Vec<Reply> = replies(&output)?.into_iter().filter(|r| !matches!(r, Reply::Event(_))).collect();
        assert!(matches!(&results[..], [Reply::Failed(f), Reply::Device(_)] if f.diagnostic.message == "no driver"));
        Ok(())
    }

    #[test]
    fn a_fatal_failure_ends_the_worker() -> Result<(), FrameError> {
        let input = requests(&[Request::Run(Box::new(fake::job("fatal", 8))), Request::Describe])?;
        let mut output = Vec::new();
        serve(input, &mut output, || Ok(Box::new(Fake::default())), || ())?;
        assert!(matches!(replies(&output)?.last(), Some(Reply::Failed(failure)) if failure.fatal));
        Ok(())
    }

    #[test]
    fn a_client_of_another_kind_is_refused() {
        let strangers = std::io::Cursor::new(b"GET / HTTP/1.1\r\n".to_vec());
        let ended = serve(strangers, Vec::new(), || Ok(Box::new(Fake::default())), || ());
        assert!(matches!(ended, Err(FrameError::Garbage(_))));
    }
}
