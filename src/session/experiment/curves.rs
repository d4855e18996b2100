//! The learner's own curves on disk, beside the state file: one recording per experiment and device, so that a new one
//! replaces only that one.

use std::path::{Path, PathBuf};

use super::record;
use super::recording::{self, Recording};
use super::sweep::Sweep;
use crate::base::diag::Diagnostic;
use crate::base::files::read_file;
use crate::base::{day, store};
use crate::lesson::{Experiment, Lesson, Pack};
use crate::trace::record::Device;

/// The size limit of a file, in bytes.
const MOST_BYTES: u64 = 64 << 20;

/// The folder of the curves, beside the learner's state file.
#[must_use]
pub fn folder(state: &Path) -> Option<PathBuf> {
    state.parent().map(|parent| parent.join("curves"))
}

/// Keeps a finished sweep of an experiment. It takes the place of that experiment's curves of this device, from
/// whichever day.
///
/// # Errors
/// When the file cannot be written: it stays as it was.
pub fn keep(
    folder: &Path,
    (lesson, experiment): (&Lesson, &Experiment),
    sweep: &Sweep,
    device: Device,
) -> Result<(), Diagnostic> {
    // If it cannot be created, writing the file reports why.
    let _ = std::fs::create_dir_all(folder);
    let curves = record::recorded(lesson, experiment, sweep);
    let kept = record::of_device(device, day::today(), sweep.bounds_checks, vec![curves]);
    let name = format!("{}.{}.{}.ron", kept.id, record::plain(&lesson.id), record::plain(&experiment.id));
    store::write_atomic(&folder.join(name), kept.to_text().as_bytes())
}

/// The kept recordings, newest first. Files of another format or program version are skipped and left in place.
#[must_use]
pub fn load(folder: &Path, pack: &Pack) -> Vec<Recording> {
    let mut found: Vec<Recording> = files(folder).iter().filter_map(|path| read(path).ok()).collect();
    found.sort_by(|a, b| b.date.cmp(&a.date).then_with(|| a.id.cmp(&b.id)));
    found.into_iter().map(|recording| recording.resolve(pack)).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "ron"));
    files.sort();
    files
}

fn read(path: &Path) -> Result<Recording, Diagnostic> {
    let name = path.display().to_string();
    let unread = |why: &dyn std::fmt::Display| Diagnostic::error(format!("cannot read {name}: {why}"));
    let text = read_file(path, MOST_BYTES).map_err(|why| unread(&why))?;
    let text = String::from_utf8(text).map_err(|why| unread(&why))?;
    let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    recording::read(&id, &name, &text).map(|recording| Recording { own: true, ..recording })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::session::run::output::{KernelOutput, SweepPoint, TimeOutput};
    use crate::trace::record::{Backend, CacheState};

    fn sweep(lesson: &Lesson, experiment: &Experiment, median_s: f64) -> Sweep {
        let time = TimeOutput {
            median_s,
            p10_s: median_s,
            p90_s: median_s,
            samples: 1,
            each_s: vec![median_s],
            cache: CacheState::Cold,
        };
        let curve = experiment.curves[0].id.clone();
        let work = crate::base::units::Work { bytes: 8.0, flops: 0.0 };
        let kernel = KernelOutput { time: Some(time), ..KernelOutput::sampled(&curve, work, median_s) };
        Sweep {
            number: 1,
            bounds_checks: true,
            warp_width: 32,
            backend: Backend::Wgpu,
            device: "Some GPU".to_owned(),
            params: crate::session::jobs::defaults(lesson),
            over: experiment.over.clone(),
            points: vec![SweepPoint {
                x: experiment.values[0],
                kernel,
                value: None,
                predicted_s: None,
                warnings: Vec::new(),
            }],
            total: 1,
            left_out: None,
            modelled: None,
        }
    }

    #[test]
    fn a_curve_is_kept_once_and_shown_again() {
        let folder = tempfile::tempdir().unwrap();
        let (pack, _) = crate::session::load(&crate::lesson::PackFiles::Embedded);
        let (lesson, experiment) = pack
            .lessons
            .iter()
            .filter(|lesson| lesson.experiments.iter().filter(|e| !e.quantity.is_traced()).count() > 1)
            .find_map(|lesson| Some((lesson, lesson.experiments.iter().find(|e| !e.quantity.is_traced())?)))
            .unwrap();
        let device = Device { name: "Some GPU".to_owned(), backend: Backend::Wgpu, ..crate::gpu::simt::device() };
        for median_s in [2e-3, 1e-3] {
            let sweep = sweep(lesson, experiment, median_s);
            keep(folder.path(), (lesson, experiment), &sweep, device.clone()).unwrap();
        }
        // Another experiment, measured without checks of indices, has a file of its own.
        let other = lesson.experiments.iter().filter(|e| !e.quantity.is_traced()).nth(1).unwrap();
        let unguarded = Sweep { bounds_checks: false, ..sweep(lesson, other, 3e-3) };
        keep(folder.path(), (lesson, other), &unguarded, device).unwrap();
        std::fs::write(folder.path().join("not-one.ron"), "(").unwrap();
        let found = load(folder.path(), &pack);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|kept| kept.own));
        assert!(found.iter().any(|kept| !kept.bounds_checks && kept.shown(lesson, other).is_some()));
        let (kept, shown) = found.iter().find_map(|kept| kept.shown(lesson, experiment)).unwrap();
        assert!(kept.bounds_checks);
        let times: Vec<f64> = shown.sweep.points.iter().map(|p| p.kernel.time.as_ref().unwrap().median_s).collect();
        assert_eq!(times, [1e-3], "the newer took the older one's place");
    }
}
