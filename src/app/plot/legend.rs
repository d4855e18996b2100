//! The legend of a plot, and how its curves and points are marked.

use std::sync::Arc;

use egui::text::{LayoutJob, TextWrapping};
use egui::{RichText, Ui};

use crate::app::theme;
use crate::figures::palette::Ink;
use crate::figures::plot::{Plot, Series};
use crate::session::experiment::chart;

/// Rows that the legend of a low plot has room for, and of one with at least this many points.
const ROWS: usize = 2;
const MORE_ROWS: (f32, usize) = (150.0, 3);

/// Points between two names.
const GAP: f32 = 12.0;
/// Width of a mark, with the gap before its name.
const MARK: f32 = 22.0;

/// The legend in one wrapped row, with the name of the `diamond` at the present settings; `at_ends` if the curves are
/// labelled at their ends. If the pane `is_low`, the first names and that of the x axis, which has no line of its own
/// then.
pub(super) fn show(ui: &mut Ui, (plot, diamond): (&Plot, &str), (at_ends, is_low): (bool, bool)) {
    let theme = theme::of(ui);
    // A recorded curve has its kernel's colour, and a line below says what dashes mean.
    let own = |ink: Ink| plot.series.iter().any(|s| !s.recorded && s.ink == ink);
    let listed: Vec<&Series> = plot.series.iter().filter(|s| !at_ends && (!s.recorded || !own(s.ink))).collect();
    let entries =
        listed.iter().map(|s| (s.name.as_str(), s.ink, Mark::Curve { recorded: s.recorded, squares: s.is_squared() }));
    let spread = plot.series.iter().any(|s| s.points.iter().any(|p| p.high > p.low));
    let spread = (spread && !is_low).then_some(("p10–p90", Ink::Muted, Mark::Spread));
    let ceilings = plot.ceilings.iter().map(|(name, _)| (name.as_str(), Ink::Muted, Mark::Dashes));
    let here = plot.current.map(|_| (diamond, Ink::Accent, Mark::Diamond));
    ui.spacing_mut().interact_size.y = 18.0;
    let keys: Vec<(&str, Ink, Mark)> = entries.chain(here).chain(spread).chain(ceilings).collect();
    let room = ui.available_width() - MARK;
    let texts: Vec<_> = keys.iter().map(|(name, ..)| cut(ui, chart::plain_name(name), room)).collect();
    let widths: Vec<f32> = texts.iter().map(|text| MARK + text.size().x).collect();
    let more = |left: usize| format!("{left} more: click the plot");
    let axis = format!("x: {}", plot.x.name());
    let shown = if is_low {
        let rows = if ui.available_height() < MORE_ROWS.0 { ROWS } else { MORE_ROWS.1 };
        let ends = [&more(keys.len()), &axis].map(|words| written(ui, words).size().x);
        fitting(&widths, ends, ui.available_width(), rows)
    } else {
        keys.len()
    };
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(GAP, 0.0);
        for (((name, ink, mark), text), width) in keys.iter().zip(texts).zip(widths).take(shown) {
            let (rect, response) = ui.allocate_exact_size(egui::vec2(width, 18.0), egui::Sense::hover());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, *name));
            if text.elided {
                response.on_hover_text(*name);
            }
            mark.draw(ui.painter(), rect.left_center(), theme::color(theme, *ink));
            let at = egui::pos2(rect.min.x + MARK, rect.center().y - text.size().y / 2.0);
            ui.painter().galley(at, text, theme::color(theme, Ink::Muted));
        }
        if shown < keys.len() {
            // The curves need the room; a click opens the plot large, with all of its names.
            label(ui, &more(keys.len() - shown));
        }
        if is_low {
            label(ui, &axis);
        }
    });
}

/// A name in one line that is at most `room` wide.
fn cut(ui: &Ui, name: &str, room: f32) -> Arc<egui::Galley> {
    let ink = theme::color(theme::of(ui), Ink::Muted);
    let mut job = LayoutJob::simple_singleline(name.to_owned(), egui::FontId::proportional(theme::SMALL), ink);
    job.wrap = TextWrapping::truncate_at_width(room);
    ui.painter().layout_job(job)
}

/// Words of the legend, laid out in one line.
fn written(ui: &Ui, words: &str) -> Arc<egui::Galley> {
    let font = egui::FontId::proportional(theme::SMALL);
    ui.painter().layout_no_wrap(words.to_owned(), font, theme::color(theme::of(ui), Ink::Muted))
}

/// The number of names that fit in `rows` rows together with the number of further names, if there are any, and the
/// axis.
fn fitting(names: &[f32], [more, axis]: [f32; 2], width: f32, rows: usize) -> usize {
    let fits = |shown: &usize| {
        let (mut taken, mut x) = (1, 0.0);
        let more = (*shown < names.len()).then_some(more);
        for wide in names[..*shown].iter().copied().chain(more).chain([axis]) {
            if x > 0.0 && x + wide > width {
                (taken, x) = (taken + 1, 0.0);
            }
            x += wide + GAP;
        }
        taken <= rows
    };
    (0..=names.len()).rev().find(fits).unwrap_or(0)
}

/// Words between the marks, which are not broken.
fn label(ui: &mut Ui, words: &str) {
    let text = RichText::new(words).size(theme::SMALL).color(theme::color(theme::of(ui), Ink::Muted));
    ui.add(egui::Label::new(text).extend());
}

/// How a line of the legend is marked.
#[derive(Clone, Copy)]
pub enum Mark {
    /// As a curve, own or recorded, with dots or squares.
    Curve {
        /// Whether it is dashed and hollow.
        recorded: bool,
        /// Whether its points are squares.
        squares: bool,
    },
    /// As the bar from the tenth to the ninetieth percentile.
    Spread,
    /// As a ceiling.
    Dashes,
    /// As the learner's own point.
    Diamond,
}

impl Mark {
    /// Draws it 16 points wide, `at` its left end.
    pub fn draw(self, painter: &egui::Painter, at: egui::Pos2, color: egui::Color32) {
        let stroke = egui::Stroke::new(1.5, color);
        let (from, to) = (at, at + egui::vec2(16.0, 0.0));
        match self {
            Self::Curve { recorded, squares } => {
                let fill = if recorded {
                    painter.extend(egui::Shape::dashed_line(&[from, to], stroke, 4.0, 3.0));
                    painter.ctx().style_of(painter.ctx().theme()).visuals.panel_fill
                } else {
                    painter.line_segment([from, to], stroke);
                    color
                };
                let middle = at + egui::vec2(8.0, 0.0);
                if squares {
                    let square = egui::Rect::from_center_size(middle, egui::vec2(6.0, 6.0));
                    painter.rect(square, 0.0, fill, stroke, egui::StrokeKind::Middle);
                } else {
                    painter.circle(middle, 3.0, fill, stroke);
                }
            }
            Self::Spread => {
                let c = at + egui::vec2(8.0, 0.0);
                painter
                    .line_segment([c - egui::vec2(0.0, 5.0), c + egui::vec2(0.0, 5.0)], egui::Stroke::new(3.0, color));
            }
            Self::Dashes => painter.extend(egui::Shape::dashed_line(&[from, to], stroke, 4.0, 2.0)),
            Self::Diamond => {
                let c = at + egui::vec2(8.0, 0.0);
                let corners = [(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)];
                let points = corners.map(|(x, y)| c + egui::vec2(x, y)).to_vec();
                painter.add(egui::Shape::convex_polygon(points, color, egui::Stroke::NONE));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn names_leave_room_for_what_stands_behind_them() {
        assert_eq!(fitting(&[100.0, 100.0], [80.0, 90.0], 320.0, 1), 2, "all names, and the axis");
        assert_eq!(fitting(&[100.0, 100.0], [80.0, 90.0], 310.0, 1), 1, "one name, how many more, the axis");
        assert_eq!(
            fitting(&[100.0; 3], [80.0, 90.0], 220.0, 2),
            3,
            "two in the first row, one and the axis in the second"
        );
        assert_eq!(fitting(&[100.0; 4], [80.0, 90.0], 220.0, 2), 2, "how many more and the axis take the second row");
        assert_eq!(fitting(&[500.0], [80.0, 90.0], 120.0, 1), 0, "a pane that is too narrow for anything");
    }
}
