//! Quotes in a small pack: what they come to, and what is said of those that cannot be.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use warpbook::lesson::{Env, Inline, PackFiles, Quote};
use warpbook::session::experiment::recording;
use warpbook::session::pack::quote::{Quoted, Quotes};
use warpbook::session::run::model;
use warpbook::session::{self, jobs};

use crate::common::{copy_folder, warpbook};

/// The built-in pack's first lesson with an experiment of these curves, and a text that is all of one step.
const LESSON: &str = "coalescing";

/// A pack like the built-in one, with `text` at the start of the lesson's first step.
fn with(text: &str) -> TempDir {
    let (root, folder) = (Path::new(env!("CARGO_MANIFEST_DIR")), tempfile::tempdir().unwrap());
    for part in ["lessons", "shaders", "assets/recordings", "assets/profiles", "assets/devices", "assets/texts"] {
        copy_folder(&root.join(part), &folder.path().join(part)).unwrap();
    }
    let path = folder.path().join("lessons").join(LESSON).join("text.md");
    let before = fs::read_to_string(&path).unwrap();
    let (heading, rest) = before.split_once('\n').unwrap();
    fs::write(&path, format!("{heading}\n\n{text}\n{rest}")).unwrap();
    folder
}

/// The value of the lesson's first quote, and the pack's problems as the command line prints them.
fn read(folder: &Path) -> (Option<Quoted>, Vec<String>) {
    let files = PackFiles::Folder(folder.to_path_buf());
    let (pack, mut problems) = session::load(&files);
    let (devices, _) = model::load(&files);
    let (recordings, _) = recording::load(&files, &pack);
    let (quotes, found) = Quotes::load(&files, &pack, &recordings, &devices);
    problems.extend(found);
    let lesson = pack.lessons.iter().find(|lesson| lesson.id == LESSON);
    let quoted = lesson.and_then(|lesson| {
        let mut first: Option<&Quote> = None;
        lesson.each_inline(&mut |inline| {
            if let (Inline::Quote(quote), None) = (inline, first) {
                first = Some(quote);
            }
        });
        let settings = jobs::defaults(lesson);
        quotes.read(lesson, first?, &Env::fixed(&lesson.params, &lesson.values, &settings))
    });
    (quoted, problems.iter().map(ToString::to_string).collect())
}

/// The text of a quote, which must have nothing wrong with it.
fn shown(text: &str) -> Quoted {
    let (quoted, problems) = read(with(text).path());
    assert_eq!(problems, Vec::<String>::new(), "{text}");
    quoted.unwrap()
}

/// The median of a point's samples, out of the file itself.
fn median(file: &str, experiment: &str, curve: &str, x: &str) -> f64 {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/recordings").join(file)).unwrap();
    let of = format!("lesson: \"{LESSON}\", experiment: \"{experiment}\"");
    let (_, rest) = text.split_once(&of).unwrap();
    let (_, rest) = rest.split_once(&format!("curve: \"{curve}\"")).unwrap();
    let (_, rest) = rest.split_once(&format!("(x: {x},")).unwrap();
    let (_, rest) = rest.split_once("samples_s: [").unwrap();
    let mut samples: Vec<f64> = rest.split_once(']').unwrap().0.split(", ").map(|s| s.parse().unwrap()).collect();
    samples.sort_by(f64::total_cmp);
    let middle = samples.len() / 2;
    if samples.len() % 2 == 1 { samples[middle] } else { f64::midpoint(samples[middle - 1], samples[middle]) }
}

#[test]
fn a_quote_is_the_recordings_median() {
    let [narrow, wide] = ["8", "32"].map(|x| median("nvidia-h200-cuda.ron", "stride_speed", "strided", x));
    let time = shown("{{= stride_speed.strided.time[8] : s @ h200 cuda}}");
    assert_eq!(time.text, warpbook::base::units::si(narrow, "s"));
    assert!(time.from.iter().any(|line| line.contains("NVIDIA H200, CUDA, 20")), "{:?}", time.from);
    assert!(time.from.iter().any(|line| line.contains("Strided copy at stride 8")), "{:?}", time.from);
    let ratio = shown("{{= stride_speed.strided.time[32] / stride_speed.strided.time[2 ^ 3] : x @ nvidia-h200-cuda}}");
    assert_eq!(ratio.text, warpbook::base::units::figure(wide / narrow, "x"));
    let rate = shown("{{= stride_speed.strided.bytes_per_s[8] : B/s @ h200 cuda}}");
    assert_eq!(rate.text, warpbook::base::units::si(8.0 * 1_048_576.0 / narrow, "B/s"));
}

#[test]
fn a_range_is_over_all_recordings_that_have_the_points() {
    let files = ["nvidia-h200-cuda.ron", "nvidia-h200-wgpu.ron"];
    let ratios = files
        .map(|f| median(f, "pad_speed", "transpose_padded", "8") / median(f, "pad_speed", "transpose_padded", "1"));
    let (low, high) = (ratios[0].min(ratios[1]), ratios[0].max(ratios[1]));
    // The H100's recordings are older than this experiment.
    let quoted = shown("{{= pad_speed.transpose_padded.time[8] / pad_speed.transpose_padded.time[1] : x @ all}}");
    assert_eq!(quoted.text, warpbook::base::units::range(low, high, "x"));
    assert_eq!(quoted.from.iter().filter(|line| line.starts_with("recorded on NVIDIA H200")).count(), 2);
}

#[test]
fn counters_and_data_sheets_are_quoted_with_parameters_beside_them() {
    assert_eq!(shown("{{= strided_8.load_sectors / strided_8.load_requests @ h200 ncu}}").text, "32");
    let quoted = shown("{{= 4 * n / device.dram_bytes_per_s : s @ h200-sxm}}");
    assert_eq!(quoted.text, "874 ns");
    assert!(quoted.from[1].contains("http"), "{:?}", quoted.from);
}

#[test]
fn what_is_not_there_is_said_at_its_place() {
    for (text, column, said) in [
        (
            "{{= stride_sped.strided.time[8] : s @ h200 cuda}}",
            5,
            "there is no experiment `stride_sped`\n  hint: did you mean `stride_speed`?",
        ),
        (
            "{{= stride_speed.stride.time[8] : s @ h200 cuda}}",
            5,
            "the experiment `stride_speed` has no curve `stride`\n  hint: did you mean `strided`?",
        ),
        (
            "{{= stride_speed.strided.tme[8] : s @ h200 cuda}}",
            5,
            "a recording has no `tme`\n  hint: did you mean `time`?",
        ),
        (
            "{{= 2 * stride_speed.strided.time[9] : s @ h200 cuda}}",
            9,
            "`nvidia-h200-cuda` has no point of `stride_speed.strided` at stride 9\n  hint: it has 1, 2, 3",
        ),
        (
            "{{= stride_speed.strided.time[8] : s @ h20 cuda}}",
            40,
            "no recording, profile or device has `h20` in its name\n  hint: did you mean `h200`?",
        ),
        (
            "{{= stride_speed.strided.time[8] : s @ h200}}",
            40,
            "`h200` may be any of nvidia-h200-cuda, nvidia-h200-wgpu",
        ),
        ("{{= stride_speed.strided.time[8] : s @ m2 cuda}}", 40, "no source is called `m2 cuda`"),
        (
            "{{= stride_sectors.strided.time[8] : s @ h200 cuda}}",
            5,
            "`nvidia-h200-cuda` has no experiment `stride_sectors`",
        ),
        ("{{= stride_speed.strided.time[n] : s @ h200 cuda}}", 5, "depends on a name"),
        ("{{= stride_speed.strided.time : s @ h200 cuda}}", 5, "is a recording"),
        ("{{= stride_speed.strided.time[8] : s @ h200 ncu}}", 5, "has no curves"),
        ("{{= stride_speed.strided.library.time[8] : s @ h200 cuda}}", 5, "has no library's call"),
        ("{{= strided_9.load_sectors @ h200 ncu}}", 5, "has no run `strided_9`\n  hint: did you mean `strided_"),
        (
            "{{= strided_8.load_sector @ h200 ncu}}",
            5,
            "has no counter `load_sector`\n  hint: did you mean `load_sectors`?",
        ),
        (
            "{{= device.l2_byte : B @ h100 sxm}}",
            5,
            "`h100-sxm` has no figure `device.l2_byte`\n  hint: did you mean `device.l2_bytes`?",
        ),
        ("{{= 4 * n : B @ h100 sxm}}", 5, "nothing is quoted here"),
        ("{{= device.sms + nn @ h100 sxm}}", 18, "nothing here is called `nn`"),
        ("{{= device.sms / 0 @ h100 sxm}}", 22, "this quote has no value"),
    ] {
        let (quoted, mut problems) = read(with(text).path());
        // A lesson with an error is missing to what speaks of it.
        problems.retain(|problem| problem.contains("text.md"));
        let [problem] = &problems[..] else { panic!("{text}: {problems:?}") };
        assert!(
            problem.contains(said) && problem.contains(&format!("text.md:3:{column}: error: ")),
            "{text}: {problem}"
        );
        assert!(!quoted.is_some_and(|quoted| quoted.text.is_empty()));
    }
}

#[test]
fn a_note_has_the_figure_and_its_source() {
    let folder = with("It takes {{= stride_speed.strided.time[8] : s @ h200 cuda}} there.");
    let text = median("nvidia-h200-cuda.ron", "stride_speed", "strided", "8");
    let (pack, notes) = (folder.path().display().to_string(), folder.path().join("notes"));
    let (out, args) = (notes.display().to_string(), ["--backend", "simt", "--format", "md"]);
    let run = warpbook(&[&["--pack", &pack, "export", LESSON, "-o", &out], &args[..]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let note =
        fs::read_dir(&notes).unwrap().flatten().find(|entry| entry.path().extension().is_some_and(|e| e == "md"));
    let note = fs::read_to_string(note.unwrap().path()).unwrap();
    assert!(note.contains(&format!("It takes {} there.", warpbook::base::units::si(text, "s"))));
    let (_, first) = note.split_once("It takes").unwrap();
    assert!(first.contains("Figures that were not measured here are from: NVIDIA H200, CUDA, 20"));
}

#[test]
fn a_kernel_that_changed_since_is_quoted_with_a_warning() {
    let folder = with("{{= stride_speed.strided.time[8] : s @ h200 cuda}}");
    let fresh = read(folder.path()).0.unwrap();
    for ending in ["wgsl", "cu"] {
        let path = folder.path().join("shaders/coalescing").join(format!("strided.{ending}"));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text + "// Changed.\n").unwrap();
    }
    let (quoted, problems) = read(folder.path());
    let quoted = quoted.unwrap();
    assert_eq!(quoted.text, fresh.text);
    assert!(quoted.from.iter().any(|line| line.contains("has changed since")), "{:?}", quoted.from);
    assert!(fresh.from.iter().all(|line| !line.contains("has changed since")), "{:?}", fresh.from);
    let warning = problems.iter().find(|problem| problem.contains("text.md:3:40:")).unwrap();
    assert!(warning.contains("warning: this quotes what was recorded of a kernel that has changed since"), "{warning}");
}
