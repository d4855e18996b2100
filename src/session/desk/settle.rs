//! After a change: the questions that the screen asks. Known answers stay, and the threads get those that are missing.

use std::sync::Arc;

use super::Desk;
use super::event::Work;
use super::found::{Found, staged};
use super::now::Now;
use super::place::Place;
use super::state::State;
use crate::figures::ask::{self, AnyQuestion, By};
use crate::lesson::{Facts, Variant, each_inline};
use crate::session::ask::{Answers, At, How, Noting, Of, Query, Store};
use crate::session::show::interpolate::{Spoken, spoken_of};
use crate::session::show::source;
use crate::trace::record::Backend;

impl Desk {
    /// After a change of the settings or of the program on the bench: what failed is measured again, and an experiment ends.
    pub(super) fn refresh(&mut self) {
        self.state
            .found
            .answers
            .retain(|query, outcome| outcome.is_ok() || !matches!(query.question, AnyQuestion::Time(_)));
        self.clear_device();
        self.state.found.now = Now::of(&self.state.place, self.state.bench_backend());
        self.settle();
    }

    /// After a change of what is shown, or an answer: drops answers that nothing asks for, and orders those that are missing.
    pub(super) fn settle(&mut self) {
        let program = &self.state.place.bench.variant.program;
        self.state.place.asked.take_if(|asked| asked.program != *program);
        self.state.take_compiled();
        let (asked, covers, measures) =
            (self.state.questions(), self.state.cover_questions(), self.state.measurements());
        let State { found: Found { answers, now, .. }, place, .. } = &mut self.state;
        answers.retain(|query, _| asked.contains(query) || covers.contains(query) || is_present(now, place, query));
        let asked = missing(answers, asked);
        let by = |by: By| asked.iter().filter(|query| query.question.by() == by).cloned().collect();
        let threads = &mut self.threads;
        threads.builder.want(by(By::Compiler), 0);
        threads.tracer.want(by(By::Tracer), 0);
        threads.explainer.want(by(By::Explainer), 0);
        threads.covers.want(missing(answers, covers), 0);
        let measures = missing(answers, measures);
        let is_idle = measures.is_empty() && !self.threads.is_asked();
        self.order_measurements(measures);
        if is_idle && !self.state.status.activities.contains_key(&Work::Device) && self.state.counts_at_once() {
            let experiment = self.state.place.experiment().map(|experiment| experiment.id.clone());
            self.state.trials.counted.extend(experiment);
            self.run_experiment();
        }
    }

    /// Has programs measured. If the device is the CPU itself, the tracer goes first: both at once would slow each other.
    fn order_measurements(&mut self, queries: Vec<Query>) {
        let software = self.state.acting_device().is_some_and(|device| device.software);
        let is_running =
            self.state.status.activities.contains_key(&Work::Device) && self.threads.device.pending().is_empty();
        // An experiment or a prediction goes on to its end.
        if is_running || (software && self.threads.is_tracing()) {
            return;
        }
        let time = queries.first().filter(|query| matches!(query.question, AnyQuestion::Time(_)));
        if let Some(at) = time.and_then(|query| query.of.at()) {
            self.begin(Work::Device, format!("measuring {}", at.variant().program));
        }
        let spared = self.spared();
        self.threads.device.want(queries, spared);
    }

    /// Cancels the device's work, except for an order that answers a prediction, which the learner waits for.
    pub(super) fn clear_device(&mut self) {
        let spared = self.spared();
        self.threads.device.cancel(spared);
    }

    /// Cancels the device's work. The programs are not measured until something changes.
    pub(super) fn cancel_measuring(&mut self) {
        self.threads.device.cancel(0);
        for query in missing(&self.state.found.answers, self.state.measurements()) {
            self.state.found.answers.insert(query, Err(Arc::from([])));
        }
    }

    fn spared(&self) -> u64 {
        self.state.trials.answering.as_ref().map_or(0, |(_, order)| *order)
    }

    /// Orders the ceilings of a device that runs something, unless they are known or could not be measured.
    pub(super) fn order_ceilings(&mut self, backend: Backend) {
        let query = Query::new(backend, ask::Ceilings);
        if backend != Backend::Simt && self.state.found.answers.get(&query).is_none() {
            self.threads.device.worker.enqueue(query.into());
        }
    }
}

fn missing(answers: &Answers, queries: Vec<Query>) -> Vec<Query> {
    queries.into_iter().filter(|query| answers.get(query).is_none()).collect()
}

/// Whether an answer is kept although nothing on the screen asks for it: it is of a program at the present settings, or of the device.
fn is_present(now: &Now, place: &Place, query: &Query) -> bool {
    let is_now = |at: &At| now.traced(&at.variant().program) == Some(at);
    match (&query.of, &query.question) {
        (Of::Device(_), _) => true,
        (Of::Program(at), AnyQuestion::Time(_)) if now.timed(&at.variant().program) == Some(at) => true,
        (Of::Program(at), AnyQuestion::Time(_)) => match (at.how(), place.setting().map(Arc::new)) {
            (How::Timed { backend, .. }, Some(setting)) => {
                At::timed(&setting, &place.variant_of(&at.variant().program), backend) == *at
            }
            _ => false,
        },
        (_, question) if question.by() == By::Explainer => false,
        (Of::Program(at), _) => is_now(at),
        (Of::Launch(at, shown), _) => is_now(at) && *shown == place.shown(),
        (Of::Workgroup(..), _) => false,
    }
}

impl State {
    /// The questions that the stage and the page ask the tracer, the most visible first.
    fn questions(&self) -> Vec<Query> {
        let noting = Noting::new(&self.found.answers);
        let place = &self.place;
        let Some(at) = self.found.now.traced(&place.bench.variant.program) else { return Vec::new() };
        // The pictures are chosen after the shaders are compiled.
        if noting.ask(Query::new(at, ask::Build)).is_none() {
            return noting.asked();
        }
        for variant in self.staged().filter(|variant| place.is_traceable(&variant.program)) {
            if let Some(at) = self.found.now.traced(&variant.program).filter(|_| place.kernel().is_some()) {
                noting.ask(Query::new(staged(at, place), ask::Accesses));
            }
        }
        if let Some(asked) = &place.asked {
            noting.ask(Query::new(at, ask::Origin(asked.buffer.clone(), asked.index)));
        }
        if place.is_below_source && place.kernel().is_some_and(|kernel| kernel.twin().is_some()) {
            noting.ask(Query::new(staged(at, place), ask::Machine));
        }
        let picture = self.picture();
        if let Some(stage) = self.stage(&picture) {
            let device = self.acting_device().unwrap_or_else(crate::gpu::simt::device);
            let asked = source::questions(stage, &self.found.answers, &self.sources(&device));
            // The device has its own list.
            asked.into_iter().filter(|query| !query.is_of_device()).for_each(|query| drop(noting.ask(query)));
        }
        for id in self.counted_programs() {
            let at = self.found.now.traced(&id);
            at.into_iter().for_each(|at| drop(noting.ask(Query::new(at, ask::Counts))));
        }
        noting.asked()
    }

    /// The questions to the device: the times of the programs on the stage, and the device's ceilings.
    fn measurements(&self) -> Vec<Query> {
        let Some((backend, lesson)) = self.bench_backend().zip(self.place.lesson.as_ref()) else { return Vec::new() };
        let runs = self.staged().filter(|variant| lesson.runs_on(variant, backend));
        let mut queries: Vec<Query> =
            runs.filter_map(|of| Some(Query::new(self.found.now.timed(&of.program)?, ask::Time))).collect();
        if !queries.is_empty() {
            queries.insert(1, Query::new(backend, ask::Ceilings));
        }
        queries
    }

    /// The program on the bench, and those beside it.
    fn staged(&self) -> impl Iterator<Item = &Variant> {
        std::iter::once(&self.place.bench.variant).chain(&self.place.bench.beside)
    }

    /// Programs whose counts the screen shows: those on the stage, and those that the prose mentions, if they can be traced.
    fn counted_programs(&self) -> Vec<String> {
        let place = &self.place;
        let Some(lesson) = &place.lesson else { return Vec::new() };
        let mut wanted: Vec<String> = self.staged().map(|variant| variant.program.clone()).collect();
        let spoken =
            place.step().map(|step| spoken_of(lesson, |see| each_inline(&step.blocks, see))).unwrap_or_default();
        for Spoken { program: id, .. } in spoken {
            if !wanted.contains(&id) {
                wanted.push(id);
            }
        }
        wanted.retain(|id| place.is_traceable(id));
        wanted
    }

    /// Takes the compiled program on the bench; until it is compiled, the picture stays as it was.
    fn take_compiled(&mut self) {
        let State { found: Found { answers, now, compiled, .. }, place, .. } = self;
        let Some(lesson) = place.lesson.clone() else { return };
        let pass = place.pass();
        let known = now.traced(&place.bench.variant.program).and_then(|at| answers.known(at, ask::Build));
        compiled.source = crate::session::jobs::source(&lesson, &place.bench.variant, &place.stage.pass, &place.params);
        // At other parameters the program has the same passes and buffers; another program's are not shown.
        let of = (lesson.id.clone(), place.bench.variant.clone());
        match &known {
            Some(known) => compiled.built = known.ok().map(|built| (of, built.clone())),
            None => drop(compiled.built.take_if(|(built, _)| *built != of)),
        }
        let explorer = place.step().is_some_and(|step| step.explorer().is_some());
        let ring = place.kernel().is_some_and(|kernel| kernel.ring.is_some());
        let facts = compiled.built.as_ref().and_then(|(_, built)| built.facts.get(pass).copied());
        let facts = facts.unwrap_or(if known.is_none() { compiled.facts } else { Facts::default() });
        let facts = if place.is_traceable(&place.bench.variant.program) { facts } else { facts.untraced() };
        compiled.facts = Facts { explorer, ring, ..facts };
        if known.is_none() {
            return;
        }
        let grid =
            compiled.built.as_ref().and_then(|(_, built)| Some(built.job.passes.get(pass)?.launch()?.grid.most()));
        compiled.groups = grid.map_or(1, |[x, y, z]| x.saturating_mul(y).saturating_mul(z));
        place.stage.workgroup = place.stage.workgroup.min(compiled.groups.saturating_sub(1));
        let traced = self.found.traced(&self.place.bench.variant.program).cloned();
        if let Some(pass) = traced.as_ref().and_then(|traced: &Arc<_>| traced.pass(pass)) {
            self.place.stage.launch = self.place.stage.launch.min(pass.launches.saturating_sub(1));
        }
    }
}
