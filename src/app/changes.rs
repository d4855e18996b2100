//! Effects of the learner's change of a kernel: figures before and after, and the lines that differ.

use egui::{RichText, ScrollArea, Ui};
use egui_extras::{Column, TableBuilder};

use super::theme;
use crate::base::units::{digits3, number, si};
use crate::figures::palette::{Hue, Ink};
use crate::session::desk::state::State;
use crate::session::run::compare::{self, Figure, Line, LineSide};

/// Height of a row.
const ROW: f32 = 22.0;

pub fn show(ui: &mut Ui, state: &State) {
    let Some([before, after]) = state.sides() else { return };
    let (figures, lines) = (compare::figures(&before, &after), compare::lines(&before, &after));
    let muted = theme::color(theme::of(ui), Ink::Muted);
    let is_wrong = |id: &String| !state.found.untraced(id, &state.place).is_empty();
    let wrong = state.place.bench.edit.as_ref().is_some_and(is_wrong);
    // No comparison with a wrong kernel, or one with a race: it may do less work.
    let began_wrong = state.place.bench.beside.first().is_some_and(|variant| is_wrong(&variant.program))
        || state.findings_before_and_now().is_some_and(|[before, now]| now < before);
    ScrollArea::vertical().id_salt("changes").auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        if wrong {
            let color = theme::color(theme::of(ui), Hue::Conflict.ink());
            let text = match after.trace {
                Some(_) => "Its result is wrong, so it is not timed. Lower counts may mean that work is missing.",
                None => "It was not traced: the editor says why.",
            };
            ui.add(egui::Label::new(RichText::new(text).size(theme::SMALL).color(color)).wrap());
        }
        findings(ui, state);
        table(ui, &figures, missing(state), wrong || began_wrong);
        ui.add_space(8.0);
        let title = if lines.is_empty() {
            "No line does more or less than before."
        } else {
            "Lines that changed, or do more or less"
        };
        ui.label(RichText::new(title).size(theme::SMALL).color(muted));
        lines.iter().for_each(|line| row(ui, line));
    });
}

/// How many findings the kernel had, and has now, if it had or has any.
fn findings(ui: &mut Ui, state: &State) {
    let Some([before, now]) = state.findings_before_and_now().filter(|both| *both != [0, 0]) else { return };
    let ink = if now == 0 { Hue::Shared.ink() } else { Hue::Conflict.ink() };
    let text = RichText::new(format!("findings {before} to {now}")).size(theme::SMALL);
    ui.label(text.color(theme::color(theme::of(ui), ink)));
}

/// The placeholder for a missing figure, before and after: it may still arrive, unless that side failed.
fn missing(state: &State) -> [&'static str; 2] {
    let (place, found) = (&state.place, &state.found);
    let has_failed =
        |program: &str| !found.untraced(program, place).is_empty() || !found.unmeasured(program).is_empty();
    let before = place.bench.beside.first().is_some_and(|variant| has_failed(&variant.program));
    [before, has_failed(&place.bench.variant.program)].map(|failed| if failed { "–" } else { "…" })
}

fn table(ui: &mut Ui, figures: &[Figure], missing: [&'static str; 2], is_ungraded: bool) {
    let muted = theme::color(theme::of(ui), Ink::Muted);
    let small = |text: &str| RichText::new(text).size(theme::SMALL).color(muted);
    ui.spacing_mut().item_spacing.x = 4.0;
    let columns = TableBuilder::new(ui)
        .id_salt("figures before and now")
        .vscroll(false)
        .column(Column::remainder().at_least(56.0).clip(true))
        .columns(Column::exact(50.0), 2)
        .column(Column::exact(46.0));
    let table = columns.header(ROW, |mut header| {
        for title in ["whole grid", "before", "now", "change"] {
            header.col(|ui| {
                ui.label(small(title));
            });
        }
    });
    table.body(|mut body| {
        for figure in figures {
            body.row(ROW, |mut row| {
                row.col(|ui| {
                    let name = RichText::new(figure.name).size(theme::SMALL);
                    ui.add(egui::Label::new(name).truncate()).on_hover_text(figure.name);
                });
                for (value, missing) in [figure.before, figure.after].into_iter().zip(missing) {
                    row.col(|ui| {
                        let text = value.map_or_else(|| missing.to_owned(), |v| words(v, figure.unit));
                        let exact = value.map_or_else(String::new, number);
                        ui.label(RichText::new(text).size(theme::SMALL)).on_hover_text(exact);
                    });
                }
                row.col(|ui| change(ui, figure, is_ungraded));
            });
        }
    });
}

fn words(value: f64, unit: &str) -> String {
    if unit.is_empty() && value < 1e5 { number(value) } else { si(value, unit) }
}

/// By what factor a figure fell or rose: less is better in all of them, unless a side is wrong.
fn change(ui: &mut Ui, Figure { before, after, overlaps, .. }: &Figure, is_ungraded: bool) {
    let (Some(before), Some(after)) = (*before, *after) else { return };
    let theme = theme::of(ui);
    if *overlaps {
        let text = RichText::new("≈").color(theme::color(theme, Ink::Muted));
        ui.label(text).on_hover_text("The samples of both overlap (p10 to p90): which is less cannot be said.");
        return;
    }
    let (text, ink) = if is_ungraded && before != 0.0 && before != after {
        (format!("× {}", digits3(after / before)), Ink::Muted)
    } else if before == after {
        ("=".to_owned(), Ink::Muted)
    } else if before == 0.0 {
        (format!("+{}", number(after)), Hue::Conflict.ink())
    } else if after < before {
        (format!("× {}", digits3(after / before)), Hue::Shared.ink())
    } else {
        (format!("× {}", digits3(after / before)), Hue::Conflict.ink())
    };
    ui.label(RichText::new(text).size(theme::SMALL).color(theme::color(theme, ink)));
}

/// A line before, and as it is now.
fn row(ui: &mut Ui, line: &Line) {
    let theme = theme::of(ui);
    let same = line.before.as_ref().zip(line.after.as_ref()).is_some_and(|(before, after)| before.text == after.text);
    ui.add_space(2.0);
    let mut told = |sign: &str, side: &Option<LineSide>, ink: Ink| {
        let Some(side) = side else { return };
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            let text = format!("{sign}{:>3}  {}", side.line, side.text.trim());
            let text = RichText::new(text).font(theme::mono(theme::SMALL)).color(theme::color(theme, ink));
            ui.add(egui::Label::new(text).truncate());
        });
        let counts = side.work();
        let muted = theme::color(theme, Ink::Muted);
        ui.add(egui::Label::new(RichText::new(format!("      {counts}")).size(theme::SMALL).color(muted)).truncate());
    };
    told(if same { " " } else { "−" }, &line.before, if same { Ink::Muted } else { Hue::Conflict.ink() });
    told(if same { " " } else { "+" }, &line.after, if same { Ink::Text } else { Hue::Shared.ink() });
}
