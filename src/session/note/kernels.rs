//! The learner's kernels in a note, and the results at the settings that the learner chose: each beside what it differs
//! from.

use std::sync::Arc;

use super::mine::heading;
use super::{Builder, command, source};
use crate::base::units::{counted, digits3, figure, number, si};
use crate::figures::{Machine, Traced, ask};
use crate::job::Language;
use crate::lesson::{Block, Inline, Lesson, Step, Variant};
use crate::machine::by_pipe;
use crate::notes::NoteBlock;
use crate::session::ask::{At, Store};
use crate::session::jobs;
use crate::session::jobs::cost;
use crate::session::jobs::setting::Setting;
use crate::session::learn::edits::{self, Edit};
use crate::session::run::compare::{self, Figure, Side};
use crate::session::show::source::prepare;
use crate::session::show::stage::Stage;
use crate::trace::record::{Backend, Record};
use crate::trace::{Finding, Trace};

impl Builder<'_> {
    /// The learner's versions of kernels.
    pub(super) fn kernels(&mut self) -> Vec<NoteBlock> {
        let input = self.input;
        let lesson = Arc::new(edits::with(&input.setting.plain, &input.kept.edits));
        input.kept.edits.iter().flat_map(|edit| self.kernel(&lesson, edit).unwrap_or_default()).collect()
    }

    /// A version: its changes, what they did to its counts and times, and its picture. None if the lesson no longer has
    /// the kernel.
    fn kernel(&mut self, lesson: &Arc<Lesson>, edit: &Edit) -> Option<Vec<NoteBlock>> {
        let place = lesson.program(&edit.of.program)?.place_of(&edit.pass)?;
        let original = (*lesson.launched(&edit.of).get(place)?)?;
        let before = original.source_in(edit.language)?;
        let mut blocks = vec![heading(&edit.name)];
        let change = source::diff((original.file(), before), (&edit.name, &edit.source));
        if change.is_none() {
            blocks.push(sentence(&format!("The same text as {}.", original.file())));
        }
        blocks.extend(change);
        let step = self.input.setting.lesson.steps.iter().find(|step| self.is_open(step) && shows(step, edit));
        let step = step.or_else(|| lesson.steps.iter().find(|step| shows(step, edit)));
        let params = step.map_or_else(|| self.input.setting.params.clone(), |step| self.input.params(step));
        let language = edit.language;
        let setting = Arc::new(Setting { lesson: lesson.clone(), params, language, ..self.input.setting.clone() });
        let ats = [&edit.of, &edit.variant()].map(|variant| At::traced(&setting, variant));
        // Counts are of the lines of the language that is traced. A note has no compiler of CUDA C++: it has what the window traced.
        if ats.iter().all(|at| at.language() == language) {
            let [of, mine] = ats.each_ref().map(|at| self.counted(at));
            blocks.extend(mine.as_ref().err().filter(|_| language == Language::Wgsl).map(|why| sentence(why)));
            let wrong = mine.as_ref().ok().and_then(|traced| traced.wrong.as_ref());
            blocks.extend(wrong.map(|wrong| sentence(&format!("Its result is wrong: {}.", wrong.message))));
            let at = command::at(&setting, &edit.of);
            let caption = format!("{} and {}, over the whole grid{at}.", original.title, edit.name);
            let timed = [&edit.of, &edit.variant()].map(|variant| self.timed(&setting, variant));
            let [of, mine] = [of.ok(), mine.ok()];
            let found = findings(place, [of.as_deref(), mine.as_deref()]);
            let sides = [(before.as_ref(), of, timed[0].clone()), (&edit.source, mine, timed[1].clone())];
            blocks.extend(compared(&edit.id, caption, ["before", "mine"], place, &sides));
            blocks.extend(found);
            let of_step = step.map(|step| Step { variant: edit.variant(), ..step.clone() });
            let picture = of_step.as_ref().and_then(|step| self.picture(step, &ats[1], &edit.id, Some(&edit.source)));
            blocks.extend(picture);
        }
        blocks.push(source::whole(&format!("{}, whole", edit.name), original.file(), &edit.source));
        Some(blocks)
    }

    /// The steps whose parameters the learner moved, before and after.
    pub(super) fn chosen(&mut self) -> Vec<NoteBlock> {
        let lesson = self.input.setting.lesson.clone();
        let moved = lesson.steps.iter().filter(|step| self.input.kept.moved.contains_key(&step.id));
        moved.flat_map(|step| self.moved(&lesson, step)).collect()
    }

    /// A step at the learner's own parameters, where they are not the page's.
    fn moved(&mut self, lesson: &Lesson, step: &Step) -> Vec<NoteBlock> {
        let page = jobs::begins(lesson, step);
        let mine = &self.input.params(step);
        let differs = lesson.params.iter().filter(|param| mine.get(&param.id) != page.get(&param.id));
        let chosen = differs.map(|param| {
            let [mine, page] =
                [mine, &page].map(|params| params.get(&param.id).map_or(String::new(), |v| figure(*v, "")));
            vec![Block::Paragraph(vec![Inline::Text(format!("{} = {mine}, and {page} in the lesson", param.id))])]
        });
        let chosen: Vec<Vec<Block>> = chosen.collect();
        if chosen.is_empty() {
            return Vec::new();
        }
        let id = format!("my-settings-{}", step.id);
        let mut blocks = vec![heading(&step.title), NoteBlock::Prose(vec![Block::List(None, chosen)])];
        let settings = [&page, mine].map(|params| self.setting(params));
        let ats = settings.each_ref().map(|setting| At::traced(setting, &step.variant));
        let traceable = cost::is_traced(lesson, &step.variant, mine);
        if let Some((place, kernel)) = super::on_stage(lesson, step).filter(|_| traceable) {
            let sides = [0, 1].map(|i| {
                let timed = self.timed(&settings[i], &step.variant);
                (&**kernel.source(), self.counted(&ats[i]).ok(), timed)
            });
            let caption = format!("{}, over the whole grid.", kernel.title);
            blocks.extend(compared(&id, caption, ["in the lesson", "mine"], place, &sides));
        }
        blocks.extend(self.picture(step, &ats[1], &id, None));
        blocks.push(self.command(step, mine, if traceable { Backend::Simt } else { Backend::Cuda }));
        blocks
    }

    fn is_open(&self, step: &Step) -> bool {
        step.id == self.input.kept.step
    }

    /// A step's picture of another program, or at other settings; a page plays it with `source` as its kernel's text.
    fn picture(&mut self, step: &Step, at: &At, id: &str, source: Option<&str>) -> Option<NoteBlock> {
        let stage = Stage::of_step(at, step).filter(Stage::is_traceable)?;
        prepare(stage, &self.own, &self.input.sources());
        let launches = self.counted(at).ok().and_then(|traced| Some(traced.pass(stage.shown.pass)?.launches));
        let stage = stage.within(launches);
        let (figure, still) = self.figure(&self.own, (step, id), &stage, stage.kernel()?)?;
        self.play(&figure, still, step, &stage, source);
        Some(figure)
    }

    /// A program's counts, or why there are none.
    fn counted(&self, at: &At) -> Result<Arc<Traced>, String> {
        match (&self.own as &dyn Store).get(at, ask::Counts) {
            Some(Ok(traced)) => Ok(traced),
            Some(Err(problems)) if !problems.is_empty() => {
                let line = problems[0].place.as_ref().map(|place| format!("line {}: ", place.line));
                Err(format!("It does not run: {}{}.", line.unwrap_or_default(), problems[0].message))
            }
            _ => Err("It was not traced.".to_owned()),
        }
    }

    /// The measurement of a program that is known.
    fn timed(&self, setting: &Arc<Setting>, variant: &Variant) -> Option<Arc<Record>> {
        let at = At::timed(setting, variant, self.input.device.backend);
        (&self.own as &dyn Store).find(&at, ask::Time).filter(|record| record.trusted())
    }
}

/// Whether a step's stage shows the kernel that a version began as.
fn shows(step: &Step, edit: &Edit) -> bool {
    step.variant.program == edit.of.program && step.pass == edit.pass
}

/// How many findings a kernel had before and has now, and those that it has now; empty if it never had one.
fn findings(place: usize, sides: [Option<&Traced>; 2]) -> Vec<NoteBlock> {
    let [before, now] = sides.map(|traced| traced.and_then(|traced| traced.trace(place)));
    let Some(now) = now.map(|trace| &trace.findings) else { return Vec::new() };
    let before = before.map_or(0, |trace| trace.findings.len());
    if before == 0 && now.is_empty() {
        return Vec::new();
    }
    vec![listed(&format!("Findings: {before} before, {} now.", now.len()), now)]
}

/// A kernel's machine code: its registers, spills and instructions by pipe; None if there is none.
pub(super) fn compiled(machine: &Machine) -> Option<NoteBlock> {
    let (code, listing) = machine.code.as_ref().ok()?;
    let pipes: Vec<String> =
        by_pipe(listing).into_iter().map(|(pipe, count)| format!("{count} {}", pipe.name())).collect();
    let of = counted(listing.len() as u64, "instruction");
    Some(NoteBlock::Prose(vec![paragraph(&format!("In CUDA C++, {}; {of}: {}.", code.words(), pipes.join(", ")))]))
}

/// The findings of the tracer in a kernel; None if there are none.
pub(super) fn found(trace: &Trace) -> Option<NoteBlock> {
    (!trace.findings.is_empty()).then(|| listed("The tracer found:", &trace.findings))
}

fn listed(about: &str, found: &[Finding]) -> NoteBlock {
    let each = found.iter().map(|found| vec![paragraph(&format!("line {}: {}", found.line, found.message))]);
    let list = (!found.is_empty()).then(|| Block::List(None, each.collect()));
    NoteBlock::Prose(std::iter::once(paragraph(about)).chain(list).collect())
}

/// A message, in which names are between backticks.
fn sentence(text: &str) -> NoteBlock {
    NoteBlock::Prose(vec![paragraph(&text.replace("..", "."))])
}

fn paragraph(text: &str) -> Block {
    let parts = text.split('`').enumerate().filter(|(_, part)| !part.is_empty());
    let inlines =
        parts.map(|(i, part)| if i % 2 == 1 { Inline::Code(part.to_owned()) } else { Inline::Text(part.to_owned()) });
    Block::Paragraph(inlines.collect())
}

/// A kernel's text, its trace, and what was measured of it.
type KernelSide<'a> = (&'a str, Option<Arc<Traced>>, Option<Arc<Record>>);

/// The figures of both sides in a table, with their change; None if one side has no counts.
fn compared(
    id: &str,
    caption: String,
    names: [&str; 2],
    place: usize,
    sides: &[KernelSide<'_>; 2],
) -> Option<NoteBlock> {
    let [before, after] = sides.each_ref().map(|(source, traced, timed)| {
        let timing = timed.as_ref().and_then(|record| record.pass(place)?.timing.as_ref());
        let trace = traced.as_ref()?.trace(place)?;
        let time_s = timing.map(|time| (time.median_s, [time.p10_s, time.p90_s]));
        Some(Side { source, trace: Some(trace), machine_code: None, time_s })
    });
    let figures = compare::figures(&before?, &after?);
    let rows = figures.iter().map(|figure| {
        let words = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| words(value, figure.unit));
        vec![figure.name.to_owned(), words(figure.before), words(figure.after), change(figure)]
    });
    Some(NoteBlock::Data {
        id: format!("{id}-compared"),
        caption,
        header: ["whole grid", names[0], names[1], "change"].map(str::to_owned).to_vec(),
        rows: rows.collect(),
    })
}

fn words(value: f64, unit: &str) -> String {
    if unit.is_empty() { value.to_string() } else { si(value, unit) }
}

/// By what factor a figure fell or rose.
fn change(figure: &Figure) -> String {
    let Figure { before: Some(before), after: Some(after), overlaps, .. } = *figure else { return String::new() };
    if overlaps {
        "samples overlap".to_owned()
    } else if before == after {
        "same".to_owned()
    } else if before == 0.0 {
        format!("+{}", number(after))
    } else {
        format!("× {}", digits3(after / before))
    }
}
