//! The tracer's answers: all questions about a launch of a program become one job, and its record the answers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::At;
use super::film::places;
use super::query::{Of, Outcome, Query};
use super::run::{Compiler, Plan, Ran, Watched, in_language, job, purpose, run};
use crate::base::diag::Diagnostic;
use crate::figures::ask::{self, AnyAnswer, AnyQuestion, By, Question};
use crate::figures::{Built, Machine};
use crate::gpu::machine;
use crate::job::{Code, Language, Shown, paged};
use crate::session::jobs::{self, Purpose, cost};
use crate::session::run::explain::explain;

/// Operations or bytes of a program that is traced as a whole in the time of a few frames. Of a larger one the workgroup on the stage is
/// traced first, by itself.
const SOON: f64 = 1e8;

macro_rules! watched {
    ($($name:ident)*) => {
        fn watch(query: &Query, plan: &mut Plan) {
            match &query.question {
                $(AnyQuestion::$name(question) => question.watch(&query.of, plan),)*
                _ => {}
            }
        }

        fn read(query: &Query, ran: &mut Ran<'_>) -> Outcome {
            match &query.question {
                $(AnyQuestion::$name(question) => {
                    question.read(&query.of, ran).map(ask::$name::any).map_err(Arc::from)
                })*
                _ => Err([].into()),
            }
        }
    };
}

watched! { Accesses Heat Course Moved Film Counts }

/// Questions to the tracer in groups that one run answers each, in the order of their first ones.
#[must_use]
pub fn together(queries: Vec<Query>) -> Vec<Vec<Query>> {
    let mut groups: Vec<Vec<Query>> = Vec::new();
    for query in queries {
        match groups.iter_mut().find(|group| group.iter().all(|other| joins(other, &query))) {
            Some(group) => group.push(query),
            None => groups.push(vec![query]),
        }
    }
    groups
}

/// Whether one run answers both.
fn joins(one: &Query, other: &Query) -> bool {
    let (Some(at), Some(other_at)) = (one.of.at(), other.of.at()) else { return false };
    let is_of_one_launch = match (one.of.shown(), other.of.shown()) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    };
    let alike = |query: &Query| std::mem::discriminant(&query.question);
    let is_accesses = |query: &Query| matches!(query.question, AnyQuestion::Accesses(_));
    let is_first = |at: &At| {
        let setting = at.setting();
        cost::needed(&setting.lesson, at.variant(), &setting.params).is_none_or(|work| work > SOON)
    };
    [one, other].iter().all(|query| query.question.by() == By::Tracer)
        && at == other_at
        && is_of_one_launch
        && alike(one) != alike(other)
        && !([one, other].into_iter().any(is_accesses) && is_first(at))
}

/// Answers questions with the tracer, as [`together`] groups them. Empty for questions to a device.
#[must_use]
pub fn trace(queries: &[Query], compiler: Compiler<'_>, cancel: &AtomicBool) -> Vec<(Query, Outcome)> {
    let Some(at) = queries.first().and_then(|query| query.of.at()) else { return Vec::new() };
    match &queries[0].question {
        AnyQuestion::Build(_) => vec![(queries[0].clone(), build(at).map_err(Arc::from))],
        AnyQuestion::Origin(ask::Origin(buffer, index)) => {
            let origin = job(at, &purpose(at))
                .and_then(|job| in_language(job, compiler))
                .and_then(|job| explain(&job, buffer, *index, cancel));
            vec![(queries[0].clone(), origin.map(ask::Origin::any).map_err(Arc::from))]
        }
        AnyQuestion::Machine(_) => {
            let found = machine(at, queries[0].of.shown(), compiler);
            vec![(queries[0].clone(), found.map(ask::Machine::any).map_err(Arc::from))]
        }
        question if question.by() == By::Tracer => by_one_run(at, queries, compiler, cancel),
        _ => Vec::new(),
    }
}

fn build(at: &At) -> Result<AnyAnswer, Vec<Diagnostic>> {
    let job = job(at, &purpose(at))?;
    let facts = (0..job.passes.len()).map(|place| jobs::facts(&job, place)).collect();
    Ok(ask::Build::any(Built { job: Arc::new(job), facts }))
}

/// The PTX and the machine code of a launch's kernel, whatever language it is traced in.
fn machine(at: &At, shown: Option<Shown>, compiler: Compiler<'_>) -> Result<Machine, Vec<Diagnostic>> {
    let mut job = job(at, &purpose(at).in_language(Language::Cuda))?;
    let pass = shown.and_then(|shown| job.passes.get(shown.pass).cloned());
    job.passes = pass.into_iter().collect();
    let job = in_language(job, compiler)?;
    match job.launches().next().map(|launch| &launch.code) {
        Some(Code::Ptx(assembled)) => Ok(Machine { ptx: assembled.ptx.clone(), code: machine::listing(assembled) }),
        _ => Err(vec![Diagnostic::error("this pass runs no kernel in CUDA C++")]),
    }
}

fn by_one_run(at: &At, queries: &[Query], compiler: Compiler<'_>, cancel: &AtomicBool) -> Vec<(Query, Outcome)> {
    let is_of_workgroup = |query: &Query| matches!(query.of, Of::Workgroup(..));
    let mut plan = Plan::new(at, !queries.iter().all(is_of_workgroup));
    queries.iter().for_each(|query| watch(query, &mut plan));
    let Plan { spec, film, check, is_typed, .. } = plan;
    let made = job(at, &Purpose { check, trace: Some(spec), ..purpose(at) });
    // Of a buffer that is larger than the tracer's memory only counts are known.
    if queries.len() > 1
        && made.as_ref().is_ok_and(|job| job.buffers.iter().any(|buffer| buffer.bytes() > paged::WHOLE))
    {
        return queries.chunks(1).flat_map(|query| by_one_run(at, query, compiler, cancel)).collect();
    }
    let ran = made.and_then(|mut job| {
        job.film = places(&job, &film);
        run(at, job, is_typed, compiler, cancel)
    });
    match ran {
        Ok(mut ran) => {
            // The others take their parts of the record before the counts keep a copy of it.
            let (last, first): (Vec<&Query>, Vec<&Query>) =
                queries.iter().partition(|query| matches!(query.question, AnyQuestion::Counts(_)));
            first.into_iter().chain(last).map(|query| (query.clone(), read(query, &mut ran))).collect()
        }
        Err(problems) => {
            let problems: Arc<[Diagnostic]> = problems.into();
            queries.iter().map(|query| (query.clone(), Err(problems.clone()))).collect()
        }
    }
}
