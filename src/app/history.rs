//! The history: a calendar, what the words ask for and say, and a page a day, the latest first.

use egui::{RichText, Sense, StrokeKind, Ui, vec2};

use super::ledger;
use super::theme;
use crate::base::day;
use crate::figures::palette::{Hue, Ink};
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::learn::evidence::DAY;
use crate::session::learn::gathered::{Gathered, Kind, gathered};
use crate::session::learn::told;

/// The most days that are shown.
const MOST: usize = 60;

/// The calendar: its weeks, and the side of a day in points.
const WEEKS: i64 = 20;
const SIDE: f32 = 13.0;

/// Minutes of a day that is drawn as full.
const FULL: f32 = 60.0;

/// Shows it; returns the commands that open a place.
pub fn show(ui: &mut Ui, state: &State) -> Vec<Command> {
    let mut opened = Vec::new();
    let days = &state.diary.story.days;
    if days.is_empty() {
        ui.label("Nothing yet: the first page that you read to its end is the first entry.");
    } else {
        calendar(ui, state);
    }
    let found = gathered(&state.diary.story);
    for (title, kinds) in [("Tasks", &[Kind::Task, Kind::Done][..]), ("Insights", &[Kind::Insight][..])] {
        let of_kind: Vec<&Gathered> = found.iter().filter(|of| kinds.contains(&of.kind)).collect();
        if !of_kind.is_empty() {
            ui.add_space(16.0);
            ui.label(RichText::new(title).font(theme::prose_bold(19.0)));
            of_kind.into_iter().for_each(|of| opened.extend(line(ui, state, of).into_iter().flatten()));
        }
    }
    ui.add_space(16.0);
    for (i, (name, day)) in days.iter().rev().take(MOST).enumerate() {
        let title = RichText::new(format!("{name}: {}", told::in_a_line(day))).font(theme::medium(theme::UI));
        egui::CollapsingHeader::new(title).id_salt(name).default_open(i == 0).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            for line in
                told::worklog(&state.library.pack.lessons, name, day).iter().skip(3).filter(|line| !line.is_empty())
            {
                let text = match line.trim_start_matches('#') {
                    title if title != line => RichText::new(title.trim()).font(theme::medium(theme::UI)),
                    _ => RichText::new(bulleted(line)).font(theme::prose(theme::BODY)),
                };
                ui.add(egui::Label::new(text).wrap());
            }
        });
    }
    if days.len() > MOST {
        ui.add_space(8.0);
        ui.label(format!(
            "{} earlier days: `warpbook worklog --day YYYY-MM-DD` prints any of them.",
            days.len() - MOST
        ));
    }
    opened
}

/// A line of a worklog, with a bullet for Markdown's dash.
fn bulleted(line: &str) -> String {
    line.strip_prefix("- ").map_or_else(|| line.to_owned(), |item| format!("• {item}"))
}

/// A task or an insight, and a button with its page.
fn line(ui: &mut Ui, state: &State, of: &Gathered) -> Option<Vec<Command>> {
    let lesson = state.library.pack.lessons.iter().find(|lesson| lesson.id == of.lesson);
    let step = lesson.and_then(|lesson| lesson.steps.iter().find(|step| step.id == of.step));
    let sign = match of.kind {
        Kind::Task => "☐ ",
        Kind::Done => "☑ ",
        Kind::Insight => "",
    };
    let ink = if of.kind == Kind::Done { Ink::Muted } else { Ink::Text };
    let text = RichText::new(format!("{sign}{}", of.text)).font(theme::prose(theme::BODY));
    ui.add(egui::Label::new(text.color(theme::color(theme::of(ui), ink))).wrap());
    let page = step.map_or_else(|| of.step.clone(), |step| step.title.clone());
    let place = RichText::new(page).size(theme::SMALL).color(theme::color(theme::of(ui), Ink::Accent));
    let button = ui.add_enabled(step.is_some(), egui::Button::new(place).frame(false));
    button.clicked().then(|| ledger::open(state, &of.lesson, &of.step))
}

/// A square for each day, a column for each week, the last one with today: the more was read, the stronger.
fn calendar(ui: &mut Ui, state: &State) {
    #[expect(clippy::cast_possible_truncation, reason = "a day in seconds")]
    let seconds = DAY as i64;
    // 1970 began on a Thursday; weeks begin on Monday.
    let today = state.diary.now.div_euclid(seconds);
    let first = today - (today + 3).rem_euclid(7) - 7 * (WEEKS - 1);
    let pitch = SIDE + 3.0;
    #[expect(clippy::cast_precision_loss, reason = "a few weeks")]
    let size = vec2(pitch * WEEKS as f32, pitch * 7.0);
    let (room, _) = ui.allocate_exact_size(size, Sense::hover());
    for number in first..=today {
        let (week, weekday) = ((number - first) / 7, (number - first) % 7);
        #[expect(clippy::cast_precision_loss, reason = "a few weeks")]
        let at = room.min + vec2(pitch * week as f32, pitch * weekday as f32);
        let rect = egui::Rect::from_min_size(at, vec2(SIDE, SIDE));
        let name = day::of(number * seconds);
        let done = state.diary.story.days.get(&name);
        #[expect(clippy::cast_precision_loss, reason = "minutes of a day")]
        let share = done.map(|day| ((day.seconds / 60) as f32 / FULL).clamp(0.25, 1.0));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a percentage")]
        let ink = share.map_or(Ink::Raised, |share| Hue::Accent.tint((100.0 * share) as u8));
        ui.painter().rect_filled(rect, 2.0, theme::color(theme::of(ui), ink));
        if number == today {
            let stroke = egui::Stroke::new(1.0, theme::color(theme::of(ui), Ink::Muted));
            ui.painter().rect_stroke(rect, 2.0, stroke, StrokeKind::Inside);
        }
        let said = done.map_or_else(|| "nothing".to_owned(), told::in_a_line);
        ui.interact(rect, ui.scope_id().with(("day", number)), Sense::hover()).on_hover_text(format!("{name}: {said}"));
    }
}
