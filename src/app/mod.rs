//! The window: page and bench side by side. Views read the desk's state and hand back commands.

mod chrome;
mod export;
mod format;
mod highlight;
mod icons;
mod math;
mod origin;
mod page;
mod paint;
mod player;
mod plot;
mod predicted;
mod recorded;
pub mod shot;
mod source;
mod stage;
pub mod theme;
pub mod window;

use egui::{Align, Layout, Rect, Ui, UiBuilder, pos2, vec2};

use crate::scene::frame::Tag;
use crate::scene::palette::Ink;
use crate::scene::passes::Passes;
use crate::session::desk::state::State;
use crate::session::desk::{Command, Desk};
use crate::session::saved::ThemeChoice;
use math::Formulas;
use stage::Stage;

/// Everything that is drawn, and what drawing keeps between frames.
#[derive(Default)]
pub struct View {
    stage: Stage,
    formulas: Formulas,
    export: export::Dialog,
    /// Whether the fonts are drawn.
    warm: bool,
    /// The source line under the pointer.
    hovered_line: Option<u32>,
    /// The source line that the pointer is on in an origin.
    traced_line: Option<u32>,
    /// The step that was drawn last, to begin a new one's trace at its first event.
    shown: (String, usize, String),
}

/// The panes of a window of some size.
struct Panes {
    bar: Rect,
    contents: Rect,
    page: Rect,
    stage: Rect,
    controls: Rect,
    source: Rect,
    plot: Rect,
    predicted: Rect,
    status: Rect,
}

impl Panes {
    /// `staged` says whether the stage has a picture; otherwise it is low, and what is below has its room. A strip of passes above it makes it
    /// higher by `strip`.
    fn of(window: Rect, staged: bool, strip: f32) -> Self {
        let (width, height) = (window.width(), window.height());
        let bar = Rect::from_min_size(window.min, vec2(width, 48.0));
        let status = Rect::from_min_max(pos2(window.min.x, window.max.y - 32.0), window.max);
        let body = Rect::from_min_max(bar.left_bottom(), status.right_top());
        let contents = Rect::from_min_size(body.min, vec2((width * 0.14).clamp(168.0, 264.0).round(), body.height()));
        let page_width = (width * 0.35).clamp(400.0, 720.0).round();
        let page = Rect::from_min_size(contents.right_top(), vec2(page_width, body.height()));
        let bench = Rect::from_min_max(page.right_top(), body.max);
        let stage_height = strip + if staged { (height * 0.47).clamp(360.0, 960.0).round() } else { 144.0 };
        let stage = Rect::from_min_size(
            bench.min,
            vec2(bench.width(), stage_height.min(body.height() - 244.0 - predicted::HEIGHT)),
        );
        let source_width = (bench.width() * 0.57).round();
        let controls = Rect::from_min_size(stage.left_bottom(), vec2(bench.width(), 44.0));
        let predicted = Rect::from_min_max(pos2(bench.min.x, body.max.y - predicted::HEIGHT), body.max);
        let panes = Rect::from_min_max(controls.left_bottom(), predicted.right_top());
        let source = Rect::from_min_max(panes.min, pos2(bench.min.x + source_width, panes.max.y));
        let plot = Rect::from_min_max(source.right_top(), panes.max);
        Self { bar, contents, page, stage, controls, source, plot, predicted, status }
    }
}

impl View {
    /// Plays the stage's timeline at `speed` times the normal pace.
    pub fn play(&mut self, speed: f32) {
        (self.stage.player.playing, self.stage.player.speed) = (true, speed);
    }

    /// Draws one frame, and lets the desk carry out what the learner did in it.
    pub fn show(&mut self, ui: &mut Ui, desk: &mut Desk) {
        desk.poll();
        if !std::mem::replace(&mut self.warm, true) {
            theme::warm(ui);
        }
        let theme = match desk.state().saved.theme {
            ThemeChoice::Dark => egui::Theme::Dark,
            ThemeChoice::Light => egui::Theme::Light,
        };
        if ui.ctx().theme() != theme {
            ui.ctx().set_theme(theme);
            ui.ctx().request_repaint();
        }
        let commands = self.draw(ui, desk.state());
        for command in commands {
            desk.command(command);
            ui.ctx().request_repaint();
        }
    }

    fn draw(&mut self, ui: &mut Ui, state: &State) -> Vec<Command> {
        let mut commands = keys(ui, state);
        let window = ui.max_rect();
        ui.painter().rect_filled(window, 0.0, ui.visuals().panel_fill);
        let passes = state.passes();
        let strip = passes.as_ref().map_or(0.0, Passes::height);
        let panes = Panes::of(window, state.place.is_traceable(&state.place.variant.program), strip);
        self.settle(state);
        let results = state.results();
        let executing = self.executing(state);
        let ground = theme::color(theme::of(ui), Ink::Raised);
        for rect in [panes.contents, panes.status, panes.bar] {
            ui.painter().rect_filled(rect, 0.0, ground);
        }
        rules(ui, &panes);
        row(ui, panes.bar.shrink2(vec2(16.0, 0.0)), |ui| {
            commands.extend(chrome::bar(ui, state, &mut self.export.open));
        });
        pane(ui, panes.contents.shrink2(vec2(8.0, 0.0)), "contents", |ui| commands.extend(chrome::contents(ui, state)));
        pane(ui, panes.page, "page", |ui| commands.extend(page::show(ui, state, &results, &self.formulas)));
        let lit = self.hovered_line.map(Tag::SourceLine);
        pane(ui, panes.stage, "stage", |ui| {
            if state.place.is_traceable(&state.place.variant.program) {
                commands.extend(self.stage.show(ui, state, passes.as_ref(), lit));
            } else {
                empty(ui, UNTRACED);
            }
        });
        pane(ui, panes.source.shrink2(vec2(12.0, 8.0)), "source", |ui| {
            let hovered = self.stage.hovered.and_then(|tag| source::line_of(tag, state, executing));
            let hovered = hovered.or(self.traced_line);
            let happened = source::show(ui, state, &source::Lit { executing, hovered });
            self.hovered_line = happened.hovered;
            commands.extend(happened.commands);
        });
        row(ui, panes.controls.shrink2(vec2(16.0, 0.0)), |ui| commands.extend(plot::controls(ui, state)));
        pane(ui, panes.plot.shrink2(vec2(12.0, 8.0)), "plot", |ui| match &state.found.origin {
            Some(asked) => {
                let happened = origin::show(ui, state, asked);
                self.traced_line = happened.hovered;
                commands.extend(happened.commands);
                happened.seek.into_iter().for_each(|place| self.stage.seek(place));
            }
            None => {
                self.traced_line = None;
                commands.extend(plot::show(ui, state));
            }
        });
        row(ui, panes.predicted.shrink2(vec2(16.0, 0.0)), |ui| commands.extend(predicted::show(ui, state)));
        row(ui, panes.status.shrink2(vec2(16.0, 0.0)), |ui| commands.extend(chrome::status(ui, state)));
        commands.extend(self.export.show(ui, state));
        commands.extend(self.messages(ui, &panes, state));
        commands
    }

    /// Begins a new step's or kernel's trace at the end of its first event, where there is something to see.
    fn settle(&mut self, state: &State) {
        let lesson = state.place.lesson.as_ref().map(|l| l.id.clone()).unwrap_or_default();
        let of = format!("{}/{}", state.place.variant, state.place.pass);
        let shown = (lesson, state.place.step, of);
        if self.shown != shown {
            self.shown = shown;
            self.stage.begin();
        }
    }

    /// The source line of the event on the stage.
    fn executing(&self, state: &State) -> Option<u32> {
        let timeline = state.traced()?.timeline_of(&state.place)?;
        let event = self.stage.event(timeline, state.place.workgroup)?;
        timeline.events.get(event).map(|e| e.line)
    }

    fn messages(&mut self, ui: &mut Ui, panes: &Panes, state: &State) -> Vec<Command> {
        let anchor = panes.status.right_top() - vec2(16.0, 12.0);
        let area = egui::Area::new(egui::Id::unique("messages")).pivot(egui::Align2::RIGHT_BOTTOM).fixed_pos(anchor);
        area.show(ui.ctx(), |ui| chrome::notices(ui, state)).inner
    }
}

/// A pane: a child of its own with its rectangle as its room, clipped to it.
fn pane(ui: &mut Ui, rect: Rect, name: &str, content: impl FnOnce(&mut Ui)) {
    let mut child = ui.new_child(UiBuilder::new().id_salt(name).max_rect(rect).layout(Layout::top_down(Align::Min)));
    child.set_clip_rect(rect.intersect(ui.clip_rect()));
    content(&mut child);
}

fn row(ui: &mut Ui, rect: Rect, content: impl FnOnce(&mut Ui)) {
    let layout = Layout::left_to_right(Align::Center);
    let id = (rect.min.x.to_bits(), rect.min.y.to_bits());
    let mut child = ui.new_child(UiBuilder::new().id_salt(id).max_rect(rect).layout(layout));
    child.set_clip_rect(rect.expand(8.0).intersect(ui.clip_rect()));
    content(&mut child);
}

/// What the stage says of a kernel that is written in CUDA C++ only.
const UNTRACED: &str = "No trace: this kernel is written in CUDA C++ only, and the tracer runs portable WGSL, which has no word for what \
                        it does.\n\nIt is measured on an NVIDIA GPU where the backend is CUDA. Elsewhere its recorded curves \
                        are shown.";

/// What an empty pane says: what will appear in it.
fn empty(ui: &mut Ui, text: &str) {
    let room = ui.available_rect_before_wrap();
    let color = theme::color(theme::of(ui), Ink::Muted);
    let mut job = egui::text::LayoutJob::simple(
        text.to_owned(),
        egui::FontId::proportional(theme::UI),
        color,
        room.width() - 32.0,
    );
    job.halign = Align::Center;
    let galley = ui.painter().layout_job(job);
    let at = pos2(room.center().x, room.center().y - galley.size().y / 2.0);
    ui.painter().galley(at, galley, color);
    ui.allocate_rect(room, egui::Sense::hover())
        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, text));
}

/// Hairlines between the panes.
fn rules(ui: &Ui, panes: &Panes) {
    let stroke = egui::Stroke::new(1.0, theme::color(theme::of(ui), Ink::Faint));
    let edges = [
        (panes.bar.left_bottom(), panes.bar.right_bottom()),
        (panes.contents.right_top(), panes.contents.right_bottom()),
        (panes.page.right_top(), panes.page.right_bottom()),
        (panes.stage.left_bottom(), panes.stage.right_bottom()),
        (panes.controls.left_bottom(), panes.controls.right_bottom()),
        (panes.source.right_top(), panes.source.right_bottom()),
        (panes.predicted.left_top(), panes.predicted.right_top()),
        (panes.status.left_top(), panes.status.right_top()),
    ];
    for (from, to) in edges {
        ui.painter().line_segment([from, to], stroke);
    }
}

/// Keys that work while no list is open: those that turn pages wherever no text is being written, the others while nothing has the keyboard.
fn keys(ui: &Ui, state: &State) -> Vec<Command> {
    if ui.ctx().text_edit_focused() || egui::Popup::is_any_open(ui.ctx()) {
        return Vec::new();
    }
    let free = ui.memory(|m| m.focused().is_none());
    ui.input(|i| {
        let mut commands = Vec::new();
        if i.key_pressed(egui::Key::PageDown) {
            commands.push(Command::GoTo(state.place.step + 1));
        }
        if i.key_pressed(egui::Key::PageUp) && state.place.step > 0 {
            commands.push(Command::GoTo(state.place.step - 1));
        }
        if !free {
            return commands;
        }
        if i.modifiers.command && i.key_pressed(egui::Key::R) {
            commands.push(Command::RunExperiment);
        }
        if i.key_pressed(egui::Key::Escape) {
            if !state.activities.is_empty() {
                commands.push(Command::Cancel);
            } else if state.found.origin.is_some() {
                commands.push(Command::CloseOrigin);
            }
        }
        commands
    })
}
