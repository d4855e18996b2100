//! Device model predictions: chooses the device to model, and predicts a traced kernel's time, occupancy and waves.

use serde::Serialize;

use crate::base::diag::{Diagnostic, nearest};
use crate::base::units::{self, counted, digits3, figure, number, si};
use crate::device::occupancy::Limit;
use crate::device::predict::Term;
use crate::device::{Bound, DeviceSpec, Launch, Occupancy, Point, Prediction, Resource, Waves, Work, predict, spec};
use crate::job::{Caches, Code, Job};
use crate::lesson::PackFiles;
use crate::machine::MachineCode;
use crate::measure::roofline;
use crate::trace::record::{Backend, Ceilings, Device, Record};
use crate::trace::{PassRecord, Trace};

/// Where a pack's devices are.
pub const FOLDER: &str = "assets/devices";

/// The device that is modelled if the measuring one has no model.
pub const STAND_IN: &str = "h200-sxm";

/// The devices of a pack, including the built-in ones unless the pack has its own with the same id; and problems of
/// their files.
#[must_use]
pub fn load(files: &PackFiles) -> (Vec<DeviceSpec>, Vec<Diagnostic>) {
    let (mut specs, mut problems) = (Vec::new(), Vec::new());
    let built_in = (*files != PackFiles::Embedded).then_some(PackFiles::Embedded);
    for files in std::iter::once(files).chain(&built_in) {
        for path in files.list(FOLDER) {
            let name = path.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/'));
            let Some(id) = name.and_then(|name| name.strip_suffix(".ron")) else { continue };
            if specs.iter().any(|known: &DeviceSpec| known.id == id) {
                continue;
            }
            match files.require(&path).and_then(|text| spec::read(id, &files.display(&path), &text)) {
                Ok(spec) => specs.push(spec),
                Err(problem) => problems.push(problem),
            }
        }
    }
    (specs, problems)
}

/// A device to model.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<'a> {
    pub spec: &'a DeviceSpec,
    /// Whether it is the one that measures: otherwise its times are not this machine's.
    pub this_machine: bool,
    /// The backend whose launch overhead is used; with None, CUDA's if it is known, else Vulkan's.
    pub backend: Option<Backend>,
}

/// The device to model: the one asked for, else the measuring one, else a stand-in. None if there are no models.
///
/// # Errors
/// When the one asked for does not exist: lists those that do.
pub fn choose<'a>(
    specs: &'a [DeviceSpec],
    wanted: Option<&str>,
    measures: &Device,
) -> Result<Option<Chosen<'a>>, Diagnostic> {
    let chosen = |spec: &'a DeviceSpec| {
        let this_machine = spec.is_adapter(&measures.name);
        Chosen { spec, this_machine, backend: this_machine.then_some(measures.backend) }
    };
    let of = |id: &str| specs.iter().find(|spec| spec.id == id).map(chosen);
    if let Some(id) = wanted {
        return of(id).map(Some).ok_or_else(|| {
            let known = specs.iter().map(|spec| spec.id.as_str());
            let hint = match nearest(id, known.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are: {}", known.collect::<Vec<_>>().join(", ")),
            };
            Diagnostic::error(format!("there is no model of a device `{id}`")).hint(hint)
        });
    }
    let own = specs.iter().map(chosen).find(|chosen| chosen.this_machine);
    Ok(own.or_else(|| of(STAND_IN)).or_else(|| specs.first().map(chosen)))
}

/// As [`choose`], but falls back to the default if the chosen device is no longer in the pack.
#[must_use]
pub fn pick<'a>(specs: &'a [DeviceSpec], wanted: Option<&str>, measures: &Device) -> Option<Chosen<'a>> {
    choose(specs, wanted, measures).or_else(|_| choose(specs, None, measures)).ok().flatten()
}

/// Registers and spills of a launch's kernel, if its PTX has them in comments.
#[must_use]
pub fn machine_code(launch: &crate::job::Launch) -> Option<MachineCode> {
    match &launch.code {
        Code::Ptx(assembled) => MachineCode::of(&assembled.ptx, &assembled.twin.entry),
        _ => None,
    }
}

/// The caches of a device, for a trace that counts their hits; None if they are not known.
#[must_use]
pub fn caches(spec: &DeviceSpec, warm: bool) -> Option<Caches> {
    let figures = &spec.figures;
    Some(Caches {
        sms: figures.sms()?,
        threads_per_sm: figures.max_threads_per_sm()?,
        blocks_per_sm: figures.max_blocks_per_sm()?,
        l1_bytes: figures.l1_bytes_per_sm()?,
        l2_bytes: figures.l2_bytes()?,
        warm,
    })
}

/// How a pass of a job is launched; None for a copy or a fill, and before its shader was compiled.
#[must_use]
pub fn launch(job: &Job, place: usize) -> Option<Launch> {
    let launch = job.passes.get(place)?.launch()?;
    let shape = launch.workgroup?;
    Some(Launch {
        blocks: launch.grid.most().iter().map(|n| u64::from(*n)).product(),
        threads_per_block: shape.size.iter().fold(1, |all: u32, n| all.saturating_mul(*n)),
        shared_bytes_per_block: shape.shared_bytes + launch.cuda_only().map_or(0, |only| only.shared_bytes),
        registers_per_thread: machine_code(launch).map(|code| code.registers),
        warp_lanes: job.trace.as_ref().map_or(32, |spec| spec.warp_width),
    })
}

/// How a pass of a job was launched in a run. A complete trace has the number of blocks: a grid held in a buffer is not
/// known before.
#[must_use]
pub fn launched(job: &Job, record: &Record, place: usize) -> Option<Launch> {
    let launch = launch(job, place)?;
    let blocks = record.passes.get(place).and_then(|pass| {
        let trace = pass.trace.as_ref().filter(|trace| trace.complete)?;
        let of_block = launch.threads_per_block.div_ceil(launch.warp_lanes).max(1);
        Some(trace.warps / u64::from(of_block) / pass.launches.max(1))
    });
    Some(Launch { blocks: blocks.unwrap_or(launch.blocks), ..launch })
}

/// The data of a kernel that a prediction needs.
#[derive(Clone, Copy, Debug)]
pub struct Traced<'a> {
    pub launch: &'a Launch,
    pub trace: &'a Trace,
    /// Its needed work, if a lesson gives it.
    pub needs: Option<units::Work>,
    /// How often it was launched.
    pub launches: u64,
    /// Whether its data may be in the L2 cache when it starts: an earlier pass or launch of the same program touched it.
    pub cached: bool,
    /// Whether the program has no other launch.
    pub is_alone: bool,
}

impl<'a> Traced<'a> {
    /// A pass of a job, given by its index, as it was launched and traced. None for a pass without a trace.
    #[must_use]
    pub fn of_pass(job: &Job, pass: &'a PassRecord, place: usize, launch: &'a Launch) -> Option<Self> {
        let launches = pass.launches;
        Some(Self {
            launch,
            trace: pass.trace.as_ref()?,
            needs: Some(pass.work),
            launches,
            cached: place > 0 || launches > 1,
            is_alone: job.passes.len() == 1 && launches <= 1,
        })
    }
}

/// The model's prediction for a kernel, in the shape that the command line prints as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Predicted {
    pub device: Modelled,
    /// The time as one number, the ends between which nine of ten such times lie, and its parts; null without counts of caches.
    #[serde(flatten)]
    pub point: Option<Point>,
    /// The low end: the time of the needed work at the device's peak, in seconds; null if no time can be predicted.
    pub low_s: Option<f64>,
    /// The high end: the time of the traced work without help from caches, in seconds.
    pub high_s: Option<f64>,
    /// The resource that bounds the high end.
    pub bound: Option<Bound>,
    /// The time that each resource alone would take.
    pub terms: Vec<Term>,
    /// The occupancy of an SM.
    pub occupancy: Option<Occupancy>,
    /// How the grid spreads over the SMs.
    pub waves: Option<Waves>,
    pub assumptions: Vec<Said>,
    /// The reasons if there is no time.
    pub missing: Vec<Said>,
    /// The error against the measurement; null if the modelled device did not measure.
    pub error: Option<Error>,
}

/// The device of a prediction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Modelled {
    /// Its id, as `--device` takes it.
    pub id: String,
    pub name: String,
    /// Its short name, for narrow places.
    #[serde(skip)]
    pub short: String,
    /// Whether it is the one that measures.
    pub this_machine: bool,
}

impl Modelled {
    pub(super) fn of(chosen: &Chosen<'_>) -> Self {
        let DeviceSpec { id, name, short, .. } = chosen.spec;
        let this_machine = chosen.this_machine;
        Self { id: id.clone(), name: name.clone(), short: short.clone(), this_machine }
    }
}

/// A sentence, and a name for what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Said {
    /// The name.
    pub kind: &'static str,
    /// The sentence.
    pub text: String,
}

/// How far a prediction is from the measured median: predicted over measured, less one, for the time and both bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Error {
    /// Of the predicted time; null if there is none.
    pub point: Option<f64>,
    /// Whether the measured median lies in the likely range; null if there is none.
    pub likely: Option<bool>,
    /// Of the low end.
    pub low: f64,
    /// Of the high end.
    pub high: f64,
    /// Whether the measured median lies between the ends.
    pub within: bool,
}

/// The device model's prediction for a traced kernel, in figures.
#[must_use]
pub fn prediction(chosen: &Chosen<'_>, traced: &Traced<'_>, ceilings: &Ceilings) -> Prediction {
    let here = chosen.this_machine;
    // This machine's own measurements take precedence over those of another device of its kind.
    let figures = &chosen.spec.figures;
    let work = Work {
        launch: traced.launch,
        trace: traced.trace,
        least_bytes: traced.needs.map(|needs| needs.bytes),
        least_flops: traced.needs.map_or(0.0, |needs| needs.flops),
        copy_bytes_per_s: roofline::bandwidth(ceilings).filter(|_| here).or(figures.copied_bytes_per_s()),
        #[expect(clippy::cast_precision_loss, reason = "a count of launches")]
        launch_s: launch_s(chosen, ceilings).map(|ends| ends.map(|s| s * traced.launches as f64)),
        launches: traced.launches,
        cached: traced.cached,
        is_alone: traced.is_alone,
        through_vulkan: chosen.backend == Some(Backend::Wgpu),
    };
    predict(chosen.spec, &work)
}

/// The device model's prediction for a traced kernel, and its error against the median measured on this machine.
#[must_use]
pub fn predicted(chosen: &Chosen<'_>, traced: &Traced<'_>, ceilings: &Ceilings, measured_s: Option<f64>) -> Predicted {
    let here = chosen.this_machine;
    let found = prediction(chosen, traced, ceilings);
    let (low_s, high_s) = (found.time.as_ref().map(|t| t.low_s), found.time.as_ref().map(|t| t.high_s));
    let point = found.point.as_ref();
    let error = low_s.zip(high_s).zip(measured_s.filter(|m| here && *m > 0.0)).map(|((low, high), measured)| Error {
        point: point.map(|point| point.point_s / measured - 1.0),
        likely: point.map(|point| (point.likely_s[0]..=point.likely_s[1]).contains(&measured)),
        low: low / measured - 1.0,
        high: high / measured - 1.0,
        within: (low..=high).contains(&measured),
    });
    Predicted {
        device: Modelled::of(chosen),
        point: found.point,
        low_s,
        high_s,
        bound: found.time.as_ref().map(|t| t.bound),
        terms: found.time.map(|t| t.terms).unwrap_or_default(),
        occupancy: found.occupancy,
        waves: found.waves,
        assumptions: found.assumptions.iter().map(|a| Said { kind: a.kind(), text: a.sentence() }).collect(),
        missing: found.missing.iter().map(|m| Said { kind: m.kind(), text: m.sentence().to_owned() }).collect(),
        error,
    }
}

/// The minimum and the maximum time of an empty launch, in seconds.
fn launch_s(chosen: &Chosen<'_>, ceilings: &Ceilings) -> Option<[f64; 2]> {
    let figures = &chosen.spec.figures;
    if let Some(measured) = ceilings.launch_s.filter(|_| chosen.this_machine) {
        return Some([measured; 2]);
    }
    let cuda = figures.empty_launch_s().map(|s| [s; 2]);
    let vulkan = figures.vulkan_launch_s().map(|(low, high)| [low, high]);
    if chosen.backend == Some(Backend::Wgpu) { vulkan.or(cuda) } else { cuda.or(vulkan) }
}

impl Predicted {
    /// The time in words: one number if there is one, or else the bounds.
    #[must_use]
    pub fn time_words(&self) -> Option<String> {
        self.point.as_ref().map(|point| si(point.point_s, "s")).or_else(|| self.bounds_words())
    }

    /// The resource that bounds the time.
    #[must_use]
    pub fn bound_by(&self) -> Option<Bound> {
        self.point.as_ref().and_then(|point| point.parts.first()).map(|part| part.of).or(self.bound)
    }

    /// The bounds in words: two ends, or the one that both round to.
    #[must_use]
    pub fn bounds_words(&self) -> Option<String> {
        let (low, high) = (si(self.low_s?, "s"), si(self.high_s?, "s"));
        let unit = |text: &str| text.rsplit_once(' ').map(|(_, unit)| unit.to_owned());
        Some(match unit(&low) {
            _ if low == high => high,
            shared if shared == unit(&high) => format!("{}–{high}", low.split(' ').next().unwrap_or(&low)),
            _ => format!("{low}–{high}"),
        })
    }

    /// How far off the time is: of the number if there is one, or else of the bounds.
    #[must_use]
    pub fn error_words(&self) -> Option<String> {
        let signed = |ratio: f64| {
            let percent = 100.0 * ratio;
            let digits = if percent.abs() < 9.95 { 1 } else { 0 };
            format!("{}{:.digits$}%", if percent < 0.0 { "−" } else { "+" }, percent.abs())
        };
        let error = self.error?;
        if let Some(point) = error.point {
            return Some(signed(point));
        }
        let (low, high) = (signed(error.low), signed(error.high));
        Some(if low == high { high } else { format!("{low} to {high}") })
    }

    /// The occupancy in words: its limiting resource, and the saving that lets one more block in.
    #[must_use]
    pub fn occupancy_words(&self) -> Option<String> {
        let held = self.occupancy.as_ref()?;
        if held.blocks_per_sm == 0 {
            return Some(format!("a block does not fit: too much of {}", held.limited_by.name()));
        }
        let (blocks, warps) = (counted(held.blocks_per_sm.into(), "block"), counted(held.warps_per_sm.into(), "warp"));
        let mut words = format!("{blocks} ({warps}) per SM, limited by {}", held.limited_by.name());
        // A full SM has no room for more.
        if let Some(less) = held.less_for_one_more.filter(|_| held.fraction.is_none_or(|fraction| fraction < 1.0)) {
            let what = match held.limited_by {
                Resource::Threads | Resource::Warps | Resource::Blocks => "fewer threads per block",
                Resource::Registers => "fewer registers per thread",
                Resource::SharedMemory => "fewer bytes of shared memory per block",
            };
            words.push_str(&format!("; {} {what} would fit one more block", number(f64::from(less))));
        }
        if let Some(Limit { resource, blocks }) = held.next {
            words.push_str(&format!("; next {} at {blocks}", resource.name()));
        }
        Some(words)
    }

    /// The waves and their tail.
    #[must_use]
    pub fn waves_words(&self) -> Option<String> {
        let w = self.waves?;
        let count = digits3(w.waves);
        if w.busy_sms < w.sms {
            return Some(format!("{count} waves: {} of {} SMs have work", w.busy_sms, w.sms));
        }
        let idle = figure(w.idle_share, "%");
        Some(match w.tail_blocks {
            0 => format!("{count} waves, all of them full"),
            _ if w.full == 0 => format!("{count} waves: all blocks at once, {idle} of the places empty"),
            _ => format!("{count} waves: the last is {} full, {idle} of all places idle", figure(w.tail_fill, "%")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::simt;

    fn adapter(name: &str) -> Device {
        Device { name: name.into(), ..simt::device() }
    }

    #[test]
    fn the_measuring_device_is_modelled_where_it_can_be() -> Result<(), Diagnostic> {
        let (specs, problems) = load(&PackFiles::Embedded);
        assert!(problems.is_empty() && specs.len() >= 6, "{problems:?}");
        let of = |wanted: Option<&str>, name: &str| {
            let chosen = choose(&specs, wanted, &adapter(name))?;
            Ok::<_, Diagnostic>(chosen.map(|c| (c.spec.id.clone(), c.this_machine)).unwrap_or_default())
        };
        assert_eq!(of(None, "NVIDIA H200")?, ("h200-sxm".into(), true));
        assert_eq!(of(None, "llvmpipe (LLVM 15.0.6, 256 bits)")?, ("h200-sxm".into(), false));
        // A laptop's chip of nearly the same name is a different chip.
        assert_eq!(of(None, "NVIDIA GeForce RTX 4090 Laptop GPU")?, ("h200-sxm".into(), false));
        assert_eq!(of(Some("rtx-4090"), "NVIDIA H200")?, ("rtx-4090".into(), false));
        let missing = of(Some("rtx-4080"), "x").err().map(|d| d.to_string()).unwrap_or_default();
        assert!(missing.contains("did you mean `rtx-4090`?"), "{missing}");
        Ok(())
    }

    #[test]
    fn a_packs_own_devices_come_first_and_their_mistakes_are_told() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let devices = folder.path().join(FOLDER);
        std::fs::create_dir_all(&devices)?;
        let own = "(format_version: 1, name: \"Mine\", short: \"Mine\", adapters: [], sources: {}, figures: ())";
        std::fs::write(devices.join("h100-sxm.ron"), own)?;
        std::fs::write(devices.join("broken.ron"), own.replace("()", "(sms: (1, \"x\"))"))?;
        let (specs, problems) = load(&PackFiles::Folder(folder.path().to_owned()));
        let named = |id: &str| specs.iter().filter(|s| s.id == id).map(|s| s.name.clone()).collect::<Vec<_>>();
        assert_eq!(named("h100-sxm"), ["Mine"]);
        assert_eq!(named("h200-sxm").len(), 1);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].to_string().contains("broken.ron:1:"), "{}", problems[0]);
        Ok(())
    }

    #[test]
    fn the_caches_of_a_trace_are_those_of_the_device_that_was_measured() {
        let (specs, _) = load(&PackFiles::Embedded);
        let h200 = specs.iter().find(|spec| spec.id == "h200-sxm").map(|spec| caches(spec, false));
        assert_eq!(h200, Some(Some(Caches::H200)));
    }

    #[test]
    fn an_error_is_of_both_ends_and_only_of_the_device_that_measured() -> Result<(), Diagnostic> {
        let (specs, _) = load(&PackFiles::Embedded);
        let mut trace = Trace { complete: true, ..Trace::default() };
        trace.global.load.sectors = 2_093_750;
        let launch = Launch {
            blocks: 132,
            threads_per_block: 256,
            shared_bytes_per_block: 0,
            registers_per_thread: None,
            warp_lanes: 32,
        };
        let traced = Traced {
            launch: &launch,
            trace: &trace,
            needs: Some(units::Work { bytes: 33.5e6, flops: 0.0 }),
            launches: 1,
            cached: false,
            is_alone: true,
        };
        let ceilings = Ceilings { copy_bytes_per_s: Some(3.35e12), launch_s: Some(0.0), ..Ceilings::default() };
        let of = |name: &str, measured: f64| {
            let chosen = choose(&specs, None, &adapter(name))?;
            Ok::<_, Diagnostic>(chosen.map(|c| predicted(&c, &traced, &ceilings, Some(measured))))
        };
        let inside = of("NVIDIA H100 80GB HBM3", 15e-6)?;
        let inside = inside.as_ref();
        assert!(inside.and_then(|p| p.error).is_some_and(|e| e.within && (e.low + 1.0 / 3.0).abs() < 1e-9));
        assert_eq!(inside.and_then(Predicted::time_words).as_deref(), Some("10.0–30.4 µs"));
        assert_eq!(inside.and_then(Predicted::error_words).as_deref(), Some("−33% to +102%"));
        let outside = of("NVIDIA H100 80GB HBM3", 35e-6)?;
        assert!(outside.as_ref().and_then(|p| p.error).is_some_and(|e| !e.within));
        // Others' measurements on such a device are used if this machine has measured nothing.
        let chosen = choose(&specs, None, &adapter("NVIDIA H100 80GB HBM3"))?;
        let unmeasured = chosen.map(|c| predicted(&c, &traced, &Ceilings::default(), None));
        assert_eq!(unmeasured.as_ref().and_then(Predicted::time_words).as_deref(), Some("10.8–35.0 µs"));
        assert!(of("llvmpipe", 16e-6)?.is_some_and(|p| p.error.is_none() && !p.device.this_machine));
        Ok(())
    }
}
