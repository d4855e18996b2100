//! Experiments: what is left out without a GPU, what goes on while the reader looks elsewhere, and what waits for a
//! prediction.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use egui::accesskit::Role;
use egui_kittest::kittest::Queryable;

use warpbook::app::plot;
use warpbook::gpu::simt;
use warpbook::lesson::{Lesson, PackFiles, Program};
use warpbook::session;
use warpbook::session::desk::Command;
use warpbook::session::experiment::{chart, sweep};
use warpbook::session::jobs::{self, cost};
use warpbook::session::learn::drawn_curve::By;
use warpbook::session::learn::predict::Guess;
use warpbook::trace::record::Device;

use crate::harness::{Window, open, settle};

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
        let quick = cost::quick(lesson, &variant);
        let needed = cost::needed(lesson, &variant, &quick).unwrap();
        assert!(needed <= 2e6, "{}/{variant} needs {needed} at {quick:?}", lesson.id);
        // Kernels in CUDA C++ alone are tried where the lesson measures them.
        let mut kernels = lesson.launched(&variant).into_iter().flatten();
        let is_cuda = kernels.any(|kernel| kernel.cuda_only().is_some());
        assert!(is_cuda || lesson.unmet(&variant, &quick).is_none(), "{variant}");
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
    window.state_mut().desk.command(Command::ShowFigure("Heat".to_owned()));
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
    window.state_mut().desk.command(Command::Predict("short_rows".into(), Guess::Choice(2)));
    settle(&mut window);
    window.get_by_label("Show the plot").click();
    settle(&mut window);
    window.get_by_role_and_label(Role::ComboBox, "Recording");
}

/// The part of a drawn plot that belongs to a value, by the words that its point begins with.
fn column(window: &egui_kittest::Harness<'_, Window>, name: &str) -> egui::Rect {
    window.get_by_label_contains(name).rect()
}

#[test]
fn a_curve_is_drawn_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_at(folder.path(), "coalescing", "sectors");
    window.get_by_label("Compare").scroll_to_me();
    window.run_steps(30);
    let drawn = |window: &egui_kittest::Harness<'_, Window>| {
        window.state().desk.state().kept().drawn.get("draw_stride").cloned().unwrap_or_default()
    };
    let (first, last) = (column(&window, "stride 1:"), column(&window, "stride 32:"));
    // From a quarter up at the first stride, along the plot, out of it at the top and back at the last: what is passed is set, what is outside
    // is the end of the axis.
    window.drag_at(egui::pos2(first.center().x, first.bottom() - first.height() / 4.0));
    window.step();
    for name in [
        "stride 2:",
        "stride 3:",
        "stride 4:",
        "stride 5:",
        "stride 6:",
        "stride 7:",
        "stride 8:",
        "stride 12:",
        "stride 16:",
    ] {
        window.hover_at(egui::pos2(column(&window, name).center().x, first.center().y));
        window.step();
    }
    window.hover_at(egui::pos2(column(&window, "stride 24:").center().x, first.top() - 60.0));
    window.step();
    window.drop_at(egui::pos2(last.right() + 80.0, first.center().y));
    settle(&mut window);
    let points = drawn(&window);
    assert_eq!(
        points.iter().map(|(x, _)| *x).collect::<Vec<_>>(),
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 12.0, 16.0, 24.0]
    );
    let at = |x: f64| points.iter().find(|(at, _)| *at == x).unwrap().1;
    assert!((at(1.0) - 10.0).abs() < 0.2 && (at(8.0) - 20.0).abs() < 0.2 && at(24.0) == 40.0, "{points:?}");
    // The last point by keys: from the middle up, and no farther than the axis goes.
    window.get_by_label_contains("stride 32:").focus();
    window.run_steps(3);
    for _ in 0..12 {
        window.key_press(egui::Key::ArrowUp);
        window.step();
    }
    settle(&mut window);
    let by_keys = drawn(&window).last().copied().unwrap();
    assert!(by_keys.0 == 32.0 && (by_keys.1 - 32.0).abs() < 0.2, "{by_keys:?}");
    for _ in 0..40 {
        window.key_press(egui::Key::ArrowUp);
        window.step();
    }
    window.key_press(egui::Key::ArrowLeft);
    window.step();
    window.key_press(egui::Key::ArrowDown);
    settle(&mut window);
    let points = drawn(&window);
    assert!(points[11] == (32.0, 40.0) && points[10].0 == 24.0 && (points[10].1 - 39.0).abs() < 0.2, "{points:?}");
    // It is kept, and answered by the trace.
    window.into_state().desk.close().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 2400.0]);
    assert_eq!(drawn(&window), points);
    window.get_by_label("Compare").click();
    settle(&mut window);
    let kept = window.state().desk.state().kept();
    let given = &kept.predictions["draw_stride"];
    assert_eq!((&given.guess, kept.drawn.len()), (&Guess::Curve(points.clone()), 0));
    let found = given.answer.as_ref().unwrap().curve.clone().unwrap();
    let sectors: Vec<(f64, f64)> = points.iter().map(|(x, _)| (*x, (4.0 * x).min(32.0))).collect();
    assert_eq!((found.by, found.points), (By::Trace, sectors));
    window.get_by_label_contains(
        "The greatest difference is a factor of 2.50, at stride = 2: you drew 20.0, and 8.00 was traced.",
    );
    window.get_by_label("Draw again").click();
    settle(&mut window);
    assert_eq!(drawn(&window), points);
}

#[test]
fn a_recording_answers_where_no_gpu_measures() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_at(folder.path(), "softmax", "one_barrier");
    assert!(window.state().desk.state().is_undecided());
    let lesson = window.state().desk.state().place.lesson.clone().unwrap();
    let experiment = lesson.experiments.iter().find(|e| e.id == "short_speed").unwrap();
    let points: Vec<(f64, f64)> = experiment.values.iter().map(|x| (*x, 1e12)).collect();
    window.state_mut().desk.command(Command::Predict("draw_short_rows".into(), Guess::Curve(points)));
    settle(&mut window);
    let state = window.state().desk.state();
    assert!(!state.is_undecided());
    let answer = state.kept().predictions["draw_short_rows"].answer.clone().unwrap();
    let found = answer.curve.unwrap();
    assert_eq!((found.by, found.points.len()), (By::Recording, experiment.values.len()));
    assert!(answer.device.unwrap().contains("H200"));
}

/// The field of the page's last question for a number.
fn field<'w>(window: &'w egui_kittest::Harness<'_, Window>) -> egui_kittest::Node<'w> {
    window.get_all_by_label("Your number").last().unwrap()
}

#[test]
fn a_number_is_typed_and_judged() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open_at(folder.path(), "coalescing", "below");
    // What follows the page's first question is folded.
    window.state_mut().desk.command(Command::Predict("stride_12".into(), Guess::Number(3.0)));
    settle(&mut window);
    field(&window).scroll_to_me();
    window.run_steps(30);
    field(&window).focus();
    window.step();
    field(&window).type_text("five");
    settle(&mut window);
    window.get_by_label("That is no number.");
    window.get_all_by_label("Predict").last().unwrap().click();
    settle(&mut window);
    let predictions = window.state().desk.state().kept().predictions.clone();
    assert!(!predictions.contains_key("offset_sectors"), "the button does nothing");
    for (typed, said) in [("4", "4 is wrong: it is not within 1% of the answer."), ("5", "5 is right, within 1%.")] {
        field(&window).focus();
        window.step();
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
        window.step();
        field(&window).type_text(typed);
        window.step();
        window.key_press(egui::Key::Enter);
        settle(&mut window);
        window.get_by_label(said);
    }
    let given = &window.state().desk.state().kept().predictions["offset_sectors"];
    assert_eq!((&given.guess, given.answer.as_ref().unwrap().traced), (&Guess::Number(5.0), Some(5.0)));
}

/// The plot of the step's experiment as the tracer runs it: how its values lie on the screen.
fn shown_plot(window: &egui_kittest::Harness<'_, Window>) -> egui_plot::PlotTransform {
    let state = window.state().desk.state();
    let (lesson, experiment) = (state.place.lesson.as_ref().unwrap(), state.place.experiment().unwrap());
    let title = chart::plot(lesson, experiment, state.sweep(), None, None, false).title;
    egui_plot::PlotMemory::load(&window.ctx, plot::id("measured", &title)).unwrap().transform()
}

#[test]
fn a_plot_is_zoomed_moved_and_shown_whole_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let steps = window.state().desk.state().place.lesson.clone().unwrap().steps.clone();
    window.state_mut().desk.command(Command::GoTo(steps.iter().position(|step| step.experiment.is_some()).unwrap()));
    settle(&mut window);
    window.state_mut().desk.command(Command::RunExperiment);
    settle(&mut window);
    window.run_steps(20);
    let whole = shown_plot(&window);
    let middle = whole.frame().center();
    window.event(egui::Event::PointerMoved(middle));
    window.run_steps(2);
    window.event(egui::Event::Zoom(2.0));
    window.run_steps(2);
    let near = shown_plot(&window);
    assert!(near.bounds().width() < 0.6 * whole.bounds().width(), "{near:?}");
    window.drag_at(middle);
    window.run_steps(2);
    window.hover_at(middle + egui::vec2(60.0, 0.0));
    window.run_steps(2);
    window.drop_at(middle + egui::vec2(60.0, 0.0));
    window.run_steps(2);
    let moved = shown_plot(&window);
    assert!(
        (moved.bounds().width() - near.bounds().width()).abs() < 1e-9
            && moved.bounds().min()[0] < near.bounds().min()[0]
    );
    window.hover_at(middle);
    window.run_steps(2);
    // In one frame: between queued events a quarter of a second passes, which is too long for a double click.
    for pressed in [true, false, true, false] {
        let (button, modifiers) = (egui::PointerButton::Primary, egui::Modifiers::NONE);
        window.input_mut().events.push(egui::Event::PointerButton { pos: middle, button, pressed, modifiers });
    }
    window.run_steps(3);
    // The click has enlarged it: at the right there is room for the names of curves.
    let (again, whole) = (*shown_plot(&window).bounds(), *whole.bounds());
    assert_eq!((again.min(), again.max()[1]), (whole.min(), whole.max()[1]));
    assert!(again.max()[0] >= whole.max()[0], "{again:?}");
}
