//! Kernels of the learner's own: read, set up, and made into lessons on a thread of their own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::event::{Event, Outbox, Work};
use super::worker::{Order, Worker};
use crate::base::diag::Diagnostic;
use crate::base::files;
use crate::session::pack::my_kernel::{self, Kernels, Setup};
use crate::session::run::devices::Devices;

/// A kernel that is being set up.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// The kernels of its file.
    pub names: Vec<String>,
    /// The file's text.
    pub(super) text: String,
    /// The launch.
    pub setup: Setup,
    /// Whether the kernel is being compiled, or its lesson written.
    pub is_busy: bool,
}

/// An order for the thread. Folders are those of the learner's pack.
pub enum KernelTask {
    /// Read a file, and propose a launch of its first kernel.
    Open(PathBuf),
    /// Propose a launch of another of its kernels.
    Choose(Box<Opening>, String),
    /// Propose a launch of a lesson's kernel, with the learner's values.
    SetUp(PathBuf, String),
    /// Copy a lesson's kernel files again.
    ReadAgain(PathBuf, String),
    /// Write a kernel's lesson.
    Write(PathBuf, Box<Setup>),
    /// Remove a kernel's lesson.
    Remove(PathBuf, String),
    /// Write a launch into the kernel's file.
    Keep(Box<Setup>),
}

/// Starts the thread that opens kernels and writes their lessons.
pub(super) fn worker(devices: Arc<Devices>, out: Outbox) -> Worker<KernelTask> {
    Worker::start("kernels", move |orders: Receiver<Order<KernelTask>>| {
        for Order { number, task, .. } in orders {
            out.send(match task {
                KernelTask::Open(file) => Event::KernelOpened(open(&devices, &file).map(Box::new)),
                KernelTask::Choose(opening, name) => {
                    Event::KernelOpened(choose(&devices, *opening, &name).map(Box::new))
                }
                KernelTask::SetUp(folder, id) => Event::KernelOpened(set_up(&devices, &folder, &id).map(Box::new)),
                KernelTask::Write(folder, setup) => {
                    Event::KernelWritten(my_kernel::write(&devices, &folder, &setup).map(Some))
                }
                KernelTask::ReadAgain(folder, id) => {
                    Event::KernelWritten(my_kernel::read_again(&devices, &folder, &id).map(|()| Some(id)))
                }
                KernelTask::Keep(setup) => Event::KernelKept(my_kernel::keep(&setup).map(|()| setup.file)),
                KernelTask::Remove(folder, id) => Event::KernelWritten(my_kernel::remove(&folder, &id).map(|()| None)),
            });
            out.send(Event::Done(Work::Kernel, number));
        }
    })
}

fn first(problems: Vec<Diagnostic>) -> Diagnostic {
    problems.into_iter().next().unwrap_or_else(|| Diagnostic::error("the kernel cannot be compiled"))
}

fn open(devices: &Devices, file: &Path) -> Result<Opening, Diagnostic> {
    let Kernels { text, names } = my_kernel::kernels(devices, file)?;
    let opening = Opening { text, names, setup: Setup { file: file.to_owned(), ..Setup::default() }, is_busy: false };
    let name = opening.names.first().cloned().unwrap_or_default();
    choose(devices, opening, &name)
}

fn choose(devices: &Devices, opening: Opening, name: &str) -> Result<Opening, Diagnostic> {
    let Opening { setup: Setup { file, .. }, text, .. } = &opening;
    let source = source_of(file, text);
    let setup = my_kernel::propose(devices, file, text, name, source.as_deref()).map_err(first)?;
    Ok(Opening { setup, is_busy: false, ..opening })
}

/// The launch of a kernel's lesson, for its file as it is now.
fn set_up(devices: &Devices, folder: &Path, id: &str) -> Result<Opening, Diagnostic> {
    let former = my_kernel::load(folder, id)?;
    let Kernels { text, names } = my_kernel::kernels(devices, &former.file)?;
    let setup = my_kernel::propose(devices, &former.file, &text, &former.entry, former.source.as_deref());
    Ok(Opening { names, text, setup: setup.map_err(first)?.keeping(&former), is_busy: false })
}

/// The text that PTX was compiled from, if it names a file that is beside it.
fn source_of(file: &Path, text: &str) -> Option<PathBuf> {
    if file.extension().is_none_or(|end| end != "ptx") {
        return None;
    }
    let named = text.lines().filter_map(|line| line.trim_start().strip_prefix(".file")?.split('"').nth(1));
    let beside = named.filter_map(|name| Some(file.parent()?.join(Path::new(name).file_name()?)));
    beside.into_iter().find(|path| files::read_text(path).is_ok())
}
