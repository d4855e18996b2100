//! An experiment's sweep as a plot: measured where a device measured it, else what the trace says.

use super::desk::state::Sweep;
use super::output::{KernelOutput, LibraryOutput, SweepPoint};
use super::recording::Shown;
use crate::lesson::{Domain, Experiment, Lesson, Quantity};
use crate::measure::roofline;
use crate::scene::palette::Ink;
use crate::scene::plot::{Axis, Plot, Point, Scale, Series};
use crate::trace::record::{Backend, Ceilings};

/// The plot of an experiment: its latest sweep, and the learner's own point.
///
/// `measures` says whether a device is there to measure; without one the y axis shows the traced share of the bytes
/// moved that lanes asked for, since a time that nobody measured cannot be shown.
#[must_use]
pub fn plot(
    lesson: &Lesson,
    experiment: &Experiment,
    sweep: Option<&Sweep>,
    ceilings: Option<&Ceilings>,
    current: Option<(f64, &KernelOutput)>,
    measures: bool,
) -> Plot {
    let measured = sweep.map_or(measures, |s| s.backend != Backend::Simt);
    let y = YAxis::of(experiment.quantity, measured);
    let param = lesson.param(&experiment.over);
    let label = param.map_or(experiment.over.as_str(), |p| p.label.as_str()).to_owned();
    let scale = match (param.map(|p| &p.domain), experiment.values.as_slice()) {
        (Some(Domain::PowersOfTwo { .. }), _) => Scale::Log2,
        (_, [first, .., last]) if *first > 0.0 && last / first >= 16.0 => Scale::Log2,
        _ => Scale::Linear,
    };
    let points = sweep.map(|s| s.points.as_slice()).unwrap_or_default();
    let mut series: Vec<Series> = experiment
        .kernels
        .iter()
        .zip(0_u8..)
        .map(|(id, index)| {
            let title = lesson.kernel(id).map_or(id.as_str(), |k| k.title.as_str());
            let of_kernel = points.iter().filter(|p| p.kernel.id == *id);
            Series {
                id: id.clone(),
                name: title.to_owned(),
                ink: Ink::Series(index),
                recorded: false,
                points: of_kernel.filter_map(|p| y.point(p)).collect(),
            }
        })
        .collect();
    series.extend(experiment.kernels.iter().filter_map(|id| library(id, points, y)));
    let copy = ceilings.filter(|_| measured).and_then(roofline::bandwidth);
    let ceilings = match experiment.quantity {
        Quantity::BytesPerSecond => copy.map(|c| ("a large copy".to_owned(), c)).into_iter().collect(),
        Quantity::FlopsPerSecond | Quantity::Time | Quantity::SectorsPerRequest => Vec::new(),
    };
    Plot {
        title: y.title(experiment, &label),
        x: Axis {
            label: label.clone(),
            unit: param.map(|p| p.unit.clone()).unwrap_or_default(),
            scale,
            ticks: experiment.values.clone(),
        },
        y: Axis { label: y.label().to_owned(), unit: y.unit().to_owned(), scale: Scale::Linear, ticks: Vec::new() },
        series,
        ceilings,
        current: current.and_then(|(x, kernel)| Some((x, y.value(kernel)?))),
    }
}

/// The curve of the library's call that does a kernel's work, where its sweep has one.
fn library(id: &str, points: &[SweepPoint], y: YAxis) -> Option<Series> {
    let mut name = None;
    let found = points.iter().filter(|p| p.kernel.id == *id).filter_map(|point| {
        let library = point.kernel.library.as_ref().filter(|l| l.ok)?;
        name = Some(&library.name);
        let LibraryOutput { time, bytes_per_s, flops_per_s, .. } = library.clone();
        let kernel = KernelOutput { time, bytes_per_s, flops_per_s, trace: None, ..point.kernel.clone() };
        y.point(&SweepPoint { kernel, ..point.clone() })
    });
    let points: Vec<Point> = found.collect();
    let name = format!("{}, a library", name?);
    (!points.is_empty()).then(|| Series { id: library_id(id), name, ink: Ink::Text, recorded: false, points })
}

/// The id of the curve of a library's call that does a kernel's work.
#[must_use]
pub fn library_id(kernel: &str) -> String {
    format!("library {kernel}")
}

/// The curves of a recording, in the colours of their kernels. Their names and ids say that they are no measurement of this machine.
#[must_use]
pub fn recorded(lesson: &Lesson, experiment: &Experiment, shown: &Shown<'_>) -> Plot {
    let mut plot = plot(lesson, experiment, Some(&shown.sweep), None, None, true);
    for series in &mut plot.series {
        series.recorded = true;
        series.id = recorded_id(&series.id);
        series.name.push_str(", recorded");
    }
    plot.series.retain(|series| !series.points.is_empty());
    plot
}

/// The id of a kernel's recorded curve.
#[must_use]
pub fn recorded_id(kernel: &str) -> String {
    format!("recorded {kernel}")
}

/// Whether both can be read on the same axes: they show the same quantity, and neither is a line at the bottom of the other.
#[must_use]
pub fn share_axes(own: &Plot, recorded: &Plot) -> bool {
    let top = |plot: &Plot| {
        let points = plot.series.iter().flat_map(|s| s.points.iter().map(|p| p.y));
        points.chain(plot.current.map(|c| c.1)).fold(0.0, f64::max)
    };
    let (own_top, its_top) = (top(own), top(recorded));
    own.y == recorded.y && (own_top == 0.0 || its_top == 0.0 || (0.1..=10.0).contains(&(own_top / its_top)))
}

/// What stands on the y axis.
#[derive(Clone, Copy)]
enum YAxis {
    Throughput,
    Rate,
    Time,
    SectorsPerRequest,
    /// Of the bytes in the sectors that were moved, the percentage that lanes asked for.
    BytesUsed,
}

impl YAxis {
    fn of(quantity: Quantity, measured: bool) -> Self {
        match quantity {
            Quantity::SectorsPerRequest => Self::SectorsPerRequest,
            _ if !measured => Self::BytesUsed,
            Quantity::BytesPerSecond => Self::Throughput,
            Quantity::FlopsPerSecond => Self::Rate,
            Quantity::Time => Self::Time,
        }
    }

    /// The experiment's own title, unless something else than it promises stands on the axis.
    fn title(self, experiment: &Experiment, over: &str) -> String {
        match self {
            Self::BytesUsed => format!("Bytes used against {over} (traced)"),
            Self::Throughput | Self::Rate | Self::Time | Self::SectorsPerRequest => experiment.title.clone(),
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Throughput => "useful bytes per second",
            Self::Rate => "useful operations per second",
            Self::Time => "time",
            Self::SectorsPerRequest => "sectors per load request, traced",
            Self::BytesUsed => "bytes that lanes asked for, of all bytes moved",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Throughput => "B/s",
            Self::Rate => "FLOP/s",
            Self::Time => "s",
            Self::SectorsPerRequest => "",
            Self::BytesUsed => "%",
        }
    }

    fn value(self, kernel: &KernelOutput) -> Option<f64> {
        if !kernel.ok {
            return None;
        }
        match self {
            Self::Throughput => kernel.bytes_per_s,
            Self::Rate => kernel.flops_per_s,
            Self::Time => kernel.time.as_ref().map(|t| t.median_s),
            Self::SectorsPerRequest => {
                let load = kernel.trace.as_ref()?.global.load;
                #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
                let ratio = load.sectors as f64 / load.requests as f64;
                Some(ratio).filter(|r| r.is_finite())
            }
            Self::BytesUsed => {
                let global = kernel.trace.as_ref()?.global;
                let all = [global.load, global.store, global.atomic];
                let bytes: u64 = all.iter().map(|c| c.bytes).sum();
                let moved: u64 = all.iter().map(|c| c.sectors * 32).sum();
                #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
                let share = 100.0 * bytes as f64 / moved as f64;
                Some(share).filter(|s| s.is_finite())
            }
        }
    }

    /// The point with its spread: the tenth to the ninetieth percentile of the samples.
    fn point(self, point: &SweepPoint) -> Option<Point> {
        let kernel = &point.kernel;
        let y = self.value(kernel)?;
        let (low, high) = match (&kernel.time, self) {
            (Some(t), Self::Throughput | Self::Rate) => (y * t.median_s / t.p90_s, y * t.median_s / t.p10_s),
            (Some(t), Self::Time) => (t.p10_s, t.p90_s),
            _ => (y, y),
        };
        Some(Point { x: point.x, y, low, high })
    }
}
