//! Applies the worker threads' events to the desk's state.

use std::sync::Arc;

use super::Desk;
use super::covers::Covers;
use super::event::{Event, Work};
use super::found::{DeviceState, Found, Sampling};
use super::status::Notice;
use super::tasks::FileTask;
use crate::base::diag::Diagnostic;
use crate::base::units;
use crate::figures::ask::AnyQuestion;
use crate::lesson::Pack;
use crate::session::ask::{Outcome, Query};
use crate::session::learn::exercise::{Judged, Try, Verdict};
use crate::session::learn::journal::Did;
use crate::session::learn::predict::Answer;
use crate::trace::record::{Backend, Device};

impl Desk {
    pub(super) fn apply(&mut self, event: Event) {
        let state = &mut self.state;
        match event {
            Event::Lessons(pack) => {
                if state.library.pack.lessons.is_empty() {
                    state.library.own = self.keeper.kernels();
                    state.library.pack = pack;
                    state.diary.counted = None;
                }
            }
            Event::Pack(pack, problems) => self.take_pack(pack, problems),
            Event::Models(models) => state.library.models = models.into(),
            Event::Recordings(recordings) => state.library.recordings = recordings.into(),
            Event::Quotes(quotes) => state.library.quotes = quotes.into(),
            Event::PackChanged => {
                self.load();
            }
            Event::Device(choice, found) => {
                if choice == state.choice() {
                    self.take_device(found);
                }
            }
            Event::KernelOpened(opened) => self.take_kernel(opened),
            Event::KernelWritten(written) => self.take_written_kernel(written),
            Event::KernelKept(kept) => {
                if let Some(opening) = &mut state.library.opening {
                    opening.is_busy = false;
                }
                state.status.notices.push(kept.map_or_else(Notice::Problem, Notice::Kept));
            }
            Event::Told(problem) => state.status.notices.push(Notice::Problem(problem)),
            Event::Tried(id, source, problems) => self.take_tried(&id, source, problems),
            Event::Answered(question, outcome) => self.take_answer(question, outcome),
            Event::Sample(question, work, seconds) => state.found.take_sample(question, work, seconds),
            Event::SweepStarted(id, sweep) => {
                state.sweeps_mut().insert(id, sweep);
            }
            Event::SweepPoint(id, number, point, problems) => {
                if let Some(sweep) = state.sweeps_mut().get_mut(&id).filter(|s| s.number == number) {
                    sweep.points.push(*point);
                    let progress = (sweep.points.len(), sweep.total);
                    if let Some(activity) = state.status.activities.get_mut(&Work::Device) {
                        activity.progress = Some(progress);
                    }
                    state.status.notices.extend(problems.into_iter().map(Notice::Problem));
                    if progress.0 == progress.1 {
                        self.keep_curve(&id);
                    }
                }
            }
            Event::NotKept(problem) => state.status.notices.push(Notice::Problem(problem)),
            Event::Done(work, number) => self.take_done(work, number),
            Event::Predicted(lesson, id, answer) => self.take_prediction(&lesson, &id, answer),
            Event::Judged(tried, verdict) => self.take_verdict(&tried, verdict),
            Event::Writing(number, progress) if number == self.threads.notes.last() => {
                if let Some(activity) = state.status.activities.get_mut(&Work::Export) {
                    activity.progress = Some(progress);
                }
            }
            Event::Writing(..) => {}
            Event::Exported(written, problems) => {
                state.status.notices.extend(problems.into_iter().map(Notice::Problem));
                state.status.notices.push(written.map_or_else(Notice::Problem, Notice::Wrote));
            }
            Event::TextRead(number, done, all) => self.take_text_progress(number, (done, all)),
            Event::TextCounted(number, counted) => self.take_text(number, counted),
            Event::Story(read) => self.take_story(read),
            Event::Appended(written, problem) => self.take_appended(written, problem),
            Event::Prompt(prompt) => self.take_prompt(*prompt),
            Event::Saved(change, outcome) => self.take_saved(change, outcome),
        }
    }

    /// Writes a finished sweep to disk, so that a restart does not lose it. Traced sweeps are reproducible and not
    /// kept.
    fn keep_curve(&mut self, id: &str) {
        let found = (self.keeper.curves(), self.state.place.plain.clone(), self.state.acting_device());
        let (Some(folder), Some(lesson), Some(device)) = found else { return };
        let Some(sweep) = self.state.sweeps().and_then(|sweeps| sweeps.get(id)).cloned() else { return };
        if sweep.backend != device.backend {
            return;
        }
        let Some(experiment) = lesson.experiments.iter().find(|experiment| experiment.id == id).cloned() else {
            return;
        };
        if device.backend != Backend::Simt {
            self.record(Did::Measured { id: experiment.id.clone(), device: device.name.clone() });
            self.threads.disk.enqueue(FileTask::Curve(folder, lesson, Box::new(experiment), Box::new(sweep), device));
        }
    }

    /// Takes a newly read pack. If the open lesson is now broken, its old version stays in place.
    fn take_pack(&mut self, mut pack: Pack, problems: Vec<Diagnostic>) {
        self.state.library.problems = problems;
        self.state.library.own = self.keeper.kernels();
        self.state.covers = Covers::default();
        self.state.diary.counted = None;
        for lesson in &pack.lessons {
            if self.state.saved.lessons.get_mut(&lesson.id).is_some_and(|kept| kept.adopt(lesson)) {
                self.unsaved();
            }
        }
        let Some(open) = self.state.place.plain.clone() else {
            let wanted = self.state.saved.lesson.clone();
            let found = wanted.and_then(|id| pack.lessons.iter().find(|l| l.id == id)).or(pack.lessons.first());
            let found = found.map(|l| l.id.clone());
            self.state.library.pack = pack;
            self.enter_before();
            if let Some(id) = found {
                self.open_lesson(&id);
            }
            return;
        };
        let reloaded = pack.lessons.iter().find(|l| l.id == open.id).cloned();
        if reloaded.is_none() {
            let place = self.state.library.pack.lessons.iter().position(|l| l.id == open.id).unwrap_or(0);
            pack.lessons.insert(place.min(pack.lessons.len()), open);
        }
        self.state.library.pack = pack;
        self.enter_before();
        // Curves are dropped, since their kernels may have changed.
        self.state.found.sweeps.clear();
        if let Some(lesson) = reloaded {
            self.reload_lesson(lesson);
        }
        self.open_wanted();
    }

    /// Opens the lesson that was made of a kernel of the learner's; what is wrong with it is among the pack's problems.
    fn open_wanted(&mut self) {
        let Some(id) = self.state.library.wanted.take() else { return };
        if self.state.library.pack.lessons.iter().any(|lesson| lesson.id == id) {
            self.state.library.opening = None;
            self.state.library.watched += 1;
            self.open_lesson(&id);
        }
    }

    fn take_answer(&mut self, query: Query, outcome: Outcome) {
        self.threads.answered(&query);
        let found = &mut self.state.found;
        found.sampling.take_if(|sampling| sampling.query == query);
        // Films are large: one of each program is kept.
        if matches!(query.question, AnyQuestion::Film(_)) {
            found.answers.retain(|known, _| known.of != query.of || !matches!(known.question, AnyQuestion::Film(_)));
        }
        found.answers.insert(query, outcome);
        self.settle();
        self.record_changed();
        self.record_timed();
    }

    fn take_device(&mut self, found: Result<Device, Diagnostic>) {
        self.state.found.device = found.map_or_else(DeviceState::Missing, DeviceState::Ready);
        self.refresh();
    }

    /// Takes the end of an order. After the last one the kernel on the bench is measured, if that was put off.
    fn take_done(&mut self, work: Work, number: u64) {
        let last = match work {
            Work::Device => self.threads.device.worker.last(),
            Work::Judge => self.threads.judge.last(),
            Work::Export => self.threads.notes.last(),
            Work::Text => self.threads.texts.last(),
            Work::Kernel => self.threads.kernels.last(),
        };
        if number != last {
            return;
        }
        self.state.status.activities.remove(&work);
        if work == Work::Device {
            self.state.trials.answering = None;
            self.settle();
        }
    }

    fn take_prediction(&mut self, lesson: &str, id: &str, answer: Result<Answer, Vec<Diagnostic>>) {
        self.state.trials.answering.take_if(|(asked, _)| asked == id);
        match answer {
            Ok(answer) => {
                let answer = self.state.or_recorded(lesson, id, answer);
                let kept = self.state.saved.lessons.get_mut(lesson);
                if let Some(predicted) = kept.and_then(|k| k.predictions.get_mut(id)) {
                    predicted.answer = Some(answer.clone());
                    let guess = predicted.guess.clone();
                    self.unsaved();
                    self.record_predicted(lesson, id, &guess, &answer);
                }
            }
            Err(problems) => self.state.status.notices.extend(problems.into_iter().map(Notice::Problem)),
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
        let caught = judged.verdict.caught_by().iter().map(|catch| format!("{catch:?}")).collect();
        let (id_of, hints) = (id.clone(), self.state.kept().tried(id).hints);
        let shown = hints > exercise.hints.len();
        let is_again = self.state.trials.verdicts.get(id).is_some_and(|was| matches!(was.verdict, Verdict::Solved(_)));
        match judged.verdict {
            Verdict::Solved(_) if is_again => {}
            Verdict::Solved(_) => self.record(Did::Solved { id: id_of, hints, shown }),
            _ => self.record(Did::Tried { id: id_of, caught }),
        }
        if matches!(judged.verdict, Verdict::Solved(_)) {
            self.keep(|kept| kept.exercises.entry(id.clone()).or_default().solution = Some(source.clone()));
        }
        self.state.trials.verdicts.insert(id.clone(), Arc::new(judged));
    }
}

impl Found {
    fn take_sample(&mut self, query: Query, work: units::Work, seconds: f64) {
        match &mut self.sampling {
            Some(sampling) if sampling.query == query => sampling.samples.push(seconds),
            sampling => *sampling = Some(Sampling { query, work, samples: vec![seconds] }),
        }
    }
}
