//! The window's shortcuts. A key's modifiers are those of its own press: all of them may have been let go within the
//! frame.

use egui::{Event, Id, Key, Modifiers, Ui};

use crate::session::desk::Command;
use crate::session::desk::state::State;

/// The characters of the keys that do something by themselves.
const OWN: &str = " []{}1234?";

/// How long after another character all of these are taken for a text that was meant for a field, in seconds.
const BURST: f64 = 1.0;

/// Keys that work while no list is open: those that turn pages wherever no text is being written, the others while
/// nothing has the keyboard.
pub fn commands(ui: &Ui, state: &State) -> Vec<Command> {
    if ui.ctx().text_edit_focused() || egui::Popup::is_any_open(ui.ctx()) {
        return Vec::new();
    }
    let mut commands = Vec::new();
    if pressed(ui, Modifiers::NONE, Key::PageDown) {
        commands.push(Command::GoTo(state.place.step + 1));
    }
    if pressed(ui, Modifiers::NONE, Key::PageUp) && state.place.step > 0 {
        commands.push(Command::GoTo(state.place.step - 1));
    }
    if ui.memory(|m| m.focused().is_some()) {
        return commands;
    }
    if pressed(ui, Modifiers::COMMAND, Key::R) {
        commands.push(Command::RunExperiment);
    }
    if pressed(ui, Modifiers::NONE, Key::Escape) {
        if !state.status.activities.is_empty() {
            commands.push(Command::Cancel);
        } else if state.place.asked.is_some() {
            commands.push(Command::CloseOrigin);
        }
    }
    commands
}

/// Whether a key that does something by itself was pressed, while nothing has the keyboard and no text is being typed
/// into nothing.
pub fn alone(ui: &Ui, key: Key) -> bool {
    let taken = ui.memory(|m| m.focused().is_some()) || egui::Popup::is_any_open(ui.ctx());
    !taken && !is_typing(ui) && pressed(ui, Modifiers::NONE, key)
}

/// Whether a key was pressed with these modifiers, and Shift or not.
pub fn pressed(ui: &Ui, with: Modifiers, key: Key) -> bool {
    ui.input(|i| i.events.iter().any(|event| is_press(event, with, key)))
}

fn is_press(event: &Event, with: Modifiers, of: Key) -> bool {
    matches!(event, Event::Key { key, pressed: true, modifiers, .. } if *key == of && modifiers.matches_logically(with))
}

/// Notes what is typed while nothing has the keyboard; called once a frame, before any key is looked at.
pub fn watch(ui: &Ui) {
    let now = ui.input(|i| i.time);
    let other = |event: &Event| matches!(event, Event::Text(text) if !text.chars().all(|c| OWN.contains(c)));
    let any = |event: &Event| matches!(event, Event::Text(_));
    let (begins, goes_on) = ui.input(|i| (i.events.iter().any(other), i.events.iter().any(any)));
    if begins && ui.memory(|m| m.focused().is_none()) || goes_on && is_typing(ui) {
        ui.data_mut(|d| d.insert_temp(typed(), now));
    }
}

fn is_typing(ui: &Ui) -> bool {
    let last = ui.data(|d| d.get_temp::<f64>(typed()));
    last.is_some_and(|last| ui.input(|i| i.time) - last < BURST)
}

/// When a character was last typed into nothing.
fn typed() -> Id {
    Id::unique("typed into nothing")
}
