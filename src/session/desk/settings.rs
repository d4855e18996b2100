//! The learner's settings: devices, how runs are made, and the window.

use super::Desk;
use super::command::SettingCommand;
use super::found::DeviceState;
use super::place::Running;
use super::tasks::DeviceTask;
use crate::session::learn::saved::Saved;
use crate::session::run::devices::Choice;

impl Desk {
    pub(super) fn set(&mut self, setting: SettingCommand) {
        match setting {
            SettingCommand::Backend(choice) => self.set_backend(choice),
            SettingCommand::BoundsChecks(on) => self.run_with(|options| options.bounds_checks = on),
            SettingCommand::WarpWidth(lanes) => self.run_with(|options| options.warp_width = lanes),
            SettingCommand::Language(language) => self.run_with(|options| options.language = language),
            SettingCommand::Model(model) => self.save(|saved| saved.model = model),
            SettingCommand::Recording(choice) => self.save(|saved| saved.recording = choice),
            SettingCommand::Theme(theme) => self.save(|saved| saved.theme = theme),
            SettingCommand::Still(still) => self.save(|saved| saved.still = still),
            SettingCommand::Dividers(dividers) => self.save(|saved| saved.room = dividers),
            SettingCommand::Frame(frame) => self.save(|saved| saved.window = frame),
        }
    }

    fn run_with(&mut self, change: impl FnOnce(&mut Running)) {
        change(&mut self.state.place.options);
        self.refresh();
    }

    fn save(&mut self, change: impl FnOnce(&mut Saved)) {
        change(&mut self.state.saved);
        self.unsaved();
    }

    pub(super) fn set_backend(&mut self, choice: Choice) {
        self.state.saved.backend = choice;
        self.state.found.device = DeviceState::Starting;
        // Another device may have the same backend.
        self.state.found.answers.retain(|query, _| !query.is_of_device());
        self.threads.device.cancel(0);
        self.threads.device.worker.enqueue(DeviceTask::Describe(choice));
        self.unsaved();
        self.refresh();
    }
}
