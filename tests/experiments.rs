//! Experiments: what is left out without a GPU, what goes on while the reader looks elsewhere, and what waits for a prediction.
#![cfg(feature = "app")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod window;

use std::sync::Arc;

use egui::accesskit::Role;
use egui_kittest::kittest::Queryable;

use warpbook::gpu::simt;
use warpbook::lesson::{Lesson, PackFiles, Program, SceneKind};
use warpbook::session::desk::Command;
use warpbook::session::{self, jobs, sweep, work};
use warpbook::trace::record::{Backend, Device};

use window::{Window, open, settle};

#[test]
fn without_a_gpu_the_largest_points_are_left_out_and_said() {
    let (pack, _) = session::load(&PackFiles::Embedded);
    let lesson = pack.lessons.iter().find(|l| l.id == "tiling").unwrap();
    let experiment = lesson.experiments.iter().find(|e| e.id == "ladder_speed").unwrap();
    let base = jobs::defaults(lesson);
    let tracer = simt::device();
    let plan = sweep::plan(lesson, experiment, &tracer, &base);
    // 2 · 512³ operations take about a second, 2 · 1024³ eight times that.
    assert_eq!(plan.points.iter().map(|(n, _)| *n).fold(0.0, f64::max), 512.0);
    assert!(plan.left_out.unwrap().message.contains("from n = 1024 on"));
    let gpu = Device { software: false, ..tracer };
    let plan = sweep::plan(lesson, experiment, &gpu, &base);
    assert_eq!(plan.points.len(), experiment.curves.len() * experiment.values.len());
    assert_eq!(plan.left_out, None);
}

#[test]
fn every_kernel_has_quick_settings_that_it_can_run_at() {
    let (pack, _) = session::load(&PackFiles::Embedded);
    let variants = |lesson: &Arc<Lesson>| lesson.programs.iter().flat_map(Program::variants).collect::<Vec<_>>();
    for (lesson, variant) in pack.lessons.iter().flat_map(|l| variants(l).into_iter().map(move |v| (l, v))) {
        let quick = work::quick(lesson, &variant);
        let needed = work::needed(lesson, &variant, &quick).unwrap();
        assert!(needed <= 2e6, "{}/{variant} needs {needed} at {quick:?}", lesson.id);
        assert!(!lesson.runs_on(&variant, Backend::Simt) || lesson.unmet(&variant, &quick).is_none(), "{variant}");
    }
}

/// Opens a lesson of the built-in pack at a step, on the tracer.
fn open_at(folder: &std::path::Path, lesson: &str, step: &str) -> egui_kittest::Harness<'static, Window> {
    let mut window = open(PackFiles::Embedded, &folder.join("state.ron"), [1280.0, 800.0]);
    window.state_mut().desk.command(Command::OpenLesson(lesson.into()));
    settle(&mut window);
    let steps = window.state().desk.state().place.lesson.clone().unwrap().steps.clone();
    window.state_mut().desk.command(Command::GoTo(steps.iter().position(|s| s.id == step).unwrap()));
    settle(&mut window);
    window
}

#[test]
fn another_picture_does_not_call_off_an_experiment() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_at(folder.path(), "tiling", "tile");
    window.state_mut().desk.command(Command::RunExperiment);
    window.state_mut().desk.command(Command::ShowScene(SceneKind::Heat));
    window.state_mut().desk.command(Command::ShowWorkgroup(1));
    settle(&mut window);
    let sweep = window.state().desk.state().sweep().unwrap();
    assert_eq!((sweep.points.len(), sweep.total), (3, 3));
}

#[test]
fn recorded_curves_wait_for_the_prediction_that_they_would_answer() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_at(folder.path(), "softmax", "short");
    assert!(window.query_by_role_and_label(Role::ComboBox, "Recording").is_none());
    window.state_mut().desk.command(Command::Predict("short_rows".into(), 2));
    settle(&mut window);
    window.get_by_role_and_label(Role::ComboBox, "Recording");
}
