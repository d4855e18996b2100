//! Functions of Gluon, Triton and cuTile by their names, compiled and traced, and reports of ncu's: `cargo test --test python`. It needs a
//! Python with `triton`, `cuda-tile`, `nvidia-cuda-tileiras`, `nvidia-cuda-nvdisasm` and `ncu-report`, and no GPU.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../common/mod.rs"]
mod common;

use std::fs;
use std::path::Path;

use common::{Run, warpbook_in};
use serde_json::Value;

const GLUON: &str = "gluon_kernels.py";
const CUTILE: &str = "cutile_kernels.py";

/// Traces a function of a file of this folder; `options` are those of its launch, with spaces between.
fn trace(file: &str, name: &str, options: &str) -> Run {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");
    let target = format!("{file}::{name}");
    let options: Vec<&str> = options.split(' ').collect();
    warpbook_in(&folder, &[&["trace", &target], options.as_slice()].concat())
}

/// The lines with instructions, and the numbers that were printed.
fn found(file: &str, name: &str, options: &str) -> (Vec<u64>, Vec<f64>) {
    let run = trace(file, name, &format!("{options} --json"));
    assert_eq!(run.code, 0, "{name}: {}", run.err);
    let trace: Value = run.json();
    assert_eq!(trace["findings"].as_array().unwrap().len(), 0, "{name}: {}", trace["findings"]);
    let lines = trace["lines"].as_array().unwrap().iter().map(|line| line["line"].as_u64().unwrap()).collect();
    let printed = trace["printed"].as_array().unwrap().iter();
    (lines, printed.flat_map(|of| of["values"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap())).collect())
}

/// A function prints these numbers, and its trace has the line with this text.
fn check(file: &str, name: &str, options: &str, wanted: &[f64], text: &str) {
    let (lines, found) = found(file, name, options);
    let is_near = |(found, wanted): (&f64, &f64)| (found - wanted).abs() <= 1e-5 * wanted.abs();
    let is_right = found.len() == wanted.len() && found.iter().zip(wanted).all(is_near);
    assert!(is_right, "{name}: {found:?}, not {wanted:?}");
    let source = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python").join(file)).unwrap();
    let line = 1 + source.lines().position(|line| line.contains(text)).unwrap() as u64;
    assert!(lines.contains(&line), "{name}: {lines:?}, without {line}");
}

/// The last three shares of 100 numbers, each 1 more than the one before.
fn shares() -> [f64; 3] {
    let sum: f64 = (0..100).map(|i| f64::from(-i).exp()).sum();
    [-2.0_f64, -1.0, 0.0].map(|x| x.exp() / sum)
}

#[test]
fn gluons_functions_are_right_and_lead_to_their_lines() {
    let copy =
        "--grid 2 --buffer x=1000:f32:iota --buffer out=1000 --arg n=1000 --const BLOCK=512 --print out:997..1000";
    check(GLUON, "copy", copy, &[997.0, 998.0, 999.0], "gl.store(out + i, gl.load");
    let total = "--grid 2 --buffer x=200:f32:iota --buffer out=2 --arg n=100 --const BLOCK=128 --print out";
    check(GLUON, "total", total, &[4950.0, 14950.0], "gl.sum(v, 0)");
    let softmax = "--grid 2 --buffer x=200:f32:iota --buffer out=200 --arg n=100 --const BLOCK=128 --print out:97..100";
    check(GLUON, "softmax", softmax, &shares(), "e = gl.exp(v");
    let product = "--grid 1 --buffer a=512:f32:iota --buffer b=512:f32:1 --buffer c=256 --const K=32 --print c:15..17";
    check(GLUON, "product", product, &[496.0, 496.0 + 32.0 * 32.0], "acc += ");
}

#[test]
fn cutiles_kernels_are_right_and_lead_to_their_lines() {
    let copy = "--grid 4 --buffer x=1024:f32:iota --buffer out=1024 --const BLOCK=256 --print out:1021..1024";
    check(CUTILE, "copy", copy, &[1021.0, 1022.0, 1023.0], "t = ct.load(x, index=(i,), shape=(BLOCK,))");
    let total = "--grid 4 --buffer x=1024:f32:iota --buffer out=4 --const BLOCK=256 --print out";
    check(CUTILE, "total", total, &[32640.0, 98176.0, 163_712.0, 229_248.0], "tile=ct.sum(t, 0");
    let softmax = "--grid 4 --buffer x=4x100:f32:iota --buffer out=4x100 --const BLOCK=128 --print out:97..100";
    check(CUTILE, "softmax", softmax, &shares(), "e = ct.exp(t");
    let product = "--grid 2,2 --buffer a=128x64:f16:iota --buffer b=64x128:f16:1 --buffer c=128x128 --const T=64 --print c:127..129";
    check(CUTILE, "product", product, &[2016.0, 2016.0 + 64.0 * 64.0], "ct.mma(x, y, acc)");
    let hopper = trace(CUTILE, "copy", "--grid 1 --buffer x=256 --buffer out=256 --const BLOCK=256 --target sm_90");
    assert!(hopper.code == 2 && hopper.err.contains("tensor maps"), "{}", hopper.err);
}

/// `softmax.ncu-rep`: ncu 2025.3.1 on an H200, 2026-11-29, `ncu --metrics … -k softmax` of a softmax of 64 rows of 1,000 floats in Triton 3.6.
#[test]
fn a_report_of_the_profilers_is_put_beside_the_trace() {
    let softmax = "--grid 64 --buffer x=64000 --buffer out=64000 --arg n=1000 --const BLOCK=1024 --target sm_90 --json";
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");
    let args = format!("counters softmax.ncu-rep {GLUON}::softmax {softmax}");
    let run = warpbook_in(&folder, &args.split(' ').collect::<Vec<_>>());
    let found = run.json();
    assert_eq!(found["kernel"], "softmax", "{}", run.err);
    let sectors: Vec<&Value> =
        found["counters"].as_array().unwrap().iter().filter(|of| of["counter"] == "global load sectors").collect();
    assert_eq!((&sectors[0]["hardware"], &sectors[0]["traced"]), (&8000.into(), &8000.into()), "{found}");
    let junk = tempfile::tempdir().unwrap();
    fs::write(junk.path().join("k.ncu-rep"), "junk").unwrap();
    let none = warpbook_in(junk.path(), &["counters", "k.ncu-rep", "coalescing/copy"]);
    assert!(none.code == 2 && none.err.contains("no launch was profiled"), "{}", none.err);
}

/// A file that does more than define: it imports what is not there, and ends the program.
const PROGRAM: &str = r#"import torch
import triton
import triton.language as tl

SCALE = tl.constexpr(3)
TABLE = {"BLOCK": 64}


@triton.autotune(configs=[triton.Config({"BLOCK": 128}, num_warps=2)], key=["n"])
@triton.jit
def scale(x, out, n, stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, SCALE * tl.load(x + i * stride, mask=i < n))


@triton.jit
def wrong(x, n):
    tl.store(x + n, FACTOR)


def launch(x: torch.Tensor):
    scale[(1,)](x, x, x.numel(), 1)


FACTOR = tl.constexpr(float(open("factor").read()))
raise SystemExit("this file was executed")
"#;

#[test]
fn a_file_is_not_executed_and_says_what_its_functions_need() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("k.py"), PROGRAM).unwrap();
    let run = |args: &str| warpbook_in(folder.path(), &args.split(' ').collect::<Vec<_>>());
    // A stride of 1 becomes a constant, and the parameters keep their names.
    let launch = "trace k.py::scale --grid 8 --buffer x=1000 --buffer out=1000 --arg n=1000 --arg stride=1 --json";
    let traced = run(launch);
    assert_eq!(traced.code, 1, "{}", traced.err);
    let trace = traced.json();
    assert_eq!(trace["warps"], 16, "two warps a program, by the first configuration");
    let finding = &trace["findings"][0];
    assert_eq!((&finding["kind"], &finding["line"]), (&"out_of_bounds".into(), &13.into()), "{finding}");
    assert!(finding["message"].as_str().unwrap().contains("`out`"), "{finding}");
    let none = run("trace k.py");
    assert!(none.code == 2 && none.err.contains("scale, wrong; k.py::NAME"), "{}", none.err);
    let missing = run("trace k.py::scale --grid 8 --buffer x=1000");
    assert!(missing.code == 2 && missing.err.contains("3 more arguments"), "{}", missing.err);
    assert!(missing.err.contains("--arg n=VALUE (a number) or --buffer n="), "{}", missing.err);
    let unknown = run("trace k.py::wrong --grid 1 --buffer x=64 --arg n=3");
    assert!(
        unknown.code == 2 && unknown.err.contains("k.py:18:1: error") && unknown.err.contains("--run"),
        "{}",
        unknown.err
    );
    // Ways to have the file's own code run: none is taken.
    for code in [
        "def evil():\n    open('ran', 'w')\n    return 1\nX = evil()",
        "def evil(of):\n    open('ran', 'w')\n    return of\n@evil\ndef f(): pass",
        "def f(*of: open('ran', 'w')): pass",
        "def f(x=open('ran', 'w')): pass",
        "import typing\nX = typing.sys.modules['os'].system('touch ran')",
        "from triton.runtime.build import subprocess\nX = subprocess.check_output(['touch', 'ran'])",
        "@triton.autotune(configs=[triton.Config({}).__class__.__init__.__globals__['__builtins__']['exec'](\"open('ran', 'w')\")], key=[])\ndef f(): pass",
    ] {
        let text = PROGRAM.replace("SCALE =", &format!("{code}\nSCALE ="));
        fs::write(folder.path().join("evil.py"), text).unwrap();
        let traced = run(&launch.replace("k.py", "evil.py"));
        assert_eq!(traced.code, 1, "{code}: {}", traced.err);
        assert!(!folder.path().join("ran").exists(), "{code}");
    }
    fs::write(
        folder.path().join("at.py"),
        PROGRAM.replace("SCALE =", "@triton.constexpr_function\ndef f(): pass\nSCALE ="),
    )
    .unwrap();
    let at = run(&launch.replace("k.py", "at.py"));
    assert!(at.code == 2 && at.err.contains("runs code while it is compiled"), "{}", at.err);
    let executed = run("trace k.py::wrong --grid 1 --buffer x=64 --arg n=3 --run");
    assert!(executed.code == 2 && !executed.err.contains("only definitions"), "{}", executed.err);
}
