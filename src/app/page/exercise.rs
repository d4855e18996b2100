//! An exercise: what to do, and the tracer's verdict on the learner's kernel, which is written on the bench.

use std::time::Instant;

use egui::{RichText, Ui};

use super::blocks;
use super::{Ask, Reading};
use crate::app::theme;
use crate::base::diag::Diagnostic;
use crate::base::units::count;
use crate::figures::palette::{Hue, Ink};
use crate::session::learn::exercise::Verdict;
use crate::trace::PassRecord;

/// Shows an exercise of the lesson.
pub fn show(ui: &mut Ui, reading: &mut Reading<'_>, id: &str) -> Vec<Ask> {
    let Some(lesson) = reading.state.place.lesson.clone() else { return Vec::new() };
    let Some(exercise) = lesson.exercises.iter().find(|exercise| exercise.id == id) else { return Vec::new() };
    let (mut asks, whole) = blocks::show_until(ui, reading, &exercise.prompt, Instant::now() + super::SHARE);
    if !whole {
        ui.ctx().request_repaint();
        return asks;
    }
    ui.add_space(12.0);
    let (tried, yours) = (reading.state.kept().tried(id), exercise.yours());
    let verdict = reading.state.trials.verdicts.get(id);
    let muted = theme::color(theme::of(ui), Ink::Muted);
    if reading.state.place.bench.edit.as_ref() != Some(&yours) {
        if ui.button("Put the exercise on the bench").clicked() {
            asks.push(Ask::Open(yours.clone()));
        }
        ui.add_space(8.0);
    }
    ui.horizontal(|ui| {
        if ui.add(egui::Button::new("Check my kernel").min_size(egui::vec2(128.0, 32.0))).clicked() {
            asks.push(Ask::Judge(id.to_owned()));
        }
        if start_again(ui, tried.source.is_some()) {
            asks.push(Ask::Reset(yours.clone()));
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
    if let Some(judged) = verdict {
        ui.add_space(8.0);
        show_verdict(ui, &judged.verdict, &exercise.pass);
        if let Some(mistake) = &judged.mistake {
            ui.add_space(4.0);
            ui.add(egui::Label::new(format!("A kernel that behaves like yours: {mistake}")).wrap());
        }
    }
    asks
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

fn show_verdict(ui: &mut Ui, verdict: &Verdict, pass_id: &str) {
    let (headline, ink) = match verdict {
        Verdict::Broken(_) => ("It does not run.", Hue::Conflict),
        Verdict::Endless => ("It does not end: it was stopped after half a billion warp instructions.", Hue::Conflict),
        Verdict::Wrong(..) => ("It runs, and the result is wrong.", Hue::Conflict),
        Verdict::Right(_) => ("The result is right. The goal is not reached yet.", Hue::Store),
        Verdict::Solved(_) => ("Solved: the result is right, and the goal is reached.", Hue::Shared),
    };
    let color = theme::color(theme::of(ui), ink.ink());
    ui.label(RichText::new(headline).font(theme::medium(theme::UI + 1.0)).color(color));
    match verdict {
        Verdict::Endless => {}
        Verdict::Broken(problems) | Verdict::Wrong(_, problems) => problems.iter().for_each(|p| problem(ui, p)),
        Verdict::Right(record) | Verdict::Solved(record) => {
            let of_exercise = |pass: &&PassRecord| pass.id == pass_id;
            if let Some(trace) = record.passes.iter().find(of_exercise).and_then(|pass| pass.trace.as_ref()) {
                let (load, store) = (trace.global.load, trace.global.store);
                let text = format!(
                    "Traced: {} load requests, {} load sectors; {} store requests, {} store sectors.",
                    count(load.requests),
                    count(load.sectors),
                    count(store.requests),
                    count(store.sectors)
                );
                ui.add(egui::Label::new(text).wrap());
            }
        }
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
