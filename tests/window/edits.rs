//! Kernels that the learner types: each is tried, traced and put on the stage beside what it began as.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use warpbook::base::parts::{line_of, parts};
use warpbook::job::Language;
use warpbook::lesson::{PackFiles, Variant};
use warpbook::session::desk::Command;
use warpbook::session::desk::race::{RaceSource, RaceTime};
use warpbook::session::desk::state::State;
use warpbook::session::jobs::own::YOURS;

use crate::harness::{Window, open, settle, untraced};

/// The ids of the learner's version of the exercise, and of what it starts from.
const EXERCISE: &str = "chunks+yours";
const STARTER: &str = "chunks+starter";

fn state<'a>(window: &'a Harness<'_, Window>) -> &'a State {
    window.state().desk.state()
}

fn load_sectors(window: &Harness<'_, Window>, program: &str) -> u64 {
    state(window).found.traced(program).unwrap().trace(0).unwrap().global.load.sectors
}

/// The coalescing lesson at its third step: a strided copy, at stride 2.
fn strided(folder: &tempfile::TempDir) -> Harness<'static, Window> {
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [2560.0, 1440.0]);
    window.state_mut().desk.command(Command::GoTo(2));
    settle(&mut window);
    window
}

fn command(window: &mut Harness<'_, Window>, command: Command) {
    window.state_mut().desk.command(command);
    settle(window);
}

fn source(window: &Harness<'_, Window>) -> String {
    state(window).place.kernel().unwrap().source().to_string()
}

#[test]
fn what_is_typed_is_on_the_stage_beside_what_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = strided(&folder);
    let before = load_sectors(&window, "strided");
    let own = source(&window).replace("src[i * STRIDE + OFFSET]", "src[i]");
    // Typed with real keys at the end of the text, then as a whole.
    window.get_by_label("Source of the kernel").focus();
    window.step();
    window.get_by_label("Source of the kernel").type_text("// mine\n");
    window.step();
    assert!(state(&window).trials.drafts.values().any(|draft| draft.typed.is_some()), "a key was pressed");
    settle(&mut window);
    assert_eq!(state(&window).place.bench.variant.program, "strided+1");
    assert_eq!(load_sectors(&window, "strided+1"), before, "a comment changes nothing");
    command(&mut window, Command::TypeKernel(Language::Wgsl, own));
    assert_eq!(load_sectors(&window, "strided+1"), before / 2);
    assert_eq!(load_sectors(&window, "strided"), before, "what it began as is there, too");
    // Its result is another, and that is said beside it, not over everything.
    let said = state(&window).edit_problems();
    assert!(said.len() == 1 && said[0].message.contains("your kernel leaves a wrong `dst`"), "{said:?}");
    assert!(window.query_by_label("Dismiss").is_none());
    let images: Vec<String> =
        window.get_all_by_role(Role::Image).filter_map(|node| node.accesskit_node().label()).collect();
    let loads =
        |sectors: &str| images.iter().filter(|alt| alt.contains("load of src") && alt.contains(sectors)).count();
    assert_eq!((loads("8 sectors"), loads("4 sectors")), (1, 1), "{images:?}");
    window.get_by_label("× 0.500");
}

#[test]
fn what_a_kernel_includes_is_folded_below_it_and_can_be_typed_in() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = strided(&folder);
    command(&mut window, Command::OpenLesson("softmax".to_owned()));
    let kernel = state(&window).place.kernel().unwrap();
    let included = parts(kernel.source()).into_iter().nth(1).unwrap();
    let (name, lines) = (included.name().unwrap().to_owned(), included.text.lines().count());
    let below = format!("Source of {name}");
    assert!(window.query_by_label(&below).is_none(), "it is folded");
    let shown = window.get_by_label("Source of the kernel").accesskit_node().value().unwrap_or_default();
    assert!(!shown.contains("===="), "what stands between the texts is not part of them: {shown}");
    window.get_by_label(&format!("{name}, {lines} lines, folded")).click_accesskit();
    settle(&mut window);
    window.get_by_label(&format!("{name}, {lines} lines, open"));
    window.get_by_label(&below).focus();
    window.step();
    window.get_by_label(&below).type_text("// mine\n");
    window.step();
    settle(&mut window);
    let own = source(&window);
    assert!(state(&window).place.bench.edit.is_some() && state(&window).edit_problems().is_empty());
    let typed = parts(&own)[1].text.to_owned();
    assert!(typed.contains("// mine\n") && !parts(&own)[0].text.contains("// mine"), "{own}");
    // A mistake in it is shown beside its line, whose number continues the kernel's.
    let broken = own.replace("// mine\n", "fn broken(\n");
    command(&mut window, Command::TypeKernel(Language::Wgsl, broken.clone()));
    let problem = state(&window).edit_problems()[0].clone();
    let place = problem.place.clone().unwrap();
    assert!(place.file.ends_with(&name), "{problem}");
    let line = line_of(&broken, YOURS, &place).unwrap() as usize;
    assert!(line > parts(&broken)[0].text.lines().count(), "{problem}");
}

#[test]
fn a_text_that_does_not_compile_leaves_the_last_picture() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = strided(&folder);
    let good = source(&window);
    command(&mut window, Command::TypeKernel(Language::Wgsl, format!("{good}// mine\n")));
    let broken = good.replace("let value", "let let value");
    command(&mut window, Command::TypeKernel(Language::Wgsl, broken.clone()));
    let now = state(&window);
    assert!(now.is_broken());
    let problem = &now.edit_problems()[0];
    let place = problem.place.as_ref().unwrap();
    let line = broken.lines().position(|line| line.contains("let let")).unwrap() + 1;
    assert_eq!((place.file.as_str(), place.line as usize), ("your kernel", line));
    assert_eq!(now.place.bench.variant.program, "strided+1");
    assert!(now.timeline().is_some(), "the last picture stays");
    assert_eq!(now.edited().unwrap().source, broken, "and what was typed");
    command(&mut window, Command::ResetEdit("strided+1".to_owned()));
    assert!(!state(&window).is_broken());
    assert_eq!(state(&window).edited().unwrap().source, good);
}

#[test]
fn versions_are_kept_named_and_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = strided(&folder);
    let good = source(&window);
    command(&mut window, Command::TypeKernel(Language::Wgsl, good.replace("dst[i] = value;", "dst[i] = value + 0.0;")));
    command(&mut window, Command::RenameEdit("plus nothing".to_owned()));
    command(&mut window, Command::ShowProgram("strided".to_owned()));
    command(&mut window, Command::TypeKernel(Language::Wgsl, format!("{good}\n")));
    let names: Vec<String> = state(&window).kept().edits.iter().map(|edit| edit.name.clone()).collect();
    assert_eq!(names, ["plus nothing", "Yours 2: Strided copy"]);
    window.into_state().desk.close().unwrap();
    let mut again = open(PackFiles::Embedded, &folder.path().join("state.ron"), [2560.0, 1440.0]);
    assert_eq!(state(&again).place.bench.variant, Variant::plain("strided+2"), "the one in the editor is there again");
    command(&mut again, Command::GoTo(0));
    command(&mut again, Command::GoTo(2));
    assert_eq!(state(&again).place.bench.variant, Variant::plain("strided"), "a step opens with its own kernel");
    command(&mut again, Command::ShowEdit("strided+1".to_owned()));
    assert!(source(&again).contains("value + 0.0"));
    assert_eq!(state(&again).place.lesson.as_ref().unwrap().title_of(&Variant::plain("strided+1")), "plus nothing");
    command(&mut again, Command::DiscardEdit);
    assert_eq!(state(&again).kept().edits.len(), 1);
    assert_eq!(state(&again).place.bench.variant, Variant::plain("strided"));
}

#[test]
fn the_exercise_is_a_version_with_a_goal() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = strided(&folder);
    let last = state(&window).place.lesson.as_ref().unwrap().steps.len() - 1;
    command(&mut window, Command::GoTo(last));
    assert_eq!(state(&window).place.bench.edit.as_deref(), Some(EXERCISE));
    assert_eq!(state(&window).place.bench.beside, [], "nothing was changed yet");
    let before = load_sectors(&window, EXERCISE);
    let solution = state(&window).place.lesson.as_ref().unwrap().exercises[0].solution.to_string();
    command(&mut window, Command::TypeKernel(Language::Wgsl, solution));
    assert_eq!(state(&window).place.bench.beside, [Variant::plain(STARTER)]);
    assert_ne!(load_sectors(&window, EXERCISE), before, "the stage shows what was written");
    assert_eq!(load_sectors(&window, STARTER), before);
    // Starting it again drops nothing of another version that is on the bench meanwhile.
    command(&mut window, Command::ShowProgram("copy".to_owned()));
    let own = format!("{}// mine\n", source(&window));
    command(&mut window, Command::TypeKernel(Language::Wgsl, own.clone()));
    command(&mut window, Command::ResetEdit(EXERCISE.to_owned()));
    assert_eq!(state(&window).kept().tried("chunks").source, None);
    assert_eq!(state(&window).kept().edits[0].source, own);
    command(&mut window, Command::GoTo(0));
    assert_eq!(state(&window).place.bench.edit, None);
    assert_eq!(state(&window).place.bench.beside, []);
}

#[test]
fn a_part_of_a_goal_leads_to_the_access_that_breaks_it() {
    let folder = tempfile::tempdir().unwrap();
    // High enough for the whole page.
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 3200.0]);
    let last = state(&window).place.lesson.as_ref().unwrap().steps.len() - 1;
    command(&mut window, Command::GoTo(last));
    command(&mut window, Command::ShowFigure("Bytes".to_owned()));
    // The starter as it is: its result is right, and its loads are far apart.
    let own = format!("{}// mine\n", source(&window));
    command(&mut window, Command::TypeKernel(Language::Wgsl, own));
    command(&mut window, Command::JudgeExercise("chunks".to_owned()));
    window.run_steps(40);
    window.query_all_by_role_and_label(Role::Button, "not yet").next().unwrap().click();
    settle(&mut window);
    assert!(state(&window).place.stage.sought.is_some());
    assert_eq!(state(&window).shown_figure().card().name, "Warp");
    let pictures: Vec<String> =
        window.query_all_by_role(Role::Image).filter_map(|node| node.accesskit_node().label()).collect();
    assert!(pictures.iter().any(|picture| picture.contains("32 sectors")), "{pictures:?}");
}

#[test]
fn kernels_race_on_one_clock() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = strided(&folder);
    command(&mut window, Command::SetBeside(vec![Variant::plain("copy"), Variant::plain("vec4")]));
    let now = state(&window);
    assert!(now.is_race());
    for id in ["strided", "copy", "vec4"] {
        assert!(now.found.timeline(id, &now.place).is_some(), "{id}");
    }
    // Nothing was timed here: the clock is that of a recording which has all three at these settings.
    let [bench, copy] = ["strided", "copy"].map(|id| now.race_time(&Variant::plain(id)).unwrap());
    let recording = |time: RaceTime<'_>| match time.source {
        RaceSource::Recorded(recording) => Some(recording.id.clone()),
        RaceSource::Measured | RaceSource::Predicted(_) => None,
    };
    assert!(recording(bench).is_some() && recording(bench) == recording(copy));
    assert_eq!(now.pace(&Variant::plain("copy")), bench.seconds / copy.seconds);
    window.state_mut().desk.command(Command::SetParam("n".to_owned(), 131_072.0));
    settle(&mut window);
    let now = state(&window);
    // Nobody recorded this size: the clock is the model's.
    let [bench, copy] = ["strided", "copy"].map(|id| now.race_time(&Variant::plain(id)).unwrap());
    assert!(matches!(bench.source, RaceSource::Predicted(_)), "{bench:?}");
    assert!(now.pace(&Variant::plain("copy")) > 1.0, "{bench:?} {copy:?}");
    window.get_by_label("Play").click();
    window.run_steps(10);
    command(&mut window, Command::GoTo(3));
    assert!(!state(&window).is_race(), "a race ends with its step");
}

/// The CUDA C++ of the kernel on the bench.
fn twin(window: &Harness<'_, Window>) -> String {
    state(window).place.kernel().unwrap().twin().unwrap().source.to_string()
}

#[test]
fn a_version_in_cuda_is_traced_from_its_own_text() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = strided(&folder);
    let (before, wgsl) = (load_sectors(&window, "strided"), source(&window));
    let typed = format!("{}// mine\n", twin(&window));
    command(&mut window, Command::TypeKernel(Language::Cuda, typed.clone()));
    assert_eq!(twin(&window), typed);
    assert_eq!(source(&window), wgsl);
    match untraced(state(&window)).first() {
        None => assert_eq!(load_sectors(&window, "strided+1"), before),
        Some(problem) => assert!(problem.message.contains("NVRTC"), "only a compiler may be missing: {problem}"),
    }
    let kernel = state(&window).place.kernel().unwrap();
    assert_eq!(kernel.twin().unwrap().file, "your kernel", "its errors are at its own lines");
    command(&mut window, Command::ResetEdit("strided+1".to_owned()));
    assert_eq!(twin(&window), typed.replace("// mine\n", ""));
    window.into_state().desk.close().unwrap();
    let mut again = open(PackFiles::Embedded, &folder.path().join("state.ron"), [2560.0, 1440.0]);
    command(&mut again, Command::ShowEdit("strided+1".to_owned()));
    assert_eq!(state(&again).edited_in(), Some(Language::Cuda), "what it is written in is kept");
}

#[test]
fn what_cannot_be_saved_is_said_and_kept_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = strided(&folder);
    assert!(window.query_by_label("not saved").is_none());
    // As on a full disk, no write succeeds from now on.
    let lock = folder.path().join("state.ron.lock");
    std::fs::remove_file(&lock).unwrap();
    std::fs::create_dir(&lock).unwrap();
    let own = format!("{}// mine alone\n", source(&window));
    command(&mut window, Command::TypeKernel(Language::Wgsl, own));
    window.get_by_label("not saved");
    let problem = window.into_state().desk.close().unwrap_err();
    assert!(problem.message.starts_with("what you did last is not saved: cannot write"), "{problem}");
    let kept = problem.hint.as_deref().and_then(|hint| hint.rsplit(' ').next()).unwrap().to_owned();
    assert!(std::fs::read_to_string(&kept).unwrap().contains("// mine alone"));
    // Put where it belongs, it is the learner's state again.
    std::fs::remove_dir(&lock).unwrap();
    std::fs::rename(&kept, folder.path().join("state.ron")).unwrap();
    let window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    assert!(state(&window).kept().edits.iter().any(|edit| edit.source.contains("// mine alone")));
}

#[test]
fn typing_leaves_the_buffer_on_the_stage() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = strided(&folder);
    command(&mut window, Command::OpenLesson("text_to_ids".to_owned()));
    command(&mut window, Command::GoTo(2));
    let buffer = |window: &Harness<'_, Window>| {
        let (state, picture) = (state(window), state(window).picture());
        state.with_results(&picture, |results| {
            state.shown_figure().film(&state.view(&picture, results)).unwrap().first().cloned()
        })
    };
    let step =
        |window: &Harness<'_, Window>| state(window).place.step().map(|step| step.figure.text("buffer").to_owned());
    let before = buffer(&window);
    assert!(before.is_some() && before == step(&window), "{before:?}");
    let own = format!("{}// mine\n", source(&window));
    command(&mut window, Command::TypeKernel(Language::Wgsl, own));
    assert!(state(&window).place.bench.edit.is_some());
    assert_eq!(buffer(&window), before);
}
