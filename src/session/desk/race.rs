//! A race of kernels on the stage: the source of their times.

use super::State;
use crate::lesson::Variant;
use crate::session::experiment::recording::Recording;

/// How long a program in a race takes.
#[derive(Clone, Copy, Debug)]
pub struct RaceTime<'a> {
    /// The median, or the predicted time, in seconds.
    pub seconds: f64,
    pub source: RaceSource<'a>,
}

/// The source of the times of a race.
#[derive(Clone, Copy, Debug)]
pub enum RaceSource<'a> {
    /// Measured by this machine's device.
    Measured,
    Recorded(&'a Recording),
    /// Predicted for the device of this name.
    Predicted(&'a str),
}

impl State {
    /// Whether kernels race on the stage; otherwise the one shown beside the bench's is its original.
    #[must_use]
    pub fn is_race(&self) -> bool {
        self.place.bench.edit.is_none() && !self.place.bench.beside.is_empty()
    }

    /// The time of a program in a race. All times of one race have one source: this machine's GPU, else one recording
    /// that has all of them at these settings, else the device in place of a GPU, else the model of one. Where the plot
    /// shows a recording, times of a device in place of a GPU would say the contrary: there are none then. None outside
    /// a race, and while one time is missing.
    #[must_use]
    pub fn race_time(&self, variant: &Variant) -> Option<RaceTime<'_>> {
        let racing = || std::iter::once(&self.place.bench.variant).chain(&self.place.bench.beside);
        let measured = |of: &Variant| Some(self.found.measured(&of.program)?.timing.as_ref()?.median_s);
        let own = || {
            let all = self.is_race() && racing().all(|of| measured(of).is_some_and(|median_s| median_s > 0.0));
            all.then(|| measured(variant)).flatten().map(|seconds| RaceTime { seconds, source: RaceSource::Measured })
        };
        let lesson = self.place.lesson.as_ref().filter(|_| self.is_race())?;
        let params = &self.place.params;
        let recorded = || {
            let has =
                |r: &&Recording| racing().all(|of| r.time_at(lesson, of, params).is_some_and(|t| t.median_s > 0.0));
            let recording = self.library.recordings.iter().filter(|_| !self.is_undecided()).find(has)?;
            let seconds = recording.time_at(lesson, variant, params)?.median_s;
            Some(RaceTime { seconds, source: RaceSource::Recorded(recording) })
        };
        let predicted = || {
            let all = racing().all(|of| self.predicted_s(&of.program, None).is_some());
            let seconds = all.then(|| self.predicted_s(&variant.program, None)).flatten()?;
            Some(RaceTime { seconds, source: RaceSource::Predicted(&self.modelled()?.spec.name) })
        };
        let is_gpu = self.acting_device().is_some_and(|device| !device.software);
        let in_place = || if self.recorded().is_empty() { own() } else { None };
        if is_gpu { own().or_else(recorded) } else { recorded().or_else(in_place).or_else(predicted) }
    }

    /// How fast a program in a race is, relative to the one on the bench; 1 while their times are not known, and
    /// outside a race.
    #[must_use]
    pub fn pace(&self, variant: &Variant) -> f64 {
        let both = self.race_time(&self.place.bench.variant).zip(self.race_time(variant));
        both.map_or(1.0, |(bench, own)| bench.seconds / own.seconds)
    }
}
