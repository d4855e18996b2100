//! The learner's own kernels on the desk: opened, set up, watched, removed.

use super::Desk;
use super::command::KernelCommand;
use super::event::Work;
use super::opening::{KernelTask, Opening};
use super::status::Notice;
use super::tasks::FileTask;
use crate::base::diag::Diagnostic;
use crate::session::pack::my_kernel::Setup;

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
            (KernelCommand::Keep, _) => {
                let Some(opening) = opening else { return };
                opening.is_busy = true;
                KernelTask::Keep(Box::new(opening.setup.clone()))
            }
            (_, None) => {
                let problem = Diagnostic::error("there is no folder to keep kernels in");
                self.state
                    .status
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
                self.state.status.notices.push(Notice::Problem(problem));
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
                saved.moved.clear();
                self.unsaved();
            }
        }
        match written {
            Ok(id) => {
                self.state.library.wanted = id;
                self.load();
            }
            Err(problem) => self.state.status.notices.push(Notice::Problem(problem)),
        }
    }

    /// Has the packs read: the program's, and the learner's kernels.
    pub(super) fn load(&mut self) {
        let task =
            FileTask::Load { files: self.files.clone(), curves: self.keeper.curves(), kernels: self.keeper.kernels() };
        self.threads.disk.enqueue(task);
    }
}
