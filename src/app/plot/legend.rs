//! The legend of a plot, and how its curves and points are marked.

use egui::{RichText, Ui};

use crate::app::theme;
use crate::scene::palette::Ink;
use crate::scene::plot::{Plot, Series};
use crate::session::chart;

/// Rows of names, nearly, that a low plot has room for, and one of at least so many points.
const ROWS: f32 = 1.5;
const MORE_ROWS: (f32, f32) = (150.0, 2.5);

/// What each colour means, in one wrapped row; `at_ends` where the curves are labelled at their ends. Where the pane `is_low`, the first names,
/// and that of the x axis, which has no line of its own then.
pub(super) fn show(ui: &mut Ui, plot: &Plot, (at_ends, is_low): (bool, bool)) {
    let theme = theme::of(ui);
    // A recorded curve has its kernel's colour, and a line below says what dashes mean.
    let own = |ink: Ink| plot.series.iter().any(|s| !s.recorded && s.ink == ink);
    let listed: Vec<&Series> = plot.series.iter().filter(|s| !at_ends && (!s.recorded || !own(s.ink))).collect();
    let entries =
        listed.iter().map(|s| (s.name.as_str(), s.ink, Mark::Curve { recorded: s.recorded, squares: s.is_squared() }));
    let spread = plot.series.iter().any(|s| s.points.iter().any(|p| p.high > p.low));
    let spread = (spread && !is_low).then_some(("p10–p90", Ink::Muted, Mark::Spread));
    let ceilings = plot.ceilings.iter().map(|(name, _)| (name.as_str(), Ink::Muted, Mark::Dashes));
    let recorded = plot.series.iter().all(|s| s.recorded);
    let here = if recorded { "your settings, as recorded" } else { "your settings" };
    let here = plot.current.map(|_| (here, Ink::Accent, Mark::Diamond));
    ui.spacing_mut().interact_size.y = 18.0;
    let keys: Vec<(&str, Ink, Mark)> = here.into_iter().chain(entries).chain(spread).chain(ceilings).collect();
    let rows = if ui.available_height() < MORE_ROWS.0 { ROWS } else { MORE_ROWS.1 };
    let mut left = if is_low { rows * ui.available_width() } else { f32::INFINITY };
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(12.0, 0.0);
        for (at, (name, ink, mark)) in keys.iter().enumerate() {
            let (name, ink) = (*name, *ink);
            let font = egui::FontId::proportional(theme::SMALL);
            let short = chart::plain_name(name).to_owned();
            let text = ui.painter().layout_no_wrap(short, font, theme::color(theme, Ink::Muted));
            let size = egui::vec2(22.0 + text.size().x, 18.0);
            left -= size.x + 12.0;
            if left < 0.0 {
                // The curves need the room; a click opens the plot large, with all of its names.
                label(ui, &format!("{} more: click the plot", keys.len() - at));
                break;
            }
            let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, name));
            mark.draw(ui.painter(), rect.left_center(), theme::color(theme, ink));
            let at = egui::pos2(rect.min.x + 22.0, rect.center().y - text.size().y / 2.0);
            ui.painter().galley(at, text, theme::color(theme, Ink::Muted));
        }
        if is_low {
            label(ui, &format!("x: {}", plot.x.name()));
        }
    });
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
