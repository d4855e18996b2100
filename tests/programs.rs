//! Programs of several passes: correct at awkward sizes on every backend, reported element by element, and rejected at
//! the place of the mistake.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::{devices, driver, pack, spoilt_copy, warpbook, warpbook_in};
use serde_json::json;
use warpbook::base::npy::{self, Shape};
use warpbook::base::tensor::{Elem, Tensor};
use warpbook::job::TraceSpec;
use warpbook::lesson::{Lesson, PackFiles, Program, Variant};
use warpbook::session::jobs::{self, Params, Purpose};
use warpbook::session::{self, run::Runner};
use warpbook::trace::Record;
use warpbook::trace::record::Backend;

type Outcome = Result<(), Box<dyn Error>>;

const LESSON: &str = "lessons/programs/lesson.ron";
const SCATTER: &str = "shaders/programs/scatter.wgsl";

/// One element, a warp less one, a warp and one, and a size that no workgroup divides.
const SIZES: [f64; 4] = [1.0, 31.0, 33.0, 1_000_003.0];

fn programs() -> Arc<Lesson> {
    let (pack, problems) = session::load(&PackFiles::Folder(pack("programs")));
    assert_eq!(problems, []);
    pack.lessons.into_iter().next().unwrap()
}

/// Runs a program with its checks, and on the tracer with counts.
fn run(lesson: &Lesson, variant: &Variant, set: &[(&str, f64)], backend: Backend) -> Record {
    let devices = devices();
    let set: Vec<(String, f64)> = set.iter().map(|(id, value)| ((*id).to_owned(), *value)).collect();
    let params: Params = jobs::with(&jobs::defaults(lesson), &set);
    let trace = (backend == Backend::Simt).then(TraceSpec::default);
    let purpose = Purpose { seed: 3, check: true, measure: None, trace, bounds_checks: true };
    let cancel = AtomicBool::new(false);
    let runner = Runner { devices: &devices, backend, lesson, purpose: &purpose, cancel: &cancel };
    let done = runner.program(variant, &params);
    done.unwrap_or_else(|why| panic!("{variant} at {params:?} on {}: {why:?}", backend.name())).record
}

#[test]
fn every_program_is_right_at_awkward_sizes_on_every_backend() {
    let lesson = programs();
    let mut backends = vec![Backend::Simt];
    if driver(&devices()) {
        backends.push(Backend::Wgpu);
    }
    for variant in lesson.programs.iter().flat_map(Program::variants) {
        for n in SIZES {
            for backend in &backends {
                let record = run(&lesson, &variant, &[("n", n)], *backend);
                assert!(record.trusted(), "{variant} at {n} on {}: {:?}", backend.name(), record.checks);
                assert!(!record.checks.is_empty() && record.complete());
                assert_eq!(record.findings().next(), None, "{variant} at {n}");
            }
        }
    }
}

/// Rounds end when the condition holds, on every backend after the same one, and a series has a figure of each.
#[test]
fn rounds_stop_and_leave_a_series() {
    let lesson = programs();
    let stencil = Variant::plain("stencil");
    let mut backends = vec![Backend::Simt];
    if driver(&devices()) {
        backends.push(Backend::Wgpu);
    }
    for backend in backends {
        let record = run(&lesson, &stencil, &[("n", 3000.0), ("still", 300_000.0)], backend);
        let (_, change) = &record.series[0];
        assert!((3..10).contains(&change.len()), "{change:?}");
        let (last, before) = change.split_last().unwrap();
        assert!(*last <= 300_000.0 && before.iter().all(|figure| *figure > 300_000.0), "{change:?}");
        let launches: Vec<u64> = record.passes.iter().map(|pass| pass.launches).collect();
        assert_eq!(launches, [change.len() as u64; 4]);
        let record = run(&lesson, &Variant::plain("train"), &[("n", 300.0)], backend);
        let (_, loss) = &record.series[0];
        assert_eq!(loss.len(), 20);
        assert!(loss.windows(2).all(|two| two[1] < two[0]), "{loss:?}");
    }
}

#[test]
fn passes_are_counted_one_by_one_and_copies_have_bytes() {
    let record = run(&programs(), &Variant::plain("stencil"), &[("n", 320.0)], Backend::Simt);
    let asked = |pass: usize| {
        let global = record.passes[pass].trace.as_ref().unwrap().global;
        (global.load.bytes, global.store.bytes)
    };
    // Ten rounds: three neighbours read and one element written; a word filled; two arrays compared; an array copied.
    assert_eq!(asked(0), (10 * 3 * 4 * 320, 10 * 4 * 320));
    assert_eq!(asked(1), (0, 10 * 4));
    assert_eq!(asked(2).0, 10 * 2 * 4 * 320);
    assert_eq!(asked(3), (10 * 4 * 320, 10 * 4 * 320));
    let total = record.total().unwrap().global;
    assert_eq!(total.store.bytes, (0..4).map(|pass| asked(pass).1).sum::<u64>());
}

fn on_pack(args: &[&str], folder: &Path) -> crate::common::Run {
    let pack = pack("programs").display().to_string();
    warpbook_in(folder, &[&["--pack", &pack], args].concat())
}

#[test]
fn the_command_line_chooses_a_rung_reads_and_writes_arrays_and_prints() -> Outcome {
    let folder = tempfile::tempdir()?;
    let args = ["run", "programs", "--program", "reduce", "--set", "n=5", "--backend", "simt"];
    let more = ["--rung", "chunkwise=serial_sum", "--print", "total", "--dump", "x=x.npy", "--json"];
    let run = on_pack(&[&args[..], &more].concat(), folder.path());
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    assert_eq!(json["kernels"], json!([]));
    let program = &json["programs"][0];
    assert_eq!((&program["id"], &program["ok"], &program["rounds"]), (&"reduce".into(), &true.into(), &1.into()));
    assert_eq!(program["passes"][0]["kernel"], "serial_sum");
    assert_eq!(program["passes"][1]["kernel"], "tree_sum");
    assert_eq!(program["checks"][0]["output"], "total");
    let total = program["printed"][0]["values"][0].as_f64().unwrap();
    let bytes = fs::read(folder.path().join("x.npy"))?;
    assert_eq!(&bytes[..6], b"\x93NUMPY");
    let x = bytes[bytes.len() - 20..].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    assert!((x.map(f64::from).sum::<f64>() - total).abs() < 1e-6);

    // Other numbers come out where other numbers went in.
    let header = bytes[..bytes.len() - 20].to_vec();
    let numbers = [1.0f32, 2.0, 3.0, 4.0, 5.0];
    fs::write(folder.path().join("y.npy"), [header, numbers.map(f32::to_le_bytes).concat()].concat())?;
    let run =
        on_pack(&[&args[..], &["--input", "x=y.npy", "--print", "total", "--print", "x:1..3"]].concat(), folder.path());
    assert!(run.out.contains("total[0..]: 15") && run.out.contains("x[1..]: 2 3"), "{}", run.out);
    // An array of another length is refused before anything runs.
    let run =
        on_pack(&["run", "programs", "--program", "reduce", "--backend", "simt", "--input", "x=y.npy"], folder.path());
    assert_eq!(run.code, 2);
    assert!(run.err.contains("y.npy has 5 elements, and the buffer `x` 1000"), "{}", run.err);
    Ok(())
}

#[test]
fn an_array_that_a_pass_would_overwrite_is_refused_with_those_that_count() {
    let folder = tempfile::tempdir().unwrap();
    for (program, input, said) in [
        (
            "reduce",
            "partial",
            "the pass `chunkwise` of `reduce` overwrites the buffer `partial` before anything reads it",
        ),
        ("stencil", "change", "the pass `reset` of `stencil` overwrites the buffer `change` before anything reads it"),
        ("stencil", "next", "the buffers that can be set are: now\n"),
        // A kernel that reads what it writes gets what it is given.
        ("train", "w", "cannot read y.npy"),
        ("train", "y", "can be set are: x, w\n"),
    ] {
        let input = format!("{input}=y.npy");
        let target = format!("programs/{program}");
        let run = ["run", "programs", "--program", program, "--backend", "simt", "--input", &input, "--json"];
        for args in [&run[..], &["trace", &target, "--input", &input]] {
            let run = on_pack(args, folder.path());
            assert_eq!((run.code, run.err.contains(said)), (2, true), "{args:?}: {}", run.err);
        }
    }
}

#[test]
fn an_array_with_elements_that_are_no_finite_numbers_runs_and_is_said_to_have_them() -> Outcome {
    let folder = tempfile::tempdir()?;
    for (value, name) in [(f64::NAN, "NaN"), (f64::NEG_INFINITY, "-inf")] {
        let x = Tensor::from_numbers(Elem::F32, [1.0, value, 2.0, value, 3.0].into_iter());
        npy::write(&folder.path().join("x.npy"), &x, &Shape(vec![5]))?;
        let said = format!("x.npy has 2 elements that are NaN or infinite, the first is {name} in x[1]");
        let args =
            ["programs", "--program", "reduce", "--backend", "simt", "--set", "n=5", "--input", "x=x.npy", "--json"];
        let run = on_pack(&[&["run"], &args[..]].concat(), folder.path());
        assert!([0, 1].contains(&run.code), "{}", run.err);
        let warnings = run.json()["warnings"].as_array().unwrap().clone();
        let warning = warnings.iter().find(|warning| warning["kind"] == "not_finite").unwrap();
        assert_eq!(warning["message"], said.as_str());
        let run = on_pack(
            &["trace", "programs/reduce", "--set", "n=5", "--input", "x=x.npy", "--print", "total"],
            folder.path(),
        );
        assert!(run.code == 0 && run.err.contains(&format!("warning: {said}")), "{}", run.err);
        assert!(run.out.contains(&format!("total[0..]: {name}")), "{}", run.out);
    }
    Ok(())
}

/// A program that is declared warm is timed with the same buffers each time, and its time says so.
#[test]
fn a_program_is_timed_in_the_caches_where_it_says_so() -> Outcome {
    if !driver(&devices()) {
        return Ok(());
    }
    for (cache, told) in [("", "cold"), ("cache: Cold,", "cold"), ("cache: Warm,", "warm")] {
        let begin = r#"id: "reduce", title"#;
        let declared = format!(r#"{cache} id: "reduce", title"#);
        let folder = spoilt_copy("programs", &[(LESSON, begin, &declared)])?;
        let pack = folder.path().display().to_string();
        let args = [
            "--pack",
            &pack,
            "run",
            "programs",
            "--program",
            "reduce",
            "--set",
            "n=1000000",
            "--backend",
            "wgpu",
            "--json",
        ];
        let run = warpbook(&args);
        assert_eq!(run.code, 0, "{}", run.err);
        assert_eq!(run.json()["programs"][0]["time"]["cache"], told, "{cache}");
    }
    Ok(())
}

/// From a key's new place back to where it stood, and through the scan to the counts of what stood before it.
#[test]
fn an_element_of_the_partition_is_explained_back_to_the_input() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["trace", "programs/partition", "--set", "n=1000", "--explain", "parted[300]", "--json"];
    let json = on_pack(&args, folder.path()).json();
    let origin = &json["provenance"][0];
    assert_eq!(origin["by"]["pass"], "scatter");
    let loads = origin["writer"]["loads"].as_array().unwrap();
    let of = |buffer: &str, role: &str| loads.iter().any(|load| load["buffer"] == buffer && load["role"] == role);
    assert!(of("keys", "value") && of("starts", "index") && of("keys", "index"), "{loads:?}");
    let value = loads.iter().find(|load| load["role"] == "value").unwrap();
    assert_eq!(value["value"]["bits"], origin["value"]["bits"], "it is the key that stood there");
    let starts = &origin["from"].as_array().unwrap().iter().find(|origin| origin["buffer"] == "starts").unwrap();
    assert_eq!(starts["by"]["pass"], "scan");
    let evens = starts["from"].as_array().unwrap().iter().find(|origin| origin["buffer"] == "evens").unwrap();
    assert_eq!(evens["by"]["pass"], "histogram");
}

#[test]
fn a_pass_by_itself_is_traced_where_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let all = on_pack(&["trace", "programs/scan", "--set", "n=1000", "--json"], folder.path()).json();
    let passes = all["passes"].as_array().unwrap();
    for (place, pass) in ["blockwise", "sums", "add"].iter().enumerate() {
        let target = format!("programs/scan/{pass}");
        let alone = on_pack(&["trace", &target, "--set", "n=1000", "--json"], folder.path()).json();
        assert_eq!(passes[place]["id"], *pass);
        assert_eq!(alone["global"], passes[place]["trace"]["global"]);
    }
    let stores = |trace: &serde_json::Value| trace["global"]["store"]["bytes"].as_u64().unwrap();
    assert_eq!(stores(&all), passes.iter().map(|pass| stores(&pass["trace"])).sum::<u64>());
}

const KEYS: &str = "(name: \"keys\", elem: U32, count: \"n\", init: Random)";

fn keys(init: &str) -> String {
    format!("(name: \"keys\", elem: U32, count: \"n\", init: {init})")
}

/// Each mistake: the file, what is replaced by what, the words of the line that is named, and what is said.
#[test]
fn mistakes_are_told_at_their_places_and_cost_no_more_than_the_check() -> Outcome {
    const SIZE: &str = "shaders/programs/size.wgsl";
    let (missing, outside) =
        (keys("TextFile(path: \"assets/none\", sha256: \"0\")"), keys("File(path: \"../x\", sha256: \"0\")"));
    let changed = keys("TextFile(path: \"shaders/programs/size.wgsl\", sha256: \"0\")");
    let short = keys("Text(\"to be\")");
    let cases: &[(&str, &str, &str, &str, &str)] = &[
        (
            LESSON,
            "{\"sums\": \"partial\"}",
            "{\"sums\": \"partials\"}",
            "partials",
            "`partials` is not a buffer of this program",
        ),
        (LESSON, "{\"sums\": \"partial\"}", "{\"summs\": \"partial\"}", "summs", "uses no variable `summs`"),
        (
            LESSON,
            "(name: \"partial\", elem: F32",
            "(name: \"partial\", elem: U32",
            "\"partial\", elem",
            "`partial` is F32 in the shader, and U32 here",
        ),
        (
            LESSON,
            "bind: {\"x\": \"partial\"",
            "bind: {\"x\": \"total\"",
            "\"total\", \"sums\"",
            "are both `total`, which it writes to",
        ),
        (
            LESSON,
            "(id: \"label\", kernel: \"label\"),",
            "",
            "(id: \"gradient\", kernel",
            "`gradient` reads `y`, which nothing has written before",
        ),
        (
            LESSON,
            "(id: \"reset\", fill: (\"change\", \"0\")),",
            "",
            "",
            "most_changed.wgsl:11:9: error: word 0 (byte 0) of `change` is read, and nothing has written it",
        ),
        (
            LESSON,
            "(name: \"loss\", elem: F32, count: \"1\", init: Poison),",
            "(name: \"loss\", elem: F32, count: \"1\", init: Poison), (name: \"spare\", elem: F32, count: \"1\", init: Zero),",
            "spare",
            "no pass of `train` uses the buffer `spare`",
        ),
        (
            LESSON,
            "\"CHUNK\": \"chunks\"}",
            "\"CHUNKS\": \"chunks\"}",
            "",
            "lesson.ron:44:17: error: the shader declares no override or constant `CHUNKS`",
        ),
        (LESSON, "repeat: \"10\"", "repeat: \"4294967296\"", "4294967296", "1,048,576 is the most"),
        (
            LESSON,
            "repeat: \"10\"",
            "repeat: \"1000000\"",
            "",
            "lesson.ron:90:9: error: `stencil` may come to 4,000,000 launches, and 65,536 are the most",
        ),
        (LESSON, "change[0] <= still", "still <= 3", "still <= 3", "there is no element of a buffer here"),
        (LESSON, "change[0] <= still", "change[1] <= still", "change[1]", "has 1 elements, and no element 1"),
        (LESSON, "(\"ceil(n / 64)\", \"1\", \"1\")", "(\"2^32\", \"1\", \"1\")", "2^32", "4,294,967,295 is the most"),
        (
            SIZE,
            "groups[1] = 1u",
            "groups[1] = 4294967295u",
            "",
            "asks for 4294967295 workgroups in y when the pass `double` has its turn",
        ),
        (
            LESSON,
            "\"groups\", elem: U32, count: \"3\"",
            "\"groups\", elem: U32, count: \"2\"",
            "grid: Words",
            "a grid is three words of a buffer of U32",
        ),
        (LESSON, KEYS, &missing, "assets/none", "there is no file assets/none in the pack"),
        (LESSON, KEYS, &outside, "../x", "there is no file ../x in the pack"),
        (LESSON, KEYS, &changed, "TextFile", "has changed: its SHA-256 is"),
        (LESSON, KEYS, &short, "to be", "the text has 5 elements for `keys`, which takes 1000"),
        (LESSON, "expr: \"ceil(n / 256)\"", "expr: \"ceil(n / 256) + 0 * blocks\"", "", "follows from itself"),
        (
            LESSON,
            "copy: (\"next\", \"now\")",
            "copy: (\"next\", \"change\")",
            "copy: (\"next\"",
            "a copy is between two buffers of the same type and size",
        ),
        (
            LESSON,
            "fill: (\"change\", \"0\")",
            "fill: (\"change\", \"0.5\")",
            "0.5\")",
            "`change` is of U32, which has no 0.5",
        ),
        (LESSON, "\"3 * x[i] - 1\"", "\"3 * x[i]\"", "\"3 * x[i]\"", "program `train` leaves a wrong `y`"),
        (LESSON, "if(i == 0, 0, scanned[i - 1] + x[i - 1])", "x[i - 1]", "\"x[i - 1]\"", "has no value for element 0"),
        (SCATTER, "came_from[place] = i;", "came_from[place] = i + 1u;", "", "leaves a wrong `parted`"),
        (LESSON, "of: \"loss[0]\"", "of: \"loss[3]\"", "of: \"loss[3]\"", "has 1 elements, and no element 3"),
        (LESSON, "pass: \"sums\"", "pass: \"summs\"", "summs", "`scan` has no pass `summs`"),
        (
            LESSON,
            "rungs: {\"chunkwise\": \"serial_sum\"}",
            "rungs: {\"chunkwise\": \"smooth\"}",
            "\"chunkwise\": \"smooth\"",
            "has no kernel for this pass `smooth`",
        ),
    ];
    for (file, from, to, line, said) in cases {
        let folder = spoilt_copy("programs", &[(file, from, to)])?;
        let run = warpbook(&["check", &folder.path().display().to_string()]);
        assert_eq!(run.code, 2, "{to}: {}", run.err);
        let told = run.err.lines().find(|told| told.contains(said));
        let told = told.ok_or_else(|| format!("{to} should say {said:?}, and says: {}", run.err))?;
        if line.is_empty() {
            continue;
        }
        let text = fs::read_to_string(folder.path().join(file))?;
        let number = text.lines().position(|text| text.contains(line)).ok_or("the line is not there")? + 1;
        assert!(told.contains(&format!("{file}:{number}:")), "{to} should be told at line {number}: {told}");
    }
    Ok(())
}
