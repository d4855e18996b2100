//! Finding a page, and taking its text along.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use egui::accesskit::Role;
use egui::{pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use warpbook::lesson::PackFiles;
use warpbook::session::desk::Command;

use crate::harness::{Window, open, settle};

#[test]
fn a_search_finds_pages_by_terms_own_words_and_kernels() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 1000.0]);
    window.get_by_label("Your own words on this step").focus();
    window.step();
    window.get_by_label("Your own words on this step").type_text("my zebra remark");
    settle(&mut window);
    let field = "Search pages, terms, kernels and your words";
    let mut search = |words: &str| {
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::K);
        window.step();
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
        window.get_by_label(field).type_text(words);
        settle(&mut window);
        let places = ["in your own words", "in a kernel's text", "No page has these words."];
        places.map(|place| window.query_all_by_label_contains(place).count())
    };
    assert_eq!(search("zebra remark"), [1, 0, 0]);
    let [own, kernels, none] = search("override stride");
    assert_eq!((own, none), (0, 0));
    assert!(kernels > 0);
    assert_eq!(search("no such zebra"), [0, 0, 1]);
    // By the beginnings of words; the arrow goes to the second hit, and Enter opens it.
    assert_eq!(search("ebra"), [0, 0, 1]);
    search("warp");
    window.key_press(egui::Key::ArrowDown);
    window.step();
    window.key_press(egui::Key::Enter);
    window.step();
    settle(&mut window);
    let state = window.state().desk.state();
    let step = state.place.step().unwrap();
    assert!(state.place.step > 0 || state.place.lesson.as_ref().unwrap().id != "one_loop", "{}", step.id);
    assert!(window.query_by_label("No page has these words.").is_none());
}

#[test]
fn a_page_is_copied_with_its_figures_and_formulas() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 1000.0]);
    window.state_mut().desk.command(Command::OpenLesson("softmax".to_owned()));
    window.state_mut().desk.command(Command::GoTo(1));
    settle(&mut window);
    window.get_by_role_and_label(Role::Button, "Copy page").click();
    window.step();
    let copied = copied(&window);
    assert!(copied.starts_with("## Why the maximum goes first\n") && copied.contains("$e^{88}$"), "{copied}");
}

/// The text that the last frame copied.
fn copied(window: &Harness<'_, Window>) -> String {
    let commands = &window.output().platform_output.commands;
    let text = commands.iter().find_map(|command| match command {
        egui::OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    text.unwrap_or_default()
}

#[test]
fn prose_is_selected_by_dragging_and_copied_with_its_formulas() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 1000.0]);
    window.state_mut().desk.command(Command::OpenLesson("softmax".to_owned()));
    window.state_mut().desk.command(Command::GoTo(1));
    settle(&mut window);
    let paragraph = window.get_all_by_label_contains("$e^{88}$").next().unwrap().rect();
    let title =
        window.get_all_by_label("Why the maximum goes first").find(|node| node.rect().min.x > 200.0).unwrap().rect();
    let (from, to) = (title.left_top() + vec2(1.0, 4.0), paragraph.right_bottom() - vec2(1.0, 4.0));
    window.hover_at(from);
    window.step();
    window.drag_at(from);
    window.step();
    window.hover_at(from + vec2(30.0, 20.0));
    window.step();
    window.hover_at(to);
    window.run_steps(2);
    window.drop_at(to);
    window.step();
    window.input_mut().events.push(egui::Event::Copy);
    window.step();
    let text = copied(&window);
    assert!(text.starts_with("Why the maximum goes first\n\n") && text.contains("$e^{88}$"), "{text}");
    let margin = pos2(paragraph.left() - 20.0, paragraph.top());
    window.drag_at(margin);
    window.step();
    window.drop_at(margin);
    window.step();
    window.input_mut().events.push(egui::Event::Copy);
    window.step();
    assert_eq!(copied(&window), "", "a press elsewhere ends the selection");
}
