//! Input, dump and print options: buffer contents from files, into files, and onto the screen.

use std::path::{Path, PathBuf};

use super::done::Done;
use super::output::Printed;
use crate::base::diag::Diagnostic;
use crate::base::tensor::Tensor;
use crate::base::units::count;
use crate::job::{Content, Job, Look, Moment, no_buffer};
use crate::lesson::Program;
use crate::session::jobs::overwriting;
use crate::trace::record::{Warning, WarningKind};

/// The sources and targets of buffer contents. Buffers by name.
#[derive(Clone, Debug, Default)]
pub struct Io {
    /// `.npy` files with initial contents of buffers.
    pub inputs: Vec<(String, PathBuf)>,
    /// `.npy` files that buffers are written into at the end.
    pub dumps: Vec<(String, PathBuf)>,
    /// Elements to show at the end: from the first to before the second, or all.
    pub prints: Vec<(String, Option<(u64, u64)>)>,
    /// A folder that the program's state goes into at the end: `NAME.npy` of each buffer that it both begins with and
    /// writes. With these as inputs it goes on as if it had not stopped.
    pub save: Option<PathBuf>,
}

impl Io {
    /// The buffers that are named.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let files = self.inputs.iter().chain(&self.dumps).map(|(name, _)| name.as_str());
        files.chain(self.prints.iter().map(|(name, _)| name.as_str()))
    }

    /// The inputs that a folder has, by [`Io::save`].
    ///
    /// # Errors
    /// When the folder cannot be read, or has no `.npy` file.
    pub fn saved(folder: &Path) -> Result<Vec<(String, PathBuf)>, Diagnostic> {
        let cannot = |error: &dyn std::fmt::Display| {
            Diagnostic::error(format!("cannot go on from {}: {error}", folder.display()))
                .hint("name a folder that an earlier run wrote with --save")
        };
        let entries = folder.read_dir().map_err(|error| cannot(&error))?;
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let files = files.filter(|file| file.extension().is_some_and(|ending| ending == "npy"));
        let mut inputs: Vec<(String, PathBuf)> =
            files.filter_map(|file| Some((file.file_stem()?.to_str()?.to_owned(), file))).collect();
        inputs.sort();
        if inputs.is_empty() { Err(cannot(&"it has no .npy file")) } else { Ok(inputs) }
    }

    /// The file with the initial contents of a buffer.
    #[must_use]
    pub fn input(&self, buffer: &str) -> Option<&Path> {
        self.inputs.iter().find(|(name, _)| name == buffer).map(|(_, file)| file.as_path())
    }

    /// Whether these programs have the buffers, and each file to write is of one of them.
    ///
    /// # Errors
    /// A name that is no buffer's, or a file that several programs would write.
    pub fn fits(&self, programs: &[&Program]) -> Result<(), Diagnostic> {
        let has = |name: &str| programs.iter().filter(|p| p.buffers.iter().any(|b| b.name == name)).count();
        for name in self.names() {
            if has(name) == 0 {
                let known = programs.iter().flat_map(|program| program.buffers.iter().map(|b| b.name.as_str()));
                return Err(no_buffer(name, known));
            }
        }
        let same = |(_, out): &&(String, PathBuf)| {
            let whole = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
            self.inputs.iter().any(|(_, from)| whole(from) == whole(out))
        };
        if let Some((_, file)) = self.dumps.iter().find(same) {
            let message = format!("{} would be read and written", file.display());
            return Err(Diagnostic::error(message).hint("write into another file"));
        }
        if let Some(folder) = &self.save {
            if programs.len() > 1 {
                return Err(Diagnostic::error("--save is of one program, and several would run")
                    .hint("say which is meant with --kernel or --program"));
            }
            let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
            if self.inputs.iter().any(|(_, from)| from.parent().is_some_and(|of| whole(of) == whole(folder))) {
                let message = format!("{} would be read and written", folder.display());
                return Err(Diagnostic::error(message).hint("save into another folder"));
            }
        }
        match self.dumps.iter().find(|(name, _)| has(name) > 1) {
            Some((name, _)) => Err(Diagnostic::error(format!("several of the programs have a buffer `{name}`"))
                .hint("say which is meant with --kernel or --program")),
            None => Ok(()),
        }
    }

    /// Applies the options to a job, as far as it has the buffers; warns of files with non-finite elements.
    ///
    /// # Errors
    /// An array that cannot be read, that is not of its buffer's type and size, or that a pass overwrites before
    /// anything reads it.
    pub fn apply(&self, job: &mut Job) -> Result<Vec<Warning>, Vec<Diagnostic>> {
        let mut warnings = Vec::new();
        if let Some(problem) = self.inputs.iter().find_map(|(name, _)| in_vain(job, name)) {
            return Err(vec![problem]);
        }
        for (name, file) in &self.inputs {
            for buffer in job.buffers.iter_mut().filter(|buffer| buffer.name == *name) {
                (buffer.content, buffer.place) = (Content::Npy(file.clone()), None);
                let tensor = buffer.fill(0, 0).map_err(|problem| vec![problem])?;
                warnings.extend(not_finite(&tensor, name, file));
            }
        }
        let place = |name: &str| job.buffers.iter().position(|buffer| buffer.name == name);
        let look = |name: &str, from: u64, count: u64, file: Option<PathBuf>| {
            Some(Look { buffer: place(name)?, at: Moment::End, from, count, file })
        };
        let dumps = self.dumps.iter().filter_map(|(name, file)| look(name, 0, u64::MAX, Some(file.clone())));
        let prints = self.prints.iter().filter_map(|(name, range)| {
            let (from, to) = range.unwrap_or((0, u64::MAX));
            look(name, from, to.saturating_sub(from), None)
        });
        for (name, range) in &self.prints {
            let has = place(name).map(|i| job.buffers[i].count);
            if let (Some((_, to)), Some(has)) = (*range, has)
                && to > has
            {
                let message =
                    format!("`{name}` has {has} elements, and {to} was asked for as the end of what is shown");
                return Err(vec![
                    Diagnostic::error(message).hint(format!("write {name}:FROM..TO with TO up to {has}")),
                ]);
            }
        }
        let saved = self.save.as_ref().map(|folder| save(job, folder)).transpose().map_err(|problem| vec![problem])?;
        job.looks = dumps.chain(saved.into_iter().flatten()).chain(prints).collect();
        Ok(warnings)
    }

    /// The contents requested for printing.
    #[must_use]
    pub fn printed(&self, done: &Done) -> Vec<Printed> {
        let shown = done.job.looks.iter().filter(|look| look.file.is_none()).zip(&done.record.looks);
        let printed = shown.map(|(look, tensor)| Printed {
            buffer: done.job.buffers[look.buffer].name.clone(),
            from: look.from,
            values: (0..tensor.len())
                .map(|i| tensor.get(i))
                .take(usize::try_from(look.count).unwrap_or(usize::MAX))
                .collect(),
        });
        printed.collect()
    }
}

/// The files of a job's state in a folder, which is made.
fn save(job: &Job, folder: &Path) -> Result<Vec<Look>, Diagnostic> {
    let cannot = |error| Diagnostic::error(format!("cannot make the folder {}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let state = (0..job.buffers.len()).filter(|i| !job.buffers[*i].is_poison() && job.writes(*i));
    let state: Vec<Look> = state
        .map(|buffer| {
            let file = folder.join(format!("{}.npy", job.buffers[buffer].name));
            Look { buffer, at: Moment::End, from: 0, count: u64::MAX, file: Some(file) }
        })
        .collect();
    match state.is_empty() {
        true => {
            Err(Diagnostic::error(format!("`{}` has no state: it writes no buffer that it begins with", job.program))
                .hint("--dump writes any buffer"))
        }
        false => Ok(state),
    }
}

/// The warning that a buffer's file has non-finite elements; None if all are finite.
fn not_finite(tensor: &Tensor, buffer: &str, file: &Path) -> Option<Warning> {
    let mut found = (0..tensor.len()).filter(|i| !tensor.get(*i).is_finite());
    let first = found.next()?;
    let (value, all) = (tensor.get(first), count(1 + found.count() as u64));
    let file = file.display();
    let message =
        format!("{file} has {all} elements that are NaN or infinite, the first is {value} in {buffer}[{first}]");
    let hint =
        "what depends on them is no finite number either, and formulas that check it have no value there".to_owned();
    Some(Warning { kind: WarningKind::NotFinite, message, hint })
}

/// The error for an input to a buffer whose initial contents are never read.
fn in_vain(job: &Job, name: &str) -> Option<Diagnostic> {
    let buffer = job.buffers.iter().position(|buffer| buffer.name == name)?;
    let pass = overwriting(job, buffer)?;
    let by = if job.is_single() {
        format!("the kernel `{}`", job.program)
    } else {
        format!("the pass `{}` of `{}`", pass.id, job.program)
    };
    let problem = Diagnostic::error(format!(
        "{by} overwrites the buffer `{name}` before anything reads it: an --input for it has no effect"
    ));
    let free = (0..job.buffers.len()).filter(|buffer| overwriting(job, *buffer).is_none());
    let free: Vec<&str> = free.map(|buffer| job.buffers[buffer].name.as_str()).collect();
    Some(problem.hint(match free.as_slice() {
        [] => "it has no buffer that can be set".to_owned(),
        free => format!("the buffers that can be set are: {}", free.join(", ")),
    }))
}
