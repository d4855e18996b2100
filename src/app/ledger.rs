//! The ledger: a line a concept, in three parts, each with its evidence and its pages; moved by hand with a reason.

use egui::{RichText, Ui};

use super::today::Chosen;
use super::{calibration, theme};
use crate::figures::palette::{Hue, Ink};
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::learn::journal::Standing;
use crate::session::learn::ledger::{Concept, concepts};
use crate::session::learn::told;

/// The view's state between frames.
#[derive(Default)]
pub struct Ledger {
    /// The concept that is being moved, where to, and why.
    moving: Option<(String, Standing, String)>,
    /// A concept to add, by its name.
    added: String,
}

impl Ledger {
    /// Shows it; what the learner chose to read, and commands.
    pub fn show(&mut self, ui: &mut Ui, state: &State) -> (Option<Chosen>, Vec<Command>) {
        let (mut chosen, mut commands) = (None, Vec::new());
        let all = concepts(&state.library.pack.lessons, &state.diary.story);
        for part in told::PARTS {
            let of_part: Vec<&Concept> = all.iter().filter(|concept| concept.standing == Some(part)).collect();
            ui.add_space(8.0);
            ui.label(
                RichText::new(format!("{} ({})", part.name(), of_part.len()))
                    .font(theme::prose_bold(19.0))
                    .color(ink(ui, part)),
            );
            ui.add_space(4.0);
            for concept in of_part {
                self.concept(ui, state, concept, &mut chosen, &mut commands);
            }
        }
        let rest: Vec<&Concept> = all.iter().filter(|concept| concept.standing.is_none()).collect();
        ui.add_space(8.0);
        egui::CollapsingHeader::new(format!("Not begun ({})", rest.len())).show(ui, |ui| {
            for concept in rest {
                self.concept(ui, state, concept, &mut chosen, &mut commands);
            }
        });
        ui.add_space(12.0);
        self.add(ui, &mut commands);
        calibration::show(ui, &state.diary.story);
        (chosen, commands)
    }

    fn concept(
        &mut self,
        ui: &mut Ui,
        state: &State,
        concept: &Concept,
        chosen: &mut Option<Chosen>,
        commands: &mut Vec<Command>,
    ) {
        let muted = theme::color(theme::of(ui), Ink::Muted);
        ui.horizontal_wrapped(|ui| {
            ui.label(RichText::new(&concept.name).font(theme::medium(theme::UI)));
            ui.label(RichText::new(told::evidence(concept)).size(theme::SMALL).color(muted));
            for place in &concept.steps {
                if ui.link(RichText::new(&place.title).size(theme::SMALL)).clicked() {
                    *chosen = Some(Chosen::Read(open(state, &place.lesson, &place.step)));
                }
            }
            let button = ui.small_button("Move…");
            button
                .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Move {}", concept.name)));
            if button.clicked() {
                self.moving =
                    Some((concept.name.clone(), concept.standing.unwrap_or(Standing::Developing), String::new()));
            }
        });
        let Some((name, to, why)) = self.moving.as_mut().filter(|(name, ..)| *name == concept.name) else { return };
        let mut is_over = false;
        ui.horizontal_wrapped(|ui| {
            ui.add_space(16.0);
            for part in told::PARTS {
                ui.selectable_value(to, part, part.name());
            }
            let field = ui.add(egui::TextEdit::singleline(why).desired_width(260.0).hint_text("why"));
            field.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "The reason"));
            let is_given = !why.trim().is_empty();
            if ui.add_enabled(is_given, egui::Button::new("Move")).on_disabled_hover_text("Give a reason").clicked() {
                commands.push(Command::Move(name.clone(), Some(*to), why.trim().to_owned()));
                is_over = true;
            }
            if concept.moved.is_some() && ui.button("Back to the rule").clicked() {
                commands.push(Command::Move(name.clone(), None, why.trim().to_owned()));
                is_over = true;
            }
            is_over |= ui.button("Leave").clicked();
        });
        if is_over {
            self.moving = None;
        }
    }

    /// A field for a concept of the learner's own.
    fn add(&mut self, ui: &mut Ui, commands: &mut Vec<Command>) {
        ui.horizontal_wrapped(|ui| {
            let field = ui.add(
                egui::TextEdit::singleline(&mut self.added).desired_width(260.0).hint_text("a concept of your own"),
            );
            field.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "A concept of your own"));
            let name = self.added.trim().to_owned();
            if ui.add_enabled(!name.is_empty(), egui::Button::new("Add")).clicked() {
                commands.push(Command::Move(name, Some(Standing::Developing), "added by hand".to_owned()));
                self.added.clear();
            }
        });
    }
}

fn ink(ui: &Ui, part: Standing) -> egui::Color32 {
    let theme = theme::of(ui);
    match part {
        Standing::Mastered => theme::color(theme, Hue::Shared.ink()),
        Standing::Developing => theme::color(theme, Ink::Text),
        Standing::BlindSpot => theme::color(theme, Hue::Store.ink()),
    }
}

/// The commands that open a place.
pub fn open(state: &State, lesson: &str, step: &str) -> Vec<Command> {
    let known = state.library.pack.lessons.iter().find(|known| known.id == lesson);
    let step = known.and_then(|known| known.steps.iter().position(|known| known.id == step));
    std::iter::once(Command::OpenLesson(lesson.to_owned())).chain(step.map(Command::GoTo)).collect()
}
