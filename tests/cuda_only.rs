//! Kernels that are written in CUDA C++ only, on a machine without CUDA: what a lesson says of them, and what is said
//! where they cannot run.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::{Command, Output};

use warpbook::base::tensor::Elem;
use warpbook::job::{Binding, BindingKind, Grid, TensorMap};
use warpbook::lesson::{Pack, PackFiles, Variant};
use warpbook::session::run::{is_not_here, purpose};
use warpbook::session::{self, jobs};
use warpbook::trace::record::Backend;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs/cuda")
}

fn pack() -> Pack {
    let (pack, problems) = session::load(&PackFiles::Folder(folder()));
    assert_eq!(problems, []);
    pack
}

/// The variables by which a compiler of CUDA C++ is found.
const COMPILERS: [&str; 6] = ["VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "PATH"];

/// Exit code, standard output, standard error, without a compiler: with one, the tracer runs these kernels.
fn warpbook(args: &[&str]) -> (i32, String, String) {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpbook"));
    for name in COMPILERS {
        command.env_remove(name);
    }
    let Output { status, stdout, stderr } = command
        .arg("--pack")
        .arg(folder())
        .args(args)
        .env("HOME", home.path())
        .env("CUDA_VISIBLE_DEVICES", "-1")
        .output()
        .unwrap();
    (status.code().unwrap_or(-1), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn the_job_is_what_the_lesson_says() {
    let pack = pack();
    let lesson = &pack.lessons[0];
    let kernel = Variant::plain("tile_copy");
    let job = jobs::build(lesson, &kernel, &jobs::defaults(lesson), &purpose(Backend::Cuda, 1, true)).unwrap();
    let launch = job.launches().next().unwrap();
    let only = launch.cuda_only().unwrap();
    assert_eq!((only.shared_bytes, only.persistent), (8320, true));
    let map = TensorMap { buffer: "src".into(), columns: 256, rows: 192, box_columns: 64, box_rows: 64, swizzle: 0 };
    assert_eq!(only.maps, [map]);
    assert_eq!(launch.workgroup.unwrap().size, [128, 1, 1]);
    assert_eq!((launch.grid, launch.wgsl().is_ok()), (Grid::Fixed([12, 1, 1]), false));
    assert_eq!(launch.twin().unwrap().entry, "tile_copy");
    let elem = |binding: &Binding| job.buffers[binding.buffer].elem;
    let buffers: Vec<_> = launch.bindings.iter().map(|b| (b.name.as_str(), elem(b), b.binding, b.kind)).collect();
    let expected = [("src", Elem::Bf16, 0, BindingKind::ReadOnly), ("dst", Elem::Bf16, 1, BindingKind::ReadWrite)];
    assert_eq!(buffers, expected);
    assert_eq!(launch.blame.shared, ["spare bytes (`spare`)"]);
}

#[test]
fn the_pack_passes_its_check() {
    let (code, _, said) = warpbook(&["check", folder().to_str().unwrap()]);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn a_lesson_runs_without_them_and_says_so() {
    for backend in ["simt", "auto"] {
        let (code, out, said) = warpbook(&["run", "tiles", "--backend", backend, "--json"]);
        let output: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(code, 0, "{said}");
        let ids: Vec<&str> = output["kernels"].as_array().unwrap().iter().filter_map(|k| k["id"].as_str()).collect();
        assert_eq!(ids, ["copy"]);
        let warning = output["warnings"].as_array().unwrap().iter().find(|w| w["kind"] == "not_here").unwrap();
        assert!(warning["message"].as_str().unwrap().contains("`tile_copy` is written in CUDA C++ only"), "{warning}");
        assert!(warning["hint"].as_str().unwrap().contains("--backend cuda"), "{warning}");
    }
}

#[test]
fn who_names_one_hears_why_it_does_not_run() {
    let (code, _, said) = warpbook(&["run", "tiles", "--kernel", "tile_copy", "--backend", "simt"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("shaders/tiles/tile_copy.cu") && said.contains("CUDA C++ only"), "{said}");
    let (code, _, said) = warpbook(&["trace", "tiles/tile_copy", "--grid", "1"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("CUDA C++ only"), "{said}");
    let pack = pack();
    let lesson = &pack.lessons[0];
    let kernel = Variant::plain("tile_copy");
    let job = jobs::build(lesson, &kernel, &jobs::defaults(lesson), &purpose(Backend::Simt, 1, true)).unwrap();
    let cancel = std::sync::atomic::AtomicBool::new(false);
    let problem = warpbook::gpu::simt::run(&job, &cancel, &mut |_| {}).unwrap_err();
    assert!(is_not_here(&[problem]));
}

#[test]
fn a_sweep_goes_on_without_them() {
    let (code, out, said) = warpbook(&["sweep", "tiles", "--over", "rows=64,128", "--backend", "simt", "--csv"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("warning") && said.contains("CUDA C++ only"), "{said}");
    assert_eq!(out.lines().filter(|line| line.contains("copy") && line.contains("true")).count(), 2, "{out}");
}

#[test]
fn mistakes_are_said_at_their_place() {
    let text = std::fs::read_to_string(folder().join("lessons/tiles/lesson.ron")).unwrap();
    for (right, wrong, said) in [
        ("buffer: \"src\", columns", "buffer: \"scr\", columns", "`scr` is not a buffer of this kernel"),
        ("swizzle: 0", "swizzle: 48", "cannot be swizzled over 48 bytes"),
        ("block: (\"128\", \"1\", \"1\"), ", "", "`block` is missing"),
        ("box_rows: \"64\"", "box_rows: \"0\"", "whole number of at least 1"),
        ("tiles/copy.wgsl\",", "tiles/copy.wgsl\", cuda: (block: (\"1\", \"1\", \"1\")),", "launched as the WGSL says"),
        ("tiles/tile_copy.cu", "tiles/tile_copi.cu", "there is no file"),
        (
            "cuda: (",
            "cudo: (",
            "add cuda: (parameters: {\"src\": Read, \"dst\": Write}, block: (\"128\", \"1\", \"1\"))",
        ),
        ("format_version: 1", "format_version: 2", "add parameters: {\"src\": Read, \"dst\": Write}: what"),
    ] {
        let home = tempfile::tempdir().unwrap();
        for part in
            ["lessons/index.ron", "lessons/tiles/text.md", "shaders/tiles/copy.wgsl", "shaders/tiles/tile_copy.cu"]
        {
            let to = home.path().join(part);
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(folder().join(part), to).unwrap();
        }
        assert!(text.contains(right), "{right}");
        std::fs::write(home.path().join("lessons/tiles/lesson.ron"), text.replacen(right, wrong, 1)).unwrap();
        let (_, problems) = session::load(&PackFiles::Folder(home.path().to_path_buf()));
        let found: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert!(found.iter().any(|f| f.contains(said) && f.contains("lesson.ron:")), "{said}: {found:?}");
    }
}
