//! The switch between a kernel's languages, and what is beside it: where an element came from, and the kernel's file.

use egui::{RichText, Ui};

use super::theme;
use crate::figures::palette::Ink;
use crate::job::Language;
use crate::lesson::{Kernel, Program};
use crate::session::desk::state::State;
use crate::session::desk::{Command, SettingCommand};
use crate::session::run::ladder;
use crate::session::run::output::CompiledOutput;
use crate::trace::record::Compiled;

/// The part of a kernel that the pane shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Text {
    Source(Language),
    /// Its PTX.
    Ptx,
    /// Its machine code.
    Sass,
    /// The step's idea in Python.
    Python,
}

/// The text of its CUDA twin; empty if it has none.
pub fn twin(kernel: &Kernel) -> &str {
    kernel.twin().map_or("", |twin| &twin.source)
}

/// The step's Python; empty if it has none.
pub fn python(state: &State) -> &str {
    state.place.step().and_then(|step| step.python.as_deref()).unwrap_or_default()
}

/// The compiler's output for the kernel on the stage.
pub fn compiled(state: &State) -> Option<&Compiled> {
    let record = state.found.ran(&state.place.bench.variant.program)?;
    record.pass(state.place.pass())?.compiled.as_ref()
}

/// A button that explains an element of the program's result, and the kernel's file, whose tooltip says what this rung
/// changes.
pub fn origin_and_file(
    ui: &mut Ui,
    state: &State,
    (program, kernel): (&Program, &Kernel),
    shown: Text,
) -> Option<Command> {
    let mut command = None;
    let checked = program.checks.first().filter(|_| state.place.is_traceable(&program.id));
    // A click on a word of a store does the same.
    let has_room = ui.available_width() > 80.0;
    if let Some(output) = checked.map(|check| &check.output).filter(|_| has_room) {
        let help = format!(
            "Where an element of {output} came from: who wrote it, and from which loads. So does a click on a word of a store."
        );
        if ui.button("Explain…").on_hover_text(help).clicked() {
            command = Some(Command::Explain(output.clone(), 0));
        }
    }
    // Cut down to a few letters it would say nothing, and beside a page's Python it would name another text.
    if ui.available_width() > 88.0 && shown != Text::Python {
        let of_twin = kernel.twin().filter(|_| shown != Text::Source(Language::Wgsl));
        let file = of_twin.map_or(kernel.file(), |twin| &twin.file);
        let file = file.strip_prefix("shaders/").unwrap_or(file);
        let text = RichText::new(file).size(theme::SMALL).color(theme::color(theme::of(ui), Ink::Muted));
        ui.add(egui::Label::new(text).truncate()).on_hover_text(change(state, kernel));
    }
    command
}

/// The switch between a kernel's languages, where it has several, and its choice. PTX and machine code are there of a twin.
/// The language that is read is the one that is traced: the commands change it.
pub fn switch(ui: &mut Ui, state: &State, kernel: &Kernel) -> (Text, Vec<Command>) {
    const WGSL: Text = Text::Source(Language::Wgsl);
    const CUDA: Text = Text::Source(Language::Cuda);
    // A lesson for readers of Python has a choice of its own.
    let python_first = state.is_python_first();
    let id = egui::Id::unique(("source language", python_first));
    let first = if python_first { Text::Python } else { WGSL };
    let mut chosen = ui.data(|d| d.get_temp(id)).unwrap_or(first);
    let traced = state.place.options.language;
    if let Text::Source(_) = chosen {
        chosen = Text::Source(traced);
    }
    let (twin, python) = (kernel.twin().is_some(), !python(state).is_empty());
    if !twin && !python {
        return (WGSL, Vec::new());
    }
    let only = kernel.cuda_only().is_some();
    let shown = |chosen: Text| match chosen {
        Text::Python if !python => {
            if only {
                CUDA
            } else {
                WGSL
            }
        }
        Text::Ptx | Text::Sass if !twin => WGSL,
        CUDA if !twin => WGSL,
        WGSL if only => CUDA,
        chosen => chosen,
    };
    if !only {
        ui.selectable_value(&mut chosen, WGSL, "WGSL");
    }
    if twin && ui.selectable_label(shown(chosen) == CUDA, name(kernel)).clicked() {
        chosen = CUDA;
    }
    if twin {
        let words = compiled(state).map(|compiled| CompiledOutput::from(compiled).words());
        let words = words.unwrap_or_else(|| "What the compiler makes of the CUDA C++: what is traced".to_owned());
        ui.selectable_value(&mut chosen, Text::Ptx, "PTX").on_hover_text(words);
        let words = "What the GPU executes: the machine code that ptxas makes of the PTX";
        ui.selectable_value(&mut chosen, Text::Sass, "SASS").on_hover_text(words);
    }
    if python {
        ui.selectable_value(&mut chosen, Text::Python, "Python").on_hover_text("The idea of this page in Python");
    }
    ui.data_mut(|d| d.insert_temp(id, chosen));
    let is_below = matches!(shown(chosen), Text::Ptx | Text::Sass);
    let below = (is_below != state.place.is_below_source).then_some(Command::ShowBelowSource(is_below));
    let other = match chosen {
        // The tracer runs PTX.
        Text::Ptx | Text::Sass if twin && traced != Language::Cuda => {
            Some(Command::Set(SettingCommand::Language(Language::Cuda)))
        }
        Text::Source(language) if language != traced => Some(Command::Set(SettingCommand::Language(language))),
        _ => None,
    };
    (shown(chosen), below.into_iter().chain(other).collect())
}

/// The name of the language that is not WGSL.
fn name(kernel: &Kernel) -> &'static str {
    match kernel.file().rsplit('.').next() {
        Some("py") => "Triton",
        Some("ptx") => "PTX",
        _ => "CUDA",
    }
}

/// The change that this rung makes, and its time compared with the rung before it, if both were measured.
fn change(state: &State, kernel: &Kernel) -> String {
    let verdict = state.place.lesson.as_ref().and_then(|lesson| {
        let before = ladder::before(lesson, kernel)?;
        let measured = |id: &str| state.found.ran(id);
        Some(ladder::compare(measured(&kernel.id)?, measured(&before.id)?)?.words(&before.title))
    });
    match verdict {
        Some(verdict) => format!("{} Measured: {verdict}.", kernel.change),
        None => kernel.change.clone(),
    }
}
