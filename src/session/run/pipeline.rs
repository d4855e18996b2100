//! A program's passes, as the window and notes show them: their actions, the buffers between them, their costs.

use crate::base::units::number;
use crate::figures::palette::Ink;
use crate::figures::passes::{Edge, Passes, Rounds, Stage};
use crate::figures::plot::{Axis, Plot, Point, Scale, Series};
use crate::job::{Action, BindingKind, Job, Node};
use crate::lesson::{Lesson, Program, Variant};
use crate::trace::record::Record;

/// The strip of a program's passes; None if it has only one.
#[must_use]
pub fn passes(
    lesson: &Lesson,
    variant: &Variant,
    job: &Job,
    traced: Option<&Record>,
    measured: Option<&Record>,
) -> Option<Passes> {
    let program = lesson.program(&variant.program).filter(|_| !job.is_single())?;
    let stages = job.passes.iter().zip(program.passes()).enumerate().map(|(place, (pass, declared))| {
        let (counted, timed) = (traced.and_then(|r| r.pass(place)), measured.and_then(|r| r.pass(place)));
        Stage {
            place,
            title: declared.title.clone(),
            does: match &pass.action {
                Action::Launch(launch) => {
                    lesson.kernel(&launch.kernel).map_or_else(|| launch.kernel.clone(), |kernel| kernel.title.clone())
                }
                Action::Copy { from, to } => format!("copies {} to {}", job.buffers[*from].name, job.buffers[*to].name),
                Action::Fill { buffer, value } => {
                    format!("fills {} with {}", job.buffers[*buffer].name, number(*value))
                }
            },
            launches: counted.or(timed).map(|done| match (&done.trace, pass.launch()) {
                // An earlier kernel has set its grid to 0.
                (Some(trace), Some(_)) if trace.warps == 0 => 0,
                _ => done.launches,
            }),
            time_s: timed.and_then(|pass| Some(pass.timing.as_ref()?.median_s)),
            bytes: counted.and_then(|pass| Some(pass.trace.as_ref()?.global_bytes())),
        }
    });
    let mut rounds = Vec::new();
    repeats(&job.body, program, &mut |first, last, id, title| {
        let inner = traced.or(measured).and_then(|r| r.rounds.iter().find(|(of, _)| of == id));
        rounds.push(Rounds { first, last, title, rounds: inner.map(|(_, rounds)| *rounds) });
    });
    let stages: Vec<Stage> = stages.collect();
    let edges = edges(job, &|place| stages.get(place).is_none_or(|stage| stage.launches != Some(0)));
    Some(Passes { stages, edges, rounds })
}

/// The buffers that each pass reads from an earlier one, among those that ran.
fn edges(job: &Job, ran: &dyn Fn(usize) -> bool) -> Vec<Edge> {
    let mut written: Vec<Option<usize>> = vec![None; job.buffers.len()];
    let mut edges: Vec<Edge> = Vec::new();
    for (to, pass) in job.passes.iter().enumerate().filter(|(place, _)| ran(*place)) {
        for (buffer, kind) in pass.touched() {
            let spec = &job.buffers[buffer];
            if let Some(from) = written[buffer].filter(|from| *from != to) {
                let edge = Edge { from, to, buffer: spec.name.clone(), bytes: spec.bytes() };
                if !edges.contains(&edge) {
                    edges.push(edge);
                }
            }
            if kind == BindingKind::ReadWrite {
                written[buffer] = Some(to);
            }
        }
    }
    edges
}

/// Calls `see` with each repetition: its first and its last pass, its id and its title.
fn repeats(
    body: &[Node],
    program: &Program,
    see: &mut dyn FnMut(usize, usize, &str, String),
) -> Option<(usize, usize)> {
    let mut span: Option<(usize, usize)> = None;
    for node in body {
        let of = match node {
            Node::Pass(place) => Some((*place, *place)),
            Node::Repeat(repeat) => {
                let inner = repeats(&repeat.body, program, see);
                if let Some((first, last)) = inner {
                    let title = program.repeats().into_iter().find(|known| known.id == repeat.id);
                    see(first, last, &repeat.id, title.map_or_else(|| repeat.id.clone(), |known| known.title.clone()));
                }
                inner
            }
        };
        if let Some((first, last)) = of {
            span = Some(span.map_or((first, last), |(from, _)| (from, last)));
        }
    }
    span
}

/// The series of a program's rounds, a plot each.
#[must_use]
pub fn series(program: &Program, record: &Record) -> Vec<Plot> {
    let known = program.series.iter().filter(|series| series.each.is_some());
    let plots = known.filter_map(|series| {
        let (_, values) = record.series.iter().find(|(id, _)| *id == series.id)?;
        let points: Vec<Point> =
            (1_u32..).zip(values).map(|(x, y)| Point { x: f64::from(x), y: *y, low: *y, high: *y }).collect();
        // Exponential decay is a straight line on a logarithmic scale.
        let (low, high) = values.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), v| (a.min(*v), b.max(*v)));
        let scale = if low > 0.0 && high / low > 32.0 { Scale::Log2 } else { Scale::Linear };
        let axis = |label: &str, unit: &str, scale| Axis {
            label: label.to_owned(),
            unit: unit.to_owned(),
            scale,
            ticks: Vec::new(),
            reach: None,
        };
        let each = series.each.as_deref().unwrap_or_default();
        let repeat = program.repeats().into_iter().find(|repeat| repeat.id == each);
        Some(Plot {
            title: format!("{} by round", series.label),
            x: axis(&format!("round of {}", repeat.map_or(each, |repeat| repeat.title.as_str())), "", Scale::Linear),
            y: axis(&series.label, &series.unit, scale),
            series: vec![Series {
                id: series.id.clone(),
                name: series.label.clone(),
                ink: Ink::Series(0),
                points,
                recorded: false,
            }],
            ceilings: Vec::new(),
            current: None,
            trail: Vec::new(),
        })
    });
    plots.collect()
}
