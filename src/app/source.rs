//! The source of the kernel on the bench: the executing line lit, and each line's share of the work in the gutter.

use std::borrow::Cow;

use egui::text::{LayoutJob, TextFormat};
use egui::{Color32, ScrollArea, Sense, Ui, pos2, vec2};

use super::choice;
use super::editor::{self, Editor};
use super::found;
use super::highlight::{self, Kind};
use super::languages::{self, Text, python, twin};
use super::lit::{GUTTER, LINE, Lit, follow, gutter};
use super::machine;
use super::my_kernel;
use super::parts::{self, Below};
use super::theme;
use crate::base;
use crate::base::diag::Diagnostic;
use crate::base::parts::Part;
use crate::figures::frame::Tag;
use crate::figures::palette::{Hue, Ink, Theme};
use crate::job::Language;
use crate::lesson::{Kernel, Program};
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::learn::edits::Edit;
use crate::session::run::ptx;

/// A pane wider than this, in points, has the choice of the kernel and of its language in one row, with so much room
/// for the latter.
const ONE_ROW: f32 = 760.0;
const OTHERS: f32 = 540.0;
/// The room for the button that runs the experiment.
const RUN: f32 = 152.0;
/// The width of the name of a version, at least and at most, and the room for the buttons beside it.
const NAME: [f32; 2] = [112.0, 160.0];
const BESIDE_NAME: f32 = 190.0;

/// Actions of the learner in the pane.
#[derive(Default)]
pub struct Happened {
    /// The line under the pointer.
    pub hovered: Option<u32>,
    /// Commands to carry out.
    pub commands: Vec<Command>,
}

/// The pane: the programs of the lesson, the kernels for the place on the stage, what this rung changes, and the
/// source.
#[derive(Default)]
pub struct Code {
    editor: Editor,
    /// The button that was clicked once, of those that ask once more.
    asked: Option<&'static str>,
}

impl Code {
    pub fn show(&mut self, ui: &mut Ui, state: &State, lit: &Lit) -> Happened {
        let mut happened = Happened::default();
        let (Some(lesson), Some(program)) = (&state.place.lesson, state.place.program()) else {
            crate::app::empty::show(ui, "A kernel's source appears here.");
            return happened;
        };
        let kernel = state.place.kernel();
        let edit = state.edited();
        let pass = program.pass(&state.place.stage.pass).and_then(|pass| pass.launch());
        let rungs = pass.map_or(&[][..], |launch| &launch.rungs);
        let one_row = edit.is_none() && rungs.len() < 2 && ui.available_width() > ONE_ROW;
        let mut chosen = edit.as_ref().map_or(Text::Python, |edit| Text::Source(edit.language));
        ui.horizontal(|ui| {
            let beside = if state.is_plotted() { 0.0 } else { RUN };
            let (others, share) =
                if one_row { (OTHERS, 1.0) } else { (beside, if rungs.len() > 1 { 0.5 } else { 1.0 }) };
            let gaps = if rungs.len() > 1 { ui.spacing().item_spacing.x } else { 0.0 };
            let width = ((ui.available_width() - others - gaps) * share).clamp(80.0, 260.0);
            let title = edit.as_ref().map_or(&program.title, |edit| &edit.name);
            happened.commands.extend(choice::programs(ui, state, lesson, title, width));
            if let Some(kernel) = kernel.filter(|_| rungs.len() > 1) {
                happened.commands.extend(choice::rungs(ui, state, kernel, rungs, width));
            }
            if let Some(kernel) = kernel.filter(|_| one_row) {
                let (text, command) = languages::switch(ui, state, kernel);
                chosen = text;
                happened.commands.extend(command);
            }
            if !state.is_plotted() {
                happened.commands.extend(super::plot::run_named(ui, state));
            }
            // The file's name has the room that is left.
            if let Some(kernel) = kernel.filter(|_| one_row) {
                happened.commands.extend(languages::origin_and_file(ui, state, (program, kernel), chosen));
            }
        });
        let Some(kernel) = kernel else {
            crate::app::empty::show(ui, "This pass has no kernel: the driver copies or fills the buffer.");
            return happened;
        };
        match &edit {
            Some(edit) => happened.commands.extend(self.version(ui, state, (program, kernel), edit)),
            None if one_row => {}
            None => {
                ui.horizontal(|ui| {
                    let (text, command) = languages::switch(ui, state, kernel);
                    chosen = text;
                    happened.commands.extend(command);
                    happened.commands.extend(languages::origin_and_file(ui, state, (program, kernel), chosen));
                });
            }
        }
        let text = chosen;
        let is_traced = text == Text::Source(state.traced_language());
        // The first problem of a version is in the row above.
        let problems = if edit.is_some() {
            state.edit_problems().into_iter().skip(1).collect()
        } else {
            findings(state, is_traced)
        };
        if state.library.is_own(lesson) {
            happened.commands.extend(my_kernel::actions(ui, &lesson.id, false));
        }
        found::show(ui, &problems, &state.remarks());
        let began = edit.as_ref().map_or(state.place.bench.variant.program.as_str(), |edit| edit.of.program.as_str());
        if let (Text::Sass, Some(Ok(found))) = (text, state.machine())
            && let Ok(code) = &found.code
        {
            machine::summary(ui, code);
        }
        // Not animated: a line that is in sight only on the way elsewhere would not be followed.
        let salt = ("source", began.to_owned(), state.place.stage.pass.clone(), text);
        let area = ScrollArea::both().id_salt(salt).auto_shrink(false).animated(false);
        area.show(ui, |ui| match text {
            Text::Source(language) => {
                let told = self.kernel(ui, state, kernel, (language, edit.as_ref()), lit);
                let is_traced = language == state.traced_language();
                happened.hovered = told.hovered.filter(|_| is_traced);
                happened.commands.extend(told.typed.map(|text| Command::TypeKernel(language, text)));
            }
            Text::Python => python_text(ui, python(state)),
            Text::Ptx => {
                if let Some(found) = machine::ready(ui, state.machine()) {
                    lines(ui, &ptx::with_source(&found.ptx, twin(kernel)), &[]);
                }
            }
            Text::Sass => match machine::ready(ui, state.machine()).map(|found| &found.code) {
                Some(Ok((_, instructions))) => {
                    let is_traced = state.traced_language() == Language::Cuda;
                    let lit = if is_traced { lit } else { &Lit::default() };
                    happened.hovered = machine::listing(ui, instructions, twin(kernel), lit).filter(|_| is_traced);
                }
                Some(Err(why)) => machine::failed(ui, why),
                None => {}
            },
        });
        happened
    }

    /// The kernel in one language: its WGSL as it runs at the parameters, unless what is in the editor does not
    /// compile.
    fn kernel(
        &mut self,
        ui: &mut Ui,
        state: &State,
        kernel: &Kernel,
        (language, edit): (Language, Option<&Edit>),
        lit: &Lit,
    ) -> editor::Happened {
        let source = kernel.source_in(language).map_or("", |source| source);
        let text = match edit {
            Some(edit) if source != edit.source => Cow::from(edit.source.as_str()),
            _ if language == Language::Cuda => Cow::from(source),
            _ => Cow::from(state.found.compiled.source.as_deref().unwrap_or(source)),
        };
        // Counts are of the language that is traced, and of the last text that compiled.
        let runs = language == state.traced_language() && edit.is_none_or(|edit| source == edit.source);
        let shown = editor::Shown {
            of: edit.map_or(&kernel.id, |edit| &edit.id),
            language,
            text: &text,
            // Counts are of the last text that compiled.
            trace: state.traced().and_then(|t| t.trace(state.place.pass())).filter(|_| runs),
            lit: if runs { lit } else { &Lit::default() },
            open: open(state),
            problems: &if edit.is_some() { state.edit_problems() } else { findings(state, runs) },
        };
        self.editor.show(ui, &shown)
    }

    /// The rows of a version of the learner's: its name and what becomes of it, and what is wrong with it.
    fn version(
        &mut self,
        ui: &mut Ui,
        state: &State,
        (program, kernel): (&Program, &Kernel),
        edit: &Edit,
    ) -> Vec<Command> {
        let mut commands = Vec::new();
        let own = state.exercise_of(&edit.id).is_none();
        ui.horizontal(|ui| {
            if own {
                let mut name = edit.name.clone();
                let width = (ui.available_width() - BESIDE_NAME).clamp(NAME[0], NAME[1]);
                let field = egui::TextEdit::singleline(&mut name).desired_width(width).char_limit(60);
                let field = field.align(egui::Align2::LEFT_CENTER);
                let response = ui.add(field).on_hover_text("The name of your version");
                response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Name of your version"));
                if response.changed() {
                    commands.push(Command::RenameEdit(name));
                }
            }
            ui.add_enabled_ui(!state.is_untouched(&edit.id), |ui| {
                if self.sure(ui, "Start again", "Drop what I wrote?", "Back to the text that it began with") {
                    commands.push(Command::ResetEdit(edit.id.clone()));
                }
            });
            if own && self.sure(ui, "Discard", "Discard it?", "Drops this version") {
                commands.push(Command::DiscardEdit);
            }
            commands.extend(languages::origin_and_file(ui, state, (program, kernel), Text::Source(edit.language)));
        });
        // Always a line, so that the code below does not move while it is typed.
        let typing = state.trials.drafts.get(&edit.id).is_some_and(|draft| draft.is_pending());
        let (text, ink) = match state.edit_problems().into_iter().next() {
            _ if typing => ("…".to_owned(), Ink::Muted),
            // An exercise that nobody began is not wrong yet.
            _ if state.is_untouched(&edit.id) => ("not solved yet".to_owned(), Ink::Muted),
            Some(problem) => (problem.to_string().replace("error: ", ""), Hue::Conflict.ink()),
            None if edit.language == Language::Cuda => {
                let is_compiled = state.found.measured(&edit.id).is_some() || state.found.traced(&edit.id).is_some();
                let said = if is_compiled { "compiles" } else { "compiled when it is traced or measured" };
                (said.to_owned(), Ink::Muted)
            }
            None => ("compiles".to_owned(), Hue::Shared.ink()),
        };
        // A mistake may take two lines; the rest, such as the hint, is in the tooltip.
        let first = text.lines().next().unwrap_or_default();
        ui.add(theme::lines(ui, first, ink, 2)).on_hover_text(text);
        commands
    }

    /// A button that asks once more before the learner's text is gone.
    fn sure(&mut self, ui: &mut Ui, name: &'static str, question: &str, help: &str) -> bool {
        let asked = self.asked == Some(name);
        let clicked = ui.button(if asked { question } else { name }).on_hover_text(help).clicked();
        if clicked {
            self.asked = (!asked).then_some(name);
        }
        clicked && asked
    }
}

/// The findings of a lesson's kernel; empty where the text on the screen is not in the language that is traced.
fn findings(state: &State, is_traced: bool) -> Vec<Diagnostic> {
    if is_traced { state.findings() } else { Vec::new() }
}

/// Parts of the kernel that the step shows open at first.
fn open(state: &State) -> &[String] {
    state.place.step().map_or(&[], |step| &step.open)
}

/// Text to read only: what a compiler made, or another language.
fn lines(ui: &mut Ui, source: &str, open: &[String]) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let nothing = Below { trace: None, lit: &Lit::default(), open };
    for part in base::parts::parts(source) {
        if parts::row(ui, &part, &nothing) {
            piece(ui, &part, source);
        }
    }
}

/// A text in Python, which can be selected and copied.
fn python_text(ui: &mut Ui, text: &str) {
    let theme = theme::of(ui);
    let mut job = LayoutJob::default();
    for line in text.lines() {
        let comment = if line.starts_with('#') { Some(0) } else { line.find(" # ") };
        let (code, comment) = line.split_at(comment.unwrap_or(line.len()));
        append(&mut job, code, Kind::Plain, theme);
        append(&mut job, comment, Kind::Comment, theme);
        append(&mut job, "\n", Kind::Plain, theme);
    }
    ui.add(egui::Label::new(job).extend().selectable(true));
}

/// Shows a part of a source, and begins where its kernel does.
fn piece(ui: &mut Ui, part: &Part<'_>, source: &str) {
    let theme = theme::of(ui);
    for (number, text) in (part.before + 1..).zip(part.text.lines()) {
        let job = colored_line(text, theme);
        let galley = ui.fonts_mut(|f| f.layout_job(job));
        let width = (GUTTER + galley.size().x + 16.0).max(ui.available_width());
        let (rect, response) = ui.allocate_exact_size(vec2(width, LINE), Sense::hover());
        gutter(ui, rect, number, None, 0);
        if text.contains("__global__") {
            follow(ui, rect.translate(vec2(0.0, 2.0 * LINE)), (source.to_owned(), number), egui::Align::Center);
        }
        ui.painter().galley(
            pos2(rect.min.x + GUTTER, rect.center().y - galley.size().y / 2.0),
            galley,
            Color32::PLACEHOLDER,
        );
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("line {number}: {text}")));
    }
}

/// A whole source, coloured.
#[must_use]
pub fn colored(source: &str, theme: Theme) -> LayoutJob {
    let mut job = LayoutJob::default();
    for (index, line) in source.split('\n').enumerate() {
        if index > 0 {
            append(&mut job, "\n", Kind::Plain, theme);
        }
        for (kind, piece) in highlight::pieces(line) {
            append(&mut job, piece, kind, theme);
        }
    }
    job
}

fn colored_line(line: &str, theme: Theme) -> LayoutJob {
    let mut job = LayoutJob::default();
    for (kind, piece) in highlight::pieces(line) {
        append(&mut job, piece, kind, theme);
    }
    job
}

fn append(job: &mut LayoutJob, text: &str, kind: Kind, theme: Theme) {
    let ink = match kind {
        Kind::Plain => Ink::Text,
        Kind::Keyword => Ink::Accent,
        Kind::Type => Hue::Shared.ink(),
        Kind::Attribute => Ink::Atomic,
        Kind::Number => Ink::Store,
        Kind::Comment => Ink::Muted,
    };
    let format = TextFormat {
        // The numbers beside the lines are set at this distance, too.
        line_height: Some(LINE),
        valign: egui::Align::Center,
        ..TextFormat::simple(theme::mono(theme::CODE), theme::color(theme, ink))
    };
    job.append(text, 0.0, format);
}

/// The source line that a tag of the stage's picture is about.
#[must_use]
pub fn line_of(tag: Tag, state: &State, executing: Option<u32>) -> Option<u32> {
    match tag {
        Tag::SourceLine(line) => Some(line),
        Tag::Event(index) => {
            let timeline = state.timeline()?;
            timeline.events.get(index).map(|e| e.line)
        }
        Tag::Lane(_) | Tag::Sector { .. } | Tag::Word { .. } | Tag::Bank(_) => executing,
        Tag::Warp(_) | Tag::Cell { .. } | Tag::Sm(_) | Tag::Wave(_) | Tag::Spot(_) | Tag::Pass(_) | Tag::Edge(_) => {
            None
        }
    }
}
