//! Applies the worker threads' events to the desk's state.

use std::sync::Arc;

use super::Desk;
use super::event::{Event, Work};
use super::state::{Activity, DeviceState, Measured, Notice, State, Traced};
use super::threads::FileTask;
use crate::base::diag::Diagnostic;
use crate::lesson::Pack;
use crate::session::experiment::curves;
use crate::session::learn::exercise::{Judged, Try, Verdict};
use crate::session::learn::predict::Answer;
use crate::trace::record::{Backend, Device};

impl Desk {
    pub(super) fn apply(&mut self, event: Event) {
        let state = &mut self.state;
        match event {
            Event::Pack(pack, problems) => self.take_pack(pack, problems),
            Event::Models(models) => state.models = models.into(),
            Event::Recordings(recordings) => state.recordings = recordings.into(),
            Event::Quotes(quotes) => state.quotes = quotes.into(),
            Event::PackChanged => {
                let curves = self.state_path.as_deref().and_then(curves::folder);
                self.disk.enqueue(FileTask::Load(self.files.clone(), curves));
            }
            Event::Device(choice, found) => {
                if choice == state.choice() {
                    self.take_device(found);
                }
            }
            Event::Cover(id, number, cover) => self.take_cover(&id, number, cover),
            Event::Told(problem) => state.notices.push(Notice::Problem(problem)),
            Event::Ceilings(backend, found) => match found {
                _ if state.measuring_backend() != Some(backend) => {}
                Ok(ceilings) => (state.found.ceilings, state.found.unrated) = (Some(ceilings), None),
                // Times are right without ceilings; the status line shows the problem until they are there.
                Err(problem) => state.found.unrated = Some(problem),
            },
            Event::Built(key, built) => self.take_built(&key, built),
            Event::Tried(id, source, problems) => self.take_tried(&id, source, problems),
            Event::Traced(id, traced) if state.is_traced_now(&id, &traced.key) => {
                state.take_traced(id, traced);
                self.measure_shown();
            }
            Event::Untraced(id, key, problems) if state.is_traced_now(&id, &key) => {
                state.found.failed.insert(id, problems);
                self.measure_shown();
            }
            Event::Sample(id, key, work, seconds) if state.is_current(&id, &key) => {
                let fresh = || Measured { key: key.clone(), work, samples: Vec::new(), record: None };
                let measured = state.found.measured.entry(id).or_insert_with(fresh);
                if measured.record.is_none() {
                    measured.samples.push(seconds);
                }
            }
            Event::Measured(id, key, record) if state.is_current(&id, &key) => {
                let samples = record.timing.as_ref().map(|t| t.samples.clone()).unwrap_or_default();
                state.found.measured.insert(id, Measured { key, work: record.work, samples, record: Some(record) });
            }
            Event::Unmeasured(id, key, problems) if state.is_current(&id, &key) => {
                state.found.measured.remove(&id);
                state.found.unmeasured.insert(id, problems);
            }
            Event::Explained(key, buffer, index, answer) => {
                let asked =
                    state.found.origin.as_mut().filter(|o| o.key == key && o.buffer == buffer && o.index == index);
                if let Some(origin) = asked {
                    origin.answer = Some(answer.map(Arc::new));
                }
            }
            Event::Filmed(key, buffers, answer) => {
                let asked = state.found.reeled.as_mut().filter(|asked| asked.key == key && asked.buffers == buffers);
                if let Some(reeled) = asked {
                    reeled.answer = Some(answer.map(Arc::new));
                }
            }
            // Results of parameters that have changed since.
            Event::Traced(..)
            | Event::Untraced(..)
            | Event::Sample(..)
            | Event::Measured(..)
            | Event::Unmeasured(..) => {}
            Event::SweepStarted(id, sweep) => {
                state.found.sweeps.insert(id, sweep);
            }
            Event::SweepPoint(id, number, point, problems) => {
                if let Some(sweep) = state.found.sweeps.get_mut(&id).filter(|s| s.number == number) {
                    sweep.points.push(*point);
                    if let Some(Activity { progress, .. }) = state.activities.get_mut(&Work::Device) {
                        *progress = Some((sweep.points.len(), sweep.total));
                    }
                    state.notices.extend(problems.into_iter().map(Notice::Problem));
                    if sweep.points.len() == sweep.total {
                        self.keep_curve(&id);
                    }
                }
            }
            Event::NotKept(problem) => state.notices.push(Notice::Problem(problem)),
            Event::Done(work, number) => self.take_done(work, number),
            Event::Answered(lesson, id, answer) => self.take_answer(&lesson, &id, answer),
            Event::Judged(tried, verdict) => self.take_verdict(&tried, verdict),
            Event::Exported(written, problems) => {
                state.notices.extend(problems.into_iter().map(Notice::Problem));
                state.notices.push(written.map_or_else(Notice::Problem, Notice::Wrote));
            }
            Event::TextRead(number, done, all) => self.take_text_progress(number, (done, all)),
            Event::TextCounted(number, counted) => self.take_text(number, counted),
            Event::Saved(change, outcome) => self.take_saved(change, outcome),
        }
    }

    /// Writes a finished sweep to disk, so that a restart does not lose it. Traced sweeps are reproducible and not kept.
    fn keep_curve(&mut self, id: &str) {
        let found =
            (self.state_path.as_deref().and_then(curves::folder), self.plain.clone(), self.state.acting_device());
        let (Some(folder), Some(lesson), Some(device)) = found else { return };
        let Some(sweep) = self.state.found.sweeps.get(id).filter(|sweep| sweep.backend == device.backend) else {
            return;
        };
        let Some(experiment) = lesson.experiments.iter().find(|experiment| experiment.id == id).cloned() else {
            return;
        };
        if device.backend != Backend::Simt {
            self.disk.enqueue(FileTask::Curve(folder, lesson, Box::new(experiment), Box::new(sweep.clone()), device));
        }
    }

    /// Takes a newly read pack. If the open lesson is now broken, its old version stays in place.
    fn take_pack(&mut self, mut pack: Pack, problems: Vec<Diagnostic>) {
        self.state.problems = problems;
        self.forget_covers();
        for lesson in &pack.lessons {
            if self.state.saved.lessons.get_mut(&lesson.id).is_some_and(|kept| kept.adopt(lesson)) {
                self.unsaved();
            }
        }
        let Some(open) = self.plain.clone() else {
            let wanted = self.state.saved.lesson.clone();
            let found = wanted.and_then(|id| pack.lessons.iter().find(|l| l.id == id)).or(pack.lessons.first());
            let found = found.map(|l| l.id.clone());
            self.state.pack = pack;
            if let Some(id) = found {
                self.open_lesson(&id);
            }
            return;
        };
        let reloaded = pack.lessons.iter().find(|l| l.id == open.id).cloned();
        if reloaded.is_none() {
            let place = self.state.pack.lessons.iter().position(|l| l.id == open.id).unwrap_or(0);
            pack.lessons.insert(place.min(pack.lessons.len()), open);
        }
        self.state.pack = pack;
        // Curves are dropped, since their kernels may have changed.
        self.sweeps.clear();
        if let Some(lesson) = reloaded {
            self.state.place.revision += 1;
            self.reload_lesson(lesson);
        }
    }

    fn take_device(&mut self, found: Result<Device, Diagnostic>) {
        self.state.found.device = found.map_or_else(DeviceState::Missing, DeviceState::Ready);
        self.measure_shown();
    }

    /// Takes the end of an order. After the last one the kernel on the bench is measured, if that was put off.
    fn take_done(&mut self, work: Work, number: u64) {
        let last = match work {
            Work::Device => self.device.last(),
            Work::Judge => self.judge.last(),
            Work::Export => self.notes.last(),
            Work::Text => self.texts.last(),
        };
        if number != last {
            return;
        }
        self.state.activities.remove(&work);
        if work == Work::Device {
            self.state.found.answering = None;
            self.measure_shown();
        }
    }

    fn take_answer(&mut self, lesson: &str, id: &str, answer: Result<Answer, Vec<Diagnostic>>) {
        self.state.found.answering = self.state.found.answering.take().filter(|asked| asked != id);
        match answer {
            Ok(answer) => {
                let kept = self.state.saved.lessons.get_mut(lesson);
                if let Some(predicted) = kept.and_then(|k| k.predictions.get_mut(id)) {
                    predicted.answer = Some(answer);
                    self.unsaved();
                }
            }
            Err(problems) => self.state.notices.extend(problems.into_iter().map(Notice::Problem)),
        }
    }

    fn take_verdict(&mut self, tried: &Try, judged: Judged) {
        let Try { lesson, exercise: id, source, .. } = tried;
        let Some(open) = self.state.place.lesson.as_ref().filter(|open| open.id == lesson.id) else { return };
        let Some(exercise) = open.exercises.iter().find(|exercise| exercise.id == *id) else { return };
        if self.state.kept().tried(id).source.as_deref().unwrap_or(&exercise.starter) != source {
            // The learner has changed it since.
            return;
        }
        if matches!(judged.verdict, Verdict::Solved(_)) {
            self.keep(|kept| kept.exercises.entry(id.clone()).or_default().solution = Some(source.clone()));
        }
        self.state.found.verdicts.insert(id.clone(), Arc::new(judged));
    }
}

impl State {
    /// Whether a result with this key is of the current settings.
    fn is_current(&self, program: &str, of: &str) -> bool {
        self.place.setting().is_some_and(|setting| setting.key(&self.place.variant_of(program)) == of)
    }

    /// The same for a trace.
    fn is_traced_now(&self, program: &str, of: &str) -> bool {
        self.place.setting().is_some_and(|setting| setting.traced_key(&self.place.variant_of(program)) == of)
    }

    fn take_traced(&mut self, id: String, traced: Traced) {
        let kept = self.found.traced.entry(id).or_default();
        kept.key = traced.key;
        if traced.timeline.is_some() {
            (kept.timeline, kept.shown_findings) = (traced.timeline, traced.shown_findings);
        }
        if traced.heat.is_some() {
            kept.heat = traced.heat;
        }
        if traced.record.is_some() {
            (kept.record, kept.launches) = (traced.record, traced.launches);
        }
    }
}
