//! A note read again: what it was made with, and its commands with the data that they gave. Nothing of it is carried
//! out here.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::base::diag::Diagnostic;
use crate::base::files;
use crate::base::units::count;

/// A note's commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Noted {
    /// Its small print by name: date, device, backend, program.
    pub made_with: BTreeMap<String, String>,
    /// Its commands, in order.
    pub commands: Vec<Repeatable>,
}

/// A command of a note.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeatable {
    /// Its words; the first is the program's name.
    pub words: Vec<String>,
    /// The data above it, which commands below one table share; None if there is none, or if its file cannot be read.
    pub data: Option<Arc<Data>>,
}

/// A table of data.
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// The columns' names.
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// Commands of a note at most, and cells and bytes of all its tables: a note that Warpbook wrote has a command and a
/// table for each experiment.
const MOST_COMMANDS: usize = 1000;
const MOST_CELLS: usize = 1 << 20;
const MOST_BYTES: usize = 64 << 20;

/// The beginning of the name of a table in the note itself.
const INLINE: &str = "#";

/// The names of the small print that are kept.
const KEPT: [&str; 4] = ["date", "device", "backend", "program"];

/// Reads a note in Markdown, HTML or as a Jupyter notebook, with its data in CSV files beside it.
///
/// # Errors
/// The file cannot be read, has no command of this program, or has more of them or of data than a note can have.
pub fn read(path: &Path) -> Result<Noted, Diagnostic> {
    let file = path.display().to_string();
    let text = files::read_text(path).map_err(|why| Diagnostic::error(format!("cannot read {file}: {why}")))?;
    let no_notebook = || Diagnostic::error("this is no Jupyter notebook").in_file(&file);
    let (text, inline) = match path.extension().and_then(|ending| ending.to_str()) {
        Some("ipynb") => (cells(&text).ok_or_else(no_notebook)?, Vec::new()),
        Some("html") => unescaped(&text),
        _ => (text, Vec::new()),
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let noted = of_text(&text, folder, &inline).map_err(|problem| problem.in_file(&file))?;
    if noted.commands.is_empty() {
        let problem = Diagnostic::error("there is no command of warpbook in this note").in_file(&file);
        return Err(problem.hint("give a note that `warpbook export` or the window wrote: .md, .html or .ipynb"));
    }
    Ok(noted)
}

/// The sources of a notebook's cells.
fn cells(text: &str) -> Option<String> {
    let notebook: serde_json::Value = serde_json::from_str(text).ok()?;
    let mut all = String::new();
    for cell in notebook.get("cells")?.as_array()? {
        match cell.get("source")? {
            serde_json::Value::String(source) => all += source,
            serde_json::Value::Array(lines) => {
                lines.iter().filter_map(|line| line.as_str()).for_each(|line| all += line)
            }
            _ => {}
        }
        all.push('\n');
    }
    Some(all)
}

/// HTML without its tags, but with links to the tables' data, each on a line of its own; and these data, as CSV.
fn unescaped(html: &str) -> (String, Vec<String>) {
    let (mut text, mut tables) = (String::new(), Vec::new());
    for (n, part) in html.split('<').enumerate() {
        let (tag, rest) = if n == 0 { ("", part) } else { part.split_once('>').unwrap_or((part, "")) };
        let attribute = |name: &str| Some(tag.split_once(name)?.1.strip_prefix("=\"")?.split_once('"')?.0);
        if let Some(target) = attribute("href").filter(|target| target.ends_with(".csv")) {
            text += &format!("\n]({target})\n");
        }
        if let Some(data) = attribute("data-csv") {
            text += &format!("\n]({}{}.csv)\n", INLINE, tables.len());
            tables.push(without_escapes(data.to_owned()));
        }
        text += match tag.split(' ').next() {
            Some("pre" | "code") => "\n",
            Some("dt") => "\n- ",
            Some("dd") => ": ",
            _ => "",
        };
        text += rest;
    }
    (without_escapes(text), tables)
}

fn without_escapes(mut text: String) -> String {
    for (escape, is) in
        [("&#10;", "\n"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
    {
        text = text.replace(escape, is);
    }
    text
}

fn of_text(text: &str, folder: &Path, inline: &[String]) -> Result<Noted, Diagnostic> {
    let mut noted = Noted::default();
    let mut tables = Tables { folder, inline, known: BTreeMap::new(), cells: 0, bytes: 0 };
    let (mut file, mut below) = (None, false);
    for line in text.lines().map(|line| line.trim().trim_start_matches("> ")) {
        let command = command_of(line);
        // A table is of the commands that follow it, up to the next text.
        if below
            && command.is_none()
            && !line.is_empty()
            && !["```", "import "].iter().any(|start| line.starts_with(start))
        {
            (file, below) = (None, false);
        }
        file = csv_of(line).or(file);
        if let Some((name, value)) = line.strip_prefix("- ").and_then(|entry| entry.split_once(": "))
            && KEPT.contains(&name)
        {
            noted.made_with.insert(name.to_owned(), value.trim_matches('`').to_owned());
        }
        if let Some(words) = command.as_deref().and_then(shlex::split) {
            below = true;
            if noted.commands.len() == MOST_COMMANDS {
                let most = count(MOST_COMMANDS as u64);
                return Err(Diagnostic::error(format!("this note has more than {most} commands of warpbook"))
                    .hint("divide it into several notes, each with its data beside it"));
            }
            let data = file.map(|file| tables.table(file)).transpose()?.flatten();
            noted.commands.push(Repeatable { words, data });
        }
    }
    Ok(noted)
}

/// The tables beside a note, each of them read once, and not before a command comes.
struct Tables<'a> {
    folder: &'a Path,
    /// Those in the note itself, as CSV.
    inline: &'a [String],
    /// By their paths within the folder; None for a file that is no table.
    known: BTreeMap<PathBuf, Option<Arc<Data>>>,
    /// Their cells and bytes, together.
    cells: usize,
    bytes: usize,
}

impl Tables<'_> {
    /// A CSV file beside the note; None for a path that leads elsewhere.
    ///
    /// # Errors
    /// When the note's tables have too many cells.
    fn table(&mut self, file: &str) -> Result<Option<Arc<Data>>, Diagnostic> {
        let parts = || Path::new(file).components();
        if !parts().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Ok(None);
        }
        let path: PathBuf = parts().filter(|part| *part != Component::CurDir).collect();
        if let Some(known) = self.known.get(&path) {
            return Ok(known.clone());
        }
        let number = file.strip_prefix(INLINE).and_then(|name| name.strip_suffix(".csv")?.parse::<usize>().ok());
        let text = match number.and_then(|number| self.inline.get(number)) {
            Some(text) => text.clone(),
            None => files::read_text(&self.folder.join(&path)).unwrap_or_default(),
        };
        // A separator within a quoted cell is counted as well, which does no harm to a bound.
        self.cells += text.bytes().filter(|byte| matches!(byte, b',' | b'\n')).count() + 1;
        self.bytes += text.len();
        if self.cells > MOST_CELLS || self.bytes > MOST_BYTES {
            let (cells, size) = (count(MOST_CELLS as u64), MOST_BYTES >> 20);
            let message = format!("with {file} the tables of this note have more than {cells} cells, or {size} MiB");
            return Err(Diagnostic::error(message)
                .hint("a note that Warpbook wrote has far less; divide it into several notes"));
        }
        let data = (!text.is_empty()).then(|| data(&text)).flatten().map(Arc::new);
        self.known.insert(path, data.clone());
        Ok(data)
    }
}

/// The command that a line is, or that a notebook's cell runs.
fn command_of(line: &str) -> Option<Cow<'_, str>> {
    let line = line.trim_start_matches('!');
    if line.starts_with("warpbook ") {
        return Some(line.into());
    }
    let (_, quoted) = line.split_once("shlex.split(")?;
    let command: String = serde_json::Deserializer::from_str(quoted).into_iter().next()?.ok()?;
    command.starts_with("warpbook ").then_some(command.into())
}

/// The CSV file that a line links to, or that a cell reads.
fn csv_of(line: &str) -> Option<&str> {
    let end = line.find(".csv")? + ".csv".len();
    let start = line[..end].rfind(['(', '"', '\'', '[', '|']).map_or(0, |at| at + 1);
    Some(&line[start..end])
}

/// The table that a text in CSV is; None if it is none.
fn data(text: &str) -> Option<Data> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let owned = |record: &csv::StringRecord| record.iter().map(ToOwned::to_owned).collect::<Vec<_>>();
    let header = owned(reader.headers().ok()?);
    let rows = reader.records().map(|record| record.map(|record| owned(&record))).collect::<Result<_, _>>().ok()?;
    Some(Data { header, rows })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    const COMMAND: &str = "warpbook sweep a --over n=1,2 --backend simt --pack 'my pack'";

    fn read_as(name: &str, text: &str) -> Result<Noted, String> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a-data")).unwrap();
        std::fs::write(folder.path().join("a-data/s.csv"), "n,kernel\r\n1,x\r\n").unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
        read(&folder.path().join(name)).map_err(|problem| problem.message)
    }

    #[test]
    fn commands_are_read_from_each_format_with_their_data() {
        let markdown =
            format!("*S.* ([CSV](a-data/s.csv))\n\n```sh\n{COMMAND}\n```\n\n- device: An H100\n- other: x\n");
        let html = "<table data-csv=\"n,kernel&#10;1,x&#10;\"><tr><td>1</td></tr></table><pre class=\"command\"><code>warpbook sweep a --over n=1,2 \
                    --backend simt --pack &#39;my pack&#39;</code></pre><dl><dt>device</dt><dd>An H100</dd></dl>";
        let cell = serde_json::json!({"cells": [
            {"source": ["open(\"a-data/s.csv\")\n"]}, {"source": format!("print(run(shlex.split({COMMAND:?}), text=True))")},
            {"source": "- device: An H100"}]});
        for (name, text) in [("a.md", markdown), ("a.html", html.to_owned()), ("a.ipynb", cell.to_string())] {
            let noted = read_as(name, &text).unwrap();
            assert_eq!(noted.commands.len(), 1, "{name}");
            assert_eq!(noted.commands[0].words[1..4], ["sweep", "a", "--over"], "{name}");
            assert_eq!(noted.commands[0].words.last().unwrap(), "my pack", "{name}");
            assert_eq!(noted.commands[0].data.as_ref().unwrap().rows, [["1", "x"]], "{name}");
            assert_eq!(noted.made_with.get("device").unwrap(), "An H100", "{name}");
        }
    }

    #[test]
    fn odd_notes_are_read_for_what_they_have() {
        assert!(read_as("a.md", "nothing").unwrap_err().contains("no command"));
        assert!(read_as("a.ipynb", "{").unwrap_err().contains("no Jupyter notebook"));
        let outside = format!("([CSV](../../etc/x.csv)) ([CSV](/etc/x.csv))\n{COMMAND}\n");
        assert_eq!(read_as("a.md", &outside).unwrap().commands[0].data, None);
        // An open quote is no command.
        assert!(read_as("a.md", "warpbook run 'a").is_err());
    }

    #[test]
    fn a_table_is_kept_once_whatever_is_below_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("b.csv"), "n,kernel\n".to_owned() + &"1,x\n".repeat(10_000)).unwrap();
        let note = |commands: usize, link: &str| format!("({link})\nwarpbook run one\n").repeat(commands);
        let memory = |text: &str| {
            let mut noted = Noted::default();
            let made = allocation_counter::measure(|| noted = of_text(text, folder.path(), &[]).unwrap());
            assert!(noted.commands.iter().all(|command| command.data.as_ref().unwrap().rows.len() == 10_000));
            made.bytes_max
        };
        let [once, often] = [memory(&note(1, "b.csv")), memory(&note(300, "b.csv"))];
        assert!(often < 2 * once, "{once} and {often} bytes");
        // Under other names of the same file, too.
        let named = note(1, "b.csv") + &note(50, "./b.csv") + &note(50, "././b.csv") + &note(50, ".//b.csv");
        assert!(memory(&named) < 2 * once);
    }

    #[test]
    fn a_note_has_bounds() {
        let refused = read_as("a.md", &"warpbook run one\n".repeat(MOST_COMMANDS + 1)).unwrap_err();
        assert_eq!(refused, "this note has more than 1,000 commands of warpbook");
        assert_eq!(read_as("a.md", &"warpbook run one\n".repeat(MOST_COMMANDS)).unwrap().commands.len(), MOST_COMMANDS);
        let folder = tempfile::tempdir().unwrap();
        let mut text = String::new();
        for n in 0..4 {
            std::fs::write(folder.path().join(format!("{n}.csv")), "1,x\n".repeat(MOST_CELLS / 8)).unwrap();
            text += &format!("([CSV]({n}.csv))\nwarpbook run one\n");
        }
        let mut refused = None;
        let made = allocation_counter::measure(|| refused = of_text(&text, folder.path(), &[]).err());
        assert!(refused.unwrap().message.contains("more than 1,048,576 cells"));
        assert!(made.bytes_max < 256 << 20, "{} bytes", made.bytes_max);
        // A table that no command is below is not read.
        let unused = text.replace("warpbook run one", "words");
        assert!(of_text(&unused, folder.path(), &[]).is_ok_and(|noted| noted.commands.is_empty()));
    }
}
