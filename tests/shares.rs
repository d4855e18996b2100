//! A program that its ranks run as processes comes to the same, bit for bit, as on one device.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
use std::fs;

use crate::common::{pack, spoilt_copy, warpbook, warpbook_in};

const LESSON: &str = "lessons/mean/lesson.ron";

/// Runs a program on one device and as processes, and holds them against each other: all series, and what buffers hold
/// at the end.
fn assert_same(before: &[&str], settings: &str, buffers: &[&str]) {
    let [alone, shared] = [&[][..], &["--over", "host"]].map(|over| {
        let folder = tempfile::tempdir().unwrap();
        let mut args = before.to_vec();
        args.extend(settings.split(' ').flat_map(|set| ["--set", set]));
        let dumps: Vec<String> = buffers.iter().map(|buffer| format!("{buffer}={buffer}.npy")).collect();
        args.extend(dumps.iter().flat_map(|dump| ["--dump", dump]));
        args.extend(over);
        args.push("--json");
        let run = warpbook_in(folder.path(), &args);
        assert_eq!(run.code, 0, "{settings}: {}", run.err);
        let dumped: Vec<Vec<u8>> =
            buffers.iter().map(|buffer| fs::read(folder.path().join(format!("{buffer}.npy"))).unwrap()).collect();
        (run.json(), dumped)
    });
    let (program, other) = (&alone.0["programs"][0], &shared.0["programs"][0]);
    assert_eq!(program["series"], other["series"], "{settings}");
    assert_eq!(alone.0["values"], shared.0["values"], "{settings}");
    assert_eq!(program["checks"], other["checks"], "{settings}");
    assert!(alone.1 == shared.1, "{settings}: the buffers differ");
    assert_eq!(shared.0["ranks"]["over"], "host");
}

const TRAINED: [&str; 4] = ["master", "weights", "losses", "meter"];

#[test]
fn processes_train_as_one_device_does() {
    let train = ["run", "zero", "--program", "train", "--backend", "simt"];
    for settings in [
        "ranks=1 stage=3",
        "ranks=2 stage=0",
        "ranks=3 stage=1",
        "ranks=4 stage=2",
        "ranks=7 stage=3",
        "ranks=8 stage=0",
        // Chunks of an odd number of halves; ranks without rows; more ranks than parameters.
        "ranks=7 stage=1 layers=3 width=9 batch=20",
        "ranks=9 stage=3 layers=1 width=2 batch=5 steps=2",
        "ranks=9 stage=2 layers=2 width=2 batch=5 steps=2",
        // Collectives beside the passes: here they are carried out as late as can be.
        "ranks=3 stage=0 overlap=1",
        "ranks=2 stage=1 overlap=1 layers=3",
        "ranks=4 stage=2 overlap=1 layers=5",
        "ranks=3 stage=3 overlap=1",
        "ranks=2 stage=3 overlap=1 layers=1",
    ] {
        assert_same(&train, settings, &TRAINED);
    }
}

#[test]
fn processes_train_on_a_driver() {
    let one = warpbook(&["run", "zero", "--program", "train", "--set", "ranks=2", "--set", "steps=1", "--json"]);
    let backend = one.json()["backend"].as_str().unwrap().to_owned();
    for settings in [
        "ranks=2 stage=3 steps=2",
        "ranks=2 stage=3 overlap=1 steps=2",
        "ranks=3 stage=1 layers=2 width=9 batch=20 steps=2",
    ] {
        assert_same(&["run", "zero", "--program", "train", "--backend", &backend], settings, &TRAINED);
    }
}

#[test]
fn floats_of_32_bits_and_copies_are_shared() {
    let pack = pack("ranks").display().to_string();
    let run = warpbook(&["check", &pack]);
    assert_eq!(run.code, 0, "{}", run.err);
    for ranks in [1, 2, 5] {
        let args = ["--pack", &pack, "run", "mean", "--backend", "simt", "--json", "--over", "host"];
        let run = warpbook(&[&args[..], &["--set", &format!("ranks={ranks}")]].concat());
        assert_eq!(run.code, 0, "{ranks}: {}", run.err);
        // Two ways round a ring of chunks of 5 numbers.
        assert_eq!(run.json()["values"]["sent"], f64::from(2 * (ranks - 1) * ranks * 5 * 4), "{ranks}");
    }
    // A file has what all ranks begin with.
    let folder = tempfile::tempdir().unwrap();
    let args = ["--pack", &pack, "run", "mean", "--backend", "simt", "--seed", "7", "--dump", "x=x.npy", "--json"];
    let seven = warpbook_in(folder.path(), &args).json();
    let args = ["--pack", &pack, "run", "mean", "--backend", "simt", "--input", "x=x.npy", "--over", "host"];
    let shared = warpbook_in(folder.path(), &[&args[..], &["--input", "shift=s.npy", "--json"]].concat());
    assert_eq!(shared.code, 2, "a file that is missing: {}", shared.err);
    let shared = warpbook_in(folder.path(), &[&args[..], &["--seed", "7", "--json"]].concat());
    assert_eq!(shared.code, 0, "{}", shared.err);
    let total = |run: &serde_json::Value| run["programs"][0]["series"]["total"][0].as_f64().unwrap();
    assert!((total(&seven) - total(&shared.json())).abs() < 1e-4);
}

#[test]
fn a_pass_that_waits_too_late_is_wrong() {
    let awaits = ", awaits: [All(\"summing\")]),";
    let [now, later] = ["(id: \"divide\", kernel: \"divide\"", "(id: \"done\", fill: (\"ended\", \"1\")"];
    let moved = [
        (LESSON, format!("{now}{awaits}"), format!("{now}),")),
        (LESSON, format!("{later}),"), format!("{later}{awaits}")),
    ];
    let moved: Vec<(&str, &str, &str)> = moved.iter().map(|(file, from, to)| (*file, &**from, &**to)).collect();
    let folder = spoilt_copy("ranks", &moved).unwrap();
    let args = ["--pack", &folder.path().display().to_string(), "run", "mean", "--backend", "simt"];
    assert_eq!(warpbook(&args).code, 0, "on one device nothing goes on beside");
    let shared = warpbook(&[&args[..], &["--over", "host"]].concat());
    assert_eq!(shared.code, 1, "{}", shared.err);
}

#[test]
fn an_experiment_is_recorded_of_ranks() {
    let pack = pack("ranks").display().to_string();
    let one = warpbook(&["--pack", &pack, "run", "mean", "--json"]).json();
    let (backend, device) = (one["backend"].as_str().unwrap(), one["device"].as_str().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let record = |experiment: &str, over: &[&str]| {
        let args = ["--pack", &pack, "record", "mean", "--experiment", experiment, "--backend", backend, "-o", "r.ron"];
        warpbook_in(folder.path(), &[&args[..], over].concat())
    };
    let run = record("mean_time", &["--over", "host"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let recorded = fs::read_to_string(folder.path().join("r.ron")).unwrap();
    assert!(recorded.contains(&format!("device: \"3 × {device} over TCP\"")), "{recorded}");
    assert_eq!(recorded.matches("(x: ").count(), 2, "{recorded}");
    // A recording of one device is no recording of ranks.
    let run = record("mean_time", &[]);
    assert!(run.code != 0 && run.err.contains("the file has a recording of 3 × "), "{}", run.err);
    let run = record("mean_ranks", &["--over", "host"]);
    assert!(run.code == 2 && run.err.contains("has 3 ranks, and before that were 2"), "{}", run.err);
}

#[test]
fn mistakes_are_told_where_they_are() {
    for (from, to, line, said) in [
        ("AllReduce(buffer: \"y\"", "Reduce(buffer: \"y\"", "Reduce(", "this is no collective"),
        ("AllReduce(buffer: \"y\"", "AllReduce(buffer: \"z\"", "AllReduce(", "has no buffer `z`"),
        ("AllReduce(buffer: \"y\"", "AllReduce(buffer: \"owner\"", "AllReduce(", "chunks of F16 or F32, and `owner`"),
        ("AllReduce(buffer: \"y\"", "AllReduce(part: (\"meter\", \"7\"), buffer: \"y\"", "AllReduce(", "for 21 chunks"),
        ("meter: \"meter\"", "meter: \"owner\"", "AllReduce(", "a meter is a buffer of U32"),
        ("ranks: (number: \"ranks\"", "ranks: (number: \"0\"", "ranks: (number", "at least 1"),
        ("first: \"first\")", "first: \"last\")", "ranks: (number", "value `last`"),
        ("[All(\"summing\")]", "[\"summing\"]", "kernel: \"divide\", awaits", "this says not what to wait for"),
        ("[All(\"summing\")]", "[All(\"square\")]", "kernel: \"divide\", awaits", "no repetition with a `collective`"),
        ("[All(\"summing\")]", "[Part(\"summing\", \"owner\")]", "kernel: \"divide\", awaits", "which has none"),
        ("[All(\"summing\")]", "[Part(\"summing\", \"z\")]", "kernel: \"divide\", awaits", "has no buffer `z`"),
        ("count: \"row\"", "count: \"row + here\"", "ranks: (number", "an equal part, or all"),
    ] {
        let folder = spoilt_copy("ranks", &[(LESSON, from, to)]).unwrap();
        let run = warpbook(&["check", &folder.path().display().to_string()]);
        assert_eq!(run.code, 2, "{to}: {}", run.err);
        let told = run.err.lines().find(|told| told.contains(said));
        let told = told.unwrap_or_else(|| panic!("{to} should say {said:?}, and says: {}", run.err));
        let text = fs::read_to_string(folder.path().join(LESSON)).unwrap();
        let number = text.lines().position(|text| text.contains(line)).unwrap() + 1;
        assert!(told.contains(&format!("{LESSON}:{number}:")), "{to} should be told at line {number}: {told}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    for (args, said) in [
        (&["coalescing", "--over", "host"][..], "nothing that is to run of `coalescing` is made for several processes"),
        (&["zero", "--program", "fit", "--over", "host"], "nothing that is to run of `zero`"),
        (&["zero", "--program", "train", "--over", "host", "--dump", "nosuch=a.npy"], "there is no buffer `nosuch`"),
        (&["zero", "--program", "train", "--over", "host", "--input", "x=nosuch.npy"], "nosuch.npy"),
        (&["zero", "--program", "train", "--backend", "simt", "--over", "nccl"], "only ranks on GPUs"),
        (&["zero", "--program", "train", "--backend", "wgpu", "--over", "peer"], "use --backend cuda, or --over host"),
    ] {
        let run = warpbook(&[&["run"][..], args].concat());
        assert_eq!(run.code, 2, "{args:?}: {}", run.err);
        assert!(run.err.contains(said), "{args:?}: {}", run.err);
    }
}
