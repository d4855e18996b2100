//! The contents: the search, the lessons, and the steps of the open one.

use egui::{RichText, ScrollArea, Ui};

use super::search::Search;
use super::theme;
use crate::figures::palette::{Hue, Ink};
use crate::session::desk::Command;
use crate::session::desk::state::State;

/// A search, lessons, the steps of the open one, and how far the reader has come.
pub fn show(ui: &mut Ui, state: &State, search: &mut Search) -> Vec<Command> {
    let mut commands = Vec::new();
    ui.add_space(8.0);
    if let Some(found) = search.show(ui, state) {
        return found;
    }
    ScrollArea::vertical().id_salt("contents").auto_shrink(false).show(ui, |ui| {
        ui.add_space(16.0);
        ui.spacing_mut().item_spacing.y = 2.0;
        for lesson in &state.library.pack.lessons {
            let open = state.place.lesson.as_ref().is_some_and(|l| l.id == lesson.id);
            let title = RichText::new(&lesson.title).font(theme::medium(theme::UI));
            let button = egui::Button::selectable(false, title).wrap().min_size(egui::vec2(0.0, 28.0));
            if ui.add(button).on_hover_text(&lesson.summary).clicked() && !open {
                commands.push(Command::OpenLesson(lesson.id.clone()));
            }
            if !open {
                continue;
            }
            let kept = state.kept();
            ui.add_space(4.0);
            let steps = state.place.lesson.as_ref().map(|l| l.steps.as_slice()).unwrap_or_default();
            for (index, step) in steps.iter().enumerate() {
                if !step.part.is_empty() {
                    let pages = 1 + steps[index + 1..].iter().take_while(|step| step.part.is_empty()).count();
                    let read = steps[index..index + pages].iter().filter(|step| kept.is_read(step)).count();
                    part(ui, &step.part, [read, pages]);
                }
                if step_row(ui, index, &step.title, index == state.place.step, kept.is_read(step)) {
                    commands.push(Command::GoTo(index));
                }
                let mut exercises = step.exercises().peekable();
                if exercises.peek().is_some() {
                    let solved =
                        exercises.all(|id| kept.exercises.get(id).is_some_and(|tried| tried.solution.is_some()));
                    mark(ui, if solved { "exercise, solved" } else { "exercise" });
                }
            }
            ui.add_space(12.0);
            ledger(ui, state);
            ui.add_space(12.0);
        }
    });
    commands
}

/// The title of a part, and how many of its pages are read.
fn part(ui: &mut Ui, title: &str, [read, pages]: [usize; 2]) {
    let color = theme::color(theme::of(ui), Ink::Muted);
    ui.add_space(6.0);
    let text = format!("{title} · {read} of {pages}");
    ui.add(egui::Label::new(RichText::new(text).size(theme::SMALL).color(color)).wrap());
}

/// A remark below a step's title.
fn mark(ui: &mut Ui, text: &str) {
    let text = RichText::new(text).size(theme::SMALL).color(theme::color(theme::of(ui), Ink::Muted));
    ui.horizontal(|ui| {
        ui.spacing_mut().interact_size.y = 0.0;
        ui.add_space(NUMBER);
        ui.label(text);
    });
}

/// The room of a step's number.
const NUMBER: f32 = 28.0;

/// One step: its number, and its title set beside it however many lines it takes.
fn step_row(ui: &mut Ui, index: usize, title: &str, here: bool, seen: bool) -> bool {
    let theme = theme::of(ui);
    let color = theme::color(theme, if here || !seen { Ink::Text } else { Ink::Muted });
    let room = ui.available_width();
    let font = egui::FontId::proportional(13.5);
    let galley = ui.painter().layout(title.to_owned(), font.clone(), color, room - NUMBER - 6.0);
    let size = egui::vec2(room, (galley.size().y + 10.0).max(28.0));
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::click());
    response.widget_info(|| {
        egui::WidgetInfo::selected(egui::Role::Button, true, here, format!("Step {}: {title}", index + 1))
    });
    if here {
        // Only when the step changes: the reader may look elsewhere.
        let id = egui::Id::unique("step in sight");
        let now = (title.to_owned(), index);
        if ui.data(|d| d.get_temp::<(String, usize)>(id)).as_ref() != Some(&now) {
            ui.data_mut(|d| d.insert_temp(id, now));
            ui.scroll_to_rect(rect.expand2(egui::vec2(0.0, 64.0)), None);
        }
    }
    let ground = match (here, response.hovered()) {
        (true, _) => Some(Hue::Accent.tint(24)),
        (false, true) => Some(Ink::Faint),
        (false, false) => None,
    };
    if let Some(ink) = ground {
        ui.painter().rect_filled(rect, 4.0, theme::color(theme, ink));
    }
    if response.has_focus() {
        let stroke = egui::Stroke::new(2.0, theme::color(theme, Ink::Accent));
        ui.painter().rect_stroke(rect, 4.0, stroke, egui::StrokeKind::Inside);
    }
    let top = rect.center().y - galley.size().y / 2.0;
    let muted = theme::color(theme, Ink::Muted);
    let number = egui::pos2(rect.min.x + NUMBER - 8.0, top);
    ui.painter().text(number, egui::Align2::RIGHT_TOP, index + 1, font, muted);
    ui.painter().galley(egui::pos2(rect.min.x + NUMBER, top), galley, color);
    response.clicked()
}

/// The learner's progress in the open lesson.
fn ledger(ui: &mut Ui, state: &State) {
    let Some(lesson) = &state.place.lesson else { return };
    let kept = state.kept();
    let color = theme::color(theme::of(ui), Ink::Muted);
    let (right, answered) = kept.right(lesson);
    let words = kept.words.values().filter(|w| !w.trim().is_empty()).count();
    let mut lines = vec![format!("{} of {} steps read", kept.read(lesson), lesson.steps.len())];
    if !lesson.predictions.is_empty() {
        lines.push(format!("{right} of {} questions right", lesson.predictions.len()));
    }
    lines.push(if words == 1 { "1 note of your own".to_owned() } else { format!("{words} notes of your own") });
    match answered - right {
        0 => {}
        1 => lines.push("1 answer not right".to_owned()),
        wrong => lines.push(format!("{wrong} answers not right")),
    }
    match (kept.solved(lesson), lesson.exercises.len()) {
        (_, 0) => {}
        (0, 1) => lines.push("exercise not solved yet".to_owned()),
        (_, 1) => lines.push("exercise solved".to_owned()),
        (solved, all) => lines.push(format!("{solved} of {all} exercises solved")),
    }
    ui.spacing_mut().interact_size.y = 18.0;
    for line in lines {
        ui.horizontal(|ui| {
            ui.add_space(20.0);
            ui.label(RichText::new(line).size(theme::SMALL).color(color));
        });
    }
}
