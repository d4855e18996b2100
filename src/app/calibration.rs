//! How far the learner's guesses and the predicted times were off: altogether in words, by day as a plot.

use egui::{RichText, Ui};
use egui_plot::{AxisHints, GridMark, Line, MarkerShape, Plot, PlotPoints, Points};

use super::theme;
use crate::base::units::digits3;
use crate::figures::palette::Ink;
use crate::session::learn::calibration::Calibrated;
use crate::session::learn::story::Story;

/// The factors along the y axis.
const FACTORS: [f64; 7] = [1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0];
/// The height of the plot, in points.
const HEIGHT: f32 = 130.0;

/// Shows both; nothing before the first guess or measurement.
pub fn show(ui: &mut Ui, story: &Story) {
    if story.calibration.is_empty() && story.clocks.is_empty() {
        return;
    }
    ui.add_space(16.0);
    ui.label(RichText::new("Calibration").font(theme::prose_bold(19.0)));
    ui.add_space(4.0);
    let muted = theme::color(theme::of(ui), Ink::Muted);
    let line = |ui: &mut Ui, text: String| ui.add(egui::Label::new(RichText::new(text).color(muted)).wrap());
    for (kind, of) in &story.calibration {
        let off = of.all.off();
        let off = if off.is_empty() { off } else { format!(", {off}") };
        line(ui, format!("{kind}: {} of {} right at first{off}", of.all.right, of.all.graded));
    }
    for (device, of) in &story.clocks {
        let (likely, all) = (of.all.right, of.all.graded);
        let words = format!("times predicted for {device}: {likely} of {all} in the range of nine in ten");
        line(ui, format!("{words}, {}", of.all.off()));
    }
    let guesses = story.calibration.iter().map(|(kind, of)| (format!("your guesses, {kind}"), of));
    let clocks = story.clocks.iter().map(|(device, of)| (format!("predicted times, {device}"), of));
    let curves: Vec<(String, Vec<(String, f64)>)> = guesses.chain(clocks).filter_map(curve).collect();
    if !curves.is_empty() {
        ui.add_space(8.0);
        ui.horizontal_wrapped(|ui| {
            line(ui, "Off by a factor of, by day:".to_owned());
            for ((name, _), index) in curves.iter().zip(0_u8..) {
                ui.label(RichText::new(format!("● {name}")).color(theme::color(theme::of(ui), Ink::Series(index))));
            }
        });
        plot(ui, &curves);
    }
}

/// The factors of at least two days.
fn curve((name, of): (String, &Calibrated)) -> Option<(String, Vec<(String, f64)>)> {
    let days: Vec<_> = of.days.iter().filter_map(|(day, of)| Some((day.clone(), of.factor()?))).collect();
    (days.len() > 1).then_some((name, days))
}

/// A line a curve over the days that any of them has; the factors are on a logarithmic axis.
fn plot(ui: &mut Ui, curves: &[(String, Vec<(String, f64)>)]) {
    let mut days: Vec<&String> = curves.iter().flat_map(|(_, of)| of.iter().map(|(day, _)| day)).collect();
    days.sort();
    days.dedup();
    let labels: Vec<String> = days.iter().map(|day| (*day).clone()).collect();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the place of a day")]
    let day = move |at: f64| match at.fract() {
        0.0 if at >= 0.0 => labels.get(at as usize).cloned().unwrap_or_default(),
        _ => String::new(),
    };
    let theme = theme::of(ui);
    Plot::new("calibration")
        .height(HEIGHT)
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .show_grid([false, true])
        .y_grid_spacer(|_| FACTORS.map(|factor: f64| GridMark { value: factor.log2(), step_size: 1.0 }).to_vec())
        .include_y(0.0)
        .include_y(1.0)
        .custom_x_axes(vec![AxisHints::new_x().formatter(move |mark, _| day(mark.value))])
        .custom_y_axes(vec![AxisHints::new_y().formatter(|mark, _| digits3(mark.value.exp2()))])
        .show(ui, |plot| {
            for ((name, of), index) in curves.iter().zip(0_u8..) {
                #[expect(clippy::cast_precision_loss, reason = "the place of a day")]
                let points: Vec<[f64; 2]> = of
                    .iter()
                    .filter_map(|(day, factor)| Some([days.binary_search(&day).ok()? as f64, factor.log2()]))
                    .collect();
                let color = theme::color(theme, Ink::Series(index));
                plot.line(Line::new(name.clone(), PlotPoints::from(points.clone())).color(color));
                let marks = Points::new(name.clone(), PlotPoints::from(points)).shape(MarkerShape::Circle);
                plot.points(marks.radius(3.0).color(color));
            }
        });
}
