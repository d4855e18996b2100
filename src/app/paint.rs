//! Draws a scene's frame with egui: the window's one match over the scene's items.

use egui::{Align2, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};

use super::theme;
use crate::figures::frame::{Anchor, Frame, Item};
use crate::figures::palette::Theme;

/// Draws `frame` with its top left corner at `origin`.
pub fn frame(painter: &Painter, theme: Theme, origin: Pos2, frame: &Frame) {
    let at = |[x, y]: [f32; 2]| origin + vec2(x, y);
    let color = |ink| theme::color(theme, ink);
    for item in &frame.items {
        match item {
            Item::Rect { rect: [x, y, w, h], radius, fill, stroke, .. } => {
                let rect = Rect::from_min_size(at([*x, *y]), vec2(*w, *h));
                if let Some(ink) = fill {
                    painter.rect_filled(rect, *radius, color(*ink));
                }
                if let Some((ink, width)) = stroke {
                    painter.rect_stroke(rect, *radius, Stroke::new(*width, color(*ink)), StrokeKind::Middle);
                }
            }
            Item::Line { from, to, width, ink, .. } => {
                painter.line_segment([at(*from), at(*to)], Stroke::new(*width, color(*ink)));
            }
            Item::Polyline { points, width, ink, .. } => {
                let points = points.iter().map(|p| at(*p)).collect();
                painter.add(Shape::line(points, Stroke::new(*width, color(*ink))));
            }
            Item::Dot { center, radius, ink, .. } => {
                painter.circle_filled(at(*center), *radius, color(*ink));
            }
            Item::Text { at: place, size, anchor, ink, text, mono, .. } => {
                let align = match anchor {
                    Anchor::Start => Align2::LEFT_CENTER,
                    Anchor::Middle => Align2::CENTER_CENTER,
                    Anchor::End => Align2::RIGHT_CENTER,
                };
                let font = if *mono { theme::mono(*size) } else { egui::FontId::proportional(*size) };
                painter.text(pos2(at(*place).x, at(*place).y), align, text, font, color(*ink));
            }
        }
    }
}
