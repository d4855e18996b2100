//! The window's room: panes that are enlarged, stacked and dragged, the start page, the sheet of keys.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use egui::accesskit::Role;
use egui::{Key, Modifiers, Rect};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use warpbook::app::{View, theme};
use warpbook::lesson::PackFiles;
use warpbook::session::desk::Command;
use warpbook::session::desk::state::State;
use warpbook::session::learn::saved::{self, Frame};

use crate::harness::{NOON, PATIENCE, Window, desk, open, settle};

fn state<'a>(window: &'a Harness<'_, Window>) -> &'a State {
    window.state().desk.state()
}

fn shows(window: &Harness<'_, Window>) -> [bool; 3] {
    [
        window.query_by_label_contains("Step 1 of").is_some(),
        window.query_by_label("Position in the warp's events").is_some(),
        window.query_by_label("Source of the kernel").is_some(),
    ]
}

#[test]
fn a_key_makes_a_pane_large_and_gives_the_room_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    assert_eq!(shows(&window), [true, true, true]);
    let height = |window: &Harness<'_, Window>| window.get_by_label("Position in the warp's events").rect().top();
    let before = height(&window);
    window.key_press(Key::Num2);
    window.run_steps(3);
    assert_eq!(shows(&window), [true, true, false], "the stage has the bench to itself");
    assert!(height(&window) > before + 100.0);
    window.key_press(Key::Num3);
    window.run_steps(3);
    assert_eq!(shows(&window), [true, false, true]);
    window.key_press(Key::Num1);
    window.run_steps(3);
    assert_eq!(shows(&window), [true, false, false]);
    window.key_press(Key::Num1);
    window.run_steps(3);
    assert_eq!(shows(&window), [true, true, true]);
}

#[test]
fn a_small_window_shows_one_pane_and_reaches_all() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [800.0, 600.0]);
    assert_eq!(shows(&window), [true, false, false]);
    for (tab, shown) in
        [("Stage", [false, true, false]), ("Code", [false, false, true]), ("Page", [true, false, false])]
    {
        window.get_by_role_and_label(Role::Button, tab).click();
        window.run_steps(3);
        assert_eq!(shows(&window), shown, "{tab}");
    }
    window.get_by_label_contains("1 · ").click();
    window.run_steps(3);
    window.get_by_label_contains("Step 3:").click();
    settle(&mut window);
    assert_eq!(state(&window).place.step, 2);
}

#[test]
fn a_divider_is_dragged_and_stays_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.ron");
    let mut window = open(PackFiles::Embedded, &path, [1600.0, 1000.0]);
    let at = |window: &Harness<'_, Window>| window.get_by_label("Divider beside the page").rect().center();
    let before = at(&window);
    window.drag_at(before);
    window.step();
    window.hover_at(before - egui::vec2(100.0, 0.0));
    window.step();
    window.drop_at(before - egui::vec2(100.0, 0.0));
    settle(&mut window);
    assert!((at(&window).x - (before.x - 100.0)).abs() < 3.0, "{:?} from {before:?}", at(&window));
    window.into_state().desk.close().unwrap();
    let again = open(PackFiles::Embedded, &path, [1600.0, 1000.0]);
    assert!((at(&again).x - (before.x - 100.0)).abs() < 3.0);
}

#[test]
fn the_keys_are_on_a_sheet() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    window.key_press(Key::Questionmark);
    // The sheet knows its size after a few frames.
    window.run_steps(10);
    window.get_by_label("play or pause");
    let close = window.get_by_label("Close").rect();
    assert!(close.bottom() < 800.0 - 24.0, "{close:?}");
    window.get_by_label("Close").click();
    window.run_steps(3);
    assert!(window.query_by_label("play or pause").is_none());
}

#[test]
fn the_start_page_leads_to_each_lesson() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    window.state_mut().view = View::at_home();
    window.run_steps(3);
    assert_eq!(shows(&window), [false; 3]);
    for lesson in state(&window).library.pack.lessons.clone() {
        window.get_by_label(&format!("Open {}", lesson.title));
    }
    window.get_by_label("Open Tiling").click_accesskit();
    settle(&mut window);
    assert_eq!(state(&window).place.lesson.as_ref().unwrap().id, "tiling");
    assert!(shows(&window)[0]);
    window.get_by_label("Warpbook").click();
    window.run_steps(3);
    window.get_by_label("Open Tiling");
}

#[test]
fn a_lesson_is_read_to_its_end_with_the_keyboard_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 4000.0]);
    let steps = state(&window).place.lesson.as_ref().unwrap().steps.len();
    for step in 1..steps {
        window.key_press(Key::PageDown);
        settle(&mut window);
        window.run_steps(30);
        assert_eq!(state(&window).place.step, step);
    }
    let read = state(&window).kept().seen.len();
    assert!(read + 3 >= steps, "{read} of {steps}: all but the steps whose end is below a question");
    // The kernel that the exercise asks for is on the bench, and can be typed in.
    window.state_mut().desk.command(Command::ResetEdit("chunks+yours".to_owned()));
    settle(&mut window);
    let source = window.get_by_label("Source of the kernel").accesskit_node().value().unwrap_or_default();
    assert!(source.contains("@compute"), "{source}");
}

#[test]
fn a_setting_is_typed_and_what_it_changed_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [2560.0, 1440.0]);
    window.state_mut().desk.command(Command::GoTo(2));
    settle(&mut window);
    let control =
        window.get_all_by_role(Role::Slider).find(|node| node.accesskit_node().label().as_deref() == Some("stride"));
    control.unwrap().focus();
    window.step();
    for text in ["1", "6"] {
        window.event(egui::Event::Text(text.to_owned()));
        window.step();
    }
    assert_eq!(state(&window).place.params["stride"], 2.0, "not before Enter");
    window.key_press(Key::Enter);
    settle(&mut window);
    assert_eq!(state(&window).place.params["stride"], 16.0);
    // 32,768 requests of 8 sectors, and of 32.
    window.get_by_label("load sectors 262 k to 1.05 M");
}

#[test]
fn the_tab_key_goes_to_the_page_first() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    window.key_press(Key::Tab);
    window.run_steps(3);
    let focused = |window: &Harness<'_, Window>| {
        let mut all = window.query_all_by(|node| node.is_focused());
        all.next().map(|node| node.rect())
    };
    let page = window.get_by_label_contains("Step 1 of").rect();
    let at = focused(&window).unwrap();
    assert!(at.left() >= page.left() - 8.0 && at.right() < 640.0, "{at:?} is in the page, which begins at {page:?}");
    window.state_mut().view = View::at_home();
    window.run_steps(3);
    window.key_press(Key::Tab);
    window.run_steps(3);
    assert!(window.get_by_label("Open a kernel…").accesskit_node().is_focused(), "the page's first button");
}

#[test]
fn cards_are_there_before_their_pictures_are_traced() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    window.state_mut().view = View::at_home();
    window.step();
    let lessons: Vec<(String, String)> =
        state(&window).library.pack.lessons.iter().map(|lesson| (lesson.id.clone(), lesson.title.clone())).collect();
    for (id, title) in &lessons {
        window.get_by_label(&format!("Open {title}"));
        assert!(state(&window).covers.is_asked(id) && state(&window).covers.of(id).is_none(), "{id}");
    }
    settle(&mut window);
    for (id, _) in &lessons {
        assert!(state(&window).covers.of(id).is_some(), "{id}");
    }
}

#[test]
fn the_first_frame_has_the_cards() {
    let folder = tempfile::tempdir().unwrap();
    let mut desk = desk(PackFiles::Embedded, &folder.path().join("state.ron"), Arc::new(AtomicI64::new(NOON)));
    desk.await_lessons(PATIENCE);
    let mut view = View::at_home();
    let lessons: Vec<String> = desk.state().library.pack.lessons.iter().map(|lesson| lesson.title.clone()).collect();
    assert!(lessons.len() > 5);
    let context = egui::Context::default();
    theme::install(&context);
    context.enable_accesskit();
    let input = egui::RawInput {
        screen_rect: Some(Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1280.0, 800.0))),
        ..Default::default()
    };
    let mut frame = context.run_ui(input, |ui| view.show(ui, &mut desk));
    frame.textures_delta.clear();
    let nodes = frame.platform_output.accesskit_update.unwrap().nodes;
    let labels: BTreeSet<&str> = nodes.iter().filter_map(|(_, node)| node.label()).collect();
    for title in &lessons {
        assert!(labels.contains(format!("Open {title}").as_str()), "{title}");
    }
}

/// A key's press and release within one frame, with nothing held at its end.
fn tap(window: &mut Harness<'_, Window>, modifiers: Modifiers, key: Key) {
    let press = |pressed| egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
    window.input_mut().events.extend([press(true), press(false)]);
    window.step();
}

#[test]
fn a_shortcut_that_is_let_go_within_its_frame_works() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let at = state(&window).place.lesson.as_ref().unwrap().steps.iter().position(|step| step.experiment.is_some());
    window.state_mut().desk.command(Command::GoTo(at.unwrap()));
    settle(&mut window);
    tap(&mut window, Modifiers::COMMAND, Key::R);
    settle(&mut window);
    assert!(!state(&window).found.sweeps.is_empty(), "Ctrl+R runs the experiment");
    tap(&mut window, Modifiers::COMMAND, Key::E);
    window.run_steps(3);
    window.get_by_label("Export this lesson as a note");
    window.get_by_label("Cancel").click();
    window.run_steps(3);
    tap(&mut window, Modifiers::COMMAND, Key::Num1);
    window.run_steps(3);
    assert_eq!(shows(&window)[1..], [true, true], "another key than 1");
}

#[test]
fn letters_typed_into_nothing_are_no_shortcuts() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let write = |window: &mut Harness<'_, Window>, text: &str| {
        for letter in text.chars() {
            let key = Key::from_name(&letter.to_string()).filter(|key| *key != Key::Questionmark || letter == '?');
            let press = |key| egui::Event::Key {
                key,
                physical_key: None,
                pressed: true,
                repeat: false,
                modifiers: Modifiers::NONE,
            };
            window.input_mut().events.extend(key.map(press));
            window.event(egui::Event::Text(letter.to_string()));
            window.step();
        }
    };
    let before = shows(&window);
    write(&mut window, "It takes 2 of 3 [why?]");
    window.run_steps(3);
    assert_eq!(shows(&window), before);
    assert!(window.query_by_label("play or pause").is_none(), "no sheet of keys");
    // A second later keys are keys again.
    window.run_steps(8);
    write(&mut window, "1");
    window.run_steps(3);
    assert_eq!(shows(&window), [true, false, false]);
}

#[test]
fn a_control_of_the_bar_keeps_the_keyboard_when_it_is_turned() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [2560.0, 1440.0]);
    window.state_mut().desk.command(Command::GoTo(2));
    settle(&mut window);
    // Those in sentences come first.
    window.get_all_by_role_and_label(Role::Slider, "stride").last().unwrap().focus();
    // The keyboard's arrows are the control's own from the second frame on.
    window.run_steps(2);
    let mut values = Vec::new();
    for _ in 0..4 {
        window.key_press(Key::ArrowRight);
        settle(&mut window);
        values.push(state(&window).place.params["stride"]);
    }
    assert!(state(&window).turned().is_some(), "figures before and now are beside the controls");
    assert_eq!(values.len(), 4);
    assert!(values.is_sorted_by(|a, b| a < b), "{values:?}");
}

/// The place of each line's number in the code, by the number.
fn numbers(window: &Harness<'_, Window>) -> BTreeMap<u32, Rect> {
    let pane = window.get_by_label("Source of the kernel").rect();
    let shapes = window.output().shapes.iter().filter_map(|clipped| match &clipped.shape {
        egui::Shape::Text(text) => {
            let rect = text.visual_bounding_rect();
            let beside = rect.left() >= clipped.clip_rect.left() && rect.left() < clipped.clip_rect.left() + 30.0;
            let inside = pane.y_range().contains(rect.center().y) && clipped.clip_rect.contains_rect(rect);
            text.galley.text().parse().ok().filter(|_| beside && inside).map(|line| (line, rect))
        }
        _ => None,
    });
    shapes.collect()
}

#[test]
fn the_numbers_of_lines_stay_in_sight() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let left = |window: &Harness<'_, Window>| window.get_by_label("Source of the kernel").rect().left();
    let (before, seen) = (left(&window), numbers(&window).len());
    assert!(seen > 3);
    window.get_by_label("Source of the kernel").focus();
    window.run_steps(3);
    window.get_by_label("Source of the kernel").type_text(&"// a long line ".repeat(20));
    settle(&mut window);
    window.run_steps(10);
    assert!(left(&window) < before, "the end of the line is in sight");
    assert!(numbers(&window).len() > 3, "and so are the numbers");
    window.key_press(Key::Enter);
    settle(&mut window);
    window.run_steps(30);
    assert_eq!(left(&window), before, "an empty line is seen from its start");
}

#[test]
fn the_line_that_runs_is_in_sight_at_every_size() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [2560.0, 1440.0]);
    for size in [[1440.0, 900.0], [1280.0, 800.0], [1920.0, 1080.0]] {
        window.set_size(size.into());
        window.run_steps(30);
        let shown = state(&window);
        let timeline = shown.timeline().unwrap();
        let stage = window.query_all_by_role(Role::Image).filter_map(|node| node.accesskit_node().label());
        let stage: Vec<String> = stage.filter(|label| label.contains("Warp ")).collect();
        let runs =
            timeline.events.iter().map(|event| event.line).find(|line| stage[0].contains(&format!("line {line}")));
        assert!(numbers(&window).contains_key(&runs.unwrap()), "{size:?}: {:?}", numbers(&window).keys());
    }
}

#[test]
fn tab_scrolls_to_what_it_goes_to() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let focused = |window: &Harness<'_, Window>| {
        let node = window.query_all_by(|node| node.is_focused()).next().unwrap();
        (node.accesskit_node().label().unwrap_or_default(), node.rect())
    };
    let room = Rect::from_min_max(egui::Pos2::ZERO, egui::pos2(1280.0, 800.0));
    for start in [false, true] {
        if start {
            window.state_mut().view = View::at_home();
            window.run_steps(3);
        }
        let cards = state(&window).library.pack.lessons.len();
        for _ in 0..cards {
            window.key_press(Key::Tab);
            window.run_steps(30);
            let (name, rect) = focused(&window);
            assert!(room.contains(rect.center()), "{name} at {rect:?}");
        }
    }
    assert!(focused(&window).0.starts_with("Open "));
}

#[test]
fn a_page_is_read_once_its_end_was_looked_at_and_its_exercise_is_solved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.ron");
    let mut window = open(PackFiles::Embedded, &path, [1280.0, 4000.0]);
    let lesson = state(&window).place.lesson.clone().unwrap();
    let read = |window: &Harness<'_, Window>| state(window).kept().read(&lesson);
    // The first page's end is in sight.
    window.run_steps(30);
    let begun = read(&window);
    assert_eq!(begun, 1);
    for _ in 0..2 {
        window.key_press(Key::PageDown);
        window.run_steps(2);
    }
    assert_eq!(read(&window), begun, "leafed through");
    settle(&mut window);
    window.run_steps(30);
    assert_eq!(read(&window), begun + 1);
    let last = lesson.steps.last().unwrap();
    window.state_mut().desk.command(Command::Read(last.id.clone()));
    settle(&mut window);
    assert_eq!(read(&window), begun + 1, "its exercise is not solved");
    window.get_by_label_contains(&format!("{} of {} steps read", begun + 1, lesson.steps.len()));
}

#[test]
fn the_picture_that_was_chosen_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.ron");
    let mut window = open(PackFiles::Embedded, &path, [1280.0, 800.0]);
    let own = state(&window).shown_figure().card().name;
    window.state_mut().desk.command(Command::ShowFigure("Contents".to_owned()));
    settle(&mut window);
    assert_ne!(own, "Contents");
    window.into_state().desk.close().unwrap();
    let mut again = open(PackFiles::Embedded, &path, [1280.0, 800.0]);
    assert_eq!(state(&again).shown_figure().card().name, "Contents");
    // Another page has its own.
    again.state_mut().desk.command(Command::GoTo(1));
    again.state_mut().desk.command(Command::GoTo(0));
    settle(&mut again);
    assert_eq!(state(&again).shown_figure().card().name, own);
}

#[test]
fn the_windows_place_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.ron");
    let mut window = open(PackFiles::Embedded, &path, [1280.0, 800.0]);
    let inner = Rect::from_min_size(egui::pos2(104.0, 130.0), egui::vec2(1280.0, 800.0));
    let viewport = window.input_mut().viewports.entry(egui::ViewportId::ROOT).or_default();
    (viewport.inner_rect, viewport.outer_rect) = (Some(inner), Some(inner.translate(egui::vec2(-4.0, -30.0))));
    settle(&mut window);
    let kept = Frame { size: Some([1280.0, 800.0]), position: Some([100.0, 100.0]) };
    assert_eq!(state(&window).saved.window, kept);
    // One that fills the screen comes back as it was before.
    let viewport = window.input_mut().viewports.entry(egui::ViewportId::ROOT).or_default();
    (viewport.inner_rect, viewport.maximized) = (Some(inner.expand(300.0)), Some(true));
    settle(&mut window);
    window.into_state().desk.close().unwrap();
    assert_eq!(saved::read(&path).unwrap().unwrap().window, kept);
}
