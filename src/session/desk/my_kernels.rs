//! The learner's own kernels: opened, set up, and made into lessons on a thread of their own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use super::Desk;
use super::event::{Event, Outbox, Work};
use super::state::Notice;
use super::threads::FileTask;
use super::worker::{Order, Worker};
use crate::base::diag::Diagnostic;
use crate::base::files;
use crate::session::pack::my_kernel::{self, Kernels, Setup};
use crate::session::run::devices::Devices;

/// Something that the learner did about a kernel of their own.
#[derive(Clone, Debug)]
pub enum KernelCommand {
    /// Open a file with kernels.
    Open(PathBuf),
    /// Choose a kernel of the open file.
    Choose(String),
    /// Change the launch of the open kernel.
    Edit(Box<Setup>),
    /// Make a lesson of the open kernel, and open it.
    Watch,
    /// Put the open kernel away.
    Close,
    /// Change the launch of a kernel's lesson, by its id.
    SetUp(String),
    /// Read a lesson's files again, by its id.
    ReadAgain(String),
    /// Remove a kernel's lesson, by its id; the files stay.
    Remove(String),
}

/// A kernel that is being set up.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// The kernels of its file.
    pub names: Vec<String>,
    /// The file's text.
    text: String,
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

impl Desk {
    pub(super) fn my_kernel(&mut self, command: KernelCommand) {
        let folder = self.keeper.kernels();
        let opening = &mut self.state.library.opening;
        let task = match (command, folder) {
            (KernelCommand::Open(file), _) => {
                *opening = Some(Opening {
                    is_busy: true,
                    setup: Setup { file: file.clone(), ..Setup::default() },
                    ..Opening::default()
                });
                KernelTask::Open(file)
            }
            (KernelCommand::Choose(name), _) => {
                let Some(opening) = opening else { return };
                opening.is_busy = true;
                KernelTask::Choose(Box::new(opening.clone()), name)
            }
            (KernelCommand::Edit(setup), _) => {
                if let Some(opening) = opening {
                    opening.setup = *setup;
                }
                return;
            }
            (KernelCommand::Close, _) => {
                *opening = None;
                return;
            }
            (_, None) => {
                let problem = Diagnostic::error("there is no folder to keep kernels in");
                self.state
                    .notices
                    .push(Notice::Problem(problem.hint("set XDG_DATA_HOME or HOME to a folder that can be written")));
                return;
            }
            (KernelCommand::Watch, Some(folder)) => {
                let Some(opening) = opening else { return };
                opening.is_busy = true;
                KernelTask::Write(folder, Box::new(opening.setup.clone()))
            }
            (KernelCommand::SetUp(id), Some(folder)) => {
                *opening = Some(Opening { is_busy: true, ..Opening::default() });
                KernelTask::SetUp(folder, id)
            }
            (KernelCommand::ReadAgain(id), Some(folder)) => KernelTask::ReadAgain(folder, id),
            (KernelCommand::Remove(id), Some(folder)) => KernelTask::Remove(folder, id),
        };
        self.begin(Work::Kernel, "compiling your kernel".to_owned());
        self.threads.kernels.enqueue(task);
    }

    pub(super) fn take_kernel(&mut self, opened: Result<Box<Opening>, Diagnostic>) {
        match opened {
            // The learner may have put it away meanwhile.
            Ok(opened) if self.state.library.opening.is_some() => self.state.library.opening = Some(*opened),
            Ok(_) => {}
            Err(problem) => {
                let opening = &mut self.state.library.opening;
                if let Some(known) = opening {
                    known.is_busy = false;
                    if known.names.is_empty() {
                        *opening = None;
                    }
                }
                self.state.notices.push(Notice::Problem(problem));
            }
        }
    }

    /// A kernel's lesson was written, or removed: the packs are read again, and the lesson is opened.
    pub(super) fn take_written_kernel(&mut self, written: Result<Option<String>, Diagnostic>) {
        let is_set_up = self.state.library.opening.is_some();
        if let Some(opening) = &mut self.state.library.opening {
            opening.is_busy = false;
        }
        if let (Ok(Some(id)), true) = (&written, is_set_up) {
            // The launch is the form's, not the one that was last chosen on the page.
            if let Some(saved) = self.state.saved.lessons.get_mut(id) {
                saved.params.clear();
                self.unsaved();
            }
        }
        match written {
            Ok(id) => {
                self.state.library.wanted = id;
                self.load();
            }
            Err(problem) => self.state.notices.push(Notice::Problem(problem)),
        }
    }

    /// Has the packs read: the program's, and the learner's kernels.
    pub(super) fn load(&mut self) {
        let task =
            FileTask::Load { files: self.files.clone(), curves: self.keeper.curves(), kernels: self.keeper.kernels() };
        self.threads.disk.enqueue(task);
    }
}
