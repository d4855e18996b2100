//! Programs of several passes in the window: the strip of passes, the launch on the stage, buffers after any of them,
//! series, and notes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::sync::Arc;

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use warpbook::figures::{Reel, ask};
use warpbook::lesson::PackFiles;
use warpbook::notes::Format;
use warpbook::session::desk::state::State;
use warpbook::session::desk::status::Notice;
use warpbook::session::desk::{Command, SettingCommand};
use warpbook::session::learn::saved::ThemeChoice;
use warpbook::session::note::only::Only;

use crate::harness::{Window, open, settle, untraced};

fn at(step: &str, folder: &Path, size: [f32; 2]) -> Harness<'static, Window> {
    let pack = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/programs");
    let mut window = open(PackFiles::Folder(pack), &folder.join("state.ron"), size);
    let steps = &window.state().desk.state().place.lesson.clone().unwrap().steps;
    let number = steps.iter().position(|known| known.id == step).unwrap();
    window.state_mut().desk.command(Command::GoTo(number));
    settle(&mut window);
    window
}

fn state<'a>(window: &'a Harness<'_, Window>) -> &'a State {
    window.state().desk.state()
}

/// The descriptions of the pictures, one after the other.
fn pictures(window: &Harness<'_, Window>) -> String {
    let images = window.query_all_by_role(Role::Image);
    images.filter_map(|node| node.accesskit_node().label()).collect::<Vec<_>>().join("\n")
}

/// The contents of the buffers that the figure on the stage shows.
fn reel(window: &Harness<'_, Window>) -> Arc<Reel> {
    let state = state(window);
    let picture = state.picture();
    state.with_results(&picture, |results| state.view(&picture, results).reel(state.shown_figure()).unwrap().0.clone())
}

#[test]
fn every_step_of_a_program_is_shown_in_both_themes_and_sizes() {
    let folder = tempfile::tempdir().unwrap();
    for size in [[1280.0, 800.0], [2560.0, 1440.0]] {
        let mut window = at("sum", folder.path(), size);
        for theme in [ThemeChoice::Dark, ThemeChoice::Light] {
            window.state_mut().desk.command(Command::Set(SettingCommand::Theme(theme)));
            for step in 0..state(&window).place.lesson.clone().unwrap().steps.len() {
                window.state_mut().desk.command(Command::GoTo(step));
                settle(&mut window);
                assert!(untraced(state(&window)).is_empty(), "{:?}", untraced(state(&window)));
                assert!(state(&window).status.notices.is_empty(), "{:?}", state(&window).status.notices);
                assert!(pictures(&window).contains("The program's passes. "), "{}", pictures(&window));
            }
        }
    }
}

#[test]
fn a_pass_opens_on_the_stage_and_any_of_its_launches() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = at("stencil", folder.path(), [1280.0, 800.0]);
    assert_eq!(state(&window).place.stage.pass, "smooth");
    window.get_by_role_and_label(Role::Button, "Pass compare").click();
    settle(&mut window);
    assert_eq!((state(&window).place.stage.pass.as_str(), state(&window).place.stage.launch), ("compare", 0));
    assert!(pictures(&window).contains("atomic on change"), "{}", pictures(&window));
    window.state_mut().desk.command(Command::ShowPass("smooth".to_owned(), 9));
    settle(&mut window);
    assert_eq!((state(&window).place.shown().pass, state(&window).place.shown().launch), (0, 9));
    assert!(state(&window).timeline().is_some());
    // A copy has no lanes, but buffers.
    window.get_by_role_and_label(Role::Button, "Pass keep").click();
    settle(&mut window);
    assert_eq!(state(&window).shown_figure().card().name, "Contents");
    assert!(window.query_by_label("Warp on the stage").is_none());
}

#[test]
fn a_buffer_is_looked_at_after_any_pass_and_round_and_an_element_leads_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = at("partition", folder.path(), [1280.0, 800.0]);
    window.get_by_role_and_label(Role::Tab, "Buffers on the stage").click();
    settle(&mut window);
    let parted = reel(&window);
    assert_eq!(parted.buffers.len(), 1);
    assert_eq!(parted.buffers[0].name, "parted");
    assert_eq!(parted.buffers[0].count, 1000);
    assert_eq!((parted.film.trail.as_slice(), parted.film.frames.len()), (&[(0, 0), (1, 0), (2, 0)][..], 3));
    assert!(pictures(&window).contains("parted after scatter"), "{}", pictures(&window));
    // Before the pass that writes it, it holds nothing.
    window.get_by_role_and_label(Role::Button, "Pass histogram").click();
    settle(&mut window);
    window.state_mut().desk.command(Command::ShowBuffer("parted".to_owned()));
    settle(&mut window);
    assert!(pictures(&window).contains("parted after histogram"), "{}", pictures(&window));
    assert_ne!(parted.after("parted", 1), parted.after("parted", 3));
    window.get_by_role_and_label(Role::Button, "Pass scatter").click();
    settle(&mut window);
    // A click on the first element asks where it came from.
    let picture = window
        .get_all_by_role(Role::Image)
        .map(|node| node.rect())
        .max_by(|a, b| a.area().total_cmp(&b.area()))
        .unwrap();
    window.hover_at(picture.left_top() + egui::vec2(90.0, 54.0));
    window.run_steps(4);
    window.drag_at(picture.left_top() + egui::vec2(90.0, 54.0));
    window.drop_at(picture.left_top() + egui::vec2(90.0, 54.0));
    settle(&mut window);
    let asked = state(&window).place.asked.clone().unwrap();
    assert_eq!((asked.buffer.as_str(), asked.index), ("parted", 0));
    let answer = state(&window).origin().unwrap().unwrap().clone();
    assert_eq!(answer.by.as_ref().unwrap().pass, "scatter");
    let passes: Vec<&str> = answer.from.iter().filter_map(|from| Some(from.by.as_ref()?.pass.as_str())).collect();
    assert_eq!(passes, ["scan"]);
    assert!(window.query_all_by_label_contains("keys[").next().is_some(), "the input that it was");
}

#[test]
fn rungs_change_one_place_and_series_have_a_point_a_round() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = at("sum", folder.path(), [1600.0, 1000.0]);
    let barriers =
        |window: &Harness<'_, Window>, pass: usize| state(window).traced().unwrap().trace(pass).unwrap().barriers;
    assert!(barriers(&window, 0) > 0 && barriers(&window, 1) > 0);
    window.state_mut().desk.command(Command::ChooseRung("chunkwise".to_owned(), "serial_sum".to_owned()));
    settle(&mut window);
    assert!(barriers(&window, 0) == 0 && barriers(&window, 1) > 0);
    let window = at("train", folder.path(), [1280.0, 800.0]);
    assert!(pictures(&window).contains("mean squared error by round"), "{}", pictures(&window));
    let state = state(&window);
    let rounds = state.with_results(&state.picture(), |results| results.ask(ask::Rounds).unwrap().clone());
    assert_eq!(rounds[0].series[0].points.len(), 20);
    window.get_by_role_and_label(Role::Slider, "Launch on the stage");
}

#[test]
fn a_note_has_the_passes_and_the_series() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = at("train", folder.path(), [1280.0, 800.0]);
    window.state_mut().desk.command(Command::Export(Only::All, vec![Format::Markdown], folder.path().join("notes")));
    settle(&mut window);
    let Some(Notice::Wrote(files)) = state(&window).status.notices.last().cloned() else {
        panic!("no note: {:?}", state(&window).status.notices)
    };
    let read = |end: &str| -> Vec<String> {
        files.iter().filter(|f| f.to_string_lossy().ends_with(end)).map(|f| fs::read_to_string(f).unwrap()).collect()
    };
    let text = read(".md").join("\n");
    assert!(
        text.contains("The passes of Linear regression") && text.contains("| gradient | Gradient | 20 |"),
        "{text}"
    );
    assert!(text.contains("mean squared error by round"), "{text}");
    let svgs = read(".svg");
    assert!(svgs.iter().any(|svg| svg.contains("steps, 20 rounds")));
    assert!(text.contains("starts after sums") && svgs.iter().any(|svg| svg.contains("starts after sums")), "{text}");
    assert!(!svgs.iter().any(|svg| svg.contains("Reading the buffer")));
    let loss = read("train-loss.csv");
    assert_eq!(loss.first().map(|csv| csv.lines().count()), Some(21), "{files:?}");
}

#[test]
fn space_plays_a_program_from_its_first_launch_to_its_last() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = at("stencil", folder.path(), [1280.0, 800.0]);
    window.get_by_role_and_label(Role::Tab, "Buffers on the stage").click();
    settle(&mut window);
    let reel = reel(&window);
    let trail = reel.film.trail.clone();
    assert!(trail.len() > 10 && reel.film.frames.len() == trail.len(), "{}", trail.len());
    let now = |window: &Harness<'_, Window>| state(window).place.shown();
    // Brackets go from launch to launch, and the strip of passes follows.
    let (pass, launch) = trail[1];
    window.state_mut().desk.command(Command::ShowPass("smooth".to_owned(), 0));
    settle(&mut window);
    window.key_press(egui::Key::CloseBracket);
    settle(&mut window);
    assert_eq!((now(&window).pass, now(&window).launch), (pass, launch));
    window.key_press(egui::Key::OpenBracket);
    settle(&mut window);
    assert_eq!((now(&window).pass, now(&window).launch), trail[0]);
    // It plays to the end within 12 seconds, and the strip of passes is at the last launch.
    window.key_press(egui::Key::Space);
    let mut said = std::collections::BTreeSet::new();
    let mut frames = 0;
    while (now(&window).pass, now(&window).launch) != trail[trail.len() - 1] {
        // A frame moves the clock by a tenth of a second at most.
        window.run_steps(2);
        frames += 2;
        said.insert(pictures(&window));
        assert!(frames <= 124, "it still plays after {frames} frames");
    }
    assert!(said.len() >= trail.len() / 2, "{} pictures of {} launches", said.len(), trail.len());
}

#[test]
fn a_block_size_that_is_dragged_traces_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    window.state_mut().desk.command(Command::OpenLesson("tiling".to_owned()));
    let steps = &window.state().desk.state().place.lesson.clone().unwrap().steps;
    let number = steps.iter().position(|known| known.id == "tile").unwrap();
    window.state_mut().desk.command(Command::GoTo(number));
    window.state_mut().desk.command(Command::ShowFigure("Heat".to_owned()));
    settle(&mut window);
    let before = window.state().desk.traced_runs();
    for value in [8.0, 32.0] {
        window.state_mut().desk.command(Command::SetParam("tile".to_owned(), value));
        settle(&mut window);
        let heat = state(&window).with_results(&state(&window).picture(), |results| results.ask(ask::Heat).is_ok());
        assert!(heat && state(&window).timeline().is_some() && state(&window).traced().is_some());
    }
    assert_eq!(window.state().desk.traced_runs() - before, 2, "accesses, counts and heat by one run each time");
}
