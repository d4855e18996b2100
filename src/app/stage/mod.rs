//! The stage: pictures of a kernel's run as its accesses happen, and the controls that play them.

mod buffer;
mod passes;
mod row;
mod side;
mod tabs;

use std::sync::Arc;

use egui::{Rect, Sense, Ui, vec2};

use super::origin::Seek;
use super::page::Ask;
use super::player::Player;
use super::{explore, keys, paint, theme};
use crate::lesson::{SceneKind, Step};
use crate::scene::contents::Shape;
use crate::scene::frame::Tag;
use crate::scene::mark::{self, Mark};
use crate::scene::passes::Passes;
use crate::scene::stage::{Painter, StageView};
use crate::scene::strip::{self, StripView};
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::note::first_to_see;
use crate::session::staged;
use crate::trace::provenance::{Origin, Writing};
use crate::trace::{AccessKind, EventKind, Space, Timeline};

/// Height of the player's row, and of the strip above it.
const ROW: f32 = 36.0;
const STRIP: f32 = 24.0;

/// What the stage keeps between frames.
#[derive(Default)]
pub struct Stage {
    /// Where it is in the warp's events.
    pub player: Player,
    /// The warp within the workgroup.
    pub warp: u32,
    /// What the pointer is on in the picture.
    pub hovered: Option<Tag>,
    /// Whether to go to the first access once there is a timeline.
    begin: bool,
    /// Where to go once the timeline of that workgroup is there.
    seek: Option<Seek>,
    /// The last question whose answer the stage went to.
    answered: u64,
    /// The answer that is ringed, the timeline that it is ringed on, and the rings.
    marks: (Option<*const Origin>, *const Timeline, Vec<Mark>),
    /// The first element that is shown of a buffer, where the learner chose one, and how.
    contents: (Option<usize>, Option<Shape>),
    /// What the pointer is on in the strip of passes.
    on_pass: Option<Tag>,
    /// The pass that the strip was last moved to with the strip's width then, and how far it is moved, in points.
    pass_in_sight: Option<(usize, f32)>,
    passes_moved: f32,
    /// What the pointer is on in words, and of which event.
    note: Option<(Tag, Option<usize>, String)>,
    /// What draws the pictures: of the program on the bench, and of those beside it.
    painter: Painter,
    others: [Painter; side::MOST - 1],
    /// Which program is in sight, where there is no room for all: that on the bench, or else one of those beside it.
    turn: usize,
}

/// Events of the warp on the stage, by their indices in the timeline.
#[must_use]
pub fn events(timeline: &Timeline, workgroup: u32, warp: u32) -> Vec<usize> {
    timeline.of_warp(workgroup, warp).collect()
}

impl Stage {
    /// Begins anew with warp 0 at its first memory access, once there is a timeline.
    pub fn begin(&mut self) {
        self.warp = 0;
        self.begin = true;
        self.seek = None;
        self.contents.0 = None;
        self.player.go_to(0);
    }

    /// Goes to a place, once the timeline that has it is there.
    pub fn seek(&mut self, place: Seek) {
        self.seek = Some(place);
    }

    /// The timeline's index of the event on the stage.
    #[must_use]
    pub fn event(&self, timeline: &Timeline, workgroup: u32) -> Option<usize> {
        let events = events(timeline, workgroup, self.warp);
        events.get(self.player.event(events.len())?).copied()
    }

    /// Draws the stage into what is left of `ui`, below the strip of a program's `passes`. `lit` is what the pointer is on elsewhere.
    pub fn show(&mut self, ui: &mut Ui, state: &State, passes: Option<&Passes>, lit: Option<Tag>) -> Vec<Command> {
        let mut commands = Vec::new();
        let empty = Arc::default();
        let timeline = state.traced().and_then(|t| t.timeline_of(&state.place)).unwrap_or(&empty);
        let scene = state.shown_scene();
        let warps = timeline.warps_per_workgroup.max(1);
        commands.extend(self.follow(state));
        self.warp = self.warp.min(warps - 1);
        let events = events(timeline, state.place.workgroup, self.warp);
        if self.begin && !events.is_empty() {
            let (watch, at) = opening(state).map(|s| (s.watch.as_str(), s.at)).unwrap_or_default();
            let source = state.place.kernel().map(|k| &**k.source()).unwrap_or_default();
            self.player.go_to(first_to_see(timeline, &events, source, watch, at));
            self.begin = false;
        }
        let is_barrier = |index: &usize| timeline.events[*index].kind == EventKind::Barrier;
        let stops: Vec<usize> = (0..events.len()).filter(|at| is_barrier(&events[*at])).collect();
        let seconds = ui.input(|i| i.stable_dt);
        // While a turned control has the kernel traced anew there are no events, and the place among them is kept.
        if scene.scene().plays && !events.is_empty() && self.player.advance(seconds, events.len()) {
            ui.ctx().request_repaint();
        }
        if scene.scene().plays {
            self.keys(ui, events.len(), &stops);
        }
        let mut room = ui.available_rect_before_wrap();
        if let Some(passes) = passes {
            commands.extend(self.passes(ui, state, passes, &mut room));
        }
        commands.extend(tabs::show(ui, state, &mut room));
        side::goal(ui, state, &mut room);
        let row = Rect::from_min_max(room.left_bottom() - vec2(-16.0, ROW + 2.0), room.max - vec2(16.0, 2.0));
        let below = match scene {
            _ if scene.scene().plays => ROW + STRIP + 8.0,
            SceneKind::Contents => ROW + 4.0,
            _ => 4.0,
        };
        let picture = Rect::from_min_max(room.min, room.max - vec2(0.0, below));
        commands.extend(self.pictures(ui, state, timeline, picture, events.len(), lit));
        if scene.scene().plays {
            let strip = Rect::from_min_size(picture.left_bottom() + vec2(16.0, 4.0), vec2(row.width(), STRIP));
            self.scrub(ui, state, timeline, strip, lit);
        }
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        let mut row_ui = ui.new_child(egui::UiBuilder::new().max_rect(row).layout(layout));
        match scene {
            SceneKind::Contents => commands.extend(self.buffer(&mut row_ui, state)),
            SceneKind::Rounds => {}
            _ if scene.scene().plays => commands.extend(self.row(&mut row_ui, state, events.len(), &stops, warps)),
            _ => {}
        }
        commands
    }

    /// Goes where an answer, or a click on a part of it, points to.
    fn follow(&mut self, state: &State) -> Option<Command> {
        let answer = state.found.origin.as_ref().and_then(|o| Some((o.question, o.answer.as_ref()?.as_ref().ok()?)));
        if let Some((question, found)) = answer
            && question != self.answered
        {
            self.answered = question;
            self.seek = Seek::write(found);
        }
        let place = self.seek.as_ref()?;
        let now = &state.place;
        if place.pass != (now.pass.clone(), now.launch) {
            return Some(Command::ShowPass(place.pass.0.clone(), place.pass.1));
        }
        let workgroup = u32::try_from(place.workgroup).ok()?;
        if now.workgroup != workgroup {
            return Some(Command::ShowWorkgroup(workgroup));
        }
        let timeline = state.traced()?.timeline_of(now)?;
        self.warp = place.warp;
        if let Some(event) = place.find(timeline) {
            self.player.go_to(event);
        }
        self.seek = None;
        None
    }

    /// What an answer has ringed on this timeline.
    fn mark(&mut self, state: &State, timeline: &Arc<Timeline>) {
        let found = state.found.origin.as_ref().and_then(|o| o.answer.as_ref()?.as_ref().ok());
        let now = (found.map(Arc::as_ptr), Arc::as_ptr(timeline));
        if (self.marks.0, self.marks.1) != now {
            let here = (state.place.pass.as_str(), state.place.launch, u64::from(state.place.workgroup));
            let mut marks = Vec::new();
            found.into_iter().for_each(|found| ringed(found, here, timeline, &mut marks));
            marks.sort_unstable();
            marks.dedup();
            self.marks = (now.0, now.1, marks);
        }
    }

    /// The picture of the program on the bench, and those of what is beside it.
    fn pictures(
        &mut self,
        ui: &mut Ui,
        state: &State,
        timeline: &Arc<Timeline>,
        rect: Rect,
        events: usize,
        lit: Option<Tag>,
    ) -> Option<Command> {
        let position = self.player.shown(events);
        let others = state.place.beside.as_slice();
        if others.is_empty() && state.is_broken() {
            let mut room = rect;
            Self::caption(ui, state, &state.place.variant, &mut room);
            return self.picture(ui, state, timeline, room, position, lit);
        }
        if others.is_empty() || !state.shown_scene().scene().plays {
            return self.picture(ui, state, timeline, rect, position, lit);
        }
        let mut shown: Vec<(usize, Rect)> = match side::places(rect, others.len() + 1) {
            // What it began as stands first, and what races below.
            Some(places) if state.is_race() => places.into_iter().enumerate().collect(),
            Some(places) => places.into_iter().rev().enumerate().collect(),
            None => {
                self.turns(ui, state, rect);
                vec![(self.turn.min(others.len()), rect)]
            }
        };
        let mut command = None;
        for (which, place) in &mut shown {
            let variant = if *which == 0 { &state.place.variant } else { &others[*which - 1] };
            Self::caption(ui, state, variant, place);
            match *which {
                0 => command = self.picture(ui, state, timeline, *place, position, lit),
                other => self.beside(ui, state, other - 1, *place, position, events),
            }
        }
        command
    }

    fn picture(
        &mut self,
        ui: &mut Ui,
        state: &State,
        timeline: &Arc<Timeline>,
        rect: Rect,
        position: f32,
        lit: Option<Tag>,
    ) -> Option<Command> {
        let scene = state.shown_scene();
        if scene == SceneKind::Explore {
            return maths(ui, state, rect);
        }
        self.mark(state, timeline);
        let spread = (scene == SceneKind::Waves).then(|| state.spread()).flatten();
        let river = state
            .traced()
            .and_then(|traced| staged::river(traced.pass(state.place.pass())?, state.counted(), state.reach()));
        let roofline = (scene == SceneKind::Roofline).then(|| state.roofline()).flatten();
        let heat = state.traced().and_then(|t| t.heat.as_ref()).filter(|(of, _)| *of == state.place.shown());
        let looked = state.found.looked.as_ref().filter(|_| scene == SceneKind::Contents);
        let content = looked.and_then(|looked| Some((looked, looked.answer.as_ref()?)));
        if let Some((_, Err(problems))) = content {
            let said = problems.first().map_or_else(String::new, |problem| problem.message.clone());
            let mut room = ui.new_child(egui::UiBuilder::new().max_rect(rect));
            super::empty(&mut room, &said);
            return None;
        }
        let launches =
            state.traced().and_then(|traced| traced.pass(state.place.pass())).map_or(1, |pass| pass.launches);
        let when = looked.map(|looked| looked.glance.when(state.place.program(), launches)).unwrap_or_default();
        let contents =
            content.and_then(|(looked, answer)| Some((looked, answer.as_ref().ok()?))).map(|(looked, content)| {
                let limit = buffer::limit(state);
                let shape = self.contents.1.unwrap_or_else(|| content.shape(limit));
                content.shown((&looked.glance.buffer, &when), shape, self.first_element(state, content), limit)
            });
        let rounds = if scene == SceneKind::Rounds { state.rounds() } else { Vec::new() };
        let view = StageView {
            scene,
            timeline,
            heat: heat.map(|(_, heat)| &**heat),
            spread: spread.as_ref(),
            at: opening(state).filter(|step| step.scene == scene).map(|step| step.at),
            river: river.as_ref(),
            ring: state.place.kernel().and_then(|kernel| kernel.cuda_only()?.ring.as_ref()),
            roofline: roofline.as_ref(),
            contents: contents.as_ref(),
            rounds: &rounds,
            workgroup: state.place.workgroup,
            warp: self.warp,
            position,
            hovered: self.hovered.or(lit),
            marked: &self.marks.2,
            motion: !state.saved.still,
            size: [rect.width(), rect.height()],
        };
        let frame = self.painter.frame(&view);
        paint::frame(&ui.painter_at(rect), theme::of(ui), rect.min, &frame);
        let response = ui.interact(rect, ui.scope_id().with("picture"), Sense::click());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, &frame.alt));
        self.hovered = response.hover_pos().and_then(|p| frame.tag_at([p.x - rect.min.x, p.y - rect.min.y]));
        if let Some(contents) = &contents
            && response.hovered()
        {
            let row = contents.row(view.size);
            let rows = ui.input(|i| (i.smooth_scroll_delta().y / -22.0).round());
            self.contents.0 = Some(scrolled(contents.from, rows, row, contents.tensor.len()));
        }
        let (tag, event) = (self.hovered?, self.event(timeline, state.place.workgroup));
        let element = match (scene, tag) {
            (SceneKind::Warp, _) => event.and_then(|event| written(timeline, event, tag)),
            (SceneKind::Contents, Tag::Word { index, .. }) => contents
                .as_ref()
                .filter(|contents| buffer::is_written(state, contents.buffer))
                .map(|c| (c.buffer.to_owned(), index)),
            _ => None,
        };
        if element.is_some() {
            ui.ctx().set_cursor_icon(egui::CursorIcon::PointingHand);
        }
        if self.note.as_ref().is_none_or(|(of, at, _)| (*of, *at) != (tag, event)) {
            let mut note = self.painter.told(&view, event, tag).unwrap_or_default();
            if element.is_some() {
                note.push_str("\nClick: where it came from.");
            }
            self.note = Some((tag, event, note.trim().to_owned()));
        }
        let clicked = response.clicked();
        if let Some((_, _, note)) = self.note.as_ref().filter(|(_, _, note)| !note.is_empty()) {
            response.on_hover_text_at_pointer(note);
        }
        element.filter(|_| clicked).map(|(buffer, index)| Command::Explain(buffer, index))
    }

    fn scrub(&mut self, ui: &mut Ui, state: &State, timeline: &Timeline, rect: Rect, lit: Option<Tag>) {
        let view = StripView {
            timeline,
            workgroup: state.place.workgroup,
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
    fn keys(&mut self, ui: &Ui, events: usize, stops: &[usize]) {
        let pressed = |key| keys::alone(ui, key);
        if pressed(egui::Key::Space) {
            self.player.toggle(events);
        }
        if pressed(egui::Key::OpenBracket) {
            self.player.back();
        }
        if pressed(egui::Key::CloseBracket) {
            self.player.forward(events);
        }
        if pressed(egui::Key::OpenCurlyBracket) {
            self.player.previous(stops, events);
        }
        if pressed(egui::Key::CloseCurlyBracket) {
            self.player.next(stops, events);
        }
    }
}

/// The step on the screen, while its program is on the stage, or the learner's solution of its exercise: then it says how the stage opens.
fn opening(state: &State) -> Option<&Step> {
    let (place, step) = (&state.place, state.place.step()?);
    let own = state.step_on_stage().is_some();
    let solved = || state.exercise_of(&place.variant.program);
    (own || solved().is_some_and(|id| step.exercises().any(|exercise| exercise == id))).then_some(step)
}

/// The widest that an explorer is drawn.
const MATHS: f32 = 960.0;

/// The explorer of the step, as large as there is room.
fn maths(ui: &mut Ui, state: &State, rect: Rect) -> Option<Command> {
    let name = state.place.step()?.explorer()?;
    // A wide picture is a tall one, too: it grows with the room below.
    let width = (rect.width() - 32.0).min(MATHS).min((rect.height() * 1.4).max(620.0));
    let room = Rect::from_center_size(rect.center(), vec2(width, rect.height()));
    let mut ui = ui.new_child(egui::UiBuilder::new().id_salt("maths").max_rect(room));
    ui.set_clip_rect(rect.intersect(ui.clip_rect()));
    // How tall it is, is known once it was drawn. It then stays where it is: a bar must not move away from the hand that turns it.
    let id = egui::Id::unique(("maths", name, rect.height() as u32, width as u32));
    let tall = ui.data(|d| d.get_temp::<f32>(id));
    let scroll = egui::ScrollArea::vertical().id_salt(("maths", name)).auto_shrink(false);
    // That there is more below is seen.
    let bar = if tall.is_some_and(|tall| tall > rect.height()) {
        egui::scroll_area::ScrollBarVisibility::AlwaysVisible
    } else {
        egui::scroll_area::ScrollBarVisibility::VisibleWhenNeeded
    };
    let moved = scroll.scroll_bar_visibility(bar).show(&mut ui, |ui| {
        ui.add_space(((rect.height() - tall.unwrap_or(rect.height())) / 2.0).max(8.0));
        let top = ui.cursor().top();
        let moved = explore::show(ui, state, name);
        if tall.is_none() {
            let tall = ui.min_rect().bottom() - top;
            ui.data_mut(|d| d.insert_temp(id, tall));
            ui.ctx().request_repaint();
        }
        moved
    });
    moved.inner.map(Ask::command)
}

/// The first element to show after the pointer turned its wheel by some rows.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole rows, not negative")]
fn scrolled(from: usize, rows: f32, row: usize, len: usize) -> usize {
    let by = rows.abs() as usize * row;
    let to = if rows < 0.0 { from.saturating_sub(by) } else { from + by };
    to.min(len.saturating_sub(row)) / row.max(1) * row.max(1)
}

/// The element that a lane or a word of an event stands for, where the event writes to a buffer.
fn written(timeline: &Timeline, event: usize, tag: Tag) -> Option<(String, u64)> {
    let event = timeline.events.get(event)?;
    let EventKind::Access { access: AccessKind::Store | AccessKind::Atomic, buffer, .. } = event.kind else {
        return None;
    };
    let named = timeline.buffers.get(usize::from(buffer)).filter(|b| b.space == Space::Global)?;
    let byte = match tag {
        Tag::Word { buffer: of, index } if of == buffer => index * 4,
        Tag::Lane(lane) if event.mask >> lane & 1 == 1 => {
            let before = (event.mask & ((1 << lane) - 1)).count_ones() as usize;
            u64::from(*timeline.addresses(event).get(before)?)
        }
        _ => return None,
    };
    Some((named.of.clone(), byte / named.elem.bytes()))
}

/// What of an origin happened in a workgroup of a launch.
fn ringed(origin: &Origin, here: (&str, u64, u64), timeline: &Timeline, marks: &mut Vec<Mark>) {
    let writer = origin.element.writer.as_ref().map(|writer| writer.workgroup);
    let is_here = |by: &Writing| (by.pass.as_str(), by.launch, writer.unwrap_or(u64::MAX)) == here;
    if origin.by.as_ref().is_some_and(is_here) {
        marks.extend(mark::of(timeline, &origin.element));
    }
    origin.from.iter().for_each(|from| ringed(from, here, timeline, marks));
}
