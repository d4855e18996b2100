//! Taking in what the threads sent.

use super::Desk;
use super::event::Event;
use super::state::{Activity, DeviceState, Measured, Notice, SaveState, State, Traced, key};
use super::threads::DeviceTask;
use crate::base::diag::Diagnostic;
use crate::lesson::Pack;
use crate::session::exercise::Verdict;
use std::sync::Arc;

impl Desk {
    pub(super) fn apply(&mut self, event: Event) {
        let state = &mut self.state;
        match event {
            Event::Pack(pack, problems) => self.take_pack(pack, problems),
            Event::Device(choice, found) => {
                if choice == state.choice() {
                    self.take_device(found);
                }
            }
            Event::Ceilings(Ok(ceilings)) => state.ceilings = Some(ceilings),
            Event::Ceilings(Err(problem)) => state.notices.push(Notice::Problem(problem)),
            Event::Traced(id, traced) if state.is_current(&id, &traced.key) => state.take_traced(id, traced),
            Event::Failed(id, key, problems) if state.is_current(&id, &key) => {
                state.failed.insert(id, problems);
            }
            Event::Sample(id, key, work, seconds) if state.is_current(&id, &key) => {
                let fresh = || Measured { key: key.clone(), work, samples: Vec::new(), record: None };
                let measured = state.measured.entry(id).or_insert_with(fresh);
                if measured.record.is_none() {
                    measured.samples.push(seconds);
                }
            }
            Event::Measured(id, key, work, record) if state.is_current(&id, &key) => {
                let samples = record.timing.as_ref().map(|t| t.samples.clone()).unwrap_or_default();
                state.measured.insert(id, Measured { key, work, samples, record: Some(record) });
            }
            // Of parameters that have changed since.
            Event::Traced(..) | Event::Failed(..) | Event::Sample(..) | Event::Measured(..) => {}
            Event::SweepStarted(id, sweep) => {
                let kept = state.sweeps.entry(id).or_default();
                // The one before stays, for comparison; older ones go.
                if kept.len() > 1 {
                    kept.remove(0);
                }
                kept.push(sweep);
            }
            Event::SweepPoint(id, point, problems) => {
                if let Some(sweep) = state.sweeps.get_mut(&id).and_then(|s| s.last_mut()) {
                    sweep.points.push(*point);
                    if let Some(Activity { progress, .. }) = &mut state.activity {
                        *progress = Some((sweep.points.len(), sweep.total));
                    }
                }
                state.notices.extend(problems.into_iter().map(Notice::Problem));
            }
            Event::Idle => {
                state.activity = None;
                state.answering = None;
            }
            Event::Answered(id, answer) => {
                state.answering = None;
                match answer {
                    Ok(answer) => self.keep(|kept| {
                        if let Some(predicted) = kept.predictions.get_mut(&id) {
                            predicted.answer = Some(answer);
                        }
                    }),
                    Err(problems) => state.notices.extend(problems.into_iter().map(Notice::Problem)),
                }
            }
            Event::Judged(verdict) => {
                state.activity = None;
                let solved = matches!(verdict, Verdict::Solved(_));
                state.verdict = Some(Arc::new(verdict));
                self.keep(|kept| kept.solved |= solved);
            }
            Event::Exported(written, problems) => {
                state.activity = None;
                state.notices.extend(problems.into_iter().map(Notice::Problem));
                state.notices.push(written.map_or_else(Notice::Problem, Notice::Wrote));
            }
            // A newer change may have come while this one was written: then it is still unsaved.
            Event::Saved(Ok(())) => {
                if matches!(state.save, SaveState::Saving) {
                    state.save = SaveState::Saved;
                }
            }
            Event::Saved(Err(problem)) => state.save = SaveState::Failed(problem),
        }
    }

    /// A pack that was read. A lesson that is open and now broken stays as it was.
    fn take_pack(&mut self, pack: Pack, problems: Vec<Diagnostic>) {
        let open = self.state.lesson.as_ref().map(|l| l.id.clone());
        let wanted = open.clone().or_else(|| self.state.saved.lesson.clone());
        self.state.problems = problems;
        let next = wanted.and_then(|id| pack.lessons.iter().find(|l| l.id == id)).or(match open {
            // The open lesson is broken on disk: keep it on the screen.
            Some(_) => None,
            None => pack.lessons.first(),
        });
        let next = next.map(|l| l.id.clone());
        if pack.lessons.is_empty() && open.is_some() {
            return;
        }
        self.state.pack = pack;
        if let Some(id) = next {
            self.state.traced.clear();
            self.state.measured.clear();
            self.open_lesson(&id);
        }
    }

    fn take_device(&mut self, found: Result<crate::trace::record::Device, Diagnostic>) {
        match found {
            Ok(device) => {
                self.state.device = DeviceState::Ready(device);
                self.state.activity = None;
                if self.state.lesson.is_some() {
                    self.measure_shown();
                } else if let Some(backend) = self.state.measuring_backend() {
                    self.device.enqueue(DeviceTask::Ceilings(backend));
                }
            }
            Err(problem) => self.state.device = DeviceState::Missing(problem),
        }
    }
}

impl State {
    /// Whether a result with this key is of the parameters as they are now.
    fn is_current(&self, kernel: &str, of: &str) -> bool {
        self.lesson
            .as_ref()
            .is_some_and(|lesson| lesson.kernels.iter().any(|k| k.id == kernel && key(lesson, k, &self.params) == of))
    }

    fn take_traced(&mut self, id: String, traced: Traced) {
        let kept = self.traced.entry(id).or_default();
        kept.key = traced.key;
        if traced.timeline.is_some() {
            (kept.timeline, kept.workgroup) = (traced.timeline, traced.workgroup);
        }
        if traced.trace.is_some() {
            (kept.trace, kept.record) = (traced.trace, traced.record);
        }
    }
}
