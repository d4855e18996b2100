//! The journal's file: lines are added at its end, and it is read line by line.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::line::Line;
use crate::base::diag::Diagnostic;
use crate::base::units::si;

/// The longest line that is written and read, in bytes: as much as the whole state file, which has the words on all
/// steps.
const LONGEST: u64 = 64 << 20;

/// The journal beside a state file.
#[must_use]
pub fn path_beside(state: &Path) -> PathBuf {
    state.with_file_name("journal.jsonl")
}

/// Adds lines at the end, each in one write. Two programs may do so at once. A line that an earlier program did not
/// finish is closed off. A line that is too long to be read again is left out.
///
/// # Errors
/// When a line could not be written: how many were, and a diagnostic that names the file. The others can be added
/// later. Also when one was left out: all count as written then, since it stays too long.
pub fn append(path: &Path, lines: &[Line]) -> Result<(), (usize, Diagnostic)> {
    append_within(path, lines, LONGEST)
}

fn append_within(path: &Path, lines: &[Line], longest: u64) -> Result<(), (usize, Diagnostic)> {
    let cannot = |written: usize, error: &io::Error| {
        let problem = Diagnostic::error(format!("cannot write {}: {error}", path.display()));
        (written, problem.hint("make room, or let it be written to; it is tried again, and nothing is lost until then"))
    };
    let mut file = open(path).map_err(|error| cannot(0, &error))?;
    let mut left_out = None;
    for (written, line) in lines.iter().enumerate() {
        let text = serde_json::to_string(line).map_err(|error| cannot(written, &error.into()))? + "\n";
        if text.len() as u64 > longest {
            left_out = Some((line, text.len()));
        } else {
            add(&mut file, &text).map_err(|error| cannot(written, &error))?;
        }
    }
    let too_long = |(line, bytes): (&Line, usize)| {
        let [bytes, most] = [bytes as f64, longest as f64].map(|bytes| si(bytes, "B"));
        let (lesson, step) = (&line.lesson, &line.step);
        let message = format!(
            "what was done on the step `{step}` of `{lesson}` takes {bytes}, and the journal keeps {most} of one thing"
        );
        let hint = "divide the words over several steps: the questions in them do not come back for review until then; the words themselves are kept";
        (lines.len(), Diagnostic::error(message).hint(hint))
    };
    left_out.map_or(Ok(()), |left_out| Err(too_long(left_out)))
}

fn open(path: &Path) -> io::Result<File> {
    // Opening a pipe would wait for someone who reads it.
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other("it is not a regular file"));
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    OpenOptions::new().read(true).append(true).create(true).open(path)
}

/// Adds a line, which ends with its line end.
fn add(file: &mut File, line: &str) -> io::Result<()> {
    if is_closed(file)? {
        file.write_all(line.as_bytes())?;
    } else {
        file.write_all(format!("\n{line}").as_bytes())?;
    }
    file.flush()
}

/// Whether the file ends with the end of a line.
fn is_closed(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Gives each line to `take`, in the file's order; true if there is a file. Lines that are torn, too long, or of a
/// newer program are passed over. It holds one line at a time.
///
/// # Errors
/// When the file cannot be read: a diagnostic that names it. `take` has then had the lines before.
pub fn read(path: &Path, take: &mut dyn FnMut(&Line)) -> Result<bool, Diagnostic> {
    let cannot = |error: &io::Error| Diagnostic::error(format!("cannot read {}: {error}", path.display()));
    match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(cannot(&error)),
        Ok(there) if !there.is_file() => return Err(cannot(&io::Error::other("it is not a regular file"))),
        Ok(_) => {}
    }
    let mut file = BufReader::new(File::open(path).map_err(|error| cannot(&error))?);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let read = (&mut file).take(LONGEST).read_until(b'\n', &mut bytes).map_err(|error| cannot(&error))?;
        if read == 0 {
            return Ok(true);
        }
        if bytes.last() != Some(&b'\n') {
            file.skip_until(b'\n').map_err(|error| cannot(&error))?;
        }
        if let Ok(line) = serde_json::from_slice::<Line>(&bytes) {
            take(&line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::learn::journal::Did;

    fn line(time: i64) -> Line {
        Line { time: Some(time), lesson: "a".to_owned(), step: "b".to_owned(), did: Did::Read { seconds: 5 } }
    }

    fn times(path: &Path) -> Result<Vec<Option<i64>>, Diagnostic> {
        let mut times = Vec::new();
        read(path, &mut |line| times.push(line.time))?;
        Ok(times)
    }

    fn wrote(path: &Path, lines: &[Line]) -> Result<(), Diagnostic> {
        append(path, lines).map_err(|(_, problem)| problem)
    }

    #[test]
    fn torn_odd_and_newer_lines_are_passed_over_and_kept() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("deep/journal.jsonl");
        assert_eq!((read(&path, &mut |_| {})?, times(&path)?.len()), (false, 0));
        wrote(&path, &[line(1), line(2)])?;
        let newer = "{\"time\":3,\"lesson\":\"a\",\"step\":\"b\",\"did\":\"dreamt\",\"of\":[1]}\n";
        let odd = b"\xff\xfe\n\n[1]\nnull\n{\"time\":\"x\",\"did\":\"read\",\"seconds\":1}\n{\"time\":4,\"did\":\"read\",\"seconds\":-1}\n";
        let torn = "{\"time\":5,\"lesson\":\"a\",\"did\":\"rea";
        let mut file = OpenOptions::new().append(true).open(&path)?;
        file.write_all(newer.as_bytes())?;
        file.write_all(odd)?;
        file.write_all(torn.as_bytes())?;
        assert_eq!(times(&path)?, [Some(1), Some(2)]);
        // The next line closes the torn one off; a clock that jumps back changes no order.
        wrote(&path, &[line(0)])?;
        assert_eq!(times(&path)?, [Some(1), Some(2), Some(0)]);
        let bytes = std::fs::read(&path)?;
        assert!(
            String::from_utf8_lossy(&bytes).contains(newer) && bytes.windows(torn.len()).any(|w| w == torn.as_bytes())
        );
        Ok(())
    }

    #[test]
    fn programs_that_append_at_once_lose_no_line() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal.jsonl");
        std::thread::scope(|scope| {
            for window in 0..4 {
                let path = &path;
                scope.spawn(move || (0..250).for_each(|i| drop(append(path, &[line(window * 1000 + i)]))));
            }
        });
        let mut found = times(&path)?;
        found.sort_unstable();
        let all: Vec<Option<i64>> = (0..4).flat_map(|window| (0..250).map(move |i| Some(window * 1000 + i))).collect();
        assert_eq!(found, all);
        Ok(())
    }

    #[test]
    fn what_is_written_is_read_whatever_its_length() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal.jsonl");
        let wrote = |length: usize| {
            let words = "Q: a\nA: b\n\n".to_owned() + &"x".repeat(length);
            Line { did: Did::Wrote { words }, ..line(1) }
        };
        // As many words as a state file has room for, which once was more than a line's.
        let long = [wrote(10), wrote(6 << 20), line(2)];
        self::wrote(&path, &long)?;
        let mut found = Vec::new();
        read(&path, &mut |line| found.push(line.clone()))?;
        assert!(found == long, "{} lines", found.len());
        // A line that is too long to be read again is not written, and reported; the other lines are written.
        let lines = [line(3), wrote(1000), line(4)];
        let Err((written, problem)) = append_within(&path, &lines, 500) else { return Err("nothing was said".into()) };
        assert_eq!(written, 3, "they are not tried again");
        assert!(problem.message.contains("the step `b` of `a` takes 1.0") && problem.hint.is_some(), "{problem}");
        assert_eq!(times(&path)?[3..], [Some(3), Some(4)]);
        Ok(())
    }

    #[test]
    fn a_line_without_end_takes_no_memory() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("journal.jsonl");
        wrote(&path, &[line(1)])?;
        // A hole of half a gigabyte takes no room on the disk.
        let file = OpenOptions::new().append(true).open(&path)?;
        file.set_len(512 << 20)?;
        wrote(&path, &[line(2)])?;
        let mut longest = 0;
        let made = allocation_counter::measure(|| longest = times(&path).map_or(0, |times| times.len()));
        assert_eq!(longest, 2);
        assert!(made.bytes_max < 3 * LONGEST, "{}", made.bytes_max);
        Ok(())
    }

    #[test]
    #[cfg(unix)]
    fn what_cannot_be_written_is_told_and_can_be_written_later() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let full = Path::new("/dev/full");
        assert!(append(full, &[line(1)]).is_err_and(|(written, why)| written == 0 && why.hint.is_some()));
        let pipe = folder.path().join("journal.jsonl");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status()?.success());
        assert!(append(&pipe, &[line(1)]).is_err_and(|(_, why)| why.message.contains("not a regular file")));
        assert!(times(&pipe).is_err());
        std::fs::remove_file(&pipe)?;
        wrote(&pipe, &[line(1)])?;
        assert_eq!(times(&pipe)?, [Some(1)]);
        Ok(())
    }
}
