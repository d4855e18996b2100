//! Lessons that are not shipped yet: their kernels are right at awkward sizes, and `check` finds nothing.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::Path;

use common::{copy_folder, warpbook};

/// A pack of one draft with its shaders beside those of the built-in pack.
fn pack(draft: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    copy_folder(&root.join("shaders"), &folder.path().join("shaders")).unwrap();
    copy_folder(&root.join("tests/drafts/shaders"), &folder.path().join("shaders")).unwrap();
    let lesson = format!("lessons/{draft}");
    copy_folder(&root.join("tests/drafts").join(&lesson), &folder.path().join(&lesson)).unwrap();
    let index = format!("(format_version: 2, order: [\"{draft}\"])");
    fs::write(folder.path().join("lessons/index.ron"), index).unwrap();
    folder
}

#[test]
fn experts_are_checked_with_their_exercises() {
    let run = warpbook(&["check", &pack("moe").path().display().to_string()]);
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn experts_are_right_at_awkward_sizes() {
    let folder = pack("moe");
    let sizes = [
        "tokens=1 experts=8 k=2 steps=2",
        "tokens=127 experts=1 k=1 steps=2",
        "tokens=127 experts=3 k=3 score=1 steps=2",
        "tokens=300 experts=257 k=8 score=2 d=8 f=16 steps=2",
        "tokens=8191 experts=3 k=1 skew=400 capacity=0 d=4 f=8 steps=1",
    ];
    // A software driver takes its time: two of them are enough there.
    for (backend, sizes) in [("simt", &sizes[..]), ("auto", &sizes[..2])] {
        for size in sizes {
            let mut args =
                vec!["--pack", folder.path().to_str().unwrap(), "run", "moe", "--json", "--backend", backend];
            args.extend(size.split(' ').flat_map(|set| ["--set", set]));
            let run = warpbook(&args);
            assert_eq!(run.code, 0, "{backend}, {size}: {}", run.err);
            let values = &run.json()["values"];
            for id in ["drops", "max_violation", "aux_loss", "z_loss", "padding_waste", "all_to_all_bytes"] {
                assert!(values[id].is_number(), "{backend}, {size}: {id} in {values}");
            }
        }
    }
}

#[test]
fn more_choices_than_experts_are_skipped_with_the_reason() {
    let folder = pack("moe");
    let path = folder.path().display().to_string();
    let run = warpbook(&["--pack", &path, "run", "moe", "--backend", "simt", "--set", "experts=2", "--set", "k=3"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let skipped = format!("{}{}", run.out, run.err);
    assert!(skipped.contains("a token cannot go to more experts than there are"), "{skipped}");
}
