//! Questions are equal where their answers are, and each is worked out once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Answers, At, Inline, Noting, Of, Query, Store, no_compiler, together, trace};
use crate::figures::ask::{self, AnyAnswer, AnyQuestion};
use crate::job::{Language, Shown};
use crate::lesson::{PackFiles, Variant};
use crate::session::jobs;
use crate::session::jobs::setting::Setting;
use crate::simt;
use crate::trace::record::Backend;

fn setting(lesson: &str, set: &[(&str, f64)]) -> Arc<Setting> {
    let (pack, _) = crate::session::load(&PackFiles::Embedded);
    let lesson = pack.lessons.iter().find(|known| known.id == lesson).unwrap().clone();
    let set: Vec<(String, f64)> = set.iter().map(|(id, value)| ((*id).to_owned(), *value)).collect();
    let params = jobs::with(&jobs::defaults(&lesson), &set);
    Arc::new(Setting {
        plain: lesson.clone(),
        lesson,
        params,
        seed: 1,
        bounds_checks: true,
        warp_width: 32,
        language: Language::Wgsl,
    })
}

fn with(setting: &Arc<Setting>, change: impl FnOnce(&mut Setting)) -> Arc<Setting> {
    let mut changed = (**setting).clone();
    change(&mut changed);
    Arc::new(changed)
}

#[test]
fn a_parameter_that_does_not_matter_makes_no_other_question() {
    let before = setting("coalescing", &[]);
    let set = |id: &str, value: f64| {
        with(&before, |setting| {
            let _: Option<f64> = setting.params.insert(id.to_owned(), value);
        })
    };
    let at = |setting: &Arc<Setting>, program: &str| At::traced(setting, &Variant::plain(program));
    assert_eq!(at(&set("stride", 7.0), "copy"), at(&before, "copy"), "a plain copy has no stride");
    assert_ne!(at(&set("stride", 7.0), "strided"), at(&before, "strided"));
    assert_ne!(at(&before, "copy"), at(&before, "strided"));
    assert_ne!(at(&with(&before, |setting| setting.seed = 2), "copy"), at(&before, "copy"));
}

#[test]
fn guards_matter_to_a_device_and_lanes_to_the_tracer() {
    let before = setting("coalescing", &[]);
    let (unguarded, narrow) =
        (with(&before, |setting| setting.bounds_checks = false), with(&before, |setting| setting.warp_width = 16));
    let copy = Variant::plain("copy");
    assert_eq!(At::traced(&unguarded, &copy), At::traced(&before, &copy));
    assert_ne!(At::traced(&narrow, &copy), At::traced(&before, &copy));
    let timed = |setting, backend| At::timed(setting, &copy, backend);
    assert_ne!(timed(&unguarded, Backend::Wgpu), timed(&before, Backend::Wgpu));
    assert_eq!(timed(&narrow, Backend::Wgpu), timed(&before, Backend::Wgpu));
    assert_ne!(timed(&before, Backend::Cuda), timed(&before, Backend::Wgpu));
}

#[test]
fn a_lesson_that_is_read_again_asks_anew() {
    let before = setting("coalescing", &[]);
    let again = with(&before, |setting| setting.plain = Arc::new((*setting.plain).clone()));
    let copy = Variant::plain("copy");
    assert_ne!(At::traced(&again, &copy), At::traced(&before, &copy));
}

#[test]
fn one_run_answers_all_that_is_asked_of_a_launch() {
    let before = setting("tiling", &[]);
    let step = before.lesson.steps.iter().find(|step| step.figure.name == "Heat").unwrap();
    let setting = with(&before, |setting| setting.params.extend(step.set.iter().cloned()));
    let at = At::traced(&setting, &step.variant);
    let of = Of::Workgroup(at.clone(), Shown::default(), 0);
    let buffers: Vec<String> =
        setting.lesson.program(&step.variant.program).unwrap().buffers.iter().map(|b| b.name.clone()).collect();
    let asked: [AnyQuestion; 6] = [
        ask::Accesses.into(),
        ask::Heat.into(),
        ask::Counts.into(),
        ask::Course(Vec::new()).into(),
        ask::Moved.into(),
        ask::Film(buffers).into(),
    ];
    let queries: Vec<Query> = asked.into_iter().map(|question| Query::new(of.clone(), question)).collect();
    let groups = together(queries.clone());
    assert_eq!(groups, std::slice::from_ref(&queries));
    let cancel = AtomicBool::new(false);
    let run = |queries: &[Query]| {
        let before = simt::of_this_thread();
        (trace(queries, &no_compiler, &cancel), simt::of_this_thread() - before)
    };
    // The kernel is compiled once.
    run(&queries[..1]);
    let (answers, launches) = run(&queries);
    assert_eq!(launches, 1);
    // Each by itself gives the same.
    let alone: Vec<_> = queries.iter().flat_map(|query| run(std::slice::from_ref(query)).0).collect();
    for (query, outcome) in &alone {
        let (_, together) = answers.iter().find(|(other, _)| other == query).unwrap();
        let said = |answer: &AnyAnswer| match answer {
            // The counts have the time that the run took.
            AnyAnswer::Counts(traced) => format!(
                "{:?}",
                traced.record.passes.iter().map(|pass| pass.trace.as_ref().unwrap().global).collect::<Vec<_>>()
            ),
            other => format!("{other:?}"),
        };
        assert_eq!(said(outcome.as_ref().unwrap()), said(together.as_ref().unwrap()), "{query:?}");
    }
}

#[test]
fn a_question_is_worked_out_once() {
    let setting = setting("coalescing", &[]);
    let copy = Variant::plain("copy");
    let (at, cancel) = (At::traced(&setting, &copy), AtomicBool::new(false));
    let store = Inline::new(Answers::default(), &cancel);
    let before = simt::of_this_thread();
    assert!(matches!(store.ask(Query::new(&at, ask::Counts)), Some(Ok(AnyAnswer::Counts(_)))));
    let once = simt::of_this_thread();
    assert!(once > before);
    assert!(store.ask(Query::new(&at, ask::Counts)).is_some());
    assert_eq!(simt::of_this_thread(), once);
    assert!(store.ask(Query::new(&At::timed(&setting, &copy, Backend::Wgpu), ask::Time)).is_none());
    assert!(store.problems().is_empty());
}

#[test]
fn a_store_that_notes_lists_each_question_once() {
    let answers = Answers::default();
    let noting = Noting::new(&answers);
    let queries = [Backend::Cuda, Backend::Wgpu].map(|backend| Query::new(backend, ask::Ceilings));
    for query in queries.iter().chain(&queries) {
        assert!(noting.ask(query.clone()).is_none());
    }
    assert_eq!(noting.asked(), queries);
}
