//! Notes through the command line: what is the learner's own comes first, with the part of the lesson that is asked
//! for.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use crate::common::{Run, warpbook_in};
use warpbook::session::learn::edits::Edit;
use warpbook::session::learn::predict::{Answer, Guess};
use warpbook::session::learn::saved::{self, LessonSaved, Predicted, Saved};

/// A learner's work on the lesson `one` of the pack in `folder/pack`, saved as the window saves it.
fn learned(folder: &Path) -> LessonSaved {
    let new = warpbook_in(folder, &["new", "one", "--pack", "pack"]);
    assert_eq!(new.code, 0, "{}", new.err);
    let (pack, problems) = warpbook::session::load(&warpbook::lesson::PackFiles::Folder(folder.join("pack")));
    assert!(problems.is_empty(), "{problems:?}");
    let lesson = &pack.lessons[0];
    let (step, prediction) = (&lesson.steps[0], &lesson.predictions[0]);
    let kernel = lesson.kernel(&step.variant.program).unwrap();
    let source = kernel.source().replacen(") {\n", ") {\n    // slower\n", 1);
    assert_ne!(source, **kernel.source());
    let edit = Edit {
        id: format!("{}+1", step.variant.program),
        name: "Mine | [[x]] {% y %} $z$".to_owned(),
        of: step.variant.clone(),
        pass: step.pass.clone(),
        source,
        ..Edit::default()
    };
    let answer = Answer { traced: Some(1e6), ..Answer::default() };
    let kept = LessonSaved {
        step: step.id.clone(),
        moved: [(step.id.clone(), [("n".to_owned(), 4096.0)].into())].into(),
        words: [(step.id.clone(), "Words of **mine**.\n\n```wgsl\nopen".to_owned())].into(),
        predictions: [(prediction.id.clone(), Predicted { guess: Guess::Choice(0), answer: Some(answer) })].into(),
        edits: vec![edit],
        ..LessonSaved::default()
    };
    save(folder, &kept);
    kept
}

fn save(folder: &Path, kept: &LessonSaved) {
    let all = Saved { lessons: [("one".to_owned(), kept.clone())].into(), ..Saved::default() };
    let path = folder.join(".local/share/warpbook/state.ron");
    saved::save(&path, &Saved::default(), all).unwrap();
}

fn export(folder: &Path, options: &[&str]) -> Run {
    let export = ["--pack", "pack", "export", "one", "--backend", "simt"];
    warpbook_in(folder, &[&export, options].concat())
}

/// The text of the one note of these endings in a folder.
fn note(folder: &Path, ending: &str) -> String {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found: Vec<_> = files.filter(|path| path.extension() == Some(ending.as_ref())).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    fs::read_to_string(&found[0]).unwrap()
}

#[test]
fn a_note_begins_with_what_is_the_learners_own() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    learned(folder);
    let run = export(folder, &["--format", "md,html", "-o", "notes"]);
    assert_eq!(run.code, 0, "{}", run.err);
    for text in [note(&folder.join("notes"), "md"), note(&folder.join("notes"), "html")] {
        let own = ["In my own words", "What I predicted", "Wrong: the right answer", "My kernels", "+    // slower"];
        let chosen = ["At the settings that I chose", "n = 4,096, and"];
        let places = own.iter().chain(&chosen).map(|part| text.rfind(part).unwrap_or_else(|| panic!("{part}: {text}")));
        let places: Vec<usize> = places.collect();
        assert!(places.is_sorted(), "{places:?}");
        // The traced counts of both kernels are in a table.
        assert!(text.contains("warp instructions"), "{text}");
    }
}

#[test]
fn a_note_has_the_steps_that_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut kept = learned(folder);
    let length = |only: &[&str]| {
        let place = tempfile::tempdir().unwrap();
        let output = place.path().display().to_string();
        let run = export(folder, &[&["-o", output.as_str()], only].concat());
        assert_eq!(run.code, 0, "{only:?}: {}", run.err);
        note(place.path(), "md").lines().count()
    };
    let (all, own, first) = (length(&[]), length(&["--only", "own"]), length(&["--only", "1"]));
    assert!(own < first && first <= all, "{own}, {first}, {all}");
    assert_eq!(length(&["--only", "read"]), own, "no step is read");
    kept.seen = vec![kept.step.clone()];
    fs::remove_file(folder.join(".local/share/warpbook/state.ron")).unwrap();
    save(folder, &kept);
    assert_eq!(length(&["--only", "read"]), length(&["--only", "copy"]));
    let wrong = export(folder, &["--only", "nowhere"]);
    assert!(wrong.code == 2 && wrong.err.contains("no step `nowhere`"), "{}", wrong.err);
}

#[test]
fn a_notes_experiments_are_run_again_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for form in [["--format", "md,html"], ["--for", "jupyter"]] {
        let hungry = ["export", "tensor_cores", "--only", "hungry", "--backend", "simt", "-o", "notes"];
        let exported = warpbook_in(folder, &[&hungry[..], &form].concat());
        assert_eq!(exported.code, 0, "{}", exported.err);
    }
    let again = |format: &str| warpbook_in(folder, &["rerun", &format!("notes/tensor_cores.{format}"), "--json"]);
    for format in ["md", "html", "ipynb"] {
        let as_recorded = again(format);
        assert_eq!(as_recorded.code, 0, "{format}: {}", as_recorded.err);
        let output = as_recorded.json();
        let commands = output["commands"].as_array().unwrap();
        for done in commands {
            let is_same = done["equal"].as_u64() > Some(4) && done["differs"].as_array().is_some_and(Vec::is_empty);
            assert!(is_same, "{format}: {done}");
        }
        let is_any = |what: &str| commands.iter().any(|done| done["command"].as_str().unwrap().contains(what));
        assert!(is_any(" run ") && is_any(" sweep "), "{format}: {output}");
    }
    // A count that was changed in the note, and a backend that is not here.
    let data = folder.join("notes/tensor_cores-data/fragment_bytes.csv");
    let changed = fs::read_to_string(&data).unwrap().replacen(",32768,", ",32769,", 1);
    fs::write(&data, changed).unwrap();
    let other = again("md");
    assert_eq!(other.code, 1);
    let output = other.json();
    let differs: Vec<_> =
        output["commands"].as_array().unwrap().iter().filter_map(|done| done["differs"].as_array()).flatten().collect();
    assert_eq!(differs.len(), 1, "{output}");
    assert_eq!((&differs[0]["recorded"], &differs[0]["here"]), (&"32769".into(), &"32768".into()));
}

#[test]
fn a_strangers_note_reads_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let commands = [
        "warpbook new evil --pack .",
        "warpbook export one_loop -o evil",
        "warpbook run one_loop --kernel each --dump dst=evil.npy --backend simt",
        "warpbook trace /etc/passwd",
    ];
    let note = commands.iter().map(|command| format!("```sh\n{command}\n```\n")).collect::<String>();
    fs::write(folder.path().join("note.md"), note).unwrap();
    let done = warpbook_in(folder.path(), &["rerun", "note.md", "--json"]);
    assert_eq!(done.code, 1, "{}", done.err);
    let ran: Vec<bool> =
        done.json()["commands"].as_array().unwrap().iter().map(|done| done["ok"].is_boolean()).collect();
    assert_eq!(ran, [false, false, true, false]);
    let said = done.json()["commands"][2]["said"].to_string();
    assert!(said.contains("--dump is left out") && said.contains("nothing is compared"), "{said}");
    let there: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!there.iter().any(|name| name.to_string_lossy().contains("evil")), "{there:?}");
}
