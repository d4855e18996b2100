//! The protocol of client and worker: frames of a little-endian length and a postcard message, after a handshake.

use std::fmt;
use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::backend::{Event, Failure, Part};
use crate::base::diag::Diagnostic;
use crate::job::Job;
use crate::trace::record::{Ceilings, Device, Record};

/// Changes whenever a message changes its form.
pub const VERSION: u32 = 5;

/// The first bytes that each side says, before its version.
const MAGIC: [u8; 8] = *b"warpbook";

/// The longest message. A job's largest parts are its sources, a record's are its samples: both are far smaller. Files
/// are read by the worker.
pub const MAX_FRAME: u32 = 16 << 20;

/// A request of the client.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// For [`Reply::Device`].
    Describe,
    /// For [`Reply::Ceilings`].
    Ceilings,
    /// For [`Reply::Parts`].
    Parts,
    /// For [`Reply::Compiled`].
    Compile(Box<Job>),
    /// For [`Reply::Assembled`].
    Assemble(Box<Job>),
    /// For [`Reply::Record`].
    Run(Box<Job>),
    /// Give up the request that is being worked on, which then fails.
    Cancel,
    /// End the process in good order.
    Shutdown,
}

/// A reply of the worker: any number of events, then one of the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The work goes on.
    Event(Event),
    Device(Device),
    /// The device's ceilings.
    Ceilings(Ceilings),
    /// The software that the backend is made of.
    Parts(Vec<Part>),
    /// A job's kernels compile: the compiler's warnings.
    Compiled(Vec<Diagnostic>),
    /// A job's kernels in PTX, one for each launch.
    Assembled(Vec<String>),
    /// The result of a job.
    Record(Box<Record>),
    /// No result.
    Failed(Failure),
}

/// Why nothing could be read.
#[derive(Debug)]
pub enum FrameError {
    /// The other side closed the stream between two frames.
    Closed,
    /// The stream ended in the middle of a frame.
    Truncated,
    /// A length beyond [`MAX_FRAME`].
    Oversized(u32),
    /// Bytes that are no message.
    Garbage(String),
    /// The other side speaks another version.
    Version(u32),
    /// The stream failed.
    Io(io::Error),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the stream was closed"),
            Self::Truncated => f.write_str("the stream ended in the middle of a message"),
            Self::Oversized(length) => write!(f, "a message of {length} bytes was announced; {MAX_FRAME} are allowed"),
            Self::Garbage(what) => write!(f, "what came was no message: {what}"),
            Self::Version(theirs) => write!(f, "the other side speaks protocol {theirs}, this one speaks {VERSION}"),
            Self::Io(error) => write!(f, "the stream failed: {error}"),
        }
    }
}

impl std::error::Error for FrameError {}

/// Writes one message and flushes it.
///
/// # Errors
/// When the stream fails, or the message is longer than [`MAX_FRAME`].
pub fn write<T: Serialize>(stream: &mut impl Write, message: &T) -> Result<(), FrameError> {
    let bytes = postcard::to_stdvec(message).map_err(|error| FrameError::Garbage(error.to_string()))?;
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    if length > MAX_FRAME {
        return Err(FrameError::Oversized(length));
    }
    let mut frame = Vec::with_capacity(bytes.len() + 4);
    frame.extend_from_slice(&length.to_le_bytes());
    frame.extend_from_slice(&bytes);
    stream.write_all(&frame).and_then(|()| stream.flush()).map_err(FrameError::Io)
}

/// Reads one message. Memory grows with the bytes that arrive, not with the length that is announced.
pub fn read<T: DeserializeOwned>(stream: &mut impl Read) -> Result<T, FrameError> {
    let mut prefix = Vec::with_capacity(4);
    stream.take(4).read_to_end(&mut prefix).map_err(FrameError::Io)?;
    let length = match <[u8; 4]>::try_from(prefix.as_slice()) {
        Ok(bytes) => u32::from_le_bytes(bytes),
        Err(_) if prefix.is_empty() => return Err(FrameError::Closed),
        Err(_) => return Err(FrameError::Truncated),
    };
    if length > MAX_FRAME {
        return Err(FrameError::Oversized(length));
    }
    let mut bytes = Vec::new();
    stream.take(u64::from(length)).read_to_end(&mut bytes).map_err(FrameError::Io)?;
    if bytes.len() < length as usize {
        return Err(FrameError::Truncated);
    }
    match postcard::take_from_bytes(&bytes) {
        Ok((message, [])) => Ok(message),
        Ok((_, rest)) => Err(FrameError::Garbage(format!("{} bytes too many", rest.len()))),
        Err(error) => Err(FrameError::Garbage(error.to_string())),
    }
}

/// Says which protocol this side speaks. Both sides do, first of all.
pub fn write_hello(stream: &mut impl Write) -> Result<(), FrameError> {
    write_hello_as(stream, VERSION)
}

/// As [`write_hello`], for any version.
pub(super) fn write_hello_as(stream: &mut impl Write, version: u32) -> Result<(), FrameError> {
    let mut hello = [0; 12];
    hello[..8].copy_from_slice(&MAGIC);
    hello[8..].copy_from_slice(&version.to_le_bytes());
    stream.write_all(&hello).and_then(|()| stream.flush()).map_err(FrameError::Io)
}

/// Reads what [`write_hello`] wrote. Its form is the same in all versions.
///
/// # Errors
/// [`FrameError::Version`] for another version, [`FrameError::Garbage`] for another program; or as [`read`].
pub fn read_hello(stream: &mut impl Read) -> Result<(), FrameError> {
    let mut hello = Vec::with_capacity(12);
    stream.take(12).read_to_end(&mut hello).map_err(FrameError::Io)?;
    let said = hello.len().min(MAGIC.len());
    if hello[..said] != MAGIC[..said] {
        return Err(FrameError::Garbage("it did not greet as a worker does".to_owned()));
    }
    match <[u8; 4]>::try_from(&hello[said..]).map(u32::from_le_bytes) {
        Ok(VERSION) => Ok(()),
        Ok(theirs) => Err(FrameError::Version(theirs)),
        Err(_) if hello.is_empty() => Err(FrameError::Closed),
        Err(_) => Err(FrameError::Truncated),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn messages_come_back() -> Result<(), FrameError> {
        let mut stream = Vec::new();
        let messages = [
            Reply::Event(Event::Sample(1e-6)),
            Reply::Ceilings(Ceilings { launch_s: Some(2e-6), ..Ceilings::default() }),
            Reply::Failed(Diagnostic::error("no").hint("yes").into()),
        ];
        write_hello(&mut stream)?;
        for message in &messages {
            write(&mut stream, message)?;
        }
        let mut rest = stream.as_slice();
        read_hello(&mut rest)?;
        for message in messages {
            assert_eq!(read::<Reply>(&mut rest)?, message);
        }
        assert!(matches!(read::<Reply>(&mut rest), Err(FrameError::Closed)));
        Ok(())
    }

    #[test]
    fn each_fault_has_its_name() -> Result<(), FrameError> {
        let read = |bytes: &[u8]| read::<Reply>(&mut &*bytes);
        assert!(matches!(read(&[1, 0]), Err(FrameError::Truncated)));
        assert!(matches!(read(&[9, 0, 0, 0, 1]), Err(FrameError::Truncated)));
        assert!(matches!(read(&[255; 8]), Err(FrameError::Oversized(u32::MAX))));
        assert!(matches!(read(&[1, 0, 0, 0, 200]), Err(FrameError::Garbage(_))));
        let mut long = Vec::new();
        write(&mut long, &Reply::Event(Event::Sample(1.0)))?;
        long[0] += 1;
        long.push(0);
        assert!(matches!(read(&long), Err(FrameError::Garbage(what)) if what.contains("1 bytes")));
        let too_long = Reply::Event(Event::Stage("x".repeat(MAX_FRAME as usize)));
        assert!(matches!(write(&mut Vec::new(), &too_long), Err(FrameError::Oversized(_))));
        Ok(())
    }

    #[test]
    fn greetings_are_told_apart() -> Result<(), FrameError> {
        let mut other = Vec::new();
        write_hello_as(&mut other, VERSION + 1)?;
        assert!(matches!(read_hello(&mut other.as_slice()), Err(FrameError::Version(v)) if v == VERSION + 1));
        assert!(matches!(read_hello(&mut &other[..9]), Err(FrameError::Truncated)));
        assert!(matches!(read_hello(&mut &other[..3]), Err(FrameError::Truncated)));
        assert!(matches!(read_hello(&mut &b"usage: warpbook"[..]), Err(FrameError::Garbage(_))));
        assert!(matches!(read_hello(&mut &[][..]), Err(FrameError::Closed)));
        Ok(())
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), lie in any::<u32>()) {
            let _ = read_hello(&mut bytes.as_slice());
            let honest = u32::try_from(bytes.len()).unwrap_or(0);
            for length in [honest, lie % 256, lie] {
                let mut frame = length.to_le_bytes().to_vec();
                frame.extend_from_slice(&bytes);
                let mut stream = frame.as_slice();
                let reply = read::<Reply>(&mut stream);
                let request = read::<Request>(&mut frame.as_slice());
                if length as usize > bytes.len() {
                    prop_assert!(reply.is_err() && request.is_err());
                }
            }
        }
    }
}
