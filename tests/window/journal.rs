//! The journal: a day of work is in it after the window was killed, and today, ledger, review and history follow from
//! it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use serde_json::Value;

use warpbook::app::View;
use warpbook::job::Language;
use warpbook::lesson::PackFiles;
use warpbook::session::desk::Command;
use warpbook::session::learn::evidence::Evidence;
use warpbook::session::learn::journal::{self, Did, Line};
use warpbook::session::learn::saved;

use crate::harness::{NOON, PATIENCE, Window, open_at, settle};

const SIZE: [f32; 2] = [1280.0, 900.0];
const DAY: i64 = 86_400;

fn open(state: &Path, clock: &Arc<AtomicI64>) -> Harness<'static, Window> {
    open_at(PackFiles::Embedded, state, SIZE, clock.clone())
}

fn command(window: &mut Harness<'_, Window>, command: Command) {
    window.state_mut().desk.command(command);
    settle(window);
}

fn click(window: &mut Harness<'_, Window>, label: &str) {
    // By its name, wherever it is: it may be below the window's edge.
    window.get_by_role_and_label(Role::Button, label).click_accesskit();
    window.step();
    settle(window);
}

fn type_in(window: &mut Harness<'_, Window>, field: &str, text: &str) {
    window.get_by_label(field).focus();
    window.step();
    window.get_by_label(field).type_text(text);
    window.step();
}

fn lines(state: &Path) -> Vec<Line> {
    let mut lines = Vec::new();
    assert!(journal::read(&journal::path_beside(state), &mut |line| lines.push(line.clone())).unwrap());
    lines
}

/// Where the ledger of the command line puts a concept.
fn standing(home: &Path, concept: &str) -> Value {
    let mut ledger = std::process::Command::new(env!("CARGO_BIN_EXE_warpbook"));
    let out = ledger.args(["ledger", "--json"]).env("HOME", home).env_remove("XDG_DATA_HOME").output().unwrap();
    let ledger: Value = serde_json::from_slice(&out.stdout).unwrap();
    let concepts = ledger["concepts"].as_array().unwrap();
    concepts.iter().find(|of| of["name"] == concept).map(|of| of["standing"].clone()).unwrap()
}

#[test]
fn a_day_of_work_comes_back_the_next_day() {
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join(".local/share/warpbook/state.ron");
    let clock = Arc::new(AtomicI64::new(NOON));
    let mut window = open(&state, &clock);
    command(&mut window, Command::OpenLesson("one_loop".to_owned()));
    window.get_by_label("65,536: one for each element").click_accesskit();
    window.step();
    settle(&mut window);
    type_in(&mut window, "Source of the kernel", "// mine\n");
    settle(&mut window);
    type_in(&mut window, "Your own words on this step", "Q: How wide is a warp?\nA: 32 lanes.");
    while window.state().desk.state().diary.is_writing {
        window.step();
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    settle(&mut window);
    for entry in ["The picture before", "The picture now", "The counts"] {
        click(&mut window, "Pin");
        click(&mut window, entry);
    }
    let words = window.state().desk.state().kept().words["loop"].clone();
    assert!(
        words.starts_with("Q: How wide is a warp?\nA: 32 lanes.\n\n![")
            && words.contains(".svg)\n\n```sh\nwarpbook run one_loop")
            && words.contains(".svg)\n\n```diff\n--- before\n+++ Yours 1: ")
            && words.contains("\n+// mine\n")
            && words.contains("```sh\n# Runs the kernel before my changes.\nwarpbook run one_loop"),
        "{words}"
    );
    assert!(words.contains("| whole grid | before | now |\n| --- | ---: | ---: |\n| load requests |"), "{words}");
    let lesson = window.state().desk.state().place.lesson.clone().unwrap();
    let exercise = lesson.exercises.iter().find(|exercise| exercise.id == "left_over").unwrap();
    let step = lesson.steps.iter().position(|step| step.exercises().any(|id| id == exercise.id)).unwrap();
    command(&mut window, Command::GoTo(step));
    command(&mut window, Command::JudgeExercise(exercise.id.clone()));
    command(&mut window, Command::TypeKernel(Language::Wgsl, exercise.solution.to_string()));
    command(&mut window, Command::JudgeExercise(exercise.id.clone()));
    // The window is killed: nothing is closed.
    drop(window);
    let kinds: Vec<String> = lines(&state)
        .iter()
        .map(|line| serde_json::to_value(&line.did).unwrap()["did"].as_str().unwrap().to_owned())
        .collect();
    for kind in ["predicted", "changed", "wrote", "tried", "solved"] {
        assert!(kinds.iter().any(|of| of == kind), "no {kind} among {kinds:?}");
    }
    assert!(lines(&state).iter().all(|line| line.time == Some(NOON) && !line.lesson.is_empty()));

    clock.store(NOON + DAY, Ordering::Relaxed);
    let mut window = open(&state, &clock);
    window.state_mut().view = View::at_home();
    settle(&mut window);
    window.get_by_label_contains("Yesterday: ");
    window.get_by_label_contains("Continue: ");
    click(&mut window, "Ledger");
    window.get_by_label("Blind spots (2)");
    // One right answer, on one day, is not enough.
    window.get_by_label("Mastered (0)");
    click(&mut window, "Move warp");
    type_in(&mut window, "The reason", "I know it now");
    click(&mut window, "Mastered");
    click(&mut window, "Move");
    window.get_by_label("Mastered (1)");
    assert_eq!(standing(home.path(), "warp"), "mastered");
    assert_eq!(standing(home.path(), "SIMT execution"), "blind_spot");
    assert_eq!(standing(home.path(), "work partitioning"), "developing");
    assert_eq!(standing(home.path(), "grid and bounds check"), "developing");

    // In the bar of every page.
    click(&mut window, "2 due");
    click(&mut window, "Begin");
    let mut asked = Vec::new();
    while let Some(prompt) = window.state().desk.state().diary.review.as_ref().and_then(|review| review.prompt.clone())
    {
        if prompt.set.is_empty() {
            click(&mut window, "Show the answer");
            window.get_by_label("32 lanes.");
            click(&mut window, "I knew it (1)");
        } else {
            // Other elements, or another number of threads: a warp's request is of 32 threads.
            let of = |id: &str, usual: f64| prompt.set.get(id).map_or(usual, |[_, to]| *to);
            let (n, lanes) = (of("n", 65_536.0), of("lanes", 32.0));
            let answer = (n / lanes).ceil() * (lanes / 32.0).ceil();
            assert_ne!(answer, 2048.0, "{:?}", prompt.set);
            // Wrong at first, and right once more at the end.
            let given = if asked.contains(&prompt.item.id) { answer } else { 3.0 * answer };
            type_in(&mut window, "Your number", &given.to_string());
            click(&mut window, "Answer");
            let said = if given == answer { "Right: " } else { "Wrong: " };
            window.get_by_label_contains(said);
            window.get_by_label_contains(", by the trace.");
            window.get_by_label_contains(if asked.contains(&prompt.item.id) {
                "This was practice"
            } else {
                "It comes back"
            });
        }
        asked.push(prompt.item.id);
        click(&mut window, "Next");
    }
    assert_eq!(asked.len(), 3, "the wrong one comes once more: {asked:?}");
    let item = |answers: &Evidence| (answers.graded, answers.right, answers.practised);
    let items = &window.state().desk.state().diary.story.items;
    assert!(items.values().any(|of| item(of) == (2, 0, 1)), "wrong twice, and the repeat is practice: {items:?}");
    click(&mut window, "Done");
    window.get_by_label("Nothing is due.");
    click(&mut window, "Back to the start page");
    click(&mut window, "History");
    window.get_by_label("Reviewed");
    window.get_by_label_contains("2025-11-26: ").click_accesskit();
    window.run_steps(20);
    window.get_by_label("In my own words");
    let days = &window.state().desk.state().diary.story.days;
    let changed: Vec<usize> = days.values().map(|day| day.changed.len()).collect();
    assert_eq!(changed[1], 0, "what a restart traces again was not changed: {changed:?}");
    assert_eq!(window.state().desk.state().diary.story.days.len(), 2);
    drop(window);
    let mut export = std::process::Command::new(env!("CARGO_BIN_EXE_warpbook"));
    export.args(["export", "one_loop", "--only", "own", "--backend", "simt", "-o"]).arg(home.path().join("notes"));
    let out = export.env("HOME", home.path()).env_remove("XDG_DATA_HOME").output().unwrap();
    assert!(out.status.success(), "{out:?}");
    let note = std::fs::read_to_string(home.path().join("notes/one_loop.md")).unwrap();
    let pinned: Vec<&str> = note.lines().filter(|line| line.contains("pin-")).collect();
    assert_eq!(pinned.len(), 2, "{note}");
    let picture = pinned[0].split_once("](").unwrap().1.trim_end_matches(')');
    let picture = std::fs::read_to_string(home.path().join("notes").join(picture)).unwrap();
    assert!(picture.starts_with("<svg") && note.contains("| whole grid | before | now |"), "{note}");
}

#[test]
fn a_page_begins_the_same_however_it_is_reached() {
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join(".local/share/warpbook/state.ron");
    let clock = Arc::new(AtomicI64::new(NOON));
    let mut window = open(&state, &clock);
    command(&mut window, Command::OpenLesson("zero".to_owned()));
    let params = |window: &Harness<'_, Window>| window.state().desk.state().place.params.clone();
    command(&mut window, Command::GoTo(3));
    let direct = params(&window);
    for step in [11, 3, 4, 3] {
        command(&mut window, Command::GoTo(step));
    }
    assert_eq!(params(&window), direct);
    assert!(window.state().desk.state().kept().moved.is_empty(), "nothing was moved");
    // A moved parameter stays with its page alone.
    let ranks = direct["ranks"] + 1.0;
    command(&mut window, Command::SetParam("ranks".to_owned(), ranks));
    let moved = params(&window);
    assert_ne!(moved, direct);
    command(&mut window, Command::GoTo(4));
    assert_ne!(params(&window).get("ranks"), Some(&ranks));
    command(&mut window, Command::GoTo(3));
    assert_eq!(params(&window), moved);
    drop(window);
    let mut window = open(&state, &clock);
    assert_eq!(params(&window), moved, "after a restart, too");
    let back = direct["ranks"];
    command(&mut window, Command::SetParam("ranks".to_owned(), back));
    assert!(window.state().desk.state().kept().moved.is_empty(), "it is where the page begins");
}

#[test]
fn a_wrong_answer_that_is_corrected_is_quoted_as_it_was() {
    let home = tempfile::tempdir().unwrap();
    let state = home.path().join(".local/share/warpbook/state.ron");
    let mut window = open(&state, &Arc::new(AtomicI64::new(NOON)));
    command(&mut window, Command::OpenLesson("one_loop".to_owned()));
    for label in ["65,536: one for each element", "2,048: 32 elements each time  · right"] {
        window.get_by_role_and_label(Role::Button, label).click_accesskit();
        window.step();
        settle(&mut window);
    }
    window.get_by_label_contains("Your first answer, “65,536");
    drop(window);
    let mut export = std::process::Command::new(env!("CARGO_BIN_EXE_warpbook"));
    export.args(["export", "one_loop", "--only", "own", "--backend", "simt", "-o"]).arg(home.path().join("notes"));
    let out = export.env("HOME", home.path()).env_remove("XDG_DATA_HOME").output().unwrap();
    assert!(out.status.success(), "{out:?}");
    let note = std::fs::read_to_string(home.path().join("notes/one_loop.md")).unwrap();
    assert!(note.contains("at first, then 2,048") && note.contains("Wrong: the right answer"), "{note}");
    assert!(!note.contains("my-settings"), "{note}");
}

#[test]
fn an_earlier_state_is_read_into_the_journal_once() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("state.ron");
    let clock = Arc::new(AtomicI64::new(NOON));
    let kept = "(seen: [\"loop\"], words: {\"loop\": \"mine\"}, predictions: {\"lanes_32\": (choice: 0, answer: Some((measured: None, traced: Some(2048), device: None)))})";
    std::fs::write(&path, format!("(format_version: 1, value: (lessons: {{\"one_loop\": {kept}}}))")).unwrap();
    for _ in 0..2 {
        drop(open(&path, &clock));
        let before: Vec<Line> = lines(&path).into_iter().filter(|line| line.time.is_none()).collect();
        assert_eq!(before.len(), 3, "{before:?}");
        assert!(before.iter().any(|line| matches!(&line.did, Did::Predicted { right: Some(false), .. })), "{before:?}");
    }
    assert!(saved::read(&path).unwrap().unwrap().lessons["one_loop"].words["loop"] == "mine");
}

#[test]
fn a_journal_that_cannot_be_written_is_told_and_tried_again() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("state.ron");
    let mut window = open(&path, &Arc::new(AtomicI64::new(NOON)));
    let journal = journal::path_beside(&path);
    let _ = std::fs::remove_file(&journal);
    std::fs::create_dir(&journal).unwrap();
    command(&mut window, Command::Move("warp".to_owned(), Some(journal::Standing::Mastered), "I say so".to_owned()));
    window.get_by_label_contains("journal.jsonl: it is not a regular file");
    std::fs::remove_dir(&journal).unwrap();
    let began = std::time::Instant::now();
    while !journal.exists() {
        window.step();
        assert!(began.elapsed() < PATIENCE, "it was not tried again");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    settle(&mut window);
    assert!(lines(&path).iter().any(|line| matches!(&line.did, Did::Moved { why, .. } if why == "I say so")));
}
