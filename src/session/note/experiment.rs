//! An experiment in a note: its figure and data, and those measured by another device.

use super::Input;
use super::command::{named, of_pack, settings, warps};
use crate::base::units::number;
use crate::figures::{plot, svg};
use crate::lesson::{Experiment, Lesson, Variant};
use crate::notes::NoteBlock;
use crate::session::experiment::chart;
use crate::session::experiment::recording::{self, Recording};
use crate::session::experiment::sweep::{self, Sweep};
use crate::session::jobs::Params;
use crate::session::learn::pins::Pin;
use crate::trace::record::Backend;

/// Size of a plot, in points.
const PLOT: [f32; 2] = [720.0, 400.0];

/// The experiment as recorded on another device, or on this one on an earlier day, if the learner shows that: its own
/// figure and data.
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
    let (how, bars) = match &found.modelled {
        Some(_) => ("Predicted from traces by", ""),
        None if measured => ("Measured on", "; bars span the 10th to the 90th percentile"),
        None => ("Traced on", ""),
    };
    let (mut header, rows) = sweep::csv_rows(&found.over, &found.points);
    // The curve shows a value that the lesson names.
    header.iter_mut().filter(|column| *column == sweep::VALUE).for_each(|column| column.clone_from(&plot.y.label));
    let others = others(found);
    let at: Vec<String> = others.iter().map(|(id, v)| format!("{id} = {}", number(*v))).collect();
    let blocks = [
        NoteBlock::Figure {
            id: experiment.id.clone(),
            caption: format!("{}. {how} {}, at {}{bars}.", plot.title, found.device, at.join(", ")),
            alt: frame.alt.clone(),
            svg: svg::adaptive(&frame),
        },
        NoteBlock::Data { id: experiment.id.clone(), caption: plot.title.clone(), header, rows },
    ];
    let commands = commands(input.setting.seed, lesson, experiment, found).into_iter().map(NoteBlock::Command);
    blocks.into_iter().chain(commands).collect()
}

/// The parameters that a sweep keeps as they are.
fn others(sweep: &Sweep) -> Params {
    sweep.params.iter().filter(|(id, _)| **id != sweep.over).map(|(id, value)| (id.clone(), *value)).collect()
}

/// The commands that run a sweep of an experiment again.
fn commands(seed: u64, lesson: &Lesson, experiment: &Experiment, found: &Sweep) -> Vec<String> {
    let values: Vec<String> = experiment.values.iter().map(f64::to_string).collect();
    let mut variants: Vec<&Variant> =
        sweep::curves_of(lesson, experiment, found.backend).map(|curve| &curve.variant).collect();
    variants.dedup();
    // A command takes one kernel per place, so each choice is a separate command.
    let has_rungs = variants.iter().any(|variant| !variant.rungs.is_empty());
    let each: Vec<&[&Variant]> = if has_rungs { variants.chunks(1).collect() } else { vec![&variants] };
    let command = |variants: &[&Variant]| {
        let kernels: String = variants.iter().map(|variant| named(lesson, variant)).collect();
        format!(
            "warpbook{} sweep {}{kernels} --over {}={}{} --backend {} --seed {seed}{} --csv",
            of_pack(lesson),
            lesson.id,
            found.over,
            values.join(","),
            settings(&others(found)),
            found.backend.name(),
            if found.backend == Backend::Simt { warps(found.warp_width) } else { String::new() }
        )
    };
    each.into_iter().map(command).collect()
}

/// The experiment's plot to pin: as it was run here, or else as it is recorded. None if there is neither.
#[must_use]
pub fn pinned(input: &Input, experiment: &Experiment) -> Option<Pin> {
    let lesson = &input.setting.lesson;
    let here = input.sweeps.get(&experiment.id).filter(|sweep| !sweep.points.is_empty());
    let (blocks, sweep) = match here {
        Some(found) => (figure(input, lesson, experiment, found), found),
        None => {
            let found = input.recordings.iter().find_map(|recording| recording.shown(lesson, experiment))?;
            (recorded(input, lesson, experiment), &found.1.sweep)
        }
    };
    let command = commands(input.setting.seed, lesson, experiment, sweep).into_iter().next()?;
    let pin = |block| match block {
        NoteBlock::Figure { caption, svg, .. } => Some(Pin { caption, picture: Some(svg), command, ..Pin::default() }),
        _ => None,
    };
    blocks.into_iter().next().and_then(pin)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::lesson::PackFiles;
    use crate::notes::{self, Format, Report, Section, To};

    /// Upper bound, in points, of the average width of a character of a table's text, and the gap between two columns.
    const CHARACTER: f64 = 7.5;
    const GAP: f64 = 16.0;

    /// Points that a table may take on a page of 1,000.
    const ROOM: f64 = 960.0;

    #[test]
    fn no_table_of_an_experiment_is_cut_on_a_page_of_1000_points() {
        let (pack, _) = crate::session::load(&PackFiles::Embedded);
        let (recordings, _) = recording::load(&PackFiles::Embedded, &pack);
        let shown = recordings.iter().flat_map(|recording| &recording.shown);
        let data = shown.map(|shown| {
            let (header, rows) = sweep::csv_rows(&shown.sweep.over, &shown.sweep.points);
            NoteBlock::Data { id: shown.of.1.clone(), caption: shown.of.1.clone(), header, rows }
        });
        let section = Section { blocks: data.collect(), ..Section::default() };
        let report = Report {
            title: "Tables".to_owned(),
            lesson: "tables".to_owned(),
            created: "2026-11-25".to_owned(),
            meta: Vec::new(),
            sections: vec![section],
            playing: None,
        };
        let folder = tempfile::tempdir().unwrap();
        let files = notes::write(&report, &[Format::Html], &To::folder(folder.path())).unwrap().files;
        let page =
            std::fs::read_to_string(files.iter().find(|file| file.extension() == Some("html".as_ref())).unwrap());
        let page = page.unwrap().replacen("<!DOCTYPE html>\n", "", 1);
        let document = roxmltree::Document::parse(&page).unwrap();
        let text = |node: roxmltree::Node<'_, '_>| node.text().unwrap_or_default().to_owned();
        let tables: Vec<_> = document.descendants().filter(|node| node.has_tag_name("table")).collect();
        assert!(tables.len() > 50, "{}", tables.len());
        for table in tables {
            let mut widths: Vec<usize> = Vec::new();
            for row in table.descendants().filter(|node| node.has_tag_name("tr")) {
                for (column, cell) in row.children().filter(roxmltree::Node::is_element).enumerate() {
                    widths.resize(widths.len().max(column + 1), 0);
                    // Headings and words break, figures do not.
                    let breaks = cell.has_tag_name("th") || cell.attribute("class") != Some("figure");
                    let text = text(cell);
                    let longest = text.split_whitespace().map(|word| word.chars().count()).max().unwrap_or(0);
                    let width = if breaks { longest } else { text.chars().count() };
                    widths[column] = widths[column].max(width);
                }
            }
            #[expect(clippy::cast_precision_loss, reason = "characters of a line")]
            let width: f64 = widths.iter().map(|width| *width as f64 * CHARACTER + GAP).sum();
            let caption = table.children().find(|node| node.has_tag_name("caption")).map(text).unwrap_or_default();
            assert!(width <= ROOM, "{caption}: {width} points, {widths:?}");
            let wide = table.parent().and_then(|parent| parent.attribute("class")).unwrap_or_default();
            assert!(widths.len() <= 6 || wide.contains("wide"), "{caption}: {wide}");
        }
    }
}
