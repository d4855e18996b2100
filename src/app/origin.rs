//! Where an element came from: who wrote it, and from which loads, each a way to its place on the stage.

use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Label, Layout, Rect, RichText, ScrollArea, Sense, Ui};

use super::theme;
use crate::base::units::count;
use crate::figures::palette::{Hue, Ink};
use crate::session::desk::Command;
use crate::session::desk::place::Element;
use crate::session::desk::state::State;
use crate::session::run::explain::{ROLES, rounds, told_pass, told_rest, told_runs};
use crate::trace::provenance::{Load, Origin, Role, Writer, groups};
use crate::trace::{AccessKind, EventKind, Piece, Provenance, Timeline};

/// Loads that are listed one by one; of more, each line of the source has one entry.
const FEW: usize = 6;

/// A place in the events of a workgroup of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seek {
    /// The pass's id, and which launch of it.
    pub pass: (String, u64),
    /// Linear index of the workgroup.
    pub workgroup: u64,
    /// Warp within it.
    pub warp: u32,
    lane: u32,
    line: u32,
    buffer: String,
    byte: u64,
    kind: AccessKind,
}

impl Seek {
    /// The write of an explained element; None if no lane wrote it.
    #[must_use]
    pub fn write(origin: &Origin) -> Option<Self> {
        let Provenance { buffer, byte, writer, .. } = &origin.element;
        let Writer { workgroup, warp, lane, line, kind, .. } = *writer.as_ref()?;
        let by = origin.by.as_ref()?;
        let pass = (by.pass.clone(), by.launch);
        Some(Self { pass, workgroup, warp, lane, line, buffer: buffer.clone(), byte: *byte, kind })
    }

    fn load(&self, load: &Load) -> Self {
        let Load { warp, lane, line, byte, .. } = *load;
        Self { warp, lane, line, byte, buffer: load.buffer.clone(), kind: AccessKind::Load, ..self.clone() }
    }

    /// The last such event of a timeline, as its place among the warp's.
    #[must_use]
    pub fn find(&self, timeline: &Timeline) -> Option<usize> {
        let workgroup = u32::try_from(self.workgroup).ok()?;
        let buffer = timeline.buffers.iter().position(|b| b.of == self.buffer)?;
        let piece = Piece::Word { buffer: u16::try_from(buffer).ok()?, index: self.byte / 4 };
        let events: Vec<usize> = timeline.of_warp(workgroup, self.warp).collect();
        events.iter().rposition(|i| {
            let event = &timeline.events[*i];
            event.line == self.line
                && matches!(event.kind, EventKind::Access { access, .. } if access == self.kind || access == AccessKind::Atomic)
                && timeline.lanes_touching(event, piece) >> self.lane & 1 == 1
        })
    }
}

/// Actions of the learner in the pane.
#[derive(Default)]
pub struct Happened {
    /// The source line of what the pointer is on.
    pub hovered: Option<u32>,
    /// Where the stage is to go.
    pub seek: Option<Seek>,
    /// Commands to carry out.
    pub commands: Vec<Command>,
}

pub fn show(ui: &mut Ui, state: &State, origin: &Element) -> Happened {
    let mut happened = Happened::default();
    ui.spacing_mut().item_spacing.y = 4.0;
    header(ui, origin, &mut happened.commands);
    let scroll = ScrollArea::vertical().id_salt("origin").auto_shrink(false);
    scroll.show(ui, |ui| match state.origin() {
        None => said(ui, "Looking for its last writer…", Ink::Muted),
        Some(Err(problems)) => {
            for problem in problems {
                said(ui, &problem.message, Hue::Store.ink());
                if let Some(hint) = &problem.hint {
                    said(ui, hint, Ink::Muted);
                }
            }
        }
        Some(Ok(found)) => answer(ui, state, found, 0, &mut happened),
    });
    happened
}

/// The element, which can be changed in place, and the way back.
fn header(ui: &mut Ui, origin: &Element, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.label(RichText::new("Origin of").font(theme::medium(theme::UI)));
        ui.label(RichText::new(format!("{}[", origin.buffer)).font(theme::mono(theme::UI)));
        let mut index = origin.index;
        let response = ui.add(egui::DragValue::new(&mut index).speed(0.2));
        response.widget_info(|| {
            #[expect(clippy::cast_precision_loss, reason = "for a screen reader")]
            egui::WidgetInfo::slider(true, origin.index as f64, "Element whose origin is shown")
        });
        if response
            .on_hover_text("Which element of the buffer, from 0: of 32 bits each, or of 16 where it begins with an f16")
            .changed()
        {
            commands.push(Command::Explain(origin.buffer.clone(), index));
        }
        ui.label(RichText::new("]").font(theme::mono(theme::UI)));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let response = ui.small_button("×").on_hover_text("Back to the plot (Esc)");
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, "Close the origin"));
            if response.clicked() {
                commands.push(Command::CloseOrigin);
            }
        });
    });
}

/// An element, and below it, further in, those that it was made of.
fn answer(ui: &mut Ui, state: &State, found: &Origin, depth: usize, happened: &mut Happened) {
    let element = &found.element;
    let name = if depth == 0 { String::new() } else { format!("{}[{}] ", element.buffer, element.index) };
    let value = RichText::new(format!("{name}= {}", element.value)).font(theme::mono(theme::UI));
    ui.add(Label::new(value).wrap());
    if let Some(by) = found.by.as_ref().filter(|_| state.place.program().is_some_and(|program| !program.alone)) {
        said(ui, &format!("in the pass {}", told_pass(by)), Ink::Text);
    }
    match (&element.writer, Seek::write(found)) {
        (Some(writer), Some(seek)) => written(ui, writer, &seek, happened),
        _ if found.by.is_none() => said(ui, "No lane wrote it: it holds its value from before the run.", Ink::Text),
        _ => {}
    }
    if found.not_followed > 0 {
        said(ui, &format!("{} more elements are not followed further", count(found.not_followed)), Ink::Muted);
    }
    for from in &found.from {
        ui.add_space(4.0);
        // Deeper down the steps are small: a chain through many rounds stays in sight.
        let step = if depth < 4 { 12 } else { 0 };
        let margin = egui::Margin { left: step, ..egui::Margin::ZERO };
        egui::Frame::new().inner_margin(margin).show(ui, |ui| answer(ui, state, from, depth + 1, happened));
    }
    if depth == 0 {
        ui.add_space(4.0);
        said(ui, "Rings on the stage mark what is named here.", Ink::Muted);
    }
}

/// Who wrote an element, and from which loads.
fn written(ui: &mut Ui, writer: &Writer, seek: &Seek, happened: &mut Happened) {
    let atomic = writer.kind == AccessKind::Atomic;
    let store = Told {
        ink: if atomic { Ink::Atomic } else { Ink::Store },
        title: format!("{} at line {}", if atomic { "atomic" } else { "store" }, writer.line),
        detail: writer_detail(writer),
        line: writer.line,
    };
    for (role, title) in ROLES {
        let loads: Vec<Load> = writer.loads.iter().filter(|l| l.role == role).cloned().collect();
        if role == Role::Value {
            store.show(ui, seek.clone(), happened);
        }
        listed(ui, title, &loads, (seek, Ink::Load), happened);
    }
    listed(ui, "by way of", &writer.through, (seek, Ink::Shared), happened);
    for text in told_rest(writer) {
        said(ui, &text, Ink::Muted);
    }
}

fn writer_detail(writer: &Writer) -> String {
    let [x, y, z] = writer.workgroup_id;
    let [i, j, k] = writer.local_id;
    let more = match writer.writes {
        1 => String::new(),
        n => format!("; the last of {} writes", count(n)),
    };
    let rounds = rounds(&writer.iterations);
    format!(
        "lane {} of warp {}, local id ({i}, {j}, {k}), workgroup {} ({x}, {y}, {z}){rounds}{more}",
        writer.lane, writer.warp, writer.workgroup
    )
}

fn load_detail(load: &Load) -> String {
    let stored =
        load.stored_by.map(|by| format!("; stored at line {} by lane {} of warp {}", by.line, by.lane, by.warp));
    let (line, lane, warp) = (load.line, load.lane, load.warp);
    format!("line {line}, lane {lane} of warp {warp}{}{}", rounds(&load.iterations), stored.unwrap_or_default())
}

fn listed(ui: &mut Ui, title: &str, loads: &[Load], (write, ink): (&Seek, Ink), happened: &mut Happened) {
    if loads.is_empty() {
        return;
    }
    let number = if loads.len() == 1 { "1 load".to_owned() } else { format!("{} loads", count(loads.len() as u64)) };
    said(ui, &format!("{title} {number}"), Ink::Muted);
    if loads.len() <= FEW {
        for load in loads {
            let title = format!("{}[{}] = {}", load.buffer, load.index, load.value);
            let told = Told { ink, title, detail: load_detail(load), line: load.line };
            told.show(ui, write.load(load), happened);
        }
        return;
    }
    for group in groups(loads) {
        let first = loads.iter().find(|l| l.buffer == group.buffer && l.line == group.line);
        let Some(first) = first else { continue };
        let title = format!("{}[{}]", group.buffer, told_runs(&group.runs));
        let detail = format!("line {}, {} loads", group.line, count(group.loads as u64));
        Told { ink, title, detail, line: group.line }.show(ui, write.load(first), happened);
    }
}

/// An entry: a sign in its colour, what it is, and its circumstances.
struct Told {
    ink: Ink,
    title: String,
    detail: String,
    line: u32,
}

impl Told {
    /// Shows it; a click goes to its event on the stage.
    fn show(&self, ui: &mut Ui, seek: Seek, happened: &mut Happened) {
        let theme = theme::of(ui);
        let mut job = LayoutJob::default();
        let mut add = |text: &str, font, ink| job.append(text, 0.0, TextFormat::simple(font, theme::color(theme, ink)));
        add(&self.title, theme::medium(theme::SMALL), Ink::Text);
        add(&format!("\n{}", self.detail), egui::FontId::proportional(theme::SMALL), Ink::Muted);
        let indent = 18.0;
        job.wrap.max_width = ui.available_width() - indent;
        let galley = ui.fonts_mut(|f| f.layout_job(job));
        let size = egui::vec2(ui.available_width(), galley.size().y + 4.0);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        if response.hovered() || response.has_focus() {
            ui.painter().rect_filled(rect, 3.0, theme::color(theme, Ink::Faint));
            happened.hovered = Some(self.line);
        }
        let sign = Rect::from_min_size(rect.min + egui::vec2(2.0, 5.0), egui::vec2(10.0, 10.0));
        ui.painter().rect_filled(sign, 2.0, theme::color(theme, self.ink));
        ui.painter().galley(rect.min + egui::vec2(indent, 2.0), galley, theme::color(theme, Ink::Text));
        let name = format!("{}, {}", self.title, self.detail);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Link, true, &name));
        let response = response.on_hover_cursor(egui::CursorIcon::PointingHand).on_hover_text("Show it on the stage");
        if response.clicked() {
            happened.seek = Some(seek);
        }
    }
}

fn said(ui: &mut Ui, text: &str, ink: Ink) {
    let color = theme::color(theme::of(ui), ink);
    ui.add(Label::new(RichText::new(text).size(theme::SMALL).color(color)).wrap());
}
