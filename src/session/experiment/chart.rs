//! An experiment's sweep as a plot: measured times if a device measured it, else figures from the trace.

use super::recording::Shown;
use super::sweep::Sweep;
use crate::figures::palette::Ink;
use crate::figures::plot::{Axis, Plot, Point, Scale, Series};
use crate::lesson::{Curve, Domain, Experiment, Lesson, Quantity, Value};
use crate::measure::roofline;
use crate::session::run::output::{KernelOutput, LibraryOutput, SweepPoint, TimeOutput};
use crate::trace::record::{Backend, Ceilings};

/// The plot of an experiment: its latest sweep, and the learner's own point.
///
/// `measures` says whether there is a device to measure; without one the y axis shows the traced share of the bytes
/// moved that lanes requested, since there is no measured time to show.
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
    let y = YAxis::of(lesson, &experiment.quantity, measured);
    let param = lesson.param(&experiment.over);
    let label = param.map_or(experiment.over.as_str(), |p| p.label.as_str()).to_owned();
    let scale = match (param.map(|p| &p.domain), experiment.values.as_slice()) {
        (Some(Domain::PowersOfTwo { .. }), _) => Scale::Log2,
        (_, [first, .., last]) if *first > 0.0 && last / first >= 16.0 => Scale::Log2,
        _ => Scale::Linear,
    };
    // Over many doublings of a setting, times and counts that follow it span decades.
    let far = match experiment.values.as_slice() {
        [first, .., last] => scale == Scale::Log2 && last / first >= 64.0,
        _ => false,
    };
    let rises = far && matches!(y, YAxis::Time | YAxis::Value(_)) && y.unit() != "%";
    let scale_y = if rises { Scale::Log10 } else { Scale::Linear };
    let points = sweep.map(|s| s.points.as_slice()).unwrap_or_default();
    let curve = |(curve, index): (&Curve, u8)| Series {
        id: curve.id.clone(),
        name: curve.title.clone(),
        ink: Ink::Series(index),
        recorded: false,
        points: points.iter().filter(|p| p.kernel.id == curve.id).filter_map(|p| y.point(p)).collect(),
    };
    let mut series: Vec<Series> = experiment.curves.iter().zip(0_u8..).map(curve).collect();
    series.extend(libraries(points, y));
    let copy = ceilings.filter(|_| measured).and_then(roofline::bandwidth);
    let ceilings = copy.filter(|_| experiment.quantity == Quantity::BytesPerSecond);
    let ceilings = ceilings.map(|copy| ("a large copy".to_owned(), copy)).into_iter().collect();
    Plot {
        title: y.title(experiment, &label),
        x: Axis {
            label: label.clone(),
            unit: param.map(|p| p.unit.clone()).unwrap_or_default(),
            scale,
            ticks: experiment.values.clone(),
            reach: None,
        },
        y: Axis {
            label: y.label().to_owned(),
            unit: y.unit().to_owned(),
            scale: scale_y,
            ticks: Vec::new(),
            reach: None,
        },
        series,
        ceilings,
        // A setting beyond the experiment's values would squeeze its curves.
        current: current
            .filter(|(x, _)| is_within(*x, &experiment.values))
            .and_then(|(x, kernel)| Some((x, y.value(kernel, None)?))),
        trail: Vec::new(),
    }
}

fn is_within(x: f64, values: &[f64]) -> bool {
    values.iter().any(|v| *v <= x) && values.iter().any(|v| *v >= x)
}

/// The curves of libraries' calls, which were timed beside the kernels; one for each library.
fn libraries(points: &[SweepPoint], y: YAxis<'_>) -> Vec<Series> {
    let mut series: Vec<Series> = Vec::new();
    for point in points {
        let Some((library, place)) = point.kernel.library.as_ref().zip(y.library(point)) else { continue };
        let name = library.words();
        match series.iter_mut().find(|s| s.name == name) {
            // Several kernels may have had the same call timed beside them.
            Some(known) if known.points.iter().any(|p| p.x == point.x) => {}
            Some(known) => known.points.push(place),
            None => {
                let id = library_id(library);
                // Not one of the kernels' colours: the line to reach.
                series.push(Series { id, name, ink: Ink::Accent, recorded: false, points: vec![place] });
            }
        }
    }
    series
}

/// The id of the curve of a library's call.
#[must_use]
pub fn library_id(library: &LibraryOutput) -> String {
    format!("library {}", library.name)
}

/// The curves of a recording, in the colours of their kernels. Their names and ids say that they are no measurement of
/// this machine.
#[must_use]
pub fn recorded(lesson: &Lesson, experiment: &Experiment, shown: &Shown) -> Plot {
    let mut plot = plot(lesson, experiment, Some(&shown.sweep), None, None, true);
    for series in &mut plot.series {
        series.recorded = true;
        series.id = recorded_id(&series.id);
        series.name.push_str(RECORDED);
    }
    plot.series.retain(|series| !series.points.is_empty());
    plot
}

/// Suffix of the names of recorded curves.
pub const RECORDED: &str = ", recorded";

/// The id of a kernel's recorded curve.
#[must_use]
pub fn recorded_id(kernel: &str) -> String {
    format!("recorded {kernel}")
}

/// A curve's name without the suffix, for places that already say that it was recorded.
#[must_use]
pub fn plain_name(name: &str) -> &str {
    name.trim_end_matches(RECORDED)
}

/// Whether both can be read on the same axes: they show the same quantity, and neither is a line at the bottom of the
/// other.
#[must_use]
pub fn share_axes(own: &Plot, recorded: &Plot) -> bool {
    let top = |plot: &Plot| {
        let points = plot.series.iter().flat_map(|s| s.points.iter().map(|p| p.y));
        points.chain(plot.current.map(|c| c.1)).fold(0.0, f64::max)
    };
    let (own_top, its_top) = (top(own), top(recorded));
    let far = own.y.scale == Scale::Log10;
    own.y == recorded.y && (far || own_top == 0.0 || its_top == 0.0 || (0.1..=10.0).contains(&(own_top / its_top)))
}

/// The quantity on the y axis.
#[derive(Clone, Copy)]
enum YAxis<'a> {
    Throughput,
    Rate,
    Time,
    SectorsPerRequest,
    LoadedBytes,
    /// Of the bytes in the sectors that were moved, the percentage that lanes asked for.
    BytesUsed,
    /// A value of the lesson; None if it is missing.
    Value(Option<&'a Value>),
}

impl<'a> YAxis<'a> {
    fn of(lesson: &'a Lesson, quantity: &Quantity, measured: bool) -> Self {
        match quantity {
            Quantity::SectorsPerRequest => Self::SectorsPerRequest,
            Quantity::LoadedBytes => Self::LoadedBytes,
            Quantity::Value(id) => Self::Value(lesson.values.iter().find(|value| value.id == *id)),
            _ if !measured => Self::BytesUsed,
            Quantity::BytesPerSecond => Self::Throughput,
            Quantity::FlopsPerSecond => Self::Rate,
            Quantity::Time => Self::Time,
        }
    }

    /// The experiment's own title, unless the axis shows another quantity than it promises.
    fn title(self, experiment: &Experiment, over: &str) -> String {
        match self {
            Self::BytesUsed => format!("Bytes used against {over} (traced)"),
            _ => experiment.title.clone(),
        }
    }

    fn label(self) -> &'a str {
        match self {
            Self::Throughput => "useful bytes per second",
            Self::Rate => "useful operations per second",
            Self::Time => "time",
            Self::SectorsPerRequest => "sectors per load request, traced",
            Self::LoadedBytes => "bytes loaded by lanes, traced",
            Self::BytesUsed => "bytes that lanes asked for, of all bytes moved",
            Self::Value(value) => value.map_or("", |value| value.label.as_str()),
        }
    }

    fn unit(self) -> &'a str {
        match self {
            Self::Throughput => "B/s",
            Self::Rate => "FLOP/s",
            Self::Time => "s",
            Self::SectorsPerRequest => "",
            Self::LoadedBytes => "B",
            Self::BytesUsed => "%",
            Self::Value(value) => value.map_or("", |value| value.unit.as_str()),
        }
    }

    fn value(self, kernel: &KernelOutput, value: Option<f64>) -> Option<f64> {
        if !kernel.is_ok() {
            return None;
        }
        match self {
            Self::Value(of) => Some(value? * if of?.unit == "%" { 100.0 } else { 1.0 }),
            Self::Throughput => kernel.bytes_per_s,
            Self::Rate => kernel.flops_per_s,
            Self::Time => kernel.time.as_ref().map(|t| t.median_s),
            #[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
            Self::LoadedBytes => Some(kernel.trace.as_ref()?.global.load.bytes as f64),
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

    /// The point of the library's call beside a kernel.
    fn library(self, point: &SweepPoint) -> Option<Point> {
        let library = point.kernel.library.as_ref().filter(|library| library.ok)?;
        let time = library.time.as_ref()?;
        let y = match self {
            Self::Throughput => library.bytes_per_s?,
            Self::Rate => library.flops_per_s?,
            Self::Time => time.median_s,
            Self::SectorsPerRequest | Self::LoadedBytes | Self::BytesUsed | Self::Value(_) => return None,
        };
        Some(self.spread(point.x, y, Some(time)))
    }

    /// The point with its spread: the tenth to the ninetieth percentile of the samples.
    fn point(self, point: &SweepPoint) -> Option<Point> {
        let kernel = &point.kernel;
        let y = self.value(kernel, point.value)?;
        Some(self.spread(point.x, y, kernel.time.as_ref()))
    }

    fn spread(self, x: f64, y: f64, time: Option<&TimeOutput>) -> Point {
        let (low, high) = match (time, self) {
            (Some(t), Self::Throughput | Self::Rate) => (y * t.median_s / t.p90_s, y * t.median_s / t.p10_s),
            (Some(t), Self::Time) => (t.p10_s, t.p90_s),
            _ => (y, y),
        };
        Point { x, y, low, high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::run::output::{LibraryOutput, TimeOutput};
    use crate::trace::record::CacheState;

    fn point(x: f64, kernel: &str, name: &str, ok: bool) -> SweepPoint {
        let time = TimeOutput {
            median_s: 2.0,
            p10_s: 1.0,
            p90_s: 4.0,
            samples: 9,
            each_s: Vec::new(),
            cache: CacheState::Cold,
        };
        let library = LibraryOutput {
            name: name.to_owned(),
            version: Some("1.2".to_owned()),
            ok,
            check: None,
            time: Some(time),
            bytes_per_s: Some(8.0),
            flops_per_s: Some(16.0),
        };
        let kernel = KernelOutput { id: kernel.to_owned(), library: Some(library), ..KernelOutput::default() };
        SweepPoint { x, kernel, value: None, warnings: Vec::new() }
    }

    #[test]
    fn a_library_has_one_curve_whichever_kernels_it_was_timed_beside() {
        let points = [
            point(1.0, "naive", "cuBLAS", true),
            point(1.0, "tiled", "cuBLAS", true),
            point(2.0, "tiled", "cuBLAS", true),
            point(3.0, "tiled", "cuBLAS", false),
            point(1.0, "copy", "other", true),
        ];
        let found = libraries(&points, YAxis::Rate);
        let names: Vec<&str> = found.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["cuBLAS 1.2 (library)", "other 1.2 (library)"]);
        assert_eq!(
            found[0].points.iter().map(|p| (p.x, p.y, p.low, p.high)).collect::<Vec<_>>(),
            [(1.0, 16.0, 8.0, 32.0), (2.0, 16.0, 8.0, 32.0)]
        );
        assert_eq!((found[0].ink, found[1].ink), (Ink::Accent, Ink::Accent));
        assert!(libraries(&points, YAxis::SectorsPerRequest).is_empty());
    }
}
