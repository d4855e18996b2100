//! The page: one step's prose, with its controls, questions, exercises, and room for the learner's own words.

mod blocks;
pub mod control;
mod draw;
mod exercise;
mod flow;
mod predict;
mod unfold;
mod words;

pub use exercise::problem as page_problem;

use std::time::{Duration, Instant};

use egui::{RichText, ScrollArea, Ui};

use flow::Style;

use super::math::Formulas;
use super::{format, tabbed, theme};
use crate::base::expr::Expr;
use crate::figures::palette::Ink;
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Block, Inline};
use crate::notes::markdown;
use crate::reference::Explored;
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::learn::drawn::Points;
use crate::session::learn::event_class::EventClass;
use crate::session::learn::predict::Guess;
use crate::session::note::fill::Fill;

/// The time that setting the page may take of one frame. Words stay set, so a page that takes longer is complete a few frames after it
/// is opened, and no frame is late.
const SHARE: Duration = Duration::from_micros(1500);

/// How long the end of a page is in sight until the page counts as read, in seconds.
const DWELL: f64 = 5.0;

/// The widest that prose is set: about 68 characters.
const COLUMN: f32 = 560.0;

/// Something that a reader did in the prose.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// Turned a control.
    Set(String, f64),
    /// Predicted.
    Predict(String, Guess),
    /// Drew a part of a prediction's curve.
    Draw(String, Points),
    /// Wants to change the curve of a prediction.
    DrawAgain(String),
    /// Moved the point that explorers look at.
    Explore(Explored),
    /// Does not want the text file counted any more.
    CancelText,
    /// Wants a version of a kernel on the bench, by its id.
    Open(String),
    /// Wants an exercise judged, by its id.
    Judge(String),
    /// Wants the next hint of an exercise, by its id.
    Hint(String),
    /// Wants a version to begin again, by its id.
    Reset(String),
    /// Wants to see the costliest event of a kind of a version, by its id.
    See(String, EventClass),
}

impl Ask {
    /// The command that carries it out.
    pub fn command(self) -> Command {
        match self {
            Self::Set(id, value) => Command::SetParam(id, value),
            Self::Predict(id, guess) => Command::Predict(id, guess),
            Self::Draw(id, points) => Command::Draw(id, points),
            Self::DrawAgain(id) => Command::DrawAgain(id),
            Self::Explore(point) => Command::Explore(point),
            Self::CancelText => Command::CancelText,
            Self::Open(id) => Command::ShowEdit(id),
            Self::Judge(id) => Command::JudgeExercise(id),
            Self::Hint(id) => Command::OpenHint(id),
            Self::Reset(id) => Command::ResetEdit(id),
            Self::See(id, counted) => Command::ShowCostliest(id, counted),
        }
    }
}

/// The inputs for setting a page.
pub struct Reading<'a> {
    /// The text to show.
    pub state: &'a State,
    /// All results, by their names in expressions.
    pub results: &'a Results,
    /// Formulas.
    pub formulas: &'a Formulas,
    /// Whether the step's explorer is on the stage, and in sight there.
    pub staged: bool,
    /// The words of the trade that the page has had so far.
    pub told: Vec<&'static str>,
}

impl Reading<'_> {
    /// Where a live value comes from, in words.
    fn explain(&self, expr: &Expr) -> String {
        let mut lines = vec![format!("= {}", expr.source())];
        if let Some(lesson) = &self.state.place.lesson {
            for (run, timed) in lesson.runs_behind(expr) {
                lines.push(self.provenance(&run, timed));
            }
        }
        lines.dedup();
        lines.join("\n")
    }

    /// The placeholder for a value that has no figure.
    fn absence(&self, expr: &Expr) -> &'static str {
        let runs = self.state.place.lesson.as_ref().map(|l| l.runs_behind(expr)).unwrap_or_default();
        if runs.iter().any(|(_, timed)| *timed) { "not measured yet" } else { "not traced yet" }
    }

    fn provenance(&self, run: &str, timed: bool) -> String {
        let record = self.state.found.ran(run);
        match (timed, record.and_then(|r| r.timing.as_ref())) {
            (true, Some(timing)) => format!(
                "measured on {}: {run}, median {} (p10–p90 {}–{}), n = {}, {} cache",
                self.state.acting_device().map(|d| d.name).unwrap_or_default(),
                crate::base::units::si(timing.median_s, "s"),
                crate::base::units::si(timing.p10_s, "s"),
                crate::base::units::si(timing.p90_s, "s"),
                timing.samples.len(),
                format::cache(timing.cache),
            ),
            (true, None) => format!("{run} has not been measured at these parameters"),
            (false, _) => format!("traced: {run}, over the whole grid"),
        }
    }
}

/// Shows the page of the step, whose explorer may be `staged` already, and returns what the reader asked for.
pub fn show(ui: &mut Ui, state: &State, results: &Results, formulas: &Formulas, staged: bool) -> Vec<Command> {
    let mut commands = Vec::new();
    let (Some(lesson), Some(step)) = (&state.place.lesson, state.place.step()) else {
        super::empty(ui, "A lesson's text appears here once a pack is read.");
        return commands;
    };
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
                let mut reading = Reading { state, results, formulas, staged, told: Vec::new() };
                let title = [Inline::Text(step.title.clone())];
                flow::paragraph(ui, &mut reading, &title, &Style::heading(26.0));
                if !step.terms.is_empty() {
                    ui.add_space(6.0);
                    let terms = RichText::new(step.terms.join(" · ")).size(theme::SMALL);
                    let terms = terms.color(theme::color(theme::of(ui), Ink::Muted));
                    ui.add(egui::Label::new(terms).wrap())
                        .on_hover_text("The standard terms for what this page explains");
                }
                ui.add_space(16.0);
                let (asks, whole) = blocks::show_until(ui, &mut reading, &step.blocks, Instant::now() + SHARE);
                commands.extend(asks.into_iter().map(Ask::command));
                if !whole {
                    ui.ctx().request_repaint();
                    return;
                }
                ui.add_space(16.0);
                commands.extend(words::show(ui, state, &step.id));
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

/// A button that copies the page: its title and its prose with the figures that it shows now.
fn copy(ui: &mut Ui, state: &State, results: &Results) {
    let (Some(lesson), Some(step)) = (&state.place.lesson, state.place.step()) else { return };
    let text = RichText::new("Copy page").size(theme::SMALL);
    let button = ui.add(egui::Button::new(text).frame(false));
    if button.on_hover_text("As Markdown, with formulas as LaTeX").clicked() {
        let env = Env::new(lesson, &state.place.params, results);
        let fill = Fill { env: &env, params: &state.place.params, lesson, quotes: &state.library.quotes };
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
