//! The window's room: panes that are enlarged, stacked and dragged, the start page, the sheet of keys.
#![cfg(feature = "app")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod window;

use egui::Key;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use warpbook::app::View;
use warpbook::lesson::PackFiles;
use warpbook::session::desk::Command;
use warpbook::session::desk::state::State;

use window::{Window, open, settle};

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
    window.run_steps(3);
    window.get_by_label("play or pause");
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
    for lesson in state(&window).pack.lessons.clone() {
        window.get_by_label(&format!("Open {}", lesson.title));
    }
    window.get_by_label("Open Tiling").click();
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
    // What the exercise asks for is on the bench, and can be typed in.
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
    assert!(window.get_by_label_contains("Open A loop").accesskit_node().is_focused(), "the first lesson");
}
