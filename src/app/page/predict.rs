//! A question to answer before measuring, then what the measurement says.

use egui::{Frame, RichText, Ui};

use super::flow::{self, Style};
use super::{Reading, draw};
use crate::app::theme;
use crate::base::units::{figure, number as digits, read_figure, round3};
use crate::figures::palette::{Hue, Ink};
use crate::lesson::{AnswerDecl, AnswerKind};
use crate::session::desk::Command;
use crate::session::learn::graded::{found_by, said};
use crate::session::learn::predict::{Answer, Grade, Guess};
use crate::session::learn::question;
use crate::session::learn::saved::Predicted;

/// Shows a prediction: what it asks for until that is given, then the answer.
pub fn show(ui: &mut Ui, reading: &mut Reading<'_>, id: &str) -> Vec<Command> {
    let mut commands = Vec::new();
    let Some(lesson) = reading.state.place.lesson.clone() else { return commands };
    let Some(prediction) = lesson.predictions.iter().find(|p| p.id == id) else { return commands };
    let theme = theme::of(ui);
    let frame = Frame::new()
        .fill(theme::color(theme, Ink::Raised))
        .stroke(egui::Stroke::new(1.0, theme::color(theme, Ink::Faint)))
        .corner_radius(6.0)
        .inner_margin(16);
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        let accent = theme::color(theme, Ink::Accent);
        ui.label(RichText::new("Predict, then run").font(theme::medium(theme::SMALL)).color(accent));
        ui.add_space(6.0);
        commands.extend(flow::paragraph(ui, reading, &question::text(&lesson, prediction), &Style::body()));
        ui.add_space(10.0);
        let kept = reading.state.kept();
        let predicted = kept.predictions.get(id);
        let busy = reading.state.trials.answering.is_some();
        match &prediction.asks {
            AnswerKind::Choice(options, _) => {
                let chosen = self::options(ui, options, predicted, busy);
                commands.extend(chosen.map(|choice| Command::Predict(id.to_owned(), Guess::Choice(choice))));
            }
            AnswerKind::Number(_, decl) => {
                let given = number(ui, &decl.unit, predicted, busy);
                commands.extend(given.map(|number| Command::Predict(id.to_owned(), Guess::Number(number))));
            }
            AnswerKind::Curve(decl) => commands.extend(draw::show(ui, (&lesson, kept), (id, decl), busy)),
        }
        if reading.state.trials.answering.as_ref().is_some_and(|(asked, _)| asked == id) {
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                ui.spinner();
                ui.label("running the kernels…");
            });
        }
        if let Some((predicted, answer)) = predicted.and_then(|p| Some((p, p.answer.as_ref()?))) {
            ui.add_space(10.0);
            match &prediction.asks {
                AnswerKind::Choice(options, decl) => {
                    verdict(ui, decl, answer, answer.grade(options));
                    choice_verdict(ui, options, predicted, answer.grade(options));
                }
                AnswerKind::Number(within, decl) => number_verdict(ui, decl, (predicted, answer), *within),
                AnswerKind::Curve(decl) => draw::verdict(ui, &lesson, decl, predicted),
            }
            first_answer(ui, &prediction.asks, reading.state.kept().first.get(id), predicted);
            ui.add_space(8.0);
            commands.extend(flow::paragraph(ui, reading, &prediction.because, &Style::body()));
        }
    });
    commands
}

/// The answer that counts, where the learner has given another one since.
fn first_answer(ui: &mut Ui, asked: &AnswerKind, first: Option<&Predicted>, last: &Predicted) {
    let Some(said) = first.filter(|first| first.guess != last.guess).and_then(|first| said(asked, &first.guess)) else {
        return;
    };
    let muted = theme::color(theme::of(ui), Ink::Muted);
    let text = format!("Your first answer, “{said}”, is the one that counts.");
    ui.add(egui::Label::new(RichText::new(text).size(theme::SMALL).color(muted)).wrap());
}

fn options(ui: &mut Ui, options: &[(String, f64)], predicted: Option<&Predicted>, busy: bool) -> Option<usize> {
    let nearest = predicted.and_then(|p| match p.answer.as_ref()?.grade(options) {
        Grade::Nearest(option) => Some(option),
        _ => None,
    });
    let mut chosen = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.y = 8.0;
        for (index, (label, _)) in options.iter().enumerate() {
            let mine = predicted.is_some_and(|p| p.guess == Guess::Choice(index));
            let text = match (mine, nearest == Some(index)) {
                (true, true) => format!("{label}  · yours, right"),
                (true, false) => format!("{label}  · yours"),
                (false, true) => format!("{label}  · right"),
                (false, false) => label.clone(),
            };
            let button = egui::Button::new(text).selected(mine).min_size(egui::vec2(64.0, 32.0));
            if ui.add_enabled(!busy, button).clicked() {
                chosen = Some(index);
            }
        }
    });
    chosen
}

/// A field for a number with its unit; the number, once it is given.
fn number(ui: &mut Ui, unit: &str, predicted: Option<&Predicted>, busy: bool) -> Option<f64> {
    let theme = theme::of(ui);
    let id = ui.scope_id().with("number");
    let given = predicted.and_then(|p| if let Guess::Number(number) = p.guess { Some(number) } else { None });
    let mut text = ui.data(|d| d.get_temp::<String>(id)).unwrap_or_default();
    let mut entered = None;
    ui.horizontal(|ui| {
        let field = egui::TextEdit::singleline(&mut text).id(id.with("field")).desired_width(120.0);
        let response = ui.add_enabled(!busy, field.margin(egui::Margin::symmetric(8, 7)).hint_text("a number"));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Your number"));
        let sign = if unit == "x" { "×" } else { unit };
        if !sign.is_empty() {
            ui.label(RichText::new(sign).color(theme::color(theme, Ink::Muted)));
        }
        let number = read_figure(&text, unit);
        let button = egui::Button::new("Predict").min_size(egui::vec2(80.0, 32.0));
        let clicked = ui.add_enabled(number.is_some() && !busy, button).clicked();
        let confirmed = response.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
        entered = number.filter(|_| clicked || confirmed);
        let said = match (number, given) {
            (None, _) if !text.trim().is_empty() => Some("That is no number.".to_owned()),
            (_, Some(given)) => Some(format!("yours: {}", figure(given, unit))),
            _ => None,
        };
        if let Some(said) = said {
            ui.label(RichText::new(said).size(theme::SMALL).color(theme::color(theme, Ink::Muted)));
        }
    });
    ui.data_mut(|d| d.insert_temp(id, text));
    entered
}

/// Whether the choice was right, and which one is.
fn choice_verdict(ui: &mut Ui, options: &[(String, f64)], predicted: &Predicted, grade: Grade) {
    let (Guess::Choice(chosen), Grade::Nearest(right)) = (&predicted.guess, grade) else { return };
    let name = |at: usize| options.get(at).map(|(label, _)| label.as_str()).unwrap_or_default();
    let (text, ink) = if *chosen == right {
        (format!("“{}” is right.", name(right)), Hue::Shared.ink())
    } else {
        (format!("“{}” is wrong: the right answer is “{}”.", name(*chosen), name(right)), Hue::Store.ink())
    };
    let color = theme::color(theme::of(ui), ink);
    ui.add(egui::Label::new(RichText::new(text).font(theme::medium(theme::UI)).color(color)).wrap());
}

/// The result of the runs, and whether the number was near enough.
fn number_verdict(ui: &mut Ui, decl: &AnswerDecl, (predicted, answer): (&Predicted, &Answer), within: f64) {
    let Guess::Number(given) = predicted.guess else { return };
    let grade = answer.grade_number(given, within);
    verdict(ui, decl, answer, grade);
    let Grade::Within(right) = grade else { return };
    let share = format!("{}%", digits(round3(100.0 * within)));
    let (text, ink) = if right {
        (format!("{} is right, within {share}.", figure(given, &decl.unit)), Hue::Shared.ink())
    } else {
        (format!("{} is wrong: it is not within {share} of the answer.", figure(given, &decl.unit)), Hue::Store.ink())
    };
    let color = theme::color(theme::of(ui), ink);
    ui.add(egui::Label::new(RichText::new(text).font(theme::medium(theme::UI)).color(color)).wrap());
}

/// The measured and traced results, and the reason if neither is graded.
fn verdict(ui: &mut Ui, decl: &AnswerDecl, answer: &Answer, grade: Grade) {
    let theme = theme::of(ui);
    let mut row = |name: &str, value: Option<f64>, from: &str| {
        let text = value.map_or_else(|| "nothing could be timed here".to_owned(), |v| figure(v, &decl.unit));
        ui.horizontal(|ui| {
            let (rect, response) = ui.allocate_exact_size(egui::vec2(76.0, 22.0), egui::Sense::hover());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, name));
            let muted = theme::color(theme, Ink::Muted);
            let font = egui::FontId::proportional(theme::UI);
            ui.painter().text(rect.left_center(), egui::Align2::LEFT_CENTER, name, font, muted);
            let color =
                if value.is_some() { theme::color(theme, Hue::Load.ink()) } else { theme::color(theme, Ink::Muted) };
            ui.label(RichText::new(text).font(theme::medium(theme::BODY)).color(color));
            let from = ui.label(RichText::new(from).size(theme::SMALL).color(theme::color(theme, Ink::Muted)));
            from.on_hover_text(answer.runs.join("\n"));
        });
    };
    if decl.measured.is_none() {
        row("Answer", answer.traced, found_by(decl));
        return;
    }
    let range = answer.range.map(|range| range.map(|v| figure(v, &decl.unit)).join(" to "));
    let range = range.map_or_else(String::new, |range| format!("({range}) "));
    let device = answer.device.as_deref().unwrap_or("");
    match &answer.recorded {
        Some(day) => row("Recorded", answer.measured, &format!("{range}{device}, {day}")),
        None => row("Measured", answer.measured, &format!("{range}{device}")),
    }
    row("Traced", answer.traced, "what the sectors alone suggest");
    let undecided = match grade {
        Grade::Spread => "Not graded: from p10 to p90, what was measured does not decide.",
        Grade::Cpu => "Not graded: a CPU took these times, and they say little about a GPU.",
        Grade::Nothing => "Not graded: nothing here takes a GPU's times, and no recording has these settings.",
        Grade::Nearest(_) | Grade::Within(_) => return,
    };
    let text = RichText::new(undecided).color(theme::color(theme, Hue::Store.ink()));
    ui.add(egui::Label::new(text).wrap());
}
