//! The pictures on the stage, and what the pointer is on there.

use egui::{Rect, Sense, Ui};

use super::super::{paint, theme};
use super::{Drawn, Stage, buffer, explorer, reads, scrolled, side};
use crate::figures::frame::Tag;
use crate::figures::{self, Clock, Kept, View, ask, svg, titled};
use crate::session::desk::Command;

impl Stage {
    /// The picture of the program on the bench, and those of what is beside it.
    pub(super) fn pictures(&mut self, ui: &mut Ui, drawn: &Drawn<'_>, rect: Rect) -> Option<Command> {
        let state = drawn.state;
        let others = state.place.bench.beside.as_slice();
        if others.is_empty() && state.is_broken() {
            let mut room = rect;
            Self::caption(ui, state, &state.place.bench.variant, &mut room);
            return self.picture(ui, drawn, room);
        }
        if others.is_empty() || drawn.figure.card().clock != Clock::Events {
            return self.picture(ui, drawn, rect);
        }
        let mut rect = rect;
        if state.is_race() {
            #[expect(clippy::cast_precision_loss, reason = "a timeline has at most a few hundred thousand events")]
            let share = drawn.position / drawn.events.max(1) as f32;
            Self::track(ui, state, share, &mut rect);
        }
        let mut shown: Vec<(usize, Rect)> = match side::places(rect, others.len() + 1) {
            // The original is first, and in a race the other kernels are below.
            Some(places) if state.is_race() => places.into_iter().enumerate().collect(),
            Some(places) => places.into_iter().rev().enumerate().collect(),
            None => {
                self.turns(ui, state, rect);
                vec![(self.turn.min(others.len()), rect)]
            }
        };
        let mut command = None;
        for (which, place) in &mut shown {
            let variant = if *which == 0 { &state.place.bench.variant } else { &others[*which - 1] };
            Self::caption(ui, state, variant, place);
            match *which {
                0 => command = self.picture(ui, drawn, *place),
                other => self.beside(ui, drawn, other - 1, *place),
            }
        }
        command
    }

    /// How a figure is seen in a picture of this size.
    pub(super) fn view<'a>(&'a self, drawn: &Drawn<'a>, size: egui::Vec2) -> View<'a> {
        View {
            reading: self.reading,
            warp: self.warp,
            position: drawn.position,
            hovered: self.hovered.or(drawn.lit),
            marked: &self.marks.2,
            motion: !drawn.state.saved.still,
            size: [size.x, size.y],
            ..drawn.state.view(drawn.picture, drawn.results)
        }
    }

    fn picture(&mut self, ui: &mut Ui, drawn: &Drawn<'_>, rect: Rect) -> Option<Command> {
        let Drawn { state, figure, .. } = *drawn;
        if figure.card().clock == Clock::Hand {
            return explorer::show(ui, state, drawn.picture, rect);
        }
        if let Ok(accesses) = drawn.results.ask(ask::Accesses) {
            self.mark(state, &accesses.timeline);
        }
        let mut kept = std::mem::take(&mut self.kept);
        let view = self.view(drawn, rect.size());
        let frame = titled::draw(figure, &view, &mut kept);
        paint::frame(&ui.painter_at(rect), theme::of(ui), rect.min, &frame);
        let response = ui.interact(rect, ui.scope_id().with("picture"), Sense::click());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, &frame.alt));
        response.context_menu(|ui| {
            if ui.button("Copy this picture as SVG").clicked() {
                ui.ctx().copy_text(svg::svg(&frame, theme::of(ui)));
                ui.close();
            }
        });
        let row = figures::row(&view).filter(|_| reads(figure) && response.hovered());
        let first = self.first_element(figure, &view);
        self.hovered = response.hover_pos().and_then(|p| frame.tag_at([p.x - rect.min.x, p.y - rect.min.y]));
        if let (Some(row), Some((first, elements))) = (row, first) {
            let rows = ui.input(|i| (i.smooth_scroll_delta().y / -22.0).round());
            self.reading.from = Some(scrolled(first, rows, row, elements));
        }
        let command = self.hovered.and_then(|tag| self.point(ui, drawn, tag, &kept, response));
        self.kept = kept;
        command
    }

    /// Says what the pointer is on, and asks where it came from if it is clicked.
    fn point(
        &mut self,
        ui: &Ui,
        drawn: &Drawn<'_>,
        tag: Tag,
        kept: &Kept,
        response: egui::Response,
    ) -> Option<Command> {
        let Drawn { state, figure, .. } = *drawn;
        let view = self.view(drawn, response.rect.size());
        let event = view.timeline().ok().and_then(|timeline| self.event(timeline, state.place.stage.workgroup));
        let element =
            titled::element(figure, &view, event, tag).filter(|(buffer, _)| buffer::is_written(state, buffer));
        if element.is_some() {
            ui.ctx().set_cursor_icon(egui::CursorIcon::PointingHand);
        }
        let now = (tag, event, drawn.position.to_bits());
        if self.note.as_ref().is_none_or(|(of, _)| *of != now) {
            let mut note = titled::tip(figure, &view, kept, event, tag).unwrap_or_default();
            if element.is_some() {
                note.push_str("\nClick: where it came from.");
            }
            self.note = Some((now, note.trim().to_owned()));
        }
        let clicked = response.clicked();
        if let Some((_, note)) = self.note.as_ref().filter(|(_, note)| !note.is_empty()) {
            response.on_hover_text_at_pointer(note);
        }
        element.filter(|_| clicked).map(|(buffer, index)| Command::Explain(buffer, index))
    }
}
