//! Other programs, run to their end.

use std::io::{self, Read, Seek};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Between two looks at a program that runs.
const PAUSE: Duration = Duration::from_millis(5);

/// A program that ended, with what it wrote.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub said: String,
    /// Its standard error.
    pub log: String,
}

/// Runs a program without input.
///
/// # Errors
/// That it does not start, or is ended because it took longer than `longest`.
pub fn finished(mut command: Command, longest: Duration) -> io::Result<Finished> {
    // Files, since a full pipe would hold the program up.
    let mut outputs = [tempfile::tempfile()?, tempfile::tempfile()?];
    command.stdin(Stdio::null()).stdout(outputs[0].try_clone()?).stderr(outputs[1].try_clone()?);
    let mut child = command.spawn()?;
    let began = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if began.elapsed() > longest => {
                child.kill()?;
                child.wait()?;
                let message = format!("it was ended after {} s", longest.as_secs());
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            None => std::thread::sleep(PAUSE),
        }
    };
    let mut texts = Vec::new();
    for output in &mut outputs {
        let mut bytes = Vec::new();
        output.rewind()?;
        output.read_to_end(&mut bytes)?;
        texts.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    let log = texts.pop().unwrap_or_default();
    Ok(Finished { status, said: texts.pop().unwrap_or_default(), log })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_ends_by_itself_or_is_ended() -> io::Result<()> {
        let shell = |script: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", script]);
            command
        };
        let ended = finished(shell("echo a; echo b >&2; exit 3"), Duration::from_secs(60))?;
        assert_eq!((ended.said.as_str(), ended.log.as_str(), ended.status.code()), ("a\n", "b\n", Some(3)));
        let slow = finished(shell("exec sleep 60"), Duration::from_millis(1));
        assert!(slow.is_err_and(|error| error.kind() == io::ErrorKind::TimedOut));
        Ok(())
    }
}
