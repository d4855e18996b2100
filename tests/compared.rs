//! `warpbook diff`, `assert` and `counters`: kernels beside each other, beside conditions, and beside a profile.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Run, warpbook_in};

const STRAIGHT: &str = "@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x] = src[id.x];
}
";

const BUFFERS: [&str; 6] = ["--grid", "4", "--buffer", "src=2048", "--buffer", "dst=256:zero"];

/// Both kernels in a folder: the second one loads with a stride of 8.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.wgsl"), STRAIGHT).unwrap();
    fs::write(folder.path().join("b.wgsl"), STRAIGHT.replace("src[id.x]", "src[id.x * 8u]")).unwrap();
    folder
}

fn run(folder: &Path, args: &[&str]) -> Run {
    warpbook_in(folder, args)
}

fn figure<'a>(output: &'a Value, name: &str) -> Option<&'a Value> {
    output["figures"].as_array()?.iter().find(|figure| figure["name"] == name)
}

#[test]
fn a_difference_names_counts_and_lines() {
    let folder = folder();
    let done = run(folder.path(), &[&["diff", "a.wgsl", "b.wgsl", "--json"], &BUFFERS[..]].concat());
    assert_eq!(done.code, 0, "{}", done.err);
    let output = done.json();
    let sectors = figure(&output, "load sectors").unwrap();
    assert_eq!((&sectors["before"], &sectors["after"]), (&json!(32.0), &json!(256.0)));
    let lines = output["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!((&lines[0]["before"]["line"], &lines[0]["after"]["counts"]["sectors"]), (&json!(4), &json!(288)));
    assert!(output["predicted"][0]["high_s"].as_f64() < output["predicted"][1]["high_s"].as_f64());
    // The same kernel, launched otherwise.
    let half =
        run(folder.path(), &[&["diff", "a.wgsl", "a.wgsl", "--json", "--then", "--grid 2"], &BUFFERS[..]].concat());
    let output = half.json();
    assert_eq!(figure(&output, "load requests").unwrap()["after"], json!(4.0));
    let text = run(folder.path(), &[&["diff", "a.wgsl", "b.wgsl"], &BUFFERS[..]].concat()).out;
    assert!(text.contains("× 8.00") && text.contains("+   4      dst[id.x] = src[id.x * 8u];"), "{text}");
}

#[test]
fn a_lessons_kernel_takes_the_text_of_a_file() {
    let folder = folder();
    let shader = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders/one_loop/each.wgsl")).unwrap();
    fs::write(folder.path().join("mine.wgsl"), format!("// mine\n{shader}")).unwrap();
    let done = run(folder.path(), &["diff", "one_loop/each", "one_loop/each=mine.wgsl", "--json"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.json()["figures"].as_array().unwrap().iter().all(|figure| figure["before"] == figure["after"]));
    let wrong = run(folder.path(), &["trace", "one_loop/each=none.wgsl"]);
    assert!(wrong.code == 2 && wrong.err.contains("cannot read none.wgsl"), "{}", wrong.err);
    let unknown = run(folder.path(), &["trace", "one_loop/nothing=mine.wgsl"]);
    assert!(unknown.code == 2 && unknown.err.contains("no kernel `nothing`"), "{}", unknown.err);
}

#[test]
fn conditions_hold_or_fail_with_an_exit_code() {
    let folder = folder();
    let conditions = ["conflicts == 0", "load.sectors_per_request <= 4", "races == 0"];
    let of = |file: &str, more: &[&str]| run(folder.path(), &[&["assert", file], more, &BUFFERS[..]].concat());
    let holds = of("a.wgsl", &conditions);
    assert_eq!((holds.code, holds.out.lines().count()), (0, 3), "{}{}", holds.out, holds.err);
    let fails = of("b.wgsl", &[&conditions[..], &["--junit", "out.xml"]].concat());
    assert_eq!(fails.code, 1);
    assert!(
        fails.out.contains("fails  load.sectors_per_request <= 4  (load.sectors_per_request is 32)"),
        "{}",
        fails.out
    );
    let xml = fs::read_to_string(folder.path().join("out.xml")).unwrap();
    let suite = roxmltree::Document::parse(&xml).unwrap();
    let root = suite.root_element();
    assert_eq!((root.attribute("tests"), root.attribute("failures")), (Some("3"), Some("1")));
    for (wrong, advice) in
        [("conflict == 0", "did you mean `conflicts`?"), ("conflicts", "compares no figure"), ("1 +", "")]
    {
        let refused = of("a.wgsl", &[wrong]);
        assert!(refused.code == 2 && refused.err.contains(advice), "{}", refused.err);
    }
    // A trace that does not cover the grid proves nothing.
    fs::write(folder.path().join("wild.wgsl"), STRAIGHT.replace("dst[id.x]", "dst[id.x + 250u]")).unwrap();
    let wild = of("wild.wgsl", &["out_of_bounds == 0"]);
    assert!(wild.code == 1 && wild.out.starts_with("fails"), "{}{}", wild.out, wild.err);
}

#[test]
fn a_profile_is_compared_counter_by_counter() {
    let folder = folder();
    let head = "\"ID\",\"Kernel Name\",\"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum\",\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\"";
    let row =
        |sectors: &str| format!("{head}\n\"\",\"\",\"\",\"sector\"\n\"0\",\"main(float*)\",\"8\",\"{sectors}\"\n");
    let of = |text: String, more: &[&str]| {
        fs::write(folder.path().join("p.csv"), text).unwrap();
        run(folder.path(), &[&["counters", "p.csv", "a.wgsl"], more, &BUFFERS[..]].concat())
    };
    let equal = of(row("32"), &["--json"]);
    assert_eq!(equal.code, 0, "{}", equal.err);
    let counters = equal.json()["counters"].clone();
    assert_eq!(counters.as_array().unwrap().len(), 2);
    assert!(counters.as_array().unwrap().iter().all(|counter| counter["verdict"] == "equal"), "{counters}");
    let other = of(row("40"), &[]);
    assert!(other.code == 1 && other.out.contains("not explained"), "{}", other.out);
    let none = of("a,b\n1,2\n".to_owned(), &[]);
    assert!(none.code == 2 && none.err.contains("ncu --csv --page raw"), "{}", none.err);
    let larger = row("32").replace("\"Kernel Name\"", "\"Kernel Name\",\"Grid Size\"");
    let larger = larger.replace("\"\",\"\",\"\",\"sector\"", "\"\",\"\",\"\",\"\",\"sector\"");
    let larger = larger.replace("\"main(float*)\"", "\"main(float*)\",\"(8, 1, 1)\"");
    let refused = of(larger.clone(), &[]);
    assert!(
        refused.code == 2 && refused.err.contains("the profiled grid is 8,1,1, and the traced one 4,1,1"),
        "{}",
        refused.err
    );
    assert_eq!(of(larger, &["--launch", "1"]).code, 0);
    let later = of(row("32"), &["--launch", "2"]);
    assert!(later.code == 2 && later.err.contains("there is no launch 2"), "{}", later.err);
}
