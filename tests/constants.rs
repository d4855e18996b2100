//! Constants of a shader's text as a lesson's parameters: what runs with them, and what is said of values that cannot
//! be.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;

use crate::common::devices;
use warpbook::base::tensor::Init;
use warpbook::lesson::{Pack, PackFiles, Variant};
use warpbook::session::experiment::sweep;
use warpbook::session::pack::check;
use warpbook::session::run::devices::Choice;
use warpbook::session::run::output::KernelOutput;
use warpbook::session::run::shader_file::{self, TraceOptions};
use warpbook::session::run::{self, RunOptions, Which, purpose};
use warpbook::session::{self, jobs};
use warpbook::trace::record::Backend;

fn files() -> PackFiles {
    PackFiles::Folder(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/tiled"))
}

fn pack() -> Pack {
    let (pack, problems) = session::load(&files());
    assert_eq!(problems, []);
    pack
}

fn set(settings: &[(&str, f64)]) -> Vec<(String, f64)> {
    settings.iter().map(|(id, value)| ((*id).to_owned(), *value)).collect()
}

/// The reasons that `blocks` cannot run on the tracer at some settings; empty if it can.
fn problem(settings: Vec<(String, f64)>) -> String {
    let options = RunOptions {
        which: Which { kernels: vec!["blocks".to_owned()], ..Which::default() },
        set: settings,
        backend: Choice::Only(Backend::Simt),
        ..RunOptions::default()
    };
    let output =
        run::run(&devices(), &pack(), "product", &options, None, &AtomicBool::new(false), &mut |_, _| {}).unwrap();
    let KernelOutput { error, skipped, .. } = &output.kernels[0];
    error.as_ref().or(skipped.as_ref()).cloned().unwrap_or_default()
}

#[test]
fn the_pack_passes_its_check() {
    let (_, problems) = check::check(&devices(), &files(), &[], &AtomicBool::new(false), &mut |_, _| {});
    assert_eq!(problems.into_iter().filter(warpbook::base::diag::Diagnostic::is_error).collect::<Vec<_>>(), []);
}

#[test]
fn what_runs_is_the_text_with_the_values_in_it() {
    let (pack, params) = (pack(), |lesson| jobs::with(&jobs::defaults(lesson), &set(&[("bm", 16.0), ("tn", 2.0)])));
    let lesson = &pack.lessons[0];
    let kernel = lesson.kernel("blocks").unwrap();
    let blocks = Variant::plain("blocks");
    let job = jobs::build(lesson, &blocks, &params(lesson), &purpose(Backend::Simt, 1, true)).unwrap();
    let launch = job.launches().next().unwrap();
    let wgsl = launch.wgsl().unwrap();
    let expected = kernel
        .source()
        .replace(
            "const BM: u32 = 64; // Rows of a tile of C. Not TM: u32 = 64.",
            "const BM: u32 = 16; // Rows of a tile of C. Not TM: u32 = 64.",
        )
        .replace("const BN: u32 = 64", "const BN: u32 = 32")
        .replace("const TM: u32 = 8", "const TM: u32 = 4")
        .replace("const TN: u32 = 8", "const TN: u32 = 2");
    assert_eq!(&*wgsl.source, expected);
    assert_eq!(jobs::source(lesson, &blocks, "blocks", &params(lesson)).as_ref(), Some(&wgsl.source));
    assert_eq!(launch.workgroup.unwrap().size, [16, 4, 1]);
    assert_eq!(wgsl.overrides, set(&[("M", 64.0), ("N", 48.0), ("K", 40.0)]));
    assert_eq!(wgsl.consts, set(&[("BM", 16.0), ("BN", 32.0), ("BK", 8.0), ("TM", 4.0), ("TN", 2.0)]));
    assert_eq!(launch.blame.workgroup, ["BM (`bm`)", "BN (`bn`)", "TM (`tm`)", "TN (`tn`)"]);
    assert_eq!(launch.blame.shared, ["BM (`bm`)", "BN (`bn`)", "BK (`bk`)"]);
    assert_eq!(problem(set(&[("bm", 16.0), ("tn", 2.0), ("m", 37.0), ("n", 1.0), ("k", 9.0)])), "");
}

#[test]
fn what_cannot_be_names_the_number_and_what_to_change() {
    for (settings, wanted) in [
        (
            set(&[("bm", 64.0), ("tm", 24.0)]),
            "kernel `blocks` cannot run: BM must be a multiple of TM: each lane computes TM rows: now bm = 64, tm = 24; \
             change BM (`bm`) to 48 or 72, or TM (`tm`) to 8",
        ),
        (
            set(&[("bm", 2048.0), ("bk", 16.0), ("tm", 8.0), ("tn", 8.0)]),
            "would take 133,120 bytes of workgroup memory, and",
        ),
        (
            set(&[("bm", 2048.0), ("bk", 16.0), ("tm", 8.0), ("tn", 8.0)]),
            "lower BM (`bm`), BN (`bn`) or BK (`bk`): at most",
        ),
        (set(&[("bm", 512.0), ("bk", 1.0), ("tm", 1.0), ("tn", 1.0)]), "would have 32 x 512 x 1 = 16,384 invocations"),
        (
            set(&[("bm", 512.0), ("bk", 1.0), ("tm", 1.0), ("tn", 1.0)]),
            "change BM (`bm`), BN (`bn`), TM (`tm`) or TN (`tn`): at most",
        ),
        (set(&[("bk", 0.0)]), "hint: change BK (`bk`), now 0: with its default, 8, the shader compiles"),
        (
            set(&[("bm", 4096.0), ("bn", 64.0), ("tm", 1.0), ("tn", 1.0)]),
            "hint: change BM (`bm`), now 4096: with its default, 32, the shader compiles",
        ),
    ] {
        let found = problem(settings.clone());
        assert!(found.contains(wanted), "{settings:?}: {found}");
    }
}

#[test]
fn an_impossible_point_of_a_sweep_is_no_failure() {
    let options = RunOptions {
        which: Which { kernels: vec!["blocks".to_owned()], ..Which::default() },
        set: set(&[("bm", 64.0)]),
        backend: Choice::Only(Backend::Simt),
        ..RunOptions::default()
    };
    let mut said = Vec::new();
    let over = ("tm", &[8.0, 24.0][..]);
    let cancel = AtomicBool::new(false);
    let found =
        sweep::sweep(&devices(), &pack(), "product", over, &options, &cancel, &mut |_, p| said.extend_from_slice(p));
    let points: Vec<Option<bool>> = found.unwrap().points.iter().map(|p| p.kernel.ok).collect();
    assert_eq!(points, [Some(true), None]);
    assert!(said.len() == 1 && !said[0].is_error() && said[0].message.contains("now bm = 64, tm = 24"), "{said:?}");
}

#[test]
fn the_command_line_skips_what_cannot_be_and_says_why() {
    let PackFiles::Folder(folder) = files() else { panic!("a folder") };
    let warpbook = |args: &[&str]| {
        let pack = ["--pack", folder.to_str().unwrap()];
        let out = Command::new(env!("CARGO_BIN_EXE_warpbook")).args(pack).args(args).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (out.status.code(), text(out.stdout), text(out.stderr))
    };
    let tm = ["--set", "bm=64", "--set", "tm=24", "--backend", "simt"];
    let (code, said, why) = warpbook(&[&["run", "product", "--json"], &tm[..]].concat());
    let skipped = "\"skipped\": \"kernel `blocks` cannot run";
    assert!(code == Some(0) && said.contains(skipped) && said.contains("\"ok\": null"), "{said} {why}");
    let place = "lessons/product/lesson.ron:36:18: warning: ";
    assert!(why.contains(place) && why.contains("blocks: skipped") && why.contains("naive: ok"), "{why}");
    let (code, _, why) = warpbook(&[
        "sweep",
        "product",
        "--kernel",
        "blocks",
        "--over",
        "tm=8,24",
        "--set",
        "bm=64",
        "--backend",
        "simt",
    ]);
    assert_eq!(code, Some(0), "{why}");
    let trace = |constant: &str| warpbook(&["trace", "product/blocks", "--const", constant, "--json"]);
    let (code, said, why) = trace("TM=8");
    assert!(code == Some(0) && said.contains("\"complete\": true"), "{why}");
    for (constant, wanted) in [
        ("TM=2.5", "blocks.wgsl:8:7: error: the constant `TM` cannot be 2.5: it is a u32"),
        ("LANES=8", "blocks.wgsl:10:7: error: `const LANES` is set to `(BM / TM) * (BN / TN)`"),
        ("TX=8", "declares no override or constant `TX`"),
    ] {
        let (code, _, why) = trace(constant);
        assert!(code == Some(2) && why.contains(wanted), "{constant}: {why}");
    }
}

#[test]
fn a_shader_of_its_own_takes_them_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("k.wgsl");
    let source = "const LANES: u32 = 32; // LANES: u32 = 32\n@group(0) @binding(0) var<storage, read_write> c: array<u32>;\n\
                  @compute @workgroup_size(LANES) fn main(@builtin(global_invocation_id) id: vec3u) { c[id.x] = LANES; }";
    std::fs::write(&file, source).unwrap();
    let options = TraceOptions {
        grid: Some([2, 1, 1]),
        constants: vec![("LANES".to_owned(), "64".to_owned())],
        buffers: vec![("c".to_owned(), 128, Init::Poison)],
        explain: vec![("c".to_owned(), 127)],
        ..TraceOptions::default()
    };
    let path = file.to_str().unwrap();
    let found = shader_file::trace(&devices(), &Pack::default(), path, &options, &AtomicBool::new(false)).unwrap();
    assert_eq!(found.done.record.total().unwrap().warps, 4);
    let options = TraceOptions { constants: vec![("LANE".to_owned(), "64".to_owned())], ..options };
    let found = shader_file::trace(&devices(), &Pack::default(), path, &options, &AtomicBool::new(false));
    assert!(found.is_err_and(|p| p[0].to_string().contains("did you mean `LANES`?")));
    let options = TraceOptions { constants: vec![("LANES".to_owned(), "float".to_owned())], ..options };
    let found = shader_file::trace(&devices(), &Pack::default(), path, &options, &AtomicBool::new(false));
    assert!(found.is_err_and(|p| p[0].to_string().contains("`float` is no number")));
}
