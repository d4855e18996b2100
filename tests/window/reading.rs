//! Finding a page, and taking its text along.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use egui::accesskit::Role;
use egui_kittest::kittest::Queryable;
use warpbook::lesson::PackFiles;
use warpbook::session::desk::Command;

use crate::harness::{open, settle};

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
        places.map(|place| window.query_all_by_label(place).count())
    };
    assert_eq!(search("zebra remark"), [1, 0, 0]);
    let [own, kernels, none] = search("override stride");
    assert_eq!((own, none), (0, 0));
    assert!(kernels > 0);
    assert_eq!(search("no such zebra"), [0, 0, 1]);
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
    let commands = &window.output().platform_output.commands;
    let copied = commands.iter().find_map(|command| match command {
        egui::OutputCommand::CopyText(text) => Some(text.clone()),
        _ => None,
    });
    let copied = copied.unwrap_or_default();
    assert!(copied.starts_with("## Why the maximum goes first\n") && copied.contains("$e^{88}$"), "{copied}");
}
