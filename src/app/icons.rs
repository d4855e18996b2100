//! Buttons with a drawn sign: the same at every size, and independent of fonts.

use egui::{Color32, Painter, Pos2, Rect, Response, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

/// A sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// A triangle to the right.
    Play,
    /// Two bars.
    Pause,
    /// A triangle to the left, at a bar.
    Back,
    /// A triangle to the right, at a bar.
    Forward,
    /// Two triangles to the left.
    FarBack,
    /// Two triangles to the right.
    FarForward,
    /// A ring with an arrow's head.
    Loop,
    /// A circle, half filled: the other theme.
    Theme,
}

/// As [`button`], of something that is on or off.
pub fn toggle(ui: &mut Ui, icon: Icon, name: &str, on: &mut bool) {
    let fill = if *on { ui.visuals().selection.bg_fill } else { ui.visuals().widgets.inactive.weak_bg_fill };
    let response = ui.add(egui::Button::new("").fill(fill).min_size(vec2(32.0, 28.0)));
    response.widget_info(|| WidgetInfo::selected(egui::Role::CheckBox, true, *on, name));
    draw(ui.painter(), response.rect, icon, ui.style().interact(&response).fg_stroke.color);
    if response.on_hover_text(name).clicked() {
        *on = !*on;
    }
}

/// A button with `icon`, named `name` for screen readers and in its tooltip.
pub fn button(ui: &mut Ui, icon: Icon, name: &str, key: &str) -> Response {
    let response = ui.add(egui::Button::new("").min_size(vec2(32.0, 28.0)));
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, name));
    let color = ui.style().interact(&response).fg_stroke.color;
    draw(ui.painter(), response.rect, icon, color);
    let text = if key.is_empty() { name.to_owned() } else { format!("{name} ({key})") };
    response.on_hover_text(text)
}

fn draw(painter: &Painter, rect: Rect, icon: Icon, color: Color32) {
    let c = rect.center();
    let triangle = |x: f32, dx: f32| {
        let points: Vec<Pos2> = vec![pos2(x, c.y - 6.0), pos2(x + dx, c.y), pos2(x, c.y + 6.0)];
        painter.add(Shape::convex_polygon(points, color, Stroke::NONE));
    };
    let bar = |x: f32| {
        painter.rect_filled(Rect::from_center_size(pos2(x, c.y), vec2(3.0, 12.0)), 0.5, color);
    };
    match icon {
        Icon::FarBack => {
            triangle(c.x + 1.0, -8.0);
            triangle(c.x + 8.0, -8.0);
        }
        Icon::FarForward => {
            triangle(c.x - 8.0, 8.0);
            triangle(c.x - 1.0, 8.0);
        }
        Icon::Loop => {
            let at = |turn: f32| c + 6.0 * egui::Vec2::angled(turn * std::f32::consts::TAU);
            let ring: Vec<Pos2> = (0_u8..=20).map(|i| at(0.05 + 0.85 * f32::from(i) / 20.0)).collect();
            painter.line(ring, Stroke::new(1.5, color));
            let head = vec![at(0.03) + vec2(-4.5, -1.0), at(0.03) + vec2(3.5, -1.0), at(0.03) + vec2(-0.5, -6.0)];
            painter.add(Shape::convex_polygon(head, color, Stroke::NONE));
        }
        Icon::Play => triangle(c.x - 4.0, 10.0),
        Icon::Pause => {
            bar(c.x - 3.5);
            bar(c.x + 3.5);
        }
        Icon::Back => {
            triangle(c.x + 5.0, -9.0);
            bar(c.x - 5.5);
        }
        Icon::Forward => {
            triangle(c.x - 5.0, 9.0);
            bar(c.x + 5.5);
        }
        Icon::Theme => {
            painter.circle_stroke(c, 6.5, Stroke::new(1.5, color));
            let half: Vec<Pos2> = (0_u8..=16)
                .map(|i| {
                    let angle = std::f32::consts::PI * (0.5 + f32::from(i) / 16.0);
                    c + 6.5 * vec2(angle.cos(), angle.sin())
                })
                .collect();
            painter.add(Shape::convex_polygon(half, color, Stroke::NONE));
        }
    }
}
