//! The results of a launch on a stage: a store's answers, and those that follow from them and from what is known of devices.

use std::sync::Arc;

use super::interpolate::{self, Fill, Spoken};
use super::launches;
use super::pass_roofline;
use super::stage::{Drawing, Stage};
use super::staged::{self, Sources};
use crate::base::diag::Diagnostic;
use crate::device::{Launch, Point};
use crate::figures::ask::{self, AnyAnswer, AnyQuestion, By, Question};
use crate::figures::{self, Filled, Kept, Metered, Missing, Reach, Ring, Source, Spread, Traced, titled};
use crate::lesson::cuda::MOST_PLACES;
use crate::lesson::scope::Results;
use crate::lesson::{ArgValue, Env, Expr, Kernel, RingDecl, Variant, within};
use crate::session::ask::{Answers, At, Inline, Noting, Of, Query, Store};
use crate::session::jobs;
use crate::session::jobs::cost;
use crate::session::jobs::setting::Setting;
use crate::session::pack::quote::Quotes;
use crate::session::run::{model, pipeline, whole};

/// A launch on a stage with the places that its results come from.
#[derive(Clone, Copy)]
pub struct Staged<'a> {
    /// The launch.
    pub stage: Stage<'a>,
    /// The answers.
    pub store: &'a dyn Store,
    /// Devices, recordings and sweeps.
    pub sources: &'a Sources<'a>,
}

impl Source for Staged<'_> {
    fn answer(&self, question: &AnyQuestion) -> Result<AnyAnswer, Missing> {
        match (question.by(), question) {
            (By::Tracer | By::Explainer, _) if !self.stage.is_traceable() => Err(UNTRACED.into()),
            (By::Compiler | By::Tracer | By::Explainer | By::Device, _) => {
                self.known(Query::new(self.stage.of(), question.clone()))
            }
            (_, AnyQuestion::Spread(_)) => Ok(ask::Spread::any(self.spread()?)),
            (_, AnyQuestion::Waits(_)) => Ok(ask::Waits::any(self.waits()?)),
            (_, AnyQuestion::TimeParts(_)) => Ok(ask::TimeParts::any(self.time_parts()?)),
            (_, AnyQuestion::Launches(_)) => Ok(ask::Launches::any(self.launches()?)),
            (_, AnyQuestion::PassRoofline(_)) => Ok(ask::PassRoofline::any(self.pass_roofline()?)),
            (_, AnyQuestion::River(_)) => Ok(ask::River::any(self.river()?)),
            (_, AnyQuestion::Ring(_)) => self.ring().map(ask::Ring::any).ok_or_else(|| NO_RING.into()),
            (_, AnyQuestion::Roofline(_)) => {
                let kernel = self.stage.kernel().ok_or(NO_KERNEL)?;
                Ok(ask::Roofline::any(staged::roofline(&self.stage, kernel, self.store, self.sources)))
            }
            (_, AnyQuestion::Rounds(_)) => {
                let program = self.stage.program().ok_or(NO_KERNEL)?;
                Ok(ask::Rounds::any(pipeline::series(program, &self.counts()?.record)))
            }
            (_, AnyQuestion::Curves(ask::Curves(experiment))) => {
                let curves = staged::curves(&self.stage, experiment, self.sources);
                curves.map(ask::Curves::any).ok_or_else(|| NO_CURVES.into())
            }
            (_, AnyQuestion::Filled(ask::Filled(name))) => Ok(ask::Filled::any(self.filled(name)?)),
            (_, AnyQuestion::Meters(ask::Meters(others))) => Ok(ask::Meters::any(self.meters(others)?)),
            _ => Err(Missing::Running),
        }
    }
}

const UNTRACED: &str = "This program is not traced at these settings.";
const NO_KERNEL: &str = "This pass launches no kernel.";
const NO_RING: &str = "At these settings the ring has no number of places that can be drawn.";
const NO_CURVES: &str = "The curves appear with the device.";
const NO_LATENCIES: &str = "The latencies of this device are not known. Choose another device's model.";
const NO_TIME: &str =
    "The time on this device is not predicted: its caches or its rates are not known. Choose another device's model.";
const NO_SPREAD: &str = "How the grid spreads is not known. It takes the workgroup's size, known once the kernel is traced, and a model of a \
                         device whose SMs are counted and can hold such a workgroup.";
const NO_BYTES: &str = "The bytes of this pass were not counted.";

impl Staged<'_> {
    /// A store's answer.
    fn known(&self, query: Query) -> Result<AnyAnswer, Missing> {
        match self.store.ask(query) {
            None => Err(Missing::Running),
            Some(Ok(answer)) => Ok(answer),
            Some(Err(problems)) => Err(first(&problems)),
        }
    }

    fn get<Q: Question>(&self, of: impl Into<Of>, question: Q) -> Result<Arc<Q::Answer>, Missing> {
        match self.store.get(of, question) {
            None => Err(Missing::Running),
            Some(answer) => answer.map_err(|problems| first(&problems)),
        }
    }

    /// The counts of the program.
    fn counts(&self) -> Result<Arc<Traced>, Missing> {
        match self.stage.is_traceable() {
            true => self.get(self.stage.at, ask::Counts),
            false => Err(UNTRACED.into()),
        }
    }

    fn waits(&self) -> Result<figures::Waits, Missing> {
        let traced = self.counts()?;
        let pass = traced.pass(self.stage.shown.pass);
        let chosen = self.sources.modelled();
        pass.zip(chosen).and_then(|(pass, chosen)| staged::waits(pass, &chosen)).ok_or_else(|| NO_LATENCIES.into())
    }

    /// The predicted time of the pass on the stage, without a pass's neighbours.
    fn point(&self, traced: &Traced, chosen: &model::Chosen<'_>) -> Option<Point> {
        let place = self.stage.shown.pass;
        let known = model::Traced::of_pass(&traced.job, traced.pass(place)?, place, traced.launch(place)?)?;
        model::predicted(chosen, &known, &self.sources.ceilings, None).point
    }

    fn time_parts(&self) -> Result<figures::TimeParts, Missing> {
        let traced = self.counts()?;
        let Setting { lesson, params, .. } = &**self.stage.setting();
        let chosen = self.sources.modelled().ok_or(NO_TIME)?;
        let predicted = self.point(&traced, &chosen);
        let recorded = staged::recorded(&chosen, self.sources.recordings, lesson, self.stage.variant(), params);
        let predicted = predicted.ok_or(NO_TIME)?;
        Ok(figures::TimeParts { device: chosen.spec.short.clone(), predicted, recorded })
    }

    fn launches(&self) -> Result<figures::Launches, Missing> {
        let (traced, program) = (self.counts()?, self.stage.program().ok_or(NO_KERNEL)?);
        let chosen = self.sources.modelled().ok_or(NO_TIME)?;
        launches::launches(&self.stage.setting().lesson, program, (&traced.job, &traced.record), &chosen)
            .ok_or_else(|| NO_TIME.into())
    }

    fn pass_roofline(&self) -> Result<figures::Roofline, Missing> {
        let traced = self.counts()?;
        let chosen = self.sources.modelled().ok_or(NO_TIME)?;
        let at = self.sources.backend.map(|backend| At::timed(self.stage.setting(), self.stage.variant(), backend));
        let measured = at.filter(|_| !self.sources.device.software).and_then(|at| self.store.find(&at, ask::Time));
        pass_roofline::of((&traced.job, &traced.record), measured.as_deref(), self.stage.shown.pass, &chosen)
            .ok_or_else(|| NO_TIME.into())
    }

    fn river(&self) -> Result<figures::River, Missing> {
        let traced = self.counts()?;
        let Setting { lesson, params, .. } = &**self.stage.setting();
        let counted = |quotes: &Quotes| quotes.counted(lesson, &self.stage.variant().program, params);
        let pass = traced.pass(self.stage.shown.pass);
        let river = pass.and_then(|pass| staged::river(pass, self.sources.quotes.and_then(counted), self.reach()));
        river.ok_or_else(|| NO_BYTES.into())
    }

    /// The texts of an argument of the figure, with the values of their live elements: counts are those at the present settings.
    fn filled(&self, name: &str) -> Result<Vec<Filled>, Missing> {
        let Some(ArgValue::Live(texts)) = self.stage.picture.arg(name) else { return Ok(Vec::new()) };
        let setting @ Setting { lesson, params, .. } = &**self.stage.setting();
        let runs = interpolate::spoken_of(lesson, |see| texts.iter().for_each(|text| within(&text.inlines, see)));
        let variant = |run: &Spoken| match run.program == self.stage.variant().program {
            true => self.stage.variant().clone(),
            false => Variant::plain(&run.program),
        };
        let traced = runs.iter().map(|run| (run, variant(run)));
        let traced = traced.filter(|(_, variant)| cost::is_traced(lesson, variant, params));
        let at = |variant: &Variant| At::traced(self.stage.setting(), variant);
        // Each is asked for before the first that is missing ends the search.
        let counted: Vec<_> = traced.map(|(run, variant)| (run, self.get(&at(&variant), ask::Counts))).collect();
        let mut results = Results::default();
        for (run, traced) in counted {
            match traced {
                Ok(traced) => {
                    let is_used = |pass: &str| run.passes.iter().any(|used| used == pass);
                    results.insert_used(&run.program, &traced.record, &is_used);
                    if let Some(modelled) = self.sources.modelled().filter(|_| run.predicted) {
                        whole::insert(&mut results, &run.program, (&traced.job, &traced.record), &modelled);
                    }
                }
                Err(Missing::Running) => return Err(Missing::Running),
                // The text says that it is not known.
                Err(Missing::Failed(_)) => {}
            }
        }
        let (env, none) = (Env::new(lesson, params, &results), Quotes::default());
        let fill = Fill {
            env: &env,
            params,
            lesson: &setting.lesson,
            quotes: self.sources.quotes.unwrap_or(&none),
            live: false,
        };
        Ok(texts.iter().map(|text| fill.filled(text)).collect())
    }

    /// The bytes that the buffers of the program move, and those of others.
    fn meters(&self, others: &[String]) -> Result<Vec<Metered>, Missing> {
        let others = others.iter().map(|other| At::traced(self.stage.setting(), &Variant::plain(other)));
        let all = std::iter::once(self.stage.at.clone()).chain(others);
        // Each is asked for before the first that is missing ends the search.
        let all: Vec<_> = all.map(|at| self.get(&at, ask::Moved)).collect();
        all.into_iter().map(|moved| moved.map(|moved| Metered::clone(&moved))).collect()
    }

    /// The bytes that the modelled device's DRAM can have moved in the program's recorded time.
    fn reach(&self) -> Option<Reach> {
        let Setting { lesson, params, .. } = &**self.stage.setting();
        staged::reach(&self.sources.modelled()?, self.sources.recordings, lesson, self.stage.variant(), params)
    }

    /// How the grid spreads over the modelled device; a grid held in a buffer is known after a trace.
    fn spread(&self) -> Result<Spread, Missing> {
        let stage = &self.stage;
        let traced = self.counts();
        let launch: Option<Launch> = traced.as_ref().ok().and_then(|traced| traced.launch(stage.shown.pass).copied());
        let Setting { lesson, params, .. } = &**stage.setting();
        let sketched = || model::launch(&jobs::sketch(lesson, stage.variant(), params)?, stage.shown.pass);
        let is_persistent = stage.kernel().and_then(Kernel::cuda_only).is_some_and(|only| only.persistent);
        let found = self.sources.modelled().zip(launch.or_else(sketched));
        let spread = found.and_then(|(chosen, launch)| {
            let point = traced.as_ref().ok().and_then(|traced| self.point(traced, &chosen));
            staged::spread(&chosen, &launch, is_persistent, point.map(|point| point.busy_s()))
        });
        spread.ok_or_else(|| match traced {
            Err(Missing::Running) => Missing::Running,
            _ => NO_SPREAD.into(),
        })
    }

    /// The ring that the kernel's tiles go through, with its places at the setting.
    fn ring(&self) -> Option<Ring> {
        let RingDecl { places, tiles, load, multiply } = self.stage.kernel()?.ring.clone()?;
        let Setting { lesson, params, .. } = &**self.stage.setting();
        let number = |expr: &Expr| {
            let number = Env::fixed(&lesson.params, &lesson.values, params).whole(expr, 1).ok()?;
            u32::try_from(number).ok()
        };
        // The lesson's own settings are checked; the learner's may give any number.
        let places = number(&places).filter(|places| u64::from(*places) <= MOST_PLACES)?;
        Some(Ring { places, tiles: tiles.as_ref().and_then(number), load, multiply })
    }
}

/// The first of the problems, in words.
fn first(problems: &[Diagnostic]) -> Missing {
    problems.first().map_or_else(String::new, |problem| problem.message.clone()).into()
}

/// The size of a picture, in points, in which it is drawn to find what it asks for.
const SIZE: [f32; 2] = [640.0, 360.0];

/// The questions that the picture of a launch asks, in their order.
#[must_use]
pub fn questions(stage: Stage<'_>, answers: &Answers, sources: &Sources<'_>) -> Vec<Query> {
    let store = Noting::new(answers);
    let staged = Staged { stage, store: &store, sources };
    if let Some(drawing) = Drawing::of(&staged) {
        // A drawing that ends early has asked for all that it needs.
        let _ = titled::draw(drawing.figure, &drawing.view(SIZE, 0.0), &mut Kept::default());
    }
    store.asked()
}

/// Has a store work out all that the picture of a launch asks for, and the program's counts, by one run of the tracer.
pub fn prepare(stage: Stage<'_>, store: &Inline<'_>, sources: &Sources<'_>) {
    store.ask(Query::new(stage.at, ask::Build));
    let mut queries = questions(stage, &store.answers(), sources);
    if stage.is_traceable() {
        queries.push(Query::new(stage.at, ask::Counts));
    }
    store.ask_together(queries);
}
