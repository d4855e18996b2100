//! The stage: pictures of a kernel's run as its accesses happen, and the controls that play them.

mod buffer;
mod explorer;
mod launches;
mod passes;
mod picture;
mod pinned;
mod row;
mod side;
mod tabs;
mod ticks;
mod track;

use std::sync::Arc;

use egui::{Rect, Sense, Ui, pos2, vec2};

use self::ticks::Ticks;
use super::origin::Seek;
use super::player::Player;
use super::{keys, paint, theme};
use crate::figures::frame::Tag;
use crate::figures::mark::{self, Mark};
use crate::figures::passes::Passes;
use crate::figures::strip::{self, StripView};
use crate::figures::{self, Clock, Figure, Kept, Reading, Results, View, ask};
use crate::lesson::Picture;
use crate::session::desk::Command;
use crate::session::desk::place::Element;
use crate::session::desk::state::State;
use crate::session::show::first::{first_to_see, watched_line};
use crate::trace::Timeline;
use crate::trace::provenance::{Origin, Writing};

/// Height of the player's row, and of the strip above it.
const ROW: f32 = 36.0;
const STRIP: f32 = 24.0;

/// State that the stage keeps between frames.
#[derive(Default)]
pub struct Stage {
    /// Where it is in the warp's events.
    pub player: Player,
    /// Where it is in the program's launches.
    pub launches: launches::Launches,
    /// Where it is in the launch's waves or workgroups, or in the program's rounds; and the clock that this is of, once
    /// it has begun.
    pub parts: Player,
    parts_of: Option<Clock>,
    /// The warp within the workgroup.
    pub warp: u32,
    /// The item of the picture under the pointer.
    pub hovered: Option<Tag>,
    /// Whether to go to the first access once there is a timeline.
    begin: bool,
    /// Where to go once the timeline of that workgroup is there.
    seek: Option<Seek>,
    /// How often the learner had asked for the costliest event when the stage went there last.
    sought: u32,
    /// The element whose write the stage went to last.
    answered: Option<Element>,
    /// A watched line without an event of the warp, and the position of the warp's clock that it is shown at.
    silent: Option<(u32, f32)>,
    /// The answer that is ringed, the timeline that it is ringed on, and the rings.
    marks: (Option<*const Origin>, *const Timeline, Vec<Mark>),
    /// How the learner reads a buffer.
    reading: Reading,
    /// The item of the strip of passes under the pointer.
    on_pass: Option<Tag>,
    /// The pass that the strip was last moved to with the strip's width then, and how far it is moved, in points.
    pass_in_sight: Option<(usize, usize, f32)>,
    passes_moved: f32,
    /// The description of the item under the pointer, and the moment it is of.
    note: Option<(Pointed, String)>,
    /// State that the figures keep from frame to frame: the one of the program on the bench, and those beside it.
    kept: Kept,
    others: [Kept; side::MOST - 1],
    /// Which program is in sight, where there is no room for all: that on the bench, or else one of those beside it.
    turn: usize,
}

/// The item under the pointer, the event on the stage, and the bits of the clock's position.
type Pointed = (Tag, Option<usize>, u32);

/// Events of the warp on the stage, by their indices in the timeline.
#[must_use]
pub fn events(timeline: &Timeline, workgroup: u32, warp: u32) -> Vec<usize> {
    timeline.of_warp(workgroup, warp).collect()
}

impl Stage {
    /// Begins anew with warp 0 at its first memory access, once there is a timeline. Nothing plays on from before.
    pub fn begin(&mut self) {
        self.launches.player.playing = false;
        self.parts.playing = false;
        self.warp = 0;
        self.begin = true;
        self.parts_of = None;
        self.seek = None;
        self.silent = None;
        self.reading.from = None;
        self.player.go_to(0);
    }

    /// Goes to a place, once the timeline that has it is there.
    pub fn seek(&mut self, place: Seek) {
        self.seek = Some(place);
    }

    /// Plays each clock from its beginning.
    pub fn play(&mut self, speed: f32) {
        for player in [&mut self.player, &mut self.launches.player, &mut self.parts] {
            (player.position, player.playing, player.speed) = (0.0, true, speed);
        }
    }

    /// The timeline's index of the event on the stage.
    #[must_use]
    pub fn event(&self, timeline: &Timeline, workgroup: u32) -> Option<usize> {
        let events = events(timeline, workgroup, self.warp);
        events.get(self.player.event(events.len())?).copied()
    }

    /// Whether a warp's events play.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        self.player.playing
    }

    /// The watched line, if the warp has no event there, until the warp's clock moves.
    #[must_use]
    pub fn silent_line(&self) -> Option<u32> {
        self.silent.filter(|(_, position)| self.player.position.to_bits() == position.to_bits()).map(|(line, _)| line)
    }

    /// Draws the stage into what is left of `ui`, below the strip of a program's `passes`. `lit` is what the pointer is
    /// on elsewhere.
    pub fn show(&mut self, ui: &mut Ui, state: &State, passes: Option<&Passes>, lit: Option<Tag>) -> Vec<Command> {
        let picture = state.picture();
        state.with_results(&picture, |results| self.show_with(ui, state, (&picture, results), passes, lit))
    }

    fn show_with(
        &mut self,
        ui: &mut Ui,
        state: &State,
        (picture, results): (&Picture, &Results<'_>),
        passes: Option<&Passes>,
        lit: Option<Tag>,
    ) -> Vec<Command> {
        let mut commands = Vec::new();
        let figure = state.shown_figure();
        let view = state.view(picture, results);
        let clock = figure.card().clock;
        let timeline = view.timeline().cloned().unwrap_or_default();
        if let Some(warp) = view.number("warp").filter(|_| self.begin) {
            self.warp = warp as u32;
        }
        let warps = timeline.warps_per_workgroup.max(1);
        commands.extend(self.follow(state));
        self.warp = self.warp.min(warps - 1);
        let events = events(&timeline, state.place.stage.workgroup, self.warp);
        self.begin_at_the_watched_line(state);
        let ticks = Ticks::of(figure, &view, &events);
        self.begin_parts(clock, &ticks, &view);
        // While a turned control has the kernel traced anew there are no events, and the place among them is kept.
        // Of a large grid the workgroups are not known one by one.
        let plays = figures::plays(figure) && (clock != Clock::Workgroups || ticks.count > 0);
        let seconds = ui.input(|i| i.stable_dt);
        if plays && ticks.count > 0 && self.clock(clock).advance(seconds, ticks.count, &ticks.quiet) {
            ui.ctx().request_repaint();
        }
        if plays {
            self.keys(ui, clock, &ticks);
        }
        let reel = (clock == Clock::Launches).then(|| view.reel(figure).ok()).flatten().map(|(reel, _)| reel);
        commands.extend(reel.and_then(|reel| self.launches.follow(state, reel)));
        let mut room = ui.available_rect_before_wrap();
        if let Some(passes) = passes {
            commands.extend(self.passes(ui, state, passes, &mut room));
        }
        commands.extend(tabs::show(ui, state, &mut room));
        let row = |above: f32| {
            let bottom = room.max.y - above;
            Rect::from_min_max(pos2(room.min.x + 16.0, bottom - ROW - 2.0), pos2(room.max.x - 16.0, bottom - 2.0))
        };
        let reads = reads(figure);
        let playing = match clock {
            Clock::Events => ROW + STRIP + 8.0,
            _ => 4.0 + if plays { ROW } else { 0.0 },
        };
        let reading = if reads { ROW } else { 0.0 };
        let shown = Rect::from_min_max(room.min, room.max - vec2(0.0, reading + playing));
        let position = self.clock(clock).shown(ticks.count, &ticks.quiet);
        let drawn = Drawn { state, figure, picture, results, position, events: events.len(), lit };
        commands.extend(self.pictures(ui, &drawn, shown));
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        if plays {
            if clock == Clock::Events {
                let strip = vec2(room.width() - 32.0, STRIP);
                self.scrub(
                    ui,
                    state,
                    &timeline,
                    Rect::from_min_size(shown.left_bottom() + vec2(16.0, 4.0), strip),
                    lit,
                );
            }
            let mut row = ui.new_child(egui::UiBuilder::new().max_rect(row(0.0)).layout(layout));
            commands.extend(self.row(&mut row, &drawn, clock, &ticks, warps));
        }
        if reads {
            let above = if plays { ROW } else { 0.0 };
            let mut row = ui.new_child(egui::UiBuilder::new().id_salt("reading").max_rect(row(above)).layout(layout));
            commands.extend(self.buffer(&mut row, state, &drawn));
        }
        commands
    }

    /// Puts the player of a warp's events where the step opens, once they are there. The source is lit there beside any
    /// figure.
    fn begin_at_the_watched_line(&mut self, state: &State) {
        let Some(timeline) = state.timeline().filter(|_| self.begin) else { return };
        let events = events(timeline, state.place.stage.workgroup, self.warp);
        if events.is_empty() {
            return;
        }
        let (watch, at) = state.opening().map(|s| (s.watch.as_str(), s.at)).unwrap_or_default();
        let source = state.place.kernel().map(|k| &**k.source()).unwrap_or_default();
        self.player.go_to(first_to_see(timeline, &events, source, watch, at));
        let line = watched_line(source, watch);
        let has_event = |line: &u32| events.iter().any(|event| timeline.events[*event].line == *line);
        self.silent = line.filter(|line| !has_event(line)).map(|line| (line, self.player.position));
        self.begin = false;
    }

    /// Puts the player of waves, workgroups or rounds where the figure opens: at its wave, or at the end.
    fn begin_parts(&mut self, clock: Clock, ticks: &Ticks, view: &View<'_>) {
        let is_of_parts = matches!(clock, Clock::Waves | Clock::Rounds | Clock::Workgroups | Clock::Phases);
        if !is_of_parts || self.parts_of == Some(clock) || ticks.count == 0 {
            return;
        }
        let opening = match clock {
            Clock::Waves => {
                view.ask(ask::Spread).map_or(ticks.count - 1, |spread| spread.opening(figures::begins(view.picture)))
            }
            Clock::Phases => figures::opening_phase(ticks.count, view.picture),
            _ => ticks.count - 1,
        };
        self.parts.go_to(opening);
        self.parts_of = Some(clock);
    }

    fn player_of(&self, clock: Clock) -> &Player {
        match clock {
            Clock::Launches => &self.launches.player,
            Clock::Waves | Clock::Rounds | Clock::Workgroups | Clock::Phases => &self.parts,
            Clock::Events | Clock::Still | Clock::Hand => &self.player,
        }
    }

    /// The same, to move it.
    fn clock(&mut self, clock: Clock) -> &mut Player {
        match clock {
            Clock::Launches => &mut self.launches.player,
            Clock::Waves | Clock::Rounds | Clock::Workgroups | Clock::Phases => &mut self.parts,
            Clock::Events | Clock::Still | Clock::Hand => &mut self.player,
        }
    }

    /// Goes where an answer, or a click on a part of it, points to.
    fn follow(&mut self, state: &State) -> Option<Command> {
        if self.answered != state.place.asked
            && let Some(answer) = state.origin()
        {
            self.seek = answer.ok().and_then(|found| Seek::write(found));
            self.answered.clone_from(&state.place.asked);
        } else if state.place.asked.is_none() {
            self.answered = None;
        }
        if let Some((counted, times)) = state.place.stage.sought.filter(|(_, times)| *times != self.sought)
            && let Some(timeline) = state.timeline()
            && let Some((warp, event)) = counted.costliest(timeline, state.place.stage.workgroup)
        {
            (self.warp, self.sought, self.begin) = (warp, times, false);
            self.player.go_to(event);
        }
        let place = self.seek.as_ref()?;
        let now = &state.place;
        if place.pass != (now.stage.pass.clone(), now.stage.launch) {
            return Some(Command::ShowPass(place.pass.0.clone(), place.pass.1));
        }
        let workgroup = u32::try_from(place.workgroup).ok()?;
        if now.stage.workgroup != workgroup {
            return Some(Command::ShowWorkgroup(workgroup));
        }
        let timeline = state.timeline()?;
        self.warp = place.warp;
        if let Some(event) = place.find(timeline) {
            self.player.go_to(event);
        }
        self.seek = None;
        None
    }

    /// The elements of an answer that are ringed on this timeline.
    fn mark(&mut self, state: &State, timeline: &Arc<Timeline>) {
        let found = state.origin().and_then(Result::ok);
        let now = (found.map(Arc::as_ptr), Arc::as_ptr(timeline));
        if (self.marks.0, self.marks.1) != now {
            let here =
                (state.place.stage.pass.as_str(), state.place.stage.launch, u64::from(state.place.stage.workgroup));
            let mut marks = Vec::new();
            found.into_iter().for_each(|found| ringed(found, here, timeline, &mut marks));
            marks.sort_unstable();
            marks.dedup();
            self.marks = (now.0, now.1, marks);
        }
    }

    fn scrub(&mut self, ui: &mut Ui, state: &State, timeline: &Timeline, rect: Rect, lit: Option<Tag>) {
        let view = StripView {
            timeline,
            workgroup: state.place.stage.workgroup,
            warp: self.warp,
            position: self.player.position,
            hovered: self.hovered.or(lit),
            size: [rect.width(), rect.height()],
        };
        let frame = strip::frame(&view);
        paint::frame(&ui.painter_at(rect.expand(2.0)), theme::of(ui), rect.min, &frame);
        let response = ui.interact(rect, ui.scope_id().with("strip"), Sense::click_and_drag());
        response.widget_info(|| {
            egui::WidgetInfo::slider(true, f64::from(self.player.position), "Position in the warp's events")
        });
        if let Some(pointer) = response.interact_pointer_pos() {
            // At the event's end: on the way there, nothing of it has landed.
            self.player.go_to(strip::event_at(&view, pointer.x - rect.min.x));
        }
    }

    /// Space plays, brackets step, braces jump; not while something has the keyboard.
    fn keys(&mut self, ui: &Ui, clock: Clock, ticks: &Ticks) {
        let pressed = |key| keys::alone(ui, key);
        let player = self.clock(clock);
        if pressed(egui::Key::Space) {
            player.toggle(ticks.count);
        }
        if pressed(egui::Key::OpenBracket) {
            player.back();
        }
        if pressed(egui::Key::CloseBracket) {
            player.forward(ticks.count);
        }
        if pressed(egui::Key::OpenCurlyBracket) {
            player.previous(&ticks.stops, ticks.count);
        }
        if pressed(egui::Key::CloseCurlyBracket) {
            player.next(&ticks.stops, ticks.count);
        }
    }
}

/// The figure on the stage, and what it is drawn from.
#[derive(Clone, Copy)]
struct Drawn<'a> {
    state: &'a State,
    figure: &'static dyn Figure,
    picture: &'a Picture,
    results: &'a Results<'a>,
    position: f32,
    /// Events of the warp on the stage.
    events: usize,
    /// The item under the pointer in another pane.
    lit: Option<Tag>,
}

/// Whether the learner chooses which buffer the figure shows.
fn reads(figure: &dyn Figure) -> bool {
    figure.card().args.iter().any(|arg| arg.name == "buffer" && !arg.required)
}

/// The first element to show after the pointer turned its wheel by some rows.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole rows, not negative")]
fn scrolled(from: usize, rows: f32, row: usize, len: usize) -> usize {
    let by = rows.abs() as usize * row;
    let to = if rows < 0.0 { from.saturating_sub(by) } else { from + by };
    to.min(len.saturating_sub(row)) / row.max(1) * row.max(1)
}

/// The parts of an origin that happened in one workgroup of a launch.
fn ringed(origin: &Origin, here: (&str, u64, u64), timeline: &Timeline, marks: &mut Vec<Mark>) {
    let writer = origin.element.writer.as_ref().map(|writer| writer.workgroup);
    let is_here = |by: &Writing| (by.pass.as_str(), by.launch, writer.unwrap_or(u64::MAX)) == here;
    if origin.by.as_ref().is_some_and(is_here) {
        marks.extend(mark::of(timeline, &origin.element));
    }
    origin.from.iter().for_each(|from| ringed(from, here, timeline, marks));
}
