//! A program's state in files, what does not fit, and where a number that is none came from.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use crate::common::{Run, warpbook};

/// One step's training at a small size, on the tracer.
fn train(options: &str) -> Run {
    let size = "--program train --backend simt --set layers=1 --set width=8 --set tokens=4 --set batch=2";
    let words: Vec<&str> = ["run", "one_step"].into_iter().chain(size.split(' ')).chain(options.split(' ')).collect();
    warpbook(&words)
}

#[test]
fn a_training_goes_on_from_what_it_saved_as_if_it_had_not_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let at = |name: &str| folder.join(name).display().to_string();
    let whole = train(&format!("--set steps=5 --save {} --json", at("whole"))).json();
    assert_eq!(train(&format!("--set steps=2 --save {}", at("begun"))).code, 0);
    let rest = train(&format!("--set steps=3 --resume {} --save {} --json", at("begun"), at("ended"))).json();
    let losses = |of: &serde_json::Value| of["programs"][0]["series"]["loss"].as_array().unwrap().clone();
    assert_eq!(losses(&whole)[2..], losses(&rest)[..]);
    for name in ["weights", "m", "v", "updates", "layer"] {
        let of = |run: &str| std::fs::read(folder.join(run).join(name).with_extension("npy")).unwrap();
        assert!(of("whole") == of("ended"), "{name}");
    }
    // Buffers that each step writes anew are no state.
    assert!(!folder.join("whole/logits.npy").exists() && !folder.join("whole/tokens.npy").exists());
    for (wrong, says) in [
        (format!("--resume {}", at("nowhere")), "name a folder that an earlier run wrote with --save"),
        (format!("--resume {} --save {}", at("begun"), at("begun")), "would be read and written"),
        (format!("--resume {} --set width=16", at("begun")), "set the parameters"),
    ] {
        let run = train(&wrong);
        assert!(run.code != 0 && run.err.contains(says), "{wrong}: {}", run.err);
    }
}

/// Sets a number of a NumPy file of 32-bit floats.
fn set(file: &Path, index: usize, count: usize, value: f32) {
    let mut bytes = std::fs::read(file).unwrap();
    let at = bytes.len() - 4 * (count - index);
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn the_first_element_that_is_not_a_number_is_named_with_its_pass() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    assert_eq!(train(&format!("--set steps=1 --save {}", at("fresh").display())).code, 0);
    // The weights with some set to `value`; 256 rows of the embedding come before those of the layer.
    let warned = |columns: &[usize], value: f32| {
        std::fs::copy(at("fresh/weights.npy"), at("weights.npy")).unwrap();
        columns.iter().for_each(|column| set(&at("weights.npy"), 256 * 8 + column, 256 * 8 + 12 * 64, value));
        let json = train(&format!("--set steps=2 --input weights={} --json", at("weights.npy").display())).json();
        // The losses are there all the same.
        assert_eq!(json["programs"][0]["series"]["loss"].as_array().unwrap().len(), 2);
        let warnings = json["warnings"].as_array().unwrap();
        let warning = warnings.iter().find(|warning| warning["kind"] == "not_a_number");
        let warning = warning.unwrap_or_else(|| panic!("{json}"));
        ["message", "hint"].map(|of| warning[of].as_str().unwrap().to_owned())
    };
    // A query and a key so large that a score overflows, which is in no buffer.
    let [message, _] = warned(&[0, 8], 1e25);
    assert!(message.ends_with("`o[0]` after launch 1 of `attention`, in round 1 of `training`"), "{message}");
    // A weight of the MLP's first matrix so large that its product with a number above 1 overflows.
    let [message, hint] = warned(&[4 * 64], f32::MAX);
    assert!(message.contains("in round 1 of `training`"), "{message}");
    assert!(hint.contains("is infinite first, after launch 1 of `up`"), "{hint}");
}

#[test]
fn what_does_not_fit_is_said_with_what_would() {
    let size = "--set layers=12 --set width=1024 --set heads=16 --set tokens=1024 --set batch=8";
    let words: Vec<&str> = "run one_step --program train --backend simt".split(' ').chain(size.split(' ')).collect();
    let run = warpbook(&words);
    assert_ne!(run.code, 0);
    for says in ["would take", "set recompute=1: then all buffers take", "so they do with", "batch="] {
        assert!(run.err.contains(says), "{says}: {}", run.err);
    }
}
