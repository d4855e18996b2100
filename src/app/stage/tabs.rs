//! The choice among the pictures that the stage has of a kernel, and of how many lanes a warp has in them.

use egui::containers::menu::MenuButton;
use egui::{Rect, RichText, Ui, UiBuilder, pos2, vec2};

use crate::figures::palette::Ink;
use crate::figures::{self, Clock, Figure};
use crate::session::desk::state::State;
use crate::session::desk::{Command, SettingCommand};

use super::super::theme;
use super::side;

/// Height of the tabs.
const TABS: f32 = 40.0;

/// Room that the choices on the right take.
const CHOICES: f32 = 156.0;

/// The name of the menu with the tabs that find no room.
const MORE: &str = "More…";

/// The tabs along the top of `room`, which they take from it; none where there is only one picture.
pub(super) fn show(ui: &mut Ui, state: &State, room: &mut Rect) -> Option<Command> {
    let figures: Vec<&dyn Figure> = state.figures().collect();
    if figures.len() < 2 {
        return None;
    }
    let bar = Rect::from_min_size(room.min, vec2(room.width(), TABS));
    room.min.y = bar.max.y;
    let line = egui::Stroke::new(1.0, theme::color(theme::of(ui), Ink::Faint));
    ui.painter().line_segment([pos2(bar.min.x, bar.max.y), pos2(bar.max.x, bar.max.y)], line);
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    let mut row = ui.new_child(UiBuilder::new().max_rect(bar.shrink2(vec2(16.0, 0.0))).layout(layout));
    if bar.width() < 720.0 {
        row.spacing_mut().item_spacing.x = 1.0;
        row.spacing_mut().button_padding.x = 6.0;
    }
    let shown = state.shown_figure().card().name;
    let mut chosen = shown;
    let room = row.available_width() - CHOICES;
    if fit(&row, (state, &figures), room) < figures.len() {
        row.spacing_mut().button_padding.x = 4.0;
        row.spacing_mut().item_spacing.x = 1.0;
    }
    let (tabs, rest) = figures.split_at(fit(&row, (state, &figures), room));
    for figure in tabs {
        tab(&mut row, (*figure, name(state, *figure)), shown, &mut chosen);
    }
    if !rest.is_empty() {
        // The button says which of its pictures is shown.
        let title = rest.iter().find(|figure| figure.card().name == shown).map_or(MORE, |figure| name(state, *figure));
        let button = egui::Button::new(title).selected(title != MORE);
        let (response, _) = MenuButton::from_button(button).ui(&mut row, |ui| {
            for figure in rest {
                tab(ui, (*figure, name(state, *figure)), shown, &mut chosen);
            }
        });
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, "More pictures on the stage"));
        response.on_hover_text("More pictures");
    }
    let mut command = None;
    row.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        // The width of a warp says nothing to a reader before the page that explains warps.
        if state.is_python_first() || !state.knows_model() {
            return;
        }
        ui.spacing_mut().item_spacing.x = 8.0;
        command = lanes(ui, state);
        if figures::plays(state.shown_figure()) {
            command = command.take().or(side::choose(ui, state));
        }
    });
    command.or((chosen != shown).then_some(Command::ShowFigure(chosen.to_owned())))
}

/// The name on a picture's tab: an explorer has its own.
fn name(state: &State, figure: &dyn Figure) -> &'static str {
    let card = figure.card();
    let explorer = state.place.step().and_then(|step| figures::explore::find(step.explorer()?));
    explorer.filter(|_| card.clock == Clock::Hand).map_or(card.tab, |explorer| explorer.tab)
}

/// One picture's tab.
fn tab(ui: &mut Ui, (figure, title): (&dyn Figure, &str), shown: &str, chosen: &mut &'static str) {
    let card = figure.card();
    let response = ui.selectable_value(chosen, card.name, title);
    response.widget_info(|| {
        let name = format!("{title} on the stage");
        egui::WidgetInfo::selected(egui::Role::Tab, true, card.name == shown, name)
    });
    response.on_hover_text(card.help);
}

/// How many of the tabs find room: all, or those that leave some for a menu with the rest.
fn fit(ui: &Ui, (state, figures): (&State, &[&dyn Figure]), room: f32) -> usize {
    let font = egui::TextStyle::Button.resolve(ui.style());
    let around = 2.0 * ui.spacing().button_padding.x + ui.spacing().item_spacing.x;
    let wide = |title: &str| {
        ui.painter().layout_no_wrap(title.to_owned(), font.clone(), egui::Color32::PLACEHOLDER).size().x + around
    };
    let widths: Vec<f32> = figures.iter().map(|figure| wide(name(state, *figure))).collect();
    if widths.iter().sum::<f32>() <= room {
        return figures.len();
    }
    // The menu is as wide as the widest name that it can show.
    let menu = figures.iter().map(|figure| wide(name(state, *figure))).fold(wide(MORE), f32::max) + 16.0;
    let mut used = menu;
    widths
        .iter()
        .take_while(|width| {
            used += **width;
            used <= room
        })
        .count()
}

/// The choice of a warp's width.
fn lanes(ui: &mut Ui, state: &State) -> Option<Command> {
    let mut width = state.place.options.warp_width;
    let combo = egui::ComboBox::from_id_salt("lanes").width(88.0).height(280.0).selected_text(format!("{width} lanes"));
    let response = combo.show_ui(ui, |ui| {
        for lanes in [8, 16, 32, 64] {
            ui.selectable_value(&mut width, lanes, format!("{lanes} lanes"));
        }
        ui.set_max_width(216.0);
        let note = "Lanes of a traced warp: 32 on NVIDIA's GPUs, 64 or 32 on AMD's, fewer on some others. Measured times \
                    are of the device's own width.";
        let color = theme::color(theme::of(ui), Ink::Muted);
        ui.add_space(4.0);
        ui.with_layout(egui::Layout::top_down(egui::Align::Min), |ui| {
            ui.add(egui::Label::new(RichText::new(note).size(theme::SMALL).color(color)).wrap());
        });
    });
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Lanes in a warp"));
    response.response.on_hover_text("Lanes of a traced warp. Measured times are of the device's own width.");
    (width != state.place.options.warp_width).then_some(Command::Set(SettingCommand::WarpWidth(width)))
}
