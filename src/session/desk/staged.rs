//! The learner's choices on the stage: launch, workgroup, figure, the element whose origin is asked for.

use super::Desk;
use super::place::Element;
use crate::lesson::{USUAL, Variant};
use crate::session::learn::event_class::EventClass;

impl Desk {
    pub(super) fn show_cover(&mut self, lesson: &str) {
        self.state.covers.ask(lesson);
        self.settle();
    }

    /// Puts a launch of a pass on the stage; `followed` if the clock chose it.
    pub(super) fn show_launch(&mut self, pass: String, launch: u64, followed: bool) {
        let stage = &mut self.state.place.stage;
        (stage.pass, stage.launch, stage.followed) = (pass, launch, followed);
        self.settle();
    }

    /// Puts a launch on the stage that the clock has come to; the learner's own choice stays theirs.
    pub(super) fn follow_launch(&mut self, pass: String, launch: u64) {
        let followed = self.state.step_on_stage().is_some();
        self.show_launch(pass, launch, followed);
    }

    /// Races these with the program on the bench, as far as the lesson has them.
    pub(super) fn set_beside(&mut self, mut variants: Vec<Variant>) {
        let lesson = self.state.place.lesson.as_ref();
        variants.retain(|of| lesson.is_some_and(|lesson| lesson.program(&of.program).is_some()));
        self.state.place.bench.beside = variants;
        self.refresh();
    }

    pub(super) fn show_workgroup(&mut self, index: u32) {
        self.state.place.stage.workgroup = index;
        self.settle();
    }

    /// Puts a version on the bench, and the costliest event of a class on the stage; asked again, the next costliest.
    pub(super) fn show_costliest(&mut self, edit: &str, class: EventClass) {
        if self.state.place.bench.edit.as_deref() != Some(edit) {
            self.show_edit(edit);
        }
        let stage = &mut self.state.place.stage;
        USUAL.clone_into(&mut stage.figure);
        stage.sought = Some((class, stage.sought.map_or(1, |(_, times)| times.wrapping_add(1))));
        self.settle();
    }

    pub(super) fn show_figure(&mut self, figure: String) {
        self.state.place.stage.figure.clone_from(&figure);
        self.keep(|kept| kept.figure = Some(figure));
        self.settle();
    }

    pub(super) fn show_buffer(&mut self, name: String) {
        self.state.place.stage.buffer = Some(name);
        self.settle();
    }

    pub(super) fn explain(&mut self, buffer: String, index: u64) {
        let program = self.state.place.bench.variant.program.clone();
        self.state.place.asked = Some(Element { program, buffer, index });
        self.settle();
    }

    pub(super) fn close_origin(&mut self) {
        self.state.place.asked = None;
        self.settle();
    }

    pub(super) fn show_below_source(&mut self, is_below: bool) {
        self.state.place.is_below_source = is_below;
        self.settle();
    }
}
