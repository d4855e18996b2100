//! The window, used as a learner uses it: through clicks, keys and screen-reader names, without a graphics driver.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use warpbook::job::Language;
use warpbook::lesson::{AnswerKind, Block, PackFiles};
use warpbook::session::desk::status::Notice;
use warpbook::session::desk::{Command, Desk, SettingCommand};
use warpbook::session::learn::exercise::Verdict;
use warpbook::session::learn::saved::ThemeChoice;
use warpbook::session::note::only::Only;

use crate::common::copy_folder;
use crate::harness::{PATIENCE, Window, open, settle, untraced};

fn lesson_steps(harness: &Harness<'_, Window>) -> Vec<String> {
    let lesson = harness.state().desk.state().place.lesson.clone().unwrap();
    lesson.steps.iter().map(|s| s.title.clone()).collect()
}

fn problems(harness: &Harness<'_, Window>) -> Vec<String> {
    let notices = harness.state().desk.state().status.notices.iter();
    notices.filter_map(|n| if let Notice::Problem(p) = n { Some(p.to_string()) } else { None }).collect()
}

#[test]
fn every_step_is_shown_in_both_themes_and_sizes() {
    let folder = tempfile::tempdir().unwrap();
    for size in [[1280.0, 800.0], [2560.0, 1440.0]] {
        for theme in [ThemeChoice::Dark, ThemeChoice::Light] {
            let state = folder.path().join(format!("{theme:?}-{}.ron", size[0]));
            let mut window = open(PackFiles::Embedded, &state, size);
            window.state_mut().desk.command(Command::Set(SettingCommand::Theme(theme)));
            let titles = lesson_steps(&window);
            for (index, title) in titles.iter().enumerate() {
                if index > 0 {
                    window.get_by_label(&format!("{title}  ›")).scroll_to_me();
                    window.run_steps(30);
                    window.get_by_label(&format!("{title}  ›")).click();
                    settle(&mut window);
                }
                let shown = window.state().desk.state();
                assert_eq!(shown.place.step, index);
                assert!(untraced(shown).is_empty(), "{title}: {:?}", untraced(shown));
                let traced = &shown.found.traced(&shown.place.bench.variant.program).unwrap();
                assert!(traced.trace(0).is_some_and(|t| t.complete && t.findings.is_empty()), "{title}");
                assert!(shown.timeline().is_some_and(|timeline| !timeline.events.is_empty()), "{title}");
                window.get_by_label(title);
                assert!(window.query_by_label_contains("not traced yet").is_none(), "{title} waits for a trace");
                window.get_by_role_and_label(Role::Label, &format!("Step {} of {}", index + 1, titles.len()));
            }
            assert_eq!(problems(&window), [""; 0]);
        }
    }
}

#[test]
fn what_another_device_recorded_says_so_and_can_be_put_away() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1600.0, 1000.0]);
    let steps = window.state().desk.state().place.lesson.clone().unwrap().steps.clone();
    let at = steps.iter().position(|s| s.experiment.as_deref() == Some("transpose_speed")).unwrap();
    window.state_mut().desk.command(Command::GoTo(at));
    window.state_mut().desk.command(Command::SetParam("n".to_owned(), 1_048_576.0));
    settle(&mut window);
    // The tracer has no times, so the first recording is there unasked, and nothing of it is taken for this machine's.
    let recording =
        |window: &Harness<'_, Window>| window.get_by_role_and_label(Role::ComboBox, "Recording").value().unwrap();
    assert!(recording(&window).starts_with("recorded on NVIDIA H200, CUDA, 20"));
    // The predicted point of the learner's own settings is on the axes of the recorded curves.
    window.get_by_label("your settings, predicted");
    assert!(window.state().desk.state().sweep().is_none());
    window.state_mut().desk.command(Command::GoTo(0));
    window.state_mut().desk.command(Command::SetParam("n".into(), 65536.0));
    settle(&mut window);
    window.get_by_label_contains("; at elements = 1,048,576");
    window.get_by_role_and_label(Role::ComboBox, "Recording").click();
    window.run_steps(3);
    window.get_by_label_contains("NVIDIA H200, Vulkan, 20").click();
    settle(&mut window);
    assert!(recording(&window).starts_with("recorded on NVIDIA H200, Vulkan, 20"));
    window.get_by_role_and_label(Role::ComboBox, "Recording").click();
    window.run_steps(3);
    window.get_by_label("None").click();
    settle(&mut window);
    assert!(window.query_by_label_contains("recorded on").is_none());
}

#[test]
fn a_control_turned_by_keys_changes_prose_stage_and_counts() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 1600.0]);
    window.state_mut().desk.command(Command::GoTo(2));
    settle(&mut window);
    let before = window.state().desk.state().found.traced("strided").unwrap().trace(0).unwrap().global.load.sectors;
    assert_eq!(before, 262_144);
    window.get_by_label("Read on without an answer").click();
    settle(&mut window);
    let strides: Vec<_> = window.query_all_by_role_and_label(Role::Slider, "stride").collect();
    assert!(strides.len() >= 2, "one in a sentence and one above the plot");
    strides[0].focus();
    drop(strides);
    window.step();
    window.key_press(egui::Key::ArrowRight);
    settle(&mut window);
    assert_eq!(window.state().desk.state().place.params["stride"], 3.0);
    let after = window.state().desk.state().found.traced("strided").unwrap().trace(0).unwrap().global.load.sectors;
    assert_eq!(after, 393_216);
    window.get_by_label_contains("For the current stride the formula gives 12, and the trace counted 12");
}

/// The description of the stage's picture.
fn stage(window: &Harness<'_, Window>) -> String {
    let images = window.query_all_by_role(Role::Image);
    let labels: Vec<String> = images.filter_map(|node| node.accesskit_node().label()).collect();
    labels.into_iter().find(|label| label.contains("Warp ")).unwrap()
}

#[test]
fn an_element_is_traced_back_on_the_stage() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    window.state_mut().desk.command(Command::GoTo(2));
    settle(&mut window);
    window.get_by_label("Explain…").click();
    settle(&mut window);
    window.get_by_role_and_label(Role::Slider, "Element whose origin is shown");
    window.state_mut().desk.command(Command::Explain("dst".to_owned(), 300));
    settle(&mut window);
    assert_eq!(window.state().desk.state().place.stage.workgroup, 1);
    let store = stage(&window);
    assert!(store.contains("Warp 1 of workgroup 1, event 3 of 3: store to dst, line 21"), "{store}");
    let source = window.query_by_label_contains("src[600] = ").unwrap().accesskit_node().label().unwrap();
    assert!(source.ends_with("line 20, lane 12 of warp 1"), "{source}");
    window.get_by_label_contains("src[600] = ").click();
    settle(&mut window);
    let load = stage(&window);
    assert!(load.contains("Warp 1 of workgroup 1, event 2 of 3: load of src, line 20"), "{load}");
    // Another stride has another source, and the stage stays where the learner put it.
    window.state_mut().desk.command(Command::SetParam("stride".to_owned(), 3.0));
    settle(&mut window);
    window.get_by_label_contains("src[900] = ");
    assert!(stage(&window).contains("event 2 of 3"));
    window.get_by_label("Close the origin").click();
    settle(&mut window);
    assert!(window.state().desk.state().place.asked.is_none() && window.query_by_label_contains("src[900]").is_none());
    window.state_mut().desk.command(Command::Explain("src".to_owned(), 0));
    settle(&mut window);
    window.get_by_label_contains("nothing writes to the buffer `src`");
    window.key_press(egui::Key::Escape);
    settle(&mut window);
    assert!(window.state().desk.state().place.asked.is_none());
}

#[test]
fn events_are_the_same_backwards() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    window.state_mut().desk.command(Command::GoTo(10));
    window.state_mut().desk.command(Command::ShowFigure("Warp".to_owned()));
    settle(&mut window);
    for _ in 0..30 {
        window.key_press(egui::Key::OpenBracket);
        window.step();
    }
    let mut forwards = vec![stage(&window)];
    assert!(forwards[0].contains("event 1 of 27"), "{}", forwards[0]);
    for step in 1..27 {
        if step % 2 == 0 {
            window.key_press(egui::Key::CloseBracket);
        } else {
            window.get_by_label("Forward one event").click();
        }
        window.run_steps(2);
        forwards.push(stage(&window));
    }
    assert!(forwards[26].contains("event 27 of 27"), "{}", forwards[26]);
    for step in (0..26).rev() {
        if step % 2 == 0 {
            window.key_press(egui::Key::OpenBracket);
        } else {
            window.get_by_label("Back one event").click();
        }
        window.run_steps(2);
        assert_eq!(stage(&window), forwards[step]);
    }
}

#[test]
fn a_warp_has_as_many_lanes_as_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    for (lanes, sectors) in [(8, 1), (64, 8), (16, 2), (32, 4)] {
        window.get_by_role_and_label(Role::ComboBox, "Lanes in a warp").click();
        window.run_steps(3);
        window.get_by_label(&format!("{lanes} lanes")).click();
        settle(&mut window);
        let state = window.state().desk.state();
        let traced = &state.found.traced("copy").unwrap();
        let (trace, timeline) = (traced.trace(0).unwrap(), state.timeline().unwrap());
        assert_eq!((state.place.options.warp_width, timeline.warp_width), (lanes, lanes));
        assert_eq!(trace.warps, 1_048_576 / u64::from(lanes));
        assert_eq!(trace.global.load.sectors, sectors * trace.global.load.requests);
        assert!(stage(&window).contains(&format!("all {lanes} lanes")), "{}", stage(&window));
    }
}

#[test]
fn words_predictions_and_place_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.ron");
    let mut window = open(PackFiles::Embedded, &path, [1280.0, 1600.0]);
    window.state_mut().desk.command(Command::GoTo(3));
    settle(&mut window);
    let editor = window.get_by_role_and_label(Role::MultilineTextInput, "Your own words on this step");
    editor.scroll_to_me();
    window.run_steps(30);
    let editor = window.get_by_role_and_label(Role::MultilineTextInput, "Your own words on this step");
    editor.focus();
    window.step();
    window
        .get_by_role_and_label(Role::MultilineTextInput, "Your own words on this step")
        .type_text("sectors, not bytes");
    settle(&mut window);
    let (id, option) = {
        let state = window.state().desk.state();
        let prediction = &state.place.lesson.as_ref().unwrap().predictions[0];
        let here = state.place.step().unwrap().blocks.contains(&Block::Predict(prediction.id.clone()));
        assert!(here, "the fourth step asks the first question");
        let AnswerKind::Choice(options, _) = &prediction.asks else { panic!("a choice") };
        (prediction.id.clone(), options[0].0.clone())
    };
    window.get_by_label(&option).scroll_to_me();
    window.run_steps(30);
    window.get_by_label(&option).click();
    settle(&mut window);
    let kept = window.state().desk.state().kept();
    let answer = kept.predictions[&id].answer.clone().unwrap();
    assert!(answer.traced == Some(1.0) && answer.recorded.is_some(), "a recording grades: {answer:?}");
    window.into_state().desk.close().unwrap();
    let again = open(PackFiles::Embedded, &path, [1280.0, 800.0]);
    let state = again.state().desk.state();
    assert_eq!(state.place.step, 3);
    assert_eq!(state.kept().words["time"], "sectors, not bytes");
    assert!(state.kept().predictions[&id].answer.is_some());
}

#[test]
fn the_exercise_is_judged() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 3200.0]);
    let last = lesson_steps(&window).len() - 1;
    window.state_mut().desk.command(Command::GoTo(last));
    settle(&mut window);
    let solution = window.state().desk.state().place.lesson.as_ref().unwrap().exercises[0].solution.clone();
    let mut check = |source: &str| {
        window.state_mut().desk.command(Command::TypeKernel(Language::Wgsl, source.to_owned()));
        settle(&mut window);
        window.get_by_label("Check my kernel").click();
        settle(&mut window);
        window.state().desk.state().trials.verdicts["chunks"].verdict.clone()
    };
    let starter_is_right = |v: &Verdict| matches!(v, Verdict::Right(_));
    assert!(matches!(check("fn nonsense("), Verdict::Broken(_)));
    let endless = solution.replacen("let value", "loop { if (BLOCK == 0u) { break; } }\n let value", 1);
    assert!(!matches!(check(&endless.replace("dst[i] = value;", "")), Verdict::Solved(_)));
    assert!(matches!(check(&solution), Verdict::Solved(_)));
    let starter = window.state().desk.state().place.lesson.as_ref().unwrap().exercises[0].starter.clone();
    window.state_mut().desk.command(Command::TypeKernel(Language::Wgsl, starter.to_string()));
    settle(&mut window);
    window.get_by_label("Check my kernel").click();
    settle(&mut window);
    assert!(starter_is_right(&window.state().desk.state().trials.verdicts["chunks"].verdict.clone()));
    window.get_by_label("The result is right. The goal is not reached yet.");
}

/// Waits for the watcher: an edit on disk reaches the window by itself.
fn until(window: &mut Harness<'_, Window>, what: &str, done: impl Fn(&Desk) -> bool) {
    let began = Instant::now();
    while !done(&window.state().desk) {
        assert!(began.elapsed() < PATIENCE, "waited in vain: {what}");
        window.step();
        std::thread::sleep(Duration::from_millis(5));
    }
    settle(window);
}

#[test]
fn a_broken_edit_keeps_the_last_good_lesson() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pack = folder.path().join("pack");
    for part in ["assets", "lessons", "shaders"] {
        copy_folder(&root.join(part), &pack.join(part)).unwrap();
    }
    let mut window = open(PackFiles::Folder(pack.clone()), &folder.path().join("state.ron"), [1280.0, 800.0]);
    let shader = pack.join("shaders/coalescing/copy.wgsl");
    let good = fs::read_to_string(&shader).unwrap();
    fs::write(&shader, good.replacen("fn main", "fn fn main", 1)).unwrap();
    until(&mut window, "the mistake to be told", |desk| !desk.state().library.problems.is_empty());
    let state = window.state().desk.state();
    assert!(state.place.lesson.is_some());
    let place = state.library.problems[0].place.clone().unwrap();
    assert!(place.file.ends_with("copy.wgsl") && place.line > 1, "{place}");
    window.get_by_label("A warp asks once");
    fs::write(&shader, good.replace("dst[i] = value;", "dst[i] = value; // edited")).unwrap();
    until(&mut window, "the mend to be seen", |desk| desk.state().library.problems.is_empty());
    let source = window.state().desk.state().place.kernel().unwrap().source().clone();
    assert!(source.contains("// edited"));
}

#[test]
fn a_race_is_told_beside_a_right_result() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pack = folder.path().join("pack");
    for part in ["lessons", "shaders"] {
        copy_folder(&root.join(part), &pack.join(part)).unwrap();
    }
    let shader = pack.join("shaders/coalescing/copy.wgsl");
    let good = fs::read_to_string(&shader).unwrap();
    let racy = good.replace("dst[i] = value;", "dst[i] = value; seen = 1u;");
    fs::write(&shader, format!("{racy}\nvar<workgroup> seen: u32;\n")).unwrap();
    let window = open(PackFiles::Folder(pack), &folder.path().join("state.ron"), [1280.0, 800.0]);
    let shown = &window.state().desk.state().found.traced("copy").unwrap();
    assert!(shown.record.trusted(), "the result is right");
    window.get_by_label_contains("of workgroup 0 race for word 0 (byte 0) of `seen`");
}

#[test]
fn a_note_that_cannot_be_written_is_said_and_one_that_can_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let file = folder.path().join("in the way");
    fs::write(&file, "").unwrap();
    let formats = warpbook::notes::Format::ALL.to_vec();
    window.state_mut().desk.command(Command::Export(Only::All, formats.clone(), file.join("notes")));
    until(&mut window, "the problem", |desk| !desk.state().status.notices.is_empty());
    let said = problems(&window);
    assert!(said.len() == 1 && said[0].contains("in the way"), "{said:?}");
    window.get_by_label("Dismiss").click();
    window.run_steps(2);
    window.state_mut().desk.command(Command::Export(Only::All, formats, folder.path().join("notes")));
    until(&mut window, "the note", |desk| !desk.state().status.notices.is_empty());
    let Notice::Wrote(files) = &window.state().desk.state().status.notices[0] else {
        panic!("{:?}", problems(&window))
    };
    assert!(files.len() > 10 && files.iter().all(|f| f.exists()));
}

#[test]
fn widgets_have_names() {
    let folder = tempfile::tempdir().unwrap();
    let window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let roles = [Role::Button, Role::Slider, Role::CheckBox, Role::ComboBox, Role::TextInput, Role::MultilineTextInput];
    let mut nameless = Vec::new();
    let mut seen = 0;
    for role in roles {
        for node in window.query_all_by_role(role) {
            seen += 1;
            let node = node.accesskit_node();
            if node.label().is_none_or(|l| l.trim().is_empty()) && node.value().is_none_or(|v| v.trim().is_empty()) {
                nameless.push(format!("{role:?} at {:?}", node.raw_bounds()));
            }
        }
    }
    assert!(seen > 20, "only {seen} widgets were found");
    assert!(nameless.is_empty(), "{nameless:?}");
}

#[test]
fn the_predicted_time_names_its_device_and_another_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1600.0, 1000.0]);
    // The tracer measures nothing, so the model of an H200 is used and is not compared with any measurement.
    window.get_by_label("not this machine: Predicted");
    window.get_by_label_contains("bound by ");
    window.get_by_label("SM limit: threads: ≤ 100% occupancy");
    window.get_by_label("3.03% idle slots: 3.88 waves");
    // An experiment of the step passes through these settings, and was recorded on such a device.
    assert!(window.query_by_label_contains("recorded, CUDA: ").is_some());
    window.state_mut().desk.command(Command::SetParam("n".into(), 2_097_152.0));
    settle(&mut window);
    assert!(window.query_by_label_contains("recorded, CUDA: ").is_none(), "nothing was recorded of this size");
    window.state_mut().desk.command(Command::SetParam("n".into(), 1_048_576.0));
    settle(&mut window);
    window.state_mut().desk.command(Command::Set(SettingCommand::Model(Some("iris-xe-96".into()))));
    window.run_steps(2);
    window.get_by_label("a figure is missing: no time");
    window.state_mut().desk.command(Command::Set(SettingCommand::Model(Some("gone".into()))));
    window.run_steps(2);
    window.get_by_label_contains("bound by ");
}

/// A pack of one lesson of one step, whose text goes on with `more`.
fn pack_with(folder: &Path, more: &str) -> PackFiles {
    let pack = folder.join("pack");
    warpbook::session::pack::new_lesson::create(&pack, "drag").unwrap();
    let text = pack.join("lessons/drag/text.md");
    fs::write(&text, fs::read_to_string(&text).unwrap() + "\n" + more + "\n").unwrap();
    PackFiles::Folder(pack)
}

/// The text below the question of such a lesson.
fn read_on(window: &mut Harness<'_, Window>) {
    window.get_by_label("Read on without an answer").click();
    settle(window);
}

/// An explorer's description of its picture.
fn explored(window: &Harness<'_, Window>) -> String {
    let images = window.query_all_by_role(Role::Image).filter_map(|node| node.accesskit_node().label());
    images.into_iter().find(|label| label.starts_with("Logits ")).unwrap()
}

#[test]
fn a_dragged_logit_changes_the_jacobian_and_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.ron");
    let pack = pack_with(folder.path(), "{{explore jacobian}}\n\n{{explore jacobian_product}}");
    let mut window = open(pack.clone(), &path, [1280.0, 3000.0]);
    read_on(&mut window);
    window.get_by_label("Entry J[0,0] = y₀(δ₀₀ − y₀) = 0.221 × (1 − 0.221) = 0.172");
    let before = explored(&window);
    assert!(before.starts_with("Logits 1.0, −0.5, 2.0, 0.3, −1.5;"), "{before}");
    let bar = window.get_all_by_role_and_label(Role::Slider, "logit 0").next().unwrap().rect();
    window.drag_at(bar.center());
    window.step();
    window.hover_at(egui::pos2(bar.left() + 0.75 * bar.width(), bar.center().y));
    window.step();
    window.drop_at(egui::pos2(bar.left() + 0.75 * bar.width(), bar.center().y));
    settle(&mut window);
    assert_eq!(window.state().desk.state().explored().logits, [3.0, -0.5, 2.0, 0.3, -1.5]);
    let dragged = explored(&window);
    assert!(dragged.contains("J[0,0] = y₀(δ₀₀ − y₀) = 0.67") && dragged.matches("Holds: ").count() == 5, "{dragged}");
    // The same by keys, from the bar that was dragged; then another entry, by keys too.
    window.key_press(egui::Key::ArrowLeft);
    settle(&mut window);
    assert_eq!(window.state().desk.state().explored().logits[0], 2.9);
    window.get_by_label_contains("Entry J[0,0]").focus();
    window.step();
    window.key_press(egui::Key::ArrowDown);
    window.run_steps(3);
    window.get_by_label_contains("Entry J[1,0] = y₁(δ₁₀ − y₀)");
    window.get_by_role_and_label(Role::Slider, "direction 4").focus();
    window.step();
    window.key_press(egui::Key::End);
    settle(&mut window);
    window.get_all_by_label("One entry fewer").next().unwrap().click();
    settle(&mut window);
    let kept = window.state().desk.state().explored();
    assert_eq!((kept.logits.len(), kept.direction), (4, vec![1.0, 0.0, -1.0, 0.5]));
    drop(window);
    let again = open(pack, &path, [1280.0, 3000.0]);
    // That the learner has read on is in the journal.
    assert!(explored(&again).starts_with("Logits 2.9, −0.5, 2.0, 0.3;"), "{}", explored(&again));
}

#[test]
fn what_is_folded_away_unfolds_by_click_and_by_key() {
    let folder = tempfile::tempdir().unwrap();
    let pack = pack_with(folder.path(), "> {{unfold Why four}}\n>\n> Four bytes: {{= moved : B}}.");
    let mut window = open(pack, &folder.path().join("state.ron"), [1280.0, 2000.0]);
    assert!(window.query_by_label_contains("Why four").is_none(), "what follows a question is folded");
    read_on(&mut window);
    assert!(window.query_by_label_contains("Four bytes").is_none());
    window.get_by_label("Why four, folded").click();
    window.run_steps(3);
    window.get_by_label_contains("Four bytes");
    window.get_by_label("Why four, unfolded").focus();
    window.step();
    window.key_press(egui::Key::Enter);
    window.run_steps(3);
    assert!(window.query_by_label_contains("Four bytes").is_none());
}
