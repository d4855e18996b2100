//! A program in a note: its strip, its passes in a table, its series.

use super::STAGE;
use crate::base::units::{count, si};
use crate::figures::Traced;
use crate::figures::frame::Frame;
use crate::figures::{plot, svg};
use crate::lesson::{Lesson, Step};
use crate::notes::NoteBlock;
use crate::session::run::pipeline;
use crate::trace::{Record, Trace};

/// Width and height of a series' plot, in points.
const PLOT: [f32; 2] = [720.0, 320.0];

/// The blocks of a program of several passes, once it is traced.
pub(super) fn blocks(lesson: &Lesson, step: &Step, traced: &Traced, measured: Option<&Record>) -> Vec<NoteBlock> {
    let Some(program) = lesson.program(&step.variant.program) else { return Vec::new() };
    let Some(passes) = pipeline::passes(lesson, &step.variant, &traced.job, Some(&traced.record), measured) else {
        return Vec::new();
    };
    let title = lesson.title_of(&step.variant);
    let place = program.place_of(&step.pass);
    let how = if measured.is_some() { "median times, measured" } else { "bytes that lanes ask for, traced" };
    let strip = passes.clone().launched(place);
    let width = STAGE[0].max(strip.least());
    let mut blocks = vec![
        figure(
            &format!("{}-passes", step.id),
            format!("The passes of {title}; {how}."),
            &strip.frame(width, [0.0, width], place, None),
        ),
        NoteBlock::Data {
            id: format!("{}-passes", step.id),
            caption: format!("The passes of {title}."),
            header: ["pass", "does", "launches", "bytes asked for", "sectors", "median time"]
                .map(str::to_owned)
                .to_vec(),
            rows: passes
                .stages
                .iter()
                .zip(&traced.record.passes)
                .map(|(stage, pass)| {
                    let sectors = pass.trace.as_ref().map(Trace::global_sectors);
                    let figures =
                        [stage.launches, stage.bytes, sectors].map(|n| n.map_or_else(|| "–".to_owned(), count));
                    let time = stage.time_s.map_or_else(|| "–".to_owned(), |time_s| si(time_s, "s"));
                    let named = [stage.title.clone(), stage.does.clone()];
                    named.into_iter().chain(figures).chain([time]).collect()
                })
                .collect(),
        },
    ];
    for plotted in pipeline::series(program, &traced.record) {
        let id = plotted.series.first().map_or(step.id.as_str(), |series| series.id.as_str());
        let id = format!("{}-{id}", step.id);
        blocks.push(figure(&id, format!("{}, traced.", plotted.title), &plot::frame(&plotted, PLOT)));
        let points = plotted.series.first().map(|series| series.points.as_slice()).unwrap_or_default();
        blocks.push(NoteBlock::Data {
            id,
            caption: plotted.title,
            header: vec![plotted.x.label, plotted.y.label],
            rows: points.iter().map(|point| vec![point.x.to_string(), point.y.to_string()]).collect(),
        });
    }
    blocks
}

fn figure(id: &str, caption: String, frame: &Frame) -> NoteBlock {
    NoteBlock::Figure { id: id.to_owned(), caption, alt: frame.alt.clone(), svg: svg::adaptive(frame) }
}
