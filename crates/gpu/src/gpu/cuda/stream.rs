//! A second stream: its work runs concurrently with that of the first, [`STREAM`], and waits for it only where
//! requested.
#![expect(unsafe_code, reason = "the driver is a C library; nothing outside the files that say so calls into C")]

use std::collections::VecDeque;

use cudarc::driver::{result, sys};

use super::driver::{Context, Event, Outcome, STREAM};

/// The second stream. Its work comes first where both have some for the same multiprocessor.
pub(super) struct SideStream {
    stream: sys::CUstream,
    /// The last work of the first stream that the second one waits for.
    before: Event,
    /// End events of the work submitted here for which the first stream does not wait yet.
    ends: VecDeque<Event>,
    /// Events that are not needed now.
    unused: Vec<Event>,
}

impl SideStream {
    /// A stream with nothing to do.
    pub(super) fn new(context: &Context) -> Outcome<Self> {
        let (mut least, mut greatest) = (0, 0);
        let mut stream = std::ptr::null_mut();
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: A context is current, as the argument shows; the pointers are to live values.
        unsafe {
            sys::cuCtxGetStreamPriorityRange(&raw mut least, &raw mut greatest).result().map_err(|error| error.0)?;
            sys::cuStreamCreateWithPriority(&raw mut stream, flags, greatest).result().map_err(|error| error.0)?;
        }
        match Event::new(context) {
            Ok(before) => Ok(Self { stream, before, ends: VecDeque::new(), unused: Vec::new() }),
            Err(code) => {
                // SAFETY: It was just created.
                let _ = unsafe { result::stream::destroy(stream) };
                Err(code)
            }
        }
    }

    /// For calls that submit to it.
    pub(super) fn raw(&self) -> sys::CUstream {
        self.stream
    }

    /// Has what is submitted next wait for all that the first stream has got so far.
    pub(super) fn begin(&self) -> Outcome<()> {
        self.before.record()?;
        wait(self.stream, &self.before)
    }

    /// Ends one piece of work: all that was submitted since [`SideStream::begin`].
    pub(super) fn end(&mut self, context: &Context) -> Outcome<()> {
        let event = match self.unused.pop() {
            Some(event) => event,
            None => Event::new(context)?,
        };
        event.record_on(self.stream)?;
        self.ends.push_back(event);
        Ok(())
    }

    /// Makes the first stream wait for the first piece of work here for which it does not wait yet.
    pub(super) fn arrive(&mut self) -> Outcome<()> {
        let Some(event) = self.ends.pop_front() else { return Ok(()) };
        let done = wait(STREAM, &event);
        // A stream that waits does so for the event as it was recorded up to now.
        self.unused.push(event);
        done
    }
}

impl Drop for SideStream {
    fn drop(&mut self) {
        // SAFETY: It was created in `new` and is destroyed once; the driver lets its work end. In a lost context this fails, and there is
        // nothing left to do.
        let _ = unsafe { result::stream::destroy(self.stream) };
    }
}

fn wait(stream: sys::CUstream, event: &Event) -> Outcome<()> {
    // SAFETY: Stream and event are alive.
    unsafe { sys::cuStreamWaitEvent(stream, event.raw(), 0) }.result().map_err(|error| error.0)
}
