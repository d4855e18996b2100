//! An experiment in a note: its figure, its data, and the same as another device measured it.

use super::{Input, named, of_pack, settings, warps};
use crate::base::units::number;
use crate::lesson::{Experiment, Lesson, Variant};
use crate::notes::NoteBlock;
use crate::scene::{plot, svg};
use crate::session::chart;
use crate::session::jobs::Params;
use crate::session::recording::{self, Recording};
use crate::session::sweep::{self, Sweep};
use crate::trace::record::Backend;

/// Size of a plot, in points.
const PLOT: [f32; 2] = [720.0, 400.0];

/// The experiment as another device measured it, or this one on an earlier day, where the learner shows that: a figure of its own, with its
/// own data.
pub(super) fn recorded(input: &Input, lesson: &Lesson, experiment: &Experiment) -> Vec<NoteBlock> {
    let all: Vec<_> = input.recordings.iter().filter_map(|r| r.shown(lesson, experiment)).collect();
    let Some((recording, shown)) =
        recording::chosen(&all, &input.recording, Some(&input.device), input.sweeps.contains_key(&experiment.id))
            .map(|i| all[i])
    else {
        return Vec::new();
    };
    let plot = chart::recorded(lesson, experiment, shown);
    if plot.series.is_empty() {
        return Vec::new();
    }
    let frame = plot::frame(&plot, PLOT);
    let Recording { device, driver, program, .. } = recording;
    let others = shown.sweep.params.iter().map(|(id, v)| format!("{id} = {}", number(*v)));
    let at: Vec<String> = others.collect();
    let (how, whose) = if recording.own { ("Measured", "") } else { ("Recorded", "; not measured on this machine") };
    let caption = format!(
        "{}. {how} on {}, {}, {}, at {}{whose}. Driver {driver}, warpbook {program}; bars span the 10th to the 90th percentile.",
        plot.title,
        recording.device,
        recording.interface(),
        recording.date,
        at.join(", ")
    );
    let id = format!("{}-recorded", experiment.id);
    let rows = sweep::csv_rows(&shown.sweep.over, &shown.sweep.points);
    let data = NoteBlock::Data {
        id: id.clone(),
        caption: format!("{}, {} on {device}", plot.title, how.to_lowercase()),
        header: rows.0,
        rows: rows.1,
    };
    vec![NoteBlock::Figure { id, caption, alt: frame.alt.clone(), svg: svg::adaptive(&frame) }, data]
}

/// The experiment as it was run here: its figure, its data, and how to run it again.
pub(super) fn figure(input: &Input, lesson: &Lesson, experiment: &Experiment, found: &Sweep) -> Vec<NoteBlock> {
    let measured = found.backend != Backend::Simt;
    let plot = chart::plot(lesson, experiment, Some(found), Some(&input.ceilings), None, measured);
    let frame = plot::frame(&plot, PLOT);
    let (how, bars) =
        if measured { ("Measured", "; bars span the 10th to the 90th percentile") } else { ("Traced", "") };
    let (header, rows) = sweep::csv_rows(&found.over, &found.points);
    let others: Params =
        found.params.iter().filter(|(id, _)| **id != found.over).map(|(k, v)| (k.clone(), *v)).collect();
    let at: Vec<String> = others.iter().map(|(id, v)| format!("{id} = {}", number(*v))).collect();
    let values: Vec<String> = experiment.values.iter().map(f64::to_string).collect();
    let mut variants: Vec<&Variant> =
        sweep::curves_of(lesson, experiment, found.backend).map(|curve| &curve.variant).collect();
    variants.dedup();
    // A command takes one kernel for a place, so that each choice is a command of its own.
    let has_rungs = variants.iter().any(|variant| !variant.rungs.is_empty());
    let each: Vec<&[&Variant]> = if has_rungs { variants.chunks(1).collect() } else { vec![&variants] };
    let commands = each.into_iter().map(|variants| {
        let kernels: String = variants.iter().map(|variant| named(lesson, variant)).collect();
        NoteBlock::Command(format!(
            "warpbook{} sweep {}{kernels} --over {}={}{} --backend {} --seed {}{} --csv",
            of_pack(lesson),
            lesson.id,
            found.over,
            values.join(","),
            settings(&others),
            found.backend.name(),
            input.setting.seed,
            if measured { String::new() } else { warps(found.warp_width) }
        ))
    });
    let blocks = [
        NoteBlock::Figure {
            id: experiment.id.clone(),
            caption: format!("{}. {how} on {}, at {}{bars}.", plot.title, found.device, at.join(", ")),
            alt: frame.alt.clone(),
            svg: svg::adaptive(&frame),
        },
        NoteBlock::Data { id: experiment.id.clone(), caption: plot.title.clone(), header, rows },
    ];
    blocks.into_iter().chain(commands).collect()
}
