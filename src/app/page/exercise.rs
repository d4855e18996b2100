//! An exercise: what to do, and the tracer's verdict on the learner's kernel, which is written on the bench.

use std::time::Instant;

use egui::{RichText, Ui};

use super::flow::{self, Style};
use super::{Reading, blocks};
use crate::app::theme;
use crate::base::diag::Diagnostic;
use crate::base::units::number;
use crate::figures::palette::{Hue, Ink};
use crate::lesson::{Catch, Exercise};
use crate::session::desk::Command;
use crate::session::desk::event::Work;
use crate::session::learn::event_class::EventClass;
use crate::session::learn::exercise::{Reached, Verdict};

/// Shows an exercise of the lesson.
pub fn show(ui: &mut Ui, reading: &mut Reading<'_>, id: &str) -> Vec<Command> {
    let Some(lesson) = reading.state.place.lesson.clone() else { return Vec::new() };
    let Some(exercise) = lesson.exercises.iter().find(|exercise| exercise.id == id) else { return Vec::new() };
    let (mut commands, whole) = blocks::show_until(ui, reading, &exercise.prompt, Instant::now() + super::SHARE);
    if !whole {
        ui.ctx().request_repaint();
        return commands;
    }
    ui.add_space(12.0);
    let (tried, yours) = (reading.state.kept().tried(id), exercise.yours());
    let verdict = reading.state.trials.verdicts.get(id);
    let muted = theme::color(theme::of(ui), Ink::Muted);
    if reading.state.place.bench.edit.as_ref() != Some(&yours) {
        if ui.button("Put the exercise on the bench").clicked() {
            commands.push(Command::ShowEdit(yours.clone()));
        }
        ui.add_space(8.0);
    }
    ui.horizontal(|ui| {
        if ui.add(egui::Button::new("Check my kernel").min_size(egui::vec2(128.0, 32.0))).clicked() {
            commands.push(Command::JudgeExercise(id.to_owned()));
        }
        if start_again(ui, tried.source.is_some()) {
            commands.push(Command::ResetEdit(yours.clone()));
        }
        if reading.state.status.activities.contains_key(&Work::Judge) {
            ui.spinner();
            ui.label(RichText::new("checking your kernel…").color(muted));
        }
        let now = matches!(verdict.map(|judged| &judged.verdict), Some(Verdict::Solved(_)));
        if tried.solution.is_some() && !now {
            let color = theme::color(theme::of(ui), Hue::Shared.ink());
            ui.label(RichText::new("Solved earlier").font(theme::medium(theme::UI)).color(color));
        }
    });
    ui.add_space(8.0);
    let goal = format!("Goal: {}", exercise.goal_text);
    ui.add(egui::Label::new(RichText::new(goal).color(muted)).wrap());
    match verdict {
        None if tried.solution.is_none() => {
            ui.add_space(4.0);
            ui.label(RichText::new("Not solved yet.").color(muted));
        }
        None => {}
        Some(judged) => {
            ui.add_space(8.0);
            show_verdict(ui, &judged.verdict);
            commands.extend(parts(ui, &judged.parts).map(|counted| Command::ShowCostliest(yours.clone(), counted)));
            if let Some(mistake) = &judged.mistake {
                ui.add_space(4.0);
                ui.add(egui::Label::new(format!("A kernel that behaves like yours: {mistake}")).wrap());
            }
        }
    }
    ui.add_space(8.0);
    match tried.solution.is_some() && tried.hints <= exercise.hints.len() {
        true => ours(ui, exercise),
        false => commands.extend(hints(ui, reading, exercise, tried.hints)),
    }
    commands
}

/// The lesson's solution, for one who has another.
fn ours(ui: &mut Ui, exercise: &Exercise) {
    let id = ui.make_persistent_id(("ours", &exercise.id));
    let shown = ui.data(|d| d.get_temp::<bool>(id)).unwrap_or_default();
    if shown {
        ui.label(RichText::new("Our solution").font(theme::medium(theme::UI)));
        blocks::code(ui, &exercise.solution);
    } else if ui.button("Compare with ours").clicked() {
        ui.data_mut(|d| d.insert_temp(id, true));
    }
}

/// The hints that the learner opened, and a button for the next one. The last one is the lesson's solution.
fn hints(ui: &mut Ui, reading: &mut Reading<'_>, exercise: &Exercise, opened: usize) -> Vec<Command> {
    let mut commands = Vec::new();
    for (number, hint) in (1..).zip(exercise.hints.iter().take(opened)) {
        ui.label(RichText::new(format!("Hint {number}")).font(theme::medium(theme::UI)));
        ui.push_id(("hint", number), |ui| commands.extend(flow::paragraph(ui, reading, hint, &Style::body())));
        ui.add_space(4.0);
    }
    let count = exercise.hints.len();
    if opened > count {
        ui.label(RichText::new("A solution").font(theme::medium(theme::UI)));
        blocks::code(ui, &exercise.solution);
        return commands;
    }
    let text = if opened == count { "Show a solution".to_owned() } else { format!("Hint {} of {count}", opened + 1) };
    if ui.button(text).clicked() {
        commands.push(Command::OpenHint(exercise.id.clone()));
    }
    commands
}

/// The goal's parts: the figure of the learner's kernel, and the one that it must have; the kind of events that is
/// asked for by a click.
fn parts(ui: &mut Ui, parts: &[Reached]) -> Option<EventClass> {
    let mut asked = None;
    let theme = theme::of(ui);
    let parts: Vec<&Reached> = parts.iter().filter(|part| !part.of.is_empty()).collect();
    if parts.is_empty() {
        return None;
    }
    let small = |text: String, ink: Ink| RichText::new(text).size(theme::TABLE).color(theme::color(theme, ink));
    ui.add_space(4.0);
    ui.label(small("Counted over the whole grid, all warps together:".to_owned(), Ink::Muted));
    for part in parts {
        let (said, ink) = if part.ok { ("reached", Hue::Shared.ink()) } else { ("not yet", Hue::Store.ink()) };
        ui.add_space(6.0);
        ui.add(egui::Label::new(small(part.of.clone(), Ink::Text)).wrap());
        ui.horizontal_wrapped(|ui| {
            ui.label(small(format!("you have {}, you need {}", number(part.have), part.needed()), Ink::Muted));
            match part.counts.filter(|_| !part.ok) {
                Some(counted) => {
                    let help = format!("Show the costliest of the kernel's {} on the stage", counted.name());
                    let button = egui::Button::new(small(said.to_owned(), ink)).small();
                    if ui.add(button).on_hover_text(help).clicked() {
                        asked = Some(counted);
                    }
                }
                None => {
                    ui.label(small(said.to_owned(), ink));
                }
            }
        });
    }
    asked
}

/// A button that asks once more before the learner's version is gone.
fn start_again(ui: &mut Ui, enabled: bool) -> bool {
    let asked = ui.scope_id().with("start again");
    let sure = enabled && ui.data(|d| d.get_temp::<bool>(asked)).unwrap_or(false);
    let text = if sure { "Discard my version" } else { "Start again" };
    let clicked = ui.add_enabled(enabled, egui::Button::new(text)).clicked();
    if clicked || !enabled {
        ui.data_mut(|d| d.insert_temp(asked, clicked && !sure));
    }
    clicked && sure
}

fn show_verdict(ui: &mut Ui, verdict: &Verdict) {
    let (headline, ink) = match verdict {
        Verdict::Broken(_) => ("It does not run.", Hue::Conflict),
        Verdict::Endless => ("It does not end: it was stopped after half a billion warp instructions.", Hue::Conflict),
        Verdict::Wrong(caught, _) if caught.contains(&Catch::Race) => ("It runs, but lanes race.", Hue::Conflict),
        Verdict::Wrong(caught, _) if caught.contains(&Catch::OutOfBounds) => {
            ("It runs, but reaches past the end of an array.", Hue::Conflict)
        }
        Verdict::Wrong(..) => ("It runs, and the result is wrong.", Hue::Conflict),
        Verdict::Right(_) => ("The result is right. The goal is not reached yet.", Hue::Store),
        Verdict::Solved(_) => ("Solved: the result is right, and the goal is reached.", Hue::Shared),
    };
    let color = theme::color(theme::of(ui), ink.ink());
    ui.label(RichText::new(headline).font(theme::medium(theme::UI + 1.0)).color(color));
    if let Verdict::Broken(problems) | Verdict::Wrong(_, problems) = verdict {
        problems.iter().for_each(|p| problem(ui, p));
    }
}

/// A diagnostic in the window: message, place, and what to do.
pub fn problem(ui: &mut Ui, problem: &Diagnostic) {
    let theme = theme::of(ui);
    if let Some(place) = &problem.place {
        let text =
            RichText::new(place.to_string()).font(theme::mono(theme::SMALL)).color(theme::color(theme, Ink::Muted));
        ui.add(egui::Label::new(text).wrap());
    }
    ui.add(egui::Label::new(&problem.message).wrap());
    if let Some(hint) = &problem.hint {
        ui.add(egui::Label::new(RichText::new(hint).color(theme::color(theme, Ink::Muted))).wrap());
    }
}
