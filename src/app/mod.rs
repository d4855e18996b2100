//! The window: contents, page, stage and source. Views read the desk's state and hand back commands.

mod calibration;
mod changes;
mod choice;
mod chrome;
mod contents;
mod controls;
mod dropped;
mod editor;
mod empty;
mod explore;
mod export;
mod fallback;
mod format;
mod found;
mod glossary;
mod help;
mod highlight;
mod history;
mod home;
mod icons;
mod keys;
mod languages;
mod layout;
mod ledger;
mod lit;
mod machine;
mod math;
mod my_kernel;
mod origin;
mod page;
mod paint;
mod parts;
mod player;
pub mod plot;
mod predicted;
mod recorded;
mod review;
mod search;
pub mod shot;
mod source;
mod stage;
mod tabbed;
mod terms;
pub mod theme;
mod today;
mod trail;
pub mod window;

use egui::{Align, Layout, Rect, Ui, UiBuilder, vec2};

use crate::figures::frame::Tag;
use crate::figures::palette::Ink;
use crate::figures::passes::Passes;
use crate::figures::{self, Clock};
use crate::session::desk::results::KeptResults;
use crate::session::desk::state::State;
use crate::session::desk::status::SaveState;
use crate::session::desk::{Command, Desk, PAUSE, REST, RETRY, SettingCommand};
use crate::session::learn::saved::{Dividers, ThemeChoice};
use crate::trace::record::Backend;
use layout::{Pane, Panes, Wanted};
use math::Formulas;
use stage::Stage;

/// Everything that is drawn, and what drawing keeps between frames.
#[derive(Default)]
pub struct View {
    stage: Stage,
    code: source::Code,
    formulas: Formulas,
    export: export::Dialog,
    home: home::Home,
    search: search::Search,
    /// Whether the sheet of keys is open.
    help: bool,
    /// Whether the fonts are drawn.
    warm: bool,
    fallback: fallback::Fallback,
    /// The source line under the pointer.
    hovered_line: Option<u32>,
    /// The source line that the pointer is on in an origin.
    traced_line: Option<u32>,
    trail: trail::Trail,
    results: KeptResults,
    /// Whether the plot is shown in place of what a change changed.
    plotted: bool,
    /// The pane that has the others' room, where one has.
    large: Option<Pane>,
    /// The step that was drawn last, to begin a new one's trace at its first event.
    shown: (String, usize, String),
}

impl View {
    /// Begins with the open lesson, or with the start page where reviews are due or the day is new.
    #[must_use]
    pub fn greeting() -> Self {
        let mut view = Self::default();
        view.home.greet();
        view
    }

    /// Begins with the start page.
    #[must_use]
    pub fn at_home() -> Self {
        let mut view = Self::default();
        view.home.open = true;
        view
    }

    /// Plays what is on the stage, from its beginning, at `speed` times the normal pace.
    pub fn play(&mut self, speed: f32) {
        self.stage.play(speed);
    }

    /// Whether fonts are still being looked for.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.fallback.is_waiting()
    }

    /// Draws one frame, and lets the desk carry out what the learner did in it.
    pub fn show(&mut self, ui: &mut Ui, desk: &mut Desk) {
        desk.poll();
        if !std::mem::replace(&mut self.warm, true) {
            theme::warm(ui);
            self.fallback.install(ui.ctx());
        }
        self.fallback.poll(ui.ctx());
        let theme = match desk.state().saved.theme {
            ThemeChoice::Dark => egui::Theme::Dark,
            ThemeChoice::Light => egui::Theme::Light,
        };
        if ui.ctx().theme() != theme {
            ui.ctx().set_theme(theme);
            ui.ctx().request_repaint();
        }
        let commands = self.draw(ui, desk.state());
        if desk.state().trials.drafts.values().any(|draft| draft.typed.is_some()) {
            ui.ctx().request_repaint_after(PAUSE);
        }
        if desk.state().diary.is_writing {
            ui.ctx().request_repaint_after(REST);
        }
        if matches!(desk.state().status.save, SaveState::Failed(_)) {
            ui.ctx().request_repaint_after(RETRY);
        }
        let frame = window::moved(ui, desk.state().saved.window).map(SettingCommand::Frame);
        for command in commands.into_iter().chain(frame.map(Command::Set)) {
            desk.command(command);
            ui.ctx().request_repaint();
        }
    }

    fn draw(&mut self, ui: &mut Ui, state: &State) -> Vec<Command> {
        let window = ui.max_rect();
        self.home.follow(state);
        let mut commands = Vec::from_iter(dropped::take(ui, state, !self.home.open));
        if state.diary.is_reading == self.home.open {
            commands.push(Command::Reading(!self.home.open));
        }
        keys::watch(ui);
        if !self.home.open {
            commands.extend(keys::commands(ui, state));
            self.enlarge(ui);
        }
        ui.painter().rect_filled(window, 0.0, ui.visuals().panel_fill);
        // A picture of maths is of no pass.
        let passes =
            state.passes().filter(|_| !state.is_python_first() && state.shown_figure().card().clock != Clock::Hand);
        let fits = || state.knows_model() && Panes::has_room_for_model(window);
        let model = (!self.home.open).then(|| state.saved.room.model.unwrap_or_else(fits));
        let wanted = Wanted {
            staged: is_staged(state),
            high: is_high(state),
            writes: state.place.bench.edit.is_some(),
            strip: passes.as_ref().map_or(0.0, Passes::height),
            controls: controls::height(ui),
            plotted: state.is_plotted() || state.place.asked.is_some() || is_changed(state),
            folds: state.is_plot_recorded() && !is_changed(state),
            model: model.unwrap_or_default(),
            large: self.large,
            room: state.saved.room,
        };
        let panes = Panes::of(window, &wanted);
        self.settle(state);
        let results = self.results.of(state);
        let executing = self.executing(state);
        let ground = theme::color(theme::of(ui), Ink::Raised);
        for rect in [panes.contents, panes.status, panes.bar, panes.tabs] {
            ui.painter().rect_filled(rect, 0.0, ground);
        }
        if self.home.open || state.place.lesson.is_none() {
            let room = Rect::from_min_max(panes.bar.left_bottom(), panes.status.right_top());
            if self.home.open {
                let set = review::Set { state, results: &results, formulas: &self.formulas };
                commands.extend(self.home.show(ui, set, room, &mut self.search));
            } else {
                let is_reading = state.library.problems.is_empty();
                let text =
                    if is_reading { "Reading the lessons." } else { "No lesson could be read. The messages say why." };
                pane(ui, room, "no lesson", |ui| empty::show(ui, text));
            }
            self.bar(ui, state, &panes, &mut commands);
            row(ui, panes.status.shrink2(vec2(16.0, 0.0)), |ui| commands.extend(chrome::status(ui, state, model)));
            help::show(ui, &mut self.help);
            commands.extend(my_kernel::show(ui, state));
            commands.extend(self.messages(ui, &panes, state));
            return commands;
        }
        panes.rules(ui);
        // In the order of the Tab key: the page first, the frame around it last.
        let staged = state.shown_figure().card().clock == Clock::Hand && panes.stage.is_positive();
        pane(ui, panes.page, "page", |ui| {
            commands.extend(page::show(ui, state, &self.stage, &results, &self.formulas, staged));
        });
        let lit = self.hovered_line.map(Tag::SourceLine);
        pane(ui, panes.stage, "stage", |ui| {
            if is_staged(state) {
                commands.extend(self.stage.show(ui, state, passes.as_ref(), lit));
            } else {
                empty::show(ui, untraced(state));
            }
        });
        pane(ui, panes.source.shrink2(vec2(12.0, 8.0)), "source", |ui| {
            let hovered = self.stage.hovered.and_then(|tag| source::line_of(tag, state, executing));
            let hovered = hovered.or(self.traced_line);
            // After a change of the text the trace begins anew elsewhere; the text stays where it is written.
            let to_change = state.line_to_change().filter(|_| !self.stage.is_playing());
            let stays = state.place.bench.edit.is_some() && !self.stage.is_playing() && to_change.is_none();
            let watched = to_change.or_else(|| self.stage.silent_line());
            let lit = lit::Lit { executing, hovered, watched, stays };
            let happened = self.code.show(ui, state, &lit);
            self.hovered_line = happened.hovered;
            commands.extend(happened.commands);
        });
        row(ui, panes.controls.shrink2(vec2(16.0, 0.0)), |ui| commands.extend(controls::show(ui, state)));
        let dividers = state.saved.room;
        pane(ui, panes.plot.shrink2(vec2(12.0, 8.0)), "plot", |ui| match &state.place.asked {
            _ if panes.is_folded => {
                if plot::folded(ui, state) {
                    let beside = Dividers { source: Some(OPENED), ..dividers };
                    commands.push(Command::Set(SettingCommand::Dividers(beside)));
                }
            }
            Some(asked) => {
                let happened = origin::show(ui, state, asked);
                self.traced_line = happened.hovered;
                commands.extend(happened.commands);
                happened.seek.into_iter().for_each(|place| self.stage.seek(place));
            }
            None => {
                self.traced_line = None;
                commands.extend(self.plot(ui, state));
            }
        });
        // A click on a plot is its key.
        if ui.data_mut(|d| d.remove_temp::<bool>(plot::clicked())).unwrap_or(false) && !Panes::is_stacked(window) {
            self.large = Some(Pane::Plot).filter(|plot| self.large != Some(*plot));
        }
        row(ui, panes.predicted.shrink2(vec2(16.0, 0.0)), |ui| commands.extend(predicted::show(ui, state)));
        pane(ui, panes.contents.shrink2(vec2(8.0, 0.0)), "contents", |ui| {
            commands.extend(contents::show(ui, state, &mut self.search))
        });
        row(ui, panes.tabs.shrink2(vec2(16.0, 0.0)), |ui| commands.extend(self.tabs(ui, state)));
        self.bar(ui, state, &panes, &mut commands);
        row(ui, panes.status.shrink2(vec2(16.0, 0.0)), |ui| commands.extend(chrome::status(ui, state, model)));
        commands.extend(panes.dividers(ui, state.saved.room).map(|to| Command::Set(SettingCommand::Dividers(to))));
        commands.extend(self.export.show(ui, state));
        help::show(ui, &mut self.help);
        commands.extend(my_kernel::show(ui, state));
        commands.extend(self.messages(ui, &panes, state));
        commands
    }

    fn bar(&mut self, ui: &mut Ui, state: &State, panes: &Panes, commands: &mut Vec<Command>) {
        row(ui, panes.bar.shrink2(vec2(16.0, 0.0)), |ui| {
            let (mut reviews, home) = (false, &mut self.home.open);
            let (export, help) = (&mut self.export.open, &mut self.help);
            let mut sheets = chrome::Sheets { export, help, home, reviews: &mut reviews };
            commands.extend(chrome::bar(ui, state, &mut sheets));
            if reviews {
                self.home.review();
            }
        });
    }

    /// Gives a pane all the room, or the others theirs back, where its key is pressed.
    fn enlarge(&mut self, ui: &Ui) {
        for (pane, _, key) in Pane::ALL {
            if keys::alone(ui, key) {
                self.large = Some(pane).filter(|_| self.large != Some(pane));
            }
        }
    }

    /// The step and the pane in sight, in a window that has room for one pane.
    fn tabs(&mut self, ui: &mut Ui, state: &State) -> Vec<Command> {
        let mut commands = Vec::new();
        let step = state.place.step().map_or("Lessons", |step| step.title.as_str());
        ui.menu_button(format!("{} · {step}", state.place.step + 1), |ui| {
            ui.set_width(240.0);
            ui.set_max_height(360.0);
            commands.extend(contents::show(ui, state, &mut self.search));
        });
        if !commands.is_empty() {
            self.large = Some(Pane::Page);
        }
        let mut shown = self.large.unwrap_or(Pane::Page);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            for (pane, name, _) in Pane::ALL.into_iter().rev() {
                let name = if pane == Pane::Plot && state.place.asked.is_some() { "Origin" } else { name };
                if ui.selectable_value(&mut shown, pane, name).clicked() {
                    self.large = Some(pane);
                }
            }
        });
        commands
    }

    /// The plot; or what a change of the kernel in the editor changed.
    fn plot(&mut self, ui: &mut Ui, state: &State) -> Vec<Command> {
        if !is_changed(state) {
            return plot::show(ui, state, &mut self.trail);
        }
        ui.horizontal(|ui| {
            ui.selectable_value(&mut self.plotted, false, "Changes");
            ui.selectable_value(&mut self.plotted, true, "Plot");
        });
        if self.plotted {
            return plot::show(ui, state, &mut self.trail);
        }
        changes::show(ui, state);
        Vec::new()
    }

    /// Begins a new step's or kernel's trace at the end of its first event, where there is something to see.
    fn settle(&mut self, state: &State) {
        let lesson = state.place.lesson.as_ref().map(|l| l.id.clone()).unwrap_or_default();
        // A version of the learner's goes on where what it began as was.
        let began = state.place.bench.beside.first().filter(|_| state.place.bench.edit.is_some());
        let of = format!("{}/{}", began.unwrap_or(&state.place.bench.variant), state.place.stage.pass);
        let shown = (lesson, state.place.step, of);
        if self.shown != shown {
            self.shown = shown;
            self.stage.begin();
        }
    }

    /// The source line of the event on the stage.
    fn executing(&self, state: &State) -> Option<u32> {
        let timeline = state.timeline()?;
        let event = self.stage.event(timeline, state.place.stage.workgroup)?;
        timeline.events.get(event).map(|e| e.line)
    }

    fn messages(&mut self, ui: &mut Ui, panes: &Panes, state: &State) -> Vec<Command> {
        let anchor = panes.status.right_top() - vec2(16.0, 12.0);
        let area = egui::Area::new(egui::Id::unique("messages")).pivot(egui::Align2::RIGHT_BOTTOM).fixed_pos(anchor);
        area.show(ui.ctx(), |ui| chrome::notices(ui, state)).inner
    }
}

/// Whether there is a picture of what is on the bench: a trace, or the ring that a kernel without one is drawn as.
fn is_staged(state: &State) -> bool {
    state.place.is_traceable(&state.place.bench.variant.program) || state.found.compiled.facts.ring
}

/// Whether the picture on the stage wants to be high: one to drag, unless it is a few rows or the learner writes a
/// kernel.
fn is_high(state: &State) -> bool {
    let name = state.place.step().and_then(|step| step.explorer());
    let is_low = name.and_then(figures::explore::find).is_some_and(|explorer| explorer.is_low);
    // What is written needs the room.
    state.shown_figure().card().clock == Clock::Hand && !is_low && state.place.bench.edit.is_none()
}

/// Whether a version of the learner's, beside what it began as, is on the bench.
fn is_changed(state: &State) -> bool {
    state.place.bench.edit.is_some() && !state.place.bench.beside.is_empty()
}

/// A pane: a child of its own with its rectangle as its room, clipped to it; nothing where it has none.
fn pane(ui: &mut Ui, rect: Rect, name: &str, content: impl FnOnce(&mut Ui)) {
    if !rect.is_positive() {
        return;
    }
    let mut child = ui.new_child(UiBuilder::new().id_salt(name).max_rect(rect).layout(Layout::top_down(Align::Min)));
    child.set_clip_rect(rect.intersect(ui.clip_rect()));
    content(&mut child);
}

fn row(ui: &mut Ui, rect: Rect, content: impl FnOnce(&mut Ui)) {
    if !rect.is_positive() {
        return;
    }
    let layout = Layout::left_to_right(Align::Center);
    let id = (rect.min.x.to_bits(), rect.min.y.to_bits());
    let mut child = ui.new_child(UiBuilder::new().id_salt(id).max_rect(rect).layout(layout));
    child.set_clip_rect(rect.expand(8.0).intersect(ui.clip_rect()));
    content(&mut child);
}

/// The stage's message for a launch that is not traced.
fn untraced(state: &State) -> &'static str {
    let variant = &state.place.bench.variant;
    let is_large = state.place.lesson.as_ref().is_some_and(|lesson| lesson.runs_on(variant, Backend::Simt));
    if is_large { TOO_LARGE } else { UNTRACED }
}

/// For a launch that would take the tracer long.
/// The share of the bench that the code has beside a plot that was folded and is shown.
const OPENED: f32 = 0.55;

const TOO_LARGE: &str = "This launch is not traced: its operations would take the tracer minutes.\n\n\
                         At smaller sizes it is: give its parameters smaller values. On the command line, --language cuda traces any size.";

/// For a kernel that its lesson does not trace.
const UNTRACED: &str = "No trace: this kernel is written in CUDA C++ only.\n\n\
                        On the command line, --language cuda traces it. It is measured on an NVIDIA GPU where the backend is CUDA. Elsewhere its recorded curves are shown.";
