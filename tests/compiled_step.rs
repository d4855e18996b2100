//! The step that `torch.compile` writes (`benches/peers/compiled_step.py`) is traced, and has the counts that the lesson *One step* quotes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::warpbook_in;

/// The sum of a counter over a profile's runs: each is written `("NAME", NUMBER, "UNIT")`.
fn quoted(profile: &str, counter: &str) -> u64 {
    let of = format!("(\"{counter}\", ");
    profile.split(&of).skip(1).map(|rest| rest.split(',').next().unwrap().parse::<u64>().unwrap()).sum()
}

#[test]
fn the_compiled_step_has_the_counts_that_are_quoted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept = fs::File::open(root.join("tests/compiled_step.json.gz")).unwrap();
    let files: BTreeMap<String, String> = serde_json::from_reader(flate2::read::GzDecoder::new(kept)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join("cache").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let run = warpbook_in(folder.path(), &["trace", "cache", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let libraries = [
        "libraries: 9 of extern_kernels.mm, 2 of",
        "libraries: 1 of extern_kernels.addmm, 17 of extern_kernels.mm, 2 of",
    ];
    assert!(libraries.iter().all(|said| run.err.contains(said)), "{}", run.err);
    let trace = run.json();
    let passes = trace["passes"].as_array().unwrap();
    let sectors = |kind: &str| trace["global"][kind]["sectors"].as_u64().unwrap();
    let profile = fs::read_to_string(root.join("assets/profiles/torch-compile.ron")).unwrap();
    // A product and an attention are of libraries: 9 and 2 forward, twice the products and 2 backward.
    assert_eq!(passes.len() as u64 + 9 + 2 + 18 + 2, quoted(&profile, "launches"));
    assert_eq!(32 * (sectors("load") + sectors("store") + sectors("atomic")), quoted(&profile, "bytes"));
}
