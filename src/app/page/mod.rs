//! The page: one step's prose, with its controls, questions, exercises, and room for the learner's own words.

mod blocks;
pub mod control;
mod draw;
mod exercise;
mod flow;
mod lines;
mod predict;
mod reading;
mod selection;
mod unfold;
mod words;

pub use exercise::problem as page_problem;
use reading::Reading;
use selection::Selection;

use std::time::{Duration, Instant};

use egui::{RichText, ScrollArea, Ui};

use flow::Style;

use super::math::Formulas;
use super::stage::Stage;
use super::{tabbed, theme};
use crate::figures::palette::Ink;
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Block, Inline};
use crate::notes::markdown;
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::show::interpolate::Fill;

/// The time that setting the page may take of one frame. Words stay set, so a page that takes longer is complete a few
/// frames after it is opened, and no frame is late.
const SHARE: Duration = Duration::from_micros(1500);

/// How long the end of a page is in sight until the page counts as read, in seconds.
const DWELL: f64 = 5.0;

/// The widest that prose is set: about 68 characters.
const COLUMN: f32 = 560.0;

/// Shows the page of the step, whose explorer may be `staged` already, and returns what the reader asked for.
pub fn show(
    ui: &mut Ui,
    state: &State,
    stage: &Stage,
    results: &Results,
    formulas: &Formulas,
    staged: bool,
) -> Vec<Command> {
    let mut commands = Vec::new();
    let (Some(lesson), Some(step)) = (&state.place.lesson, state.place.step()) else { return commands };
    ScrollArea::vertical().id_salt(("page", &lesson.id, &step.id)).auto_shrink(false).show(ui, |ui| {
        let room = ui.available_width();
        let width = (room - 2.0 * 24.0).min(COLUMN);
        let left = ((room - width) / 2.0).floor();
        ui.add_space(24.0);
        ui.horizontal(|ui| {
            ui.add_space(left);
            ui.vertical(|ui| {
                ui.set_width(width);
                ui.spacing_mut().item_spacing.y = 0.0;
                let count = format!("Step {} of {}", state.place.step + 1, lesson.steps.len());
                let muted = theme::color(theme::of(ui), Ink::Muted);
                ui.horizontal(|ui| {
                    ui.label(RichText::new(count).size(theme::SMALL).color(muted));
                    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                        copy(ui, state, results);
                    });
                });
                ui.add_space(4.0);
                let selection = Selection::begin(ui, egui::Id::unique((&lesson.id, &step.id)));
                let mut reading = Reading { state, results, formulas, staged, told: Vec::new(), selection };
                let title = [Inline::Text(step.title.clone())];
                flow::paragraph(ui, &mut reading, &title, &Style::heading(26.0));
                ui.add_space(16.0);
                let (given, whole) = blocks::show_until(ui, &mut reading, &step.blocks, Instant::now() + SHARE);
                reading.selection.end(ui);
                commands.extend(given);
                if !whole {
                    ui.ctx().request_repaint();
                    return;
                }
                // Before the page they would name what it has not explained yet, or answer what it asks.
                if !step.terms.is_empty() {
                    ui.add_space(16.0);
                    let terms = format!("Standard terms: {}", step.terms.join(", "));
                    let terms = RichText::new(terms).size(theme::SMALL);
                    let terms = terms.color(theme::color(theme::of(ui), Ink::Muted));
                    ui.add(egui::Label::new(terms).wrap());
                }
                ui.add_space(16.0);
                commands.extend(words::show(ui, state, stage, &step.id));
                ui.add_space(24.0);
                let end = ui.cursor().min;
                let turned = turn(ui, state);
                if !state.kept().seen.contains(&step.id) && (turned.is_some() || dwells(ui, end, &step.id)) {
                    commands.push(Command::Read(step.id.clone()));
                }
                commands.extend(turned);
                ui.add_space(32.0);
            });
        });
        tabbed::follow(ui);
    });
    commands
}

/// Sets a paragraph as on a page.
pub fn prose(ui: &mut Ui, state: &State, results: &Results, formulas: &Formulas, inlines: &[Inline]) {
    let selection = Selection::begin(ui, ui.next_auto_id());
    let mut reading = Reading { state, results, formulas, staged: false, told: Vec::new(), selection };
    flow::paragraph(ui, &mut reading, inlines, &Style::body());
    reading.selection.end(ui);
}

/// A button that copies the page: its title and its prose with the figures that it shows now.
fn copy(ui: &mut Ui, state: &State, results: &Results) {
    let (Some(lesson), Some(step)) = (&state.place.lesson, state.place.step()) else { return };
    let text = RichText::new("Copy page").size(theme::SMALL);
    let button = ui.add(egui::Button::new(text).frame(false));
    if button.on_hover_text("As Markdown, with formulas as LaTeX").clicked() {
        let env = Env::new(lesson, &state.place.params, results);
        let fill = Fill { env: &env, params: &state.place.params, lesson, quotes: &state.library.quotes, live: false };
        let blocks: Vec<Block> = step.blocks.iter().map(|block| fill.block(block)).collect();
        ui.ctx().copy_text(format!("## {}\n\n{}\n", step.title, markdown::prose(&blocks)));
    }
}

/// Whether a page was open with its `end` in sight for a while: what was only leafed through is not read.
fn dwells(ui: &Ui, end: egui::Pos2, step: &str) -> bool {
    let id = egui::Id::unique("end in sight");
    let now = ui.input(|i| i.time);
    if !ui.clip_rect().contains(end) {
        ui.data_mut(|d| d.remove::<(String, f64)>(id));
        return false;
    }
    let since = ui.data(|d| d.get_temp::<(String, f64)>(id)).filter(|(of, _)| of == step);
    let since = since.map_or(now, |(_, since)| since);
    ui.data_mut(|d| d.insert_temp(id, (step.to_owned(), since)));
    let left = DWELL - (now - since);
    if left > 0.0 {
        ui.ctx().request_repaint_after(Duration::from_secs_f64(left));
    }
    left <= 0.0
}

/// The buttons to the step before and after, by their titles.
fn turn(ui: &mut Ui, state: &State) -> Option<Command> {
    let steps = &state.place.lesson.as_ref()?.steps;
    let mut command = None;
    ui.horizontal(|ui| {
        let both = state.place.step > 0 && state.place.step + 1 < steps.len();
        let width = if both { (ui.available_width() - theme::GRID) / 2.0 } else { ui.available_width() };
        let mut button = |ui: &mut Ui, step: Option<usize>, back: bool| {
            let Some((index, title)) = step.and_then(|i| Some((i, &steps.get(i)?.title))) else {
                return;
            };
            let text = if back { format!("‹  {title}") } else { format!("{title}  ›") };
            let button = egui::Button::new(text).truncate().min_size(egui::vec2(width, 36.0));
            if ui.add_sized([width, 36.0], button).clicked() {
                command = Some(Command::GoTo(index));
            }
        };
        button(ui, state.place.step.checked_sub(1), true);
        button(ui, Some(state.place.step + 1), false);
    });
    command
}
