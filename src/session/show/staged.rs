//! Data for the stage's device figures: a grid's spread over SMs, the bytes moved through DRAM, and a ladder's roofline.

use std::collections::BTreeMap;

use super::pass_roofline::published;
use super::stage::Stage;
use crate::base::units::{Work, number, si};
use crate::device::{DeviceSpec, Launch, Resource, occupancy, waves};
use crate::figures::plot::Plot;
use crate::figures::{
    Counted, Level, Reach, River, Roof, Roofline, Spot, SpotBytes, SpotTime, Spread, Wait, Waits, ask,
};
use crate::lesson::{Kernel, Lesson, Variant};
use crate::measure::roofline::bandwidth;
use crate::session::ask::{At, Store};
use crate::session::experiment::chart;
use crate::session::experiment::recording::{self, Recording, RecordingChoice};
use crate::session::experiment::sweep::Sweep;
use crate::session::jobs::{self, Params, cost};
use crate::session::pack::quote::Quotes;
use crate::session::run::model::{self, Chosen};
use crate::trace::record::{Backend, Ceilings, Device};
use crate::trace::{PassRecord, Trace};

/// Bytes of a traced sector.
pub const SECTOR: u64 = 32;

/// Bytes that a wavefront takes of workgroup memory at most: a word of each bank.
const WAVEFRONT: u64 = 128;

/// How a launch spreads over a device; None if the device's SMs are not known, or cannot hold such a workgroup. `persistent` means that no
/// more workgroups are launched than the device holds; `busy_s` is the predicted time without the launch.
#[must_use]
pub fn spread(chosen: &Chosen<'_>, launch: &Launch, persistent: bool, busy_s: Option<f64>) -> Option<Spread> {
    let held = occupancy(chosen.spec, launch)?;
    let sms = chosen.spec.figures.sms()?;
    let places = u64::from(sms) * u64::from(held.blocks_per_sm);
    let blocks = if persistent { launch.blocks.min(places) } else { launch.blocks };
    let lanes = held.blocks_per_sm * launch.threads_per_block;
    Some(Spread {
        lanes: chosen.spec.figures.max_threads_per_sm().map(|room| [lanes.min(room), room]),
        tiles: persistent.then_some(launch.blocks),
        device: chosen.spec.name.clone(),
        this_machine: chosen.this_machine,
        limited_by: held.limited_by.name(),
        registers: !held.unknown.contains(&Resource::Registers),
        waves: waves(blocks, sms, held.blocks_per_sm)?,
        busy_s,
    })
}

/// A program's shortest time that was recorded on a device at these settings, in seconds, and where. None for programs of several passes.
#[must_use]
pub fn recorded(
    chosen: &Chosen<'_>,
    recordings: &[Recording],
    lesson: &Lesson,
    variant: &Variant,
    params: &Params,
) -> Option<(f64, String)> {
    let whole = lesson.program(&variant.program).is_some_and(|program| program.passes().len() == 1);
    let of_device = recordings.iter().filter(|recording| whole && chosen.spec.is_adapter(&recording.device));
    let time = |recording: &Recording| Some((recording.time_at(lesson, variant, params)?.median_s, recording.name()));
    of_device.filter_map(time).min_by(|(a, _), (b, _)| a.total_cmp(b))
}

/// The bytes that a device's DRAM can have moved, by its published bandwidth, in a program's shortest recorded time on it. None for
/// programs of several passes.
#[must_use]
pub fn reach(
    chosen: &Chosen<'_>,
    recordings: &[Recording],
    lesson: &Lesson,
    variant: &Variant,
    params: &Params,
) -> Option<Reach> {
    let (time_s, _) = recorded(chosen, recordings, lesson, variant, params)?;
    let bytes_per_s = chosen.spec.figures.dram_bytes_per_s()?;
    let whence = format!("in {} at {}, recorded on {}", si(time_s, "s"), si(bytes_per_s, "B/s"), chosen.spec.short);
    Some(Reach { bytes: time_s * bytes_per_s, whence })
}

/// Where a pass's bytes go, with a device's counters and DRAM limit; None before it is traced.
#[must_use]
pub fn river(pass: &PassRecord, counted: Option<Counted>, reach: Option<Reach>) -> Option<River> {
    let trace = pass.trace.as_ref()?;
    let (global, shared) = (&trace.global, &trace.shared);
    Some(River {
        loaded: global.load.bytes,
        stored: global.store.bytes + global.atomic.bytes,
        load_sectors: SECTOR * global.load.sectors,
        store_sectors: SECTOR * (global.store.sectors + global.atomic.sectors),
        shared_loads: WAVEFRONT * shared.load.wavefronts,
        shared_stores: WAVEFRONT * (shared.store.wavefronts + shared.atomic.wavefronts),
        least: pass.work.bytes,
        caches: trace.caches,
        counted,
        reach,
    })
}

/// The waits of a launch's longest workgroup; None before it is traced, and if the device's latencies are not known.
#[must_use]
pub fn waits(pass: &PassRecord, chosen: &Chosen<'_>) -> Option<Waits> {
    let figures = &chosen.spec.figures;
    let trace = pass.trace.as_ref()?;
    let (path, shared) = (trace.critical, figures.shared_latency_cycles()?);
    // Each level has the share of the waits that it has of the loads; DRAM has all where caches are not counted.
    let share = |part: u64, of: u64| u128::from(path.global_waits) * u128::from(part) / u128::from(of.max(1));
    let [dram, l2] = trace.caches.map_or([path.global_waits; 2], |caches| {
        let (asked, loads) = (caches.l2_loads + caches.l2_atomics, caches.l1_hits + caches.l1_misses);
        let past_l1 = share(caches.l1_misses, loads);
        // A sector that DRAM gave together with its neighbour was waited for as long.
        let past_l2 = past_l1 * u128::from(caches.dram_loads.min(asked)) / u128::from(asked.max(1));
        [past_l2, past_l1].map(|waits| u64::try_from(waits).unwrap_or(u64::MAX))
    });
    let kinds = [
        Wait { level: Level::Dram, count: dram, cycles: figures.dram_latency_cycles()? },
        Wait { level: Level::L2, count: l2 - dram, cycles: figures.l2_latency_cycles().unwrap_or(shared) },
        // L1 takes as long as workgroup memory, nearly: both are one memory.
        Wait { level: Level::L1, count: path.global_waits - l2, cycles: shared },
        Wait { level: Level::Shared, count: path.shared_waits, cycles: shared },
    ];
    let kinds = kinds.into_iter().filter(|wait| wait.count > 0).collect();
    Some(Waits { device: chosen.spec.short.clone(), path, kinds })
}

/// Everything besides runs that pictures are drawn from: the devices, recordings and sweeps.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// The measuring device.
    pub device: &'a Device,
    /// The backend that measures the program on the bench; None if nothing is measured.
    pub backend: Option<Backend>,
    /// The device's ceilings.
    pub ceilings: Ceilings,
    /// The devices that can be modelled.
    pub models: &'a [DeviceSpec],
    /// The one to model, by id; None for the measuring one.
    pub model: Option<&'a str>,
    /// The pack's recordings.
    pub recordings: &'a [Recording],
    /// The one to show.
    pub recording: &'a RecordingChoice,
    /// The figures that the pack quotes, if they are known.
    pub quotes: Option<&'a Quotes>,
    /// Sweeps, by experiment; perhaps of other settings.
    pub sweeps: Option<&'a BTreeMap<String, Sweep>>,
}

impl<'a> Sources<'a> {
    /// A device of which nothing is known: no models, no recordings, no sweeps.
    #[must_use]
    pub fn of_device(device: &'a Device) -> Self {
        Self {
            device,
            backend: None,
            ceilings: Ceilings::default(),
            models: &[],
            model: None,
            recordings: &[],
            recording: &RecordingChoice::Auto,
            quotes: None,
            sweeps: None,
        }
    }

    /// The device to model.
    #[must_use]
    pub fn modelled(&self) -> Option<Chosen<'a>> {
        model::pick(self.models, self.model, self.device)
    }
}

/// The curves of an experiment: the learner's own sweep, beside a recording where both are on one scale. None if there is no such experiment.
#[must_use]
pub fn curves(stage: &Stage<'_>, id: &str, sources: &Sources<'_>) -> Option<Plot> {
    let lesson = &stage.setting().lesson;
    let experiment = lesson.experiments.iter().find(|experiment| experiment.id == id)?;
    let own = sources.sweeps.and_then(|sweeps| sweeps.get(id)).filter(|sweep| !sweep.points.is_empty());
    let all: Vec<_> = sources.recordings.iter().filter_map(|recording| recording.shown(lesson, experiment)).collect();
    let chosen = recording::chosen(&all, sources.recording, Some(sources.device), own.is_some());
    let recorded = chosen.map(|i| {
        let (of, shown) = all[i];
        let mut plot = chart::recorded(lesson, experiment, shown);
        // The lesson's own title says what is plotted.
        plot.title = match stage.picture.text("title") {
            "" => format!("{}, recorded on {}", plot.title, of.name()),
            _ => format!("Recorded on {}", of.name()),
        };
        plot.series.iter_mut().for_each(|series| series.name = chart::plain_name(&series.name).to_owned());
        plot
    });
    let recorded = recorded.filter(|plot| !plot.series.is_empty());
    let measures = sources.backend.is_some();
    let mut plot = chart::plot(lesson, experiment, own, Some(&sources.ceilings), None, measures);
    if own.is_some_and(|sweep| sweep.modelled.is_some()) && recorded.is_none() {
        plot.series.iter_mut().for_each(|series| series.name = chart::plain_name(&series.name).to_owned());
    }
    match recorded {
        Some(recorded) if own.is_none() => return Some(recorded),
        Some(mut recorded) if chart::share_axes(&plot, &recorded) => {
            recorded.series.iter_mut().for_each(|series| series.name.push_str(chart::RECORDED));
            plot.series.extend(recorded.series);
        }
        _ => {}
    }
    Some(plot)
}

/// The roofline of the ladder of a launch's kernel, at the learner's settings unless noted, with the results that the store has.
#[must_use]
pub fn roofline(stage: &Stage<'_>, kernel: &Kernel, store: &dyn Store, sources: &Sources<'_>) -> Roofline {
    let setting = stage.setting();
    let (mut bytes, mut medians_s) = (BTreeMap::new(), BTreeMap::new());
    // Kernels that run only as part of a program have no run of their own.
    for rung in setting.lesson.rungs(kernel) {
        let is_shown = rung.id == kernel.id;
        let own = setting.lesson.program(&rung.id).filter(|program| program.alone).map(|_| Variant::plain(&rung.id));
        let Some(variant) = is_shown.then(|| stage.variant().clone()).or(own) else { continue };
        let place = if is_shown { stage.shown.pass } else { 0 };
        if cost::is_traced(&setting.lesson, &variant, &setting.params) {
            let traced = store.find(&At::traced(setting, &variant), ask::Counts);
            let trace = traced.as_ref().and_then(|traced| traced.trace(place));
            bytes.extend(trace.map(|trace| (rung.id.as_str(), dram_bytes(trace))));
        }
        let measured = |backend| store.find(&At::timed(setting, &variant, backend), ask::Time);
        if let Some(record) = sources.backend.and_then(measured) {
            let time = record.pass(place).and_then(|pass| pass.timing.as_ref()).filter(|_| record.trusted());
            medians_s.extend(time.map(|time| (rung.id.as_str(), time.median_s)));
        }
    }
    let traced = stage.is_traceable().then(|| store.find(stage.at, ask::Counts)).flatten();
    let needs = traced.as_ref().and_then(|traced| traced.pass(stage.shown.pass)).map(|pass| pass.work);
    Known { lesson: &setting.lesson, params: &setting.params, sources, bytes, medians_s }.roofline(kernel, needs)
}

/// The bytes that a traced grid moves between DRAM and L2, what it leaves in L2 to be written included; without counts of caches, those of
/// the sectors that it asks for.
fn dram_bytes(trace: &Trace) -> (u64, SpotBytes) {
    match &trace.caches {
        Some(caches) => (SECTOR * (caches.dram_loads + caches.dram_stores + caches.dirty), SpotBytes::Cached),
        None => (SECTOR * trace.global_sectors(), SpotBytes::Traced),
    }
}

/// The known figures of a ladder's kernels.
struct Known<'a> {
    lesson: &'a Lesson,
    params: &'a Params,
    sources: &'a Sources<'a>,
    /// By kernel, the bytes that its traced grid moved, and where they were counted.
    bytes: BTreeMap<&'a str, (u64, SpotBytes)>,
    /// By kernel, its measured median, in seconds.
    medians_s: BTreeMap<&'a str, f64>,
}

/// A sweep's point for each kernel, all at one value.
struct Cut {
    /// By kernel, what it reached.
    rates: BTreeMap<String, Rate>,
    /// All settings of the points.
    params: Params,
    /// Its settings that differ from the learner's: "size = 4,096".
    differs: String,
}

/// What a kernel reached at a point of a sweep.
struct Rate {
    /// Operations a second.
    per_s: f64,
    /// Operations per byte of its work.
    by_work: f64,
    /// Operations.
    flops: f64,
}

impl Known<'_> {
    /// The roofline of a kernel's ladder. `needs` is the kernel's own work: as a pass of a program it may differ from launch to launch.
    fn roofline(&self, kernel: &Kernel, needs: Option<Work>) -> Roofline {
        let recorded = self.recorded();
        let theirs = recorded.iter().map(|(recording, shown)| (*recording, self.cut(kernel, &shown.sweep)));
        let theirs = theirs.max_by_key(|(_, cut)| cut.rates.len()).filter(|(_, cut)| !cut.rates.is_empty());
        // A processor that plays a GPU would stretch the axes, and says nothing about one.
        let is_noise = self.sources.device.software && theirs.is_some();
        let mine =
            |sweep: &&Sweep| !is_noise && sweep.backend != Backend::Simt && sweep.device == self.sources.device.name;
        let own = self
            .sources
            .sweeps
            .into_iter()
            .flat_map(BTreeMap::values)
            .filter(mine)
            .map(|sweep| self.cut(kernel, sweep))
            .max_by_key(|c| c.rates.len());
        let (mut spots, mut swept, mut halves) = (Vec::new(), false, false);
        for rung in self.lesson.rungs(kernel) {
            let job = jobs::sketch(self.lesson, &Variant::plain(&rung.id), self.params);
            halves |= job.iter().flat_map(|job| &job.buffers).any(|buffer| buffer.elem.bytes() == 2);
            let shown = needs.filter(|_| rung.id == kernel.id);
            let work = job.map(|job| cost::whole(&job)).or(shown).filter(|work| work.flops > 0.0);
            let Some(Work { bytes: needed, flops }) = work else { continue };
            let traced = self.bytes.get(rung.id.as_str()).filter(|(bytes, _)| *bytes > 0);
            #[expect(clippy::cast_precision_loss, reason = "bytes stay below 2^53")]
            let by_trace = traced.map(|(bytes, _)| flops / *bytes as f64);
            let spot = |rate: Option<f64>, by_work: f64, time: SpotTime, whence: String| Spot {
                id: rung.id.clone(),
                name: rung.title.clone(),
                intensity: by_trace.unwrap_or(by_work),
                bytes: traced.map_or(SpotBytes::Needed, |(_, counted)| *counted),
                flops_per_s: rate,
                time,
                shown: rung.id == kernel.id,
                whence,
            };
            let before = spots.len();
            if let Some(median) = self.medians_s.get(rung.id.as_str()).filter(|_| !is_noise) {
                spots.push(spot(Some(flops / median), flops / needed, SpotTime::Measured, "measured here".to_owned()));
            } else if let Some((cut, rate)) = own.as_ref().and_then(|c| Some((c, c.rates.get(&rung.id)?))) {
                swept = true;
                let Rate { per_s, by_work, .. } = *rate;
                spots.push(spot(
                    Some(per_s),
                    by_work,
                    SpotTime::Measured,
                    format!("measured here{}", at(&cut.differs)),
                ));
            }
            if let Some((of, cut)) = &theirs
                && let Some(Rate { per_s, by_work, flops }) = cut.rates.get(&rung.id)
            {
                let whence = format!("recorded on {}{}", of.name(), at(&cut.differs));
                let spot = spot(Some(*per_s), *by_work, SpotTime::Recorded, whence);
                let counted = self.sources.quotes.and_then(|q| q.counted(self.lesson, &rung.id, &cut.params));
                let counted = counted.filter(|counted| counted.whence.starts_with(&of.device));
                let counted = counted.map(|counted| flops / (counted.read + counted.written));
                spots.push(match counted.filter(|intensity| intensity.is_finite()) {
                    Some(intensity) => Spot { intensity, bytes: SpotBytes::Counted, ..spot },
                    None => spot,
                });
            }
            if spots.len() == before {
                spots.push(spot(None, flops / needed, SpotTime::Measured, String::new()));
            }
        }
        let own = own.filter(|_| swept);
        let mut roofs = self.roofs(kernel, theirs.as_ref().map(|(of, _)| *of));
        // Matrix units count if a rung has 16-bit numbers for them.
        roofs.iter_mut().filter(|_| !halves).for_each(|roof| roof.matrix_flops_per_s = None);
        let note = note(own.as_ref(), theirs.as_ref(), &spots, &roofs);
        Roofline { roofs, spots, note }
    }

    /// The chosen recording's data for the lesson's experiments.
    fn recorded(&self) -> Vec<recording::Of<'_>> {
        let experiments = self.lesson.experiments.iter();
        let chosen = experiments.filter_map(|experiment| {
            let all: Vec<_> = self.sources.recordings.iter().filter_map(|r| r.shown(self.lesson, experiment)).collect();
            Some(all[recording::chosen(&all, self.sources.recording, Some(self.sources.device), true)?])
        });
        chosen.collect()
    }

    /// The points of a sweep at the learner's own value if it has that, else at its greatest.
    fn cut(&self, kernel: &Kernel, sweep: &Sweep) -> Cut {
        let rung = |id: &str| self.lesson.rungs(kernel).any(|rung| rung.id == id);
        let rate = |point: &&crate::session::run::output::SweepPoint| {
            let kernel = &point.kernel;
            kernel.is_ok()
                && rung(&kernel.id)
                && kernel.flops > 0.0
                && kernel.flops_per_s.is_some_and(|rate| rate > 0.0)
        };
        let points = || sweep.points.iter().filter(rate);
        let mine = self.params.get(&sweep.over).copied();
        let own = mine.filter(|mine| points().any(|point| point.x == *mine));
        let Some(x) = own.or_else(|| points().map(|point| point.x).max_by(f64::total_cmp)) else {
            return Cut { rates: BTreeMap::new(), params: Params::new(), differs: String::new() };
        };
        let rates = points().filter(|point| point.x == x).filter_map(|point| {
            let kernel = &point.kernel;
            let (per_s, flops) = (kernel.flops_per_s?, kernel.flops);
            Some((kernel.id.clone(), Rate { per_s, by_work: flops / kernel.bytes, flops }))
        });
        let value = |id: &str| if id == sweep.over { Some(x) } else { sweep.params.get(id).copied() };
        let differs = self.lesson.params.iter().filter(|p| value(&p.id) != self.params.get(&p.id).copied());
        let differs = differs.filter_map(|p| Some(format!("{} = {}", p.label, number(value(&p.id)?))));
        let params = self.lesson.params.iter().filter_map(|param| Some((param.id.clone(), value(&param.id)?)));
        Cut { rates: rates.collect(), params: params.collect(), differs: differs.collect::<Vec<_>>().join(", ") }
    }

    /// The ceilings measured here if the kernel runs here, or else those of the modelled device; plus those of the recording's device, if that is
    /// another.
    fn roofs(&self, kernel: &Kernel, recorded: Option<&Recording>) -> Vec<Roof> {
        let (bytes, flops) = (bandwidth(&self.sources.ceilings), self.sources.ceilings.fma_flops_per_s);
        let mut roofs = Vec::new();
        let runs_here = kernel.cuda_only().is_none() || self.sources.device.backend == Backend::Cuda;
        let is_noise = self.sources.device.software && recorded.is_some();
        if !is_noise && runs_here && (bytes.is_some() || flops.is_some()) {
            let name = format!("{}, measured", self.sources.device.name);
            roofs.push(Roof { name, bytes_per_s: bytes, flops_per_s: flops, matrix_flops_per_s: None, measured: true });
        } else {
            roofs.extend(self.sources.modelled().filter(|_| !is_noise).map(|chosen| published(chosen.spec)));
        }
        let elsewhere = recorded.filter(|recording| recording.device != self.sources.device.name);
        let theirs = elsewhere.and_then(|r| self.sources.models.iter().find(|spec| spec.is_adapter(&r.device)));
        roofs.extend(theirs.map(published).filter(|roof| !roofs.contains(roof)).into_iter().collect::<Vec<_>>());
        roofs.retain(|roof| roof.bytes_per_s.is_some() || roof.flops_per_s.is_some());
        roofs
    }
}

fn at(differs: &str) -> String {
    if differs.is_empty() { String::new() } else { format!(" at {differs}") }
}

/// The source of the times, and explanations of unexpectedly placed marks.
fn note(own: Option<&Cut>, theirs: Option<&(&Recording, Cut)>, spots: &[Spot], roofs: &[Roof]) -> String {
    let mut said = Vec::new();
    if let Some(cut) = own.filter(|cut| !cut.differs.is_empty()) {
        said.push(format!("All but the kernel on the bench: measured at {}.", cut.differs));
    }
    if let Some((of, cut)) = theirs {
        said.push(format!("Recorded on {}{}.", of.name(), at(&cut.differs)));
    }
    let others = own.is_some_and(|cut| !cut.differs.is_empty()) || theirs.is_some_and(|(_, c)| !c.differs.is_empty());
    let by = |bytes: SpotBytes| spots.iter().any(|spot| spot.bytes == bytes);
    if by(SpotBytes::Counted) {
        said.push("Recorded marks are placed by the bytes that DRAM's counter read.".to_owned());
    }
    if others && (by(SpotBytes::Traced) || by(SpotBytes::Cached)) {
        let which = if by(SpotBytes::Counted) { "The other marks' bytes" } else { "Bytes" };
        said.push(format!("{which} are traced at your own settings."));
    }
    let slope = |spot: &Spot| roofs.iter().filter_map(|roof| roof.bytes_per_s).fold(0.0, f64::max) * spot.intensity;
    if spots
        .iter()
        .any(|spot| spot.bytes == SpotBytes::Traced && spot.flops_per_s.is_some_and(|rate| rate > slope(spot)))
    {
        said.push("Traced bytes are before caches, which lift marks above the slope.".to_owned());
    }
    if spots.iter().any(|spot| spot.flops_per_s.is_none()) {
        said.push("Dashes up to the roof: kernels that were not measured.".to_owned());
    }
    said.join(" ")
}
