//! Text files in the window: dropped, counted, refused, called off; and characters that no font has.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use egui::HoveredFile;
use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use warpbook::lesson::PackFiles;
use warpbook::session::desk::Command;
use warpbook::session::desk::status::Notice;

use crate::harness::{Dropped, PATIENCE, Window, open, settle};

/// A window on the first page of the lesson on text.
fn window(folder: &Path) -> Harness<'static, Window> {
    let mut window = open(PackFiles::Embedded, &folder.join("state.ron"), [1280.0, 800.0]);
    window.state_mut().desk.command(Command::OpenLesson("text_to_ids".to_owned()));
    settle(&mut window);
    window
}

fn drop_files(window: &mut Harness<'_, Window>, paths: &[PathBuf]) {
    let files = paths.iter().map(|path| Arc::new(Dropped(path.clone())) as _);
    window.input_mut().dropped_files.extend(files);
    window.step();
}

fn written(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// The text in the explorer.
fn text(window: &Harness<'_, Window>) -> String {
    window.state().desk.state().explored().text
}

/// The messages that wait to be read.
fn told(window: &Harness<'_, Window>) -> Vec<String> {
    let notices = window.state().desk.state().status.notices.iter();
    notices.filter_map(|n| if let Notice::Problem(p) = n { Some(p.to_string()) } else { None }).collect()
}

#[test]
fn a_dropped_file_is_counted_and_its_beginning_shown() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    // 34 characters, 35 bytes.
    let long = "naïve tokenizers, low lower lowest\n".repeat(1000);
    let path = written(folder.path(), "long.txt", &long);
    drop_files(&mut window, &[path]);
    settle(&mut window);
    assert_eq!(text(&window), long.chars().take(400).collect::<String>());
    window.get_by_label("long.txt, the whole file");
    for number in ["35,000", "36,000", "different words"] {
        assert!(window.query_all_by_label(number).next().is_some(), "{number}");
    }
    window.get_by_label_contains("of the whole file. The cells below are only its first 400 characters.");
    // The same numbers as the command line has.
    let counted = window.state().desk.state().counted_text(&text(&window)).cloned().unwrap();
    for (name, tokens) in counted.tokens {
        let vocabulary = warpbook::tokenizer::rank_file::shared(name).unwrap();
        let pattern = if name == "o200k_base" { "o200k" } else { "cl100k" };
        let pattern = warpbook::tokenizer::pattern::PATTERNS.into_iter().find(|p| p.name() == pattern).unwrap();
        assert_eq!(tokens as usize, warpbook::tokenizer::encode::encode(vocabulary, pattern, &long).len(), "{name}");
    }
    // Another text is not that file's beginning.
    window.get_by_role_and_label(Role::Button, "Greek").click();
    settle(&mut window);
    assert!(window.query_by_label_contains("the whole file").is_none());
    // A short one is there as a whole.
    let path = written(folder.path(), "short.txt", "low lower");
    drop_files(&mut window, &[path]);
    settle(&mut window);
    assert_eq!(text(&window), "low lower");
    window.get_by_label("The cells below are the whole file.");
    assert_eq!(told(&window), [""; 0]);
}

#[test]
fn what_is_no_text_is_said_and_what_was_there_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    let good = written(folder.path(), "good.txt", "low lower lowest");
    drop_files(&mut window, std::slice::from_ref(&good));
    settle(&mut window);
    let wrong = written(folder.path(), "latin.txt", [b"good text, then ".as_slice(), &[0xe9, 0x20]].concat());
    let empty = written(folder.path(), "empty.txt", "");
    let gone = folder.path().join("gone.txt");
    let cases = [
        (vec![wrong], "latin.txt is not UTF-8: the byte 0xe9 at offset 16 begins no character"),
        (vec![empty], "empty.txt is empty"),
        (vec![gone], "gone.txt: "),
        (vec![folder.path().to_path_buf()], " is a folder"),
        (vec![good.clone(), good], "2 files at once: none is opened"),
    ];
    for (number, (paths, said)) in cases.into_iter().enumerate() {
        drop_files(&mut window, &paths);
        settle(&mut window);
        let told = told(&window);
        assert_eq!(told.len(), number + 1, "{told:?}");
        assert!(told[number].contains(said), "{told:?}");
        assert_eq!(text(&window), "low lower lowest");
        window.get_by_label("good.txt, the whole file");
    }
}

#[test]
fn a_page_without_cells_says_where_there_are_some() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    let path = written(folder.path(), "good.txt", "low lower lowest");
    let before = text(&window);
    window.input_mut().hovered_files.push(HoveredFile { path: Some(path.clone()), mime: String::new() });
    window.run_steps(2);
    window.get_by_label("Drop to count the tokens of good.txt");
    window.state_mut().desk.command(Command::GoTo(2));
    window.run_steps(2);
    window.get_by_label("this page takes no file");
    window.input_mut().hovered_files.clear();
    drop_files(&mut window, &[path]);
    settle(&mut window);
    assert!(window.query_by_label_contains("Drop to count").is_none());
    let told = told(&window);
    assert!(
        told[0].contains("this page takes no file") && told[0].contains("A text has to become numbers"),
        "{told:?}"
    );
    assert_eq!(text(&window), before);
}

#[test]
fn counting_is_called_off() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    let before = text(&window);
    // Long enough that it is still being counted when it is called off, on any machine.
    let path = written(folder.path(), "long.txt", "naïve tokenizers, low lower lowest\n".repeat(8_000_000));
    drop_files(&mut window, &[path]);
    let began = Instant::now();
    let progress = |window: &Harness<'_, Window>| {
        let bars = window.query_all_by_role(Role::ProgressIndicator).filter_map(|node| node.accesskit_node().label());
        bars.into_iter().any(|said| said.starts_with("long.txt: ") && said.ends_with(" of 288 MB"))
    };
    while !progress(&window) {
        assert!(began.elapsed() < PATIENCE, "nothing is counted");
        std::thread::sleep(Duration::from_millis(2));
        window.step();
    }
    // The other one is in the line at the bottom.
    let buttons: Vec<_> = window.query_all_by_role_and_label(Role::Button, "Cancel").collect();
    assert_eq!(buttons.len(), 2);
    buttons[0].click();
    drop(buttons);
    window.run_steps(2);
    assert!(window.state().desk.state().text.counting.is_none());
    // The thread says that it has stopped.
    settle(&mut window);
    assert!(window.query_by_label_contains("the whole file").is_none());
    assert_eq!(text(&window), before);
    assert_eq!(told(&window), [""; 0]);
}

#[test]
fn a_character_that_no_font_has_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = window(folder.path());
    window.ctx.set_missing_glyph_policy(egui::epaint::text::MissingGlyphPolicy::Tofu);
    let mut explored = window.state().desk.state().explored();
    // The last two characters for private use: no font should have them.
    explored.text = "low \u{10fffc}\u{10fffd}\u{10fffd}".to_owned();
    window.state_mut().desk.command(Command::Explore(explored));
    let began = Instant::now();
    while window.query_by_label("No font on this computer has 2 of these characters.").is_none() {
        assert!(began.elapsed() < PATIENCE, "nothing was looked for");
        std::thread::sleep(Duration::from_millis(2));
        window.step();
    }
}
