//! The command line as scripts use it: shapes of JSON, exit codes, and what is said on which stream.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use crate::common::{devices, driver, warpbook, warpbook_in};

fn kernel(name: &str) -> String {
    format!("{}/tests/kernels/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn names_lists_what_conditions_can_use() {
    let names = warpbook(&["names", "--json"]).json();
    let first = &names["counters"][0];
    assert_eq!((&first["name"], &first["path"]), (&"load_requests".into(), &"global.load.requests".into()), "{names}");
    assert_eq!((&first["unit"], first["ncu"][0].as_array().map(Vec::len)), (&"1".into(), Some(1)));
    assert_eq!(names["findings"][0]["name"], "out_of_bounds");
    assert!(warpbook(&["names"]).out.contains("load_bytes (B)\n    bytes that lanes ask for\n"));
}

#[test]
fn list_names_the_lessons() {
    let run = warpbook(&["list", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let lessons = run.json();
    assert_eq!((&lessons[0]["id"], &lessons[1]["id"]), (&"one_loop".into(), &"text_to_ids".into()));
    assert!(lessons[0]["needs"].as_array().is_some_and(|n| !n.is_empty()));
    assert!(warpbook(&["list"]).out.contains("Memory coalescing"));
}

#[test]
fn run_gives_the_documented_shape() {
    let run =
        warpbook(&["run", "coalescing", "--backend", "simt", "--set", "stride=2", "--kernel", "strided", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    assert_eq!((json["lesson"].as_str(), json["backend"].as_str()), (Some("coalescing"), Some("simt")));
    assert_eq!(json["params"]["stride"], 2);
    assert_eq!(json["seed"], 1);
    let kernel = &json["kernels"][0];
    assert_eq!(kernel["ok"], true);
    assert_eq!(kernel["check"]["elements"], 1_048_576);
    assert_eq!(kernel["check"]["max_rel_error"], 0.0);
    assert!(kernel["time"].is_null() && kernel["bytes_per_s"].is_null());
    assert_eq!(kernel["trace"]["global"]["load"]["sectors"], 262_144);
    assert_eq!(kernel["trace"]["complete"], true);
    for field in
        ["warps", "lane_ops", "warp_instructions", "shared", "branches", "barriers", "lines", "findings", "seconds"]
    {
        assert!(!kernel["trace"][field].is_null(), "{field}");
    }
    assert_eq!(json["values"]["load_sectors_per_request"], 8.0);
    assert!(json["warnings"].is_array());
}

#[test]
fn warps_are_as_wide_as_asked_for() {
    let run = |command: &[&str], warp: &str| {
        let args =
            ["coalescing", "--kernel", "strided", "--backend", "simt", "--set", "n=65536", "--warp", warp, "--json"];
        warpbook(&[command, &args].concat())
    };
    for (warp, sectors) in [("8", 1), ("16", 2), ("64", 8)] {
        let json = run(&["run"], warp).json();
        let load = &json["kernels"][0]["trace"]["global"]["load"];
        let requests = load["requests"].as_u64().unwrap();
        assert_eq!(load["sectors"], requests * sectors, "{warp} lanes");
        assert_eq!(json["warp_width"].to_string(), warp);
    }
    let swept = run(&["sweep", "--over", "stride=1,2"], "8").json();
    assert_eq!(swept["warp_width"], 8);
    assert_eq!(swept["points"][1]["trace"]["global"]["load"]["sectors"], 2 * 65536 / 8);
    assert_eq!(run(&["run"], "12").code, 2);
}

#[test]
fn run_has_the_counts_beside_the_times_in_tables_that_fit() {
    let backends: &[&str] = if driver(&devices()) { &["simt", "wgpu"] } else { &["simt"] };
    for backend in backends {
        let args = ["run", "tiling", "--kernel", "shared_tile", "--backend", backend];
        let run = warpbook(&args);
        assert_eq!(run.code, 0, "{}", run.err);
        let mut tables =
            run.out.lines().filter(|line| ["kernel ", "traced ", "shared_tile "].iter().any(|n| line.starts_with(n)));
        assert!(tables.all(|line| line.chars().count() <= 100), "{}", run.out);
        assert!(run.out.contains("load sectors") && run.out.contains("262,144"), "{}", run.out);
        let json = warpbook(&[&args[..], &["--json"]].concat()).json();
        assert_eq!(json["kernels"][0]["trace"]["global"]["load"]["sectors"], 262_144);
    }
}

#[test]
fn sweep_gives_a_row_a_point() {
    let args = ["sweep", "coalescing", "--over", "stride=1,2,4", "--kernel", "strided", "--backend", "simt"];
    let table = warpbook(&args);
    assert!(table.out.lines().all(|line| line.chars().count() <= 100), "{}", table.out);
    assert!(table.out.contains("load sectors") && !table.out.contains("median"), "no empty column: {}", table.out);
    let args = ["sweep", "coalescing", "--over", "stride=1,2,4", "--kernel", "strided", "--backend", "simt", "--csv"];
    let run = warpbook(&args);
    assert_eq!(run.code, 0, "{}", run.err);
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].starts_with("stride,kernel,ok,median_s"));
    assert!(lines[3].starts_with("4,strided,true,") && lines[3].contains("524288"));
}

#[test]
fn trace_takes_any_file() {
    let (file, folder) = (kernel("strided.wgsl"), tempfile::tempdir().unwrap());
    let film = folder.path().join("film.svg").display().to_string();
    let run = warpbook(&[
        "trace",
        &file,
        "--film",
        &film,
        "--grid",
        "4096",
        "--const",
        "stride=8",
        "--buffer",
        "input=8388608",
        "--buffer",
        "output=1048576",
        "--json",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    assert_eq!(json["global"]["load"]["requests"], 32_768);
    assert_eq!(json["global"]["load"]["sectors"], 1_048_576);
    assert_eq!(json["global"]["store"]["sectors"], 131_072);
    let film = fs::read_to_string(film).unwrap();
    assert!(
        film.contains("load of input") && film.contains("store to output") && film.contains("@keyframes"),
        "{film}"
    );
}

/// The paper's figure: 7.5 billion parameters on 64 GPUs, optimizer sliced.
#[test]
fn zero_fit_counts_the_bytes_of_a_rank() {
    let run = warpbook(&["zero-fit", "--params", "7.5e9", "--ranks", "64", "--stage", "1", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    assert_eq!(json["model_state_bytes_per_rank"], 31_406_250_000_u64);
    assert_eq!(json["tensors"]["master"], 468_750_000);
    for wrong in [["0", "8", "1"], ["many", "8", "1"], ["7B", "0", "1"], ["7B", "8", "4"]] {
        let run = warpbook(&["zero-fit", "--params", wrong[0], "--ranks", wrong[1], "--stage", wrong[2]]);
        assert_eq!(run.code, 2, "{wrong:?}: {}", run.err);
    }
}

#[test]
fn bad_usage_and_bad_input_exit_with_two_and_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        warpbook::base::store::write_atomic(&path, text.as_bytes()).unwrap();
        path.display().to_string()
    };
    let header = "@group(0) @binding(0) var<storage, read_write> a: array<f32>;\n";
    let torn = file("torn.wgsl", "@compute @workgroup_size(1)\nfn main( {");
    let untyped = file("untyped.wgsl", &format!("{header}@compute @workgroup_size(1)\nfn main() {{ a[0] = 1u; }}"));
    let several = file("two.wgsl", "@compute @workgroup_size(1) fn one() {}\n@compute @workgroup_size(1) fn two() {}");
    let good = file("good.wgsl", &format!("{header}@compute @workgroup_size(1)\nfn main() {{ a[0] = 1.0; }}"));
    let cases: Vec<(Vec<&str>, &str)> = vec![
        (vec!["dance"], "unrecognized subcommand"),
        (vec!["run", "coalesing"], "did you mean `coalescing`"),
        (vec!["run", "coalescing", "--kernel", "stride"], "did you mean `strided`"),
        (vec!["run", "coalescing", "--set", "strid=2"], "did you mean `stride`"),
        (vec!["run", "coalescing", "--set", "stride=99"], "a whole number from 1 to 32"),
        (vec!["run", "coalescing", "--backend", "cuda"], "CUDA"),
        (vec!["sweep", "coalescing", "--over", "block=33", "--backend", "simt"], "one of 32, 64"),
        (vec!["trace", "nowhere.wgsl", "--grid", "1"], "cannot read nowhere.wgsl"),
        (vec!["trace", &torn, "--grid", "1"], "torn.wgsl:2:"),
        (vec!["trace", &untyped, "--grid", "1", "--buffer", "a=1"], "untyped.wgsl:3:"),
        (vec!["trace", &several, "--grid", "1"], "--entry: one, two"),
        (vec!["trace", &several, "--grid", "1", "--entry", "tow"], "did you mean `two`"),
        (vec!["trace", &good, "--buffer", "a=1"], "--grid"),
        (vec!["trace", &good, "--grid", "1"], "--buffer a=COUNT"),
        (vec!["trace", &good, "--grid", "1", "--buffer", "b=1"], "no buffer `b`"),
        (vec!["trace", &good, "--grid", "1", "--buffer", "a=1", "--const", "N=1"], "`N`"),
        (vec!["trace", &good, "--grid", "0"], "is no whole number from 1 on"),
        (vec!["trace", &good, "--grid", "1", "--buffer", "a=4", "--explain", "a"], "BUFFER[INDEX]"),
        (vec!["trace", &good, "--grid", "1", "--buffer", "a=4", "--explain", "result[0]"], "written to: a"),
        (vec!["trace", &good, "--grid", "1", "--buffer", "a=4", "--explain", "a[4]"], "32 bits: 0 to 3"),
        (vec!["trace", "coalescing/strided", "--explain", "src[0]"], "written to: dst"),
        (vec!["bench", "--kernel", "coalescing/copi"], "did you mean `copy`?"),
        (vec!["check", "no-such-pack"], "no-such-pack is no folder"),
        (vec!["check", "."], "index.ron"),
        (vec!["new", "Bad Name"], "Bad Name"),
        (vec!["shot", "coalescing", "--step", "99", "-o", "x.png"], "step"),
        (vec!["export", "coalescing", "--format", "docx"], "docx"),
    ];
    for (args, said) in cases {
        let run = warpbook_in(folder.path(), &args);
        assert_eq!(run.code, 2, "{args:?}: {}", run.err);
        assert!(run.err.contains(said), "{args:?} says: {}", run.err);
        assert!(run.out.is_empty(), "{args:?} writes to standard output: {}", run.out);
    }
}

#[test]
fn a_kernel_that_does_wrong_is_told_with_its_line_and_exits_with_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.wgsl");
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<f32>;\n\
                @compute @workgroup_size(32)\n\
                fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n    a[id.x + 8u] = 1.0;\n}\n";
    warpbook::base::store::write_atomic(&path, text.as_bytes()).unwrap();
    let run = warpbook(&["trace", &path.display().to_string(), "--grid", "1", "--buffer", "a=32", "--json"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let json = run.json();
    assert_eq!((&json["findings"][0]["kind"], &json["findings"][0]["line"]), (&"out_of_bounds".into(), &4.into()));
}

#[test]
fn races_are_told_by_trace_with_both_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("exchange.wgsl");
    let run = |barrier: &str| {
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n\
             var<workgroup> s: array<u32, 64>;\n\
             @compute @workgroup_size(64)\n\
             fn main(@builtin(local_invocation_index) i: u32) {{\n    s[i] = i;\n    {barrier}\n    a[i] = s[i ^ 1u];\n}}\n"
        );
        warpbook::base::store::write_atomic(&path, text.as_bytes()).unwrap();
        warpbook(&["trace", &path.display().to_string(), "--grid", "1", "--buffer", "a=64", "--json"])
    };
    let racy = run("");
    assert_eq!(racy.code, 1, "{}", racy.err);
    let message = "local indices 1 and 0 of workgroup 0 race for word 1 (byte 4) of `s`: 0 reads it here, 1 wrote it at \
                   line 5, with no workgroupBarrier() between";
    let finding = serde_json::json!({ "kind": "race", "line": 7, "message": message });
    assert_eq!(racy.json()["findings"], serde_json::json!([finding]));
    assert!(racy.err.contains(&format!("line 7: {message}")), "{}", racy.err);
    let clean = run("workgroupBarrier();");
    assert_eq!((clean.code, clean.err.as_str()), (0, ""));
    assert_eq!(clean.json()["findings"], serde_json::json!([]));
}

#[test]
fn an_element_is_explained() {
    let trace = |more: &[&str]| {
        let args = ["trace", "coalescing/strided", "--const", "STRIDE=4", "--buffer", "src=4194304"];
        warpbook(&[&args, more].concat())
    };
    let run = trace(&["--explain", "dst[300]", "--explain", "dst[0]", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    assert_eq!(json["global"]["load"]["sectors"], 524_288, "the trace is what it was");
    let origin = &json["provenance"][0];
    assert_eq!((&origin["buffer"], &origin["index"]), (&"dst".into(), &300.into()));
    let writer = &origin["writer"];
    let place = ["workgroup", "warp", "lane", "line", "writes"].map(|field| writer[field].as_u64());
    assert_eq!(place, [1, 1, 12, 21, 1].map(Some));
    assert_eq!(writer["local_id"], serde_json::json!([44, 0, 0]));
    let load = &writer["loads"][0];
    assert_eq!((&load["buffer"], &load["index"], &load["line"]), (&"src".into(), &1200.into(), &20.into()));
    assert_eq!((&load["lane"], &load["role"]), (&12.into(), &"value".into()));
    assert_eq!(load["value"]["bits"], origin["value"]["bits"]);
    assert_eq!(json["provenance"][1]["writer"]["loads"][0]["index"], 0);
    assert!(trace(&["--json"]).json()["provenance"].is_null(), "only where it was asked for");
    let told = trace(&["--explain", "dst[300]", "--warp", "8"]);
    assert!(told.out.contains("dst[300] = "), "{}", told.out);
    assert!(
        told.out.contains("written at line 21 by lane 4 of warp 5, local id (44, 0, 0), workgroup 1"),
        "{}",
        told.out
    );
    assert!(told.out.contains("from src[1200] = "), "{}", told.out);
}

#[test]
fn a_read_of_what_nobody_wrote_is_told_by_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sum.wgsl");
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;\n\
                var<workgroup> s: array<u32, 32>;\n\
                @compute @workgroup_size(32)\n\
                fn main(@builtin(local_invocation_index) i: u32) {\n    s[i] += a[i];\n    a[i] = s[i];\n}\n";
    warpbook::base::store::write_atomic(&path, text.as_bytes()).unwrap();
    let run = warpbook(&["trace", &path.display().to_string(), "--grid", "1", "--buffer", "a=32", "--json"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let findings = &run.json()["findings"];
    assert_eq!(findings.as_array().map(Vec::len), Some(1), "{findings}");
    assert_eq!((&findings[0]["kind"], &findings[0]["line"]), (&"uninitialized".into(), &5.into()));
}

#[test]
fn cuda_is_missing_in_words_and_the_rest_goes_on() {
    let asked = warpbook(&["run", "coalescing", "--backend", "cuda", "--json"]);
    assert_eq!(asked.code, 2, "{}", asked.err);
    assert!(asked.out.is_empty(), "{}", asked.out);
    assert!(asked.err.contains("CUDA") && asked.err.contains("hint: "), "{}", asked.err);
    if cfg!(not(feature = "cuda")) {
        assert!(asked.err.contains("this build has no CUDA backend"), "{}", asked.err);
        return;
    }
    assert!(asked.err.contains("--backend wgpu or --backend simt"), "{}", asked.err);
    let report = warpbook(&["doctor", "--json"]).json();
    let backend = report["backends"].as_array().unwrap().iter().find(|b| b["backend"] == "cuda").unwrap();
    assert!(backend["device"].is_null() && backend["missing"].is_string() && backend["hint"].is_string(), "{backend}");
    let parts = report["cuda"].as_array().unwrap();
    let names: Vec<&str> = parts.iter().filter_map(|p| p["name"].as_str()).collect();
    assert_eq!(names, ["CUDA driver", "NVRTC", "cuBLAS", "NCCL", "ptxas", "nvdisasm"]);
    for part in parts {
        assert_eq!(part["found"] == false, part["hint"].is_string(), "{part}");
    }
    let other = warpbook(&["run", "coalescing", "--kernel", "copy", "--set", "n=1024", "--backend", "simt", "--json"]);
    assert_eq!(other.code, 0, "{}", other.err);
    let kernel = &other.json()["kernels"][0];
    assert!(kernel["compiled"].is_null() && kernel["library"].is_null() && kernel["ok"] == true, "{kernel}");
}

/// A pack of one small lesson, so that a device in software is done with it soon.
fn small_pack(folder: &Path) {
    let run = warpbook_in(folder, &["new", "small", "--pack", "pack"]);
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn the_bench_without_a_device_says_so_and_measures_the_tracer() {
    let folder = tempfile::tempdir().unwrap();
    small_pack(folder.path());
    let run = warpbook_in(folder.path(), &["--pack", "pack", "bench", "--backend", "cuda", "--json"]);
    assert_eq!(run.code, 2, "the backend that was asked for is not there: {}", run.err);
    let json = run.json();
    assert_eq!(json["devices"].as_array().map(Vec::len), Some(0));
    assert_eq!(json["missing"][0]["backend"], "cuda");
    assert!(json["missing"][0]["message"].is_string() && json["missing"][0]["hint"].is_string(), "{json}");
    let rows = json["tracer"].as_array().unwrap();
    assert!(!rows.is_empty());
    for row in rows {
        let (ops, seconds) = (row["lane_ops"].as_f64().unwrap(), row["seconds"].as_f64().unwrap());
        assert!(row["ok"] == true && ops > 0.0 && seconds > 0.0, "{row}");
        assert!((row["lane_ops_per_s"].as_f64().unwrap() / (ops / seconds) - 1.0).abs() < 1e-9, "{row}");
    }
    // Only what is named is measured.
    let traced = |more: &[&str]| {
        let bench = ["bench", "--backend", "cuda", "--kernel", "coalescing/copy", "--json"];
        let rows = warpbook(&[&bench, more].concat()).json()["tracer"].as_array().unwrap().clone();
        rows.iter().map(|row| row["kernel"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(traced(&["--kernel", "coalescing/vec4"]), ["copy", "vec4"]);
    assert!(traced(&["--no-tracer"]).is_empty());
    let table = warpbook_in(folder.path(), &["--pack", "pack", "bench", "--backend", "cuda"]);
    assert!(table.out.contains("cuda: no device: ") && table.out.contains("lane operations a second"), "{}", table.out);
}

#[test]
fn the_bench_and_a_recording_of_the_graphics_driver() {
    let folder = tempfile::tempdir().unwrap();
    small_pack(folder.path());
    let run = warpbook_in(folder.path(), &["--pack", "pack", "bench", "--backend", "wgpu", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    let recorded = warpbook_in(folder.path(), &["--pack", "pack", "record", "--backend", "wgpu"]);
    let Some(found) = json["devices"].get(0) else {
        // Without a driver both commands report that. Whether a driver is required is tested elsewhere.
        assert_eq!(json["missing"][0]["backend"], "wgpu");
        assert_eq!(recorded.code, 2, "{}", recorded.err);
        assert!(std::env::var_os("WARPBOOK_REQUIRE_GPU").is_none(), "{}", recorded.err);
        return;
    };
    assert!(found["device"]["name"].is_string() && found["ceilings"]["copy_bytes_per_s"].as_f64().unwrap() > 0.0);
    for kernel in found["kernels"].as_array().unwrap() {
        let (rate, time) = (&kernel["bytes_per_s"], &kernel["time"]);
        assert!(kernel["ok"] == true && rate.as_f64().unwrap() > 0.0 && time["median_s"].as_f64().unwrap() > 0.0);
        assert!(kernel["roofline"]["fraction"].as_f64().unwrap() > 0.0, "{kernel}");
    }
    assert_eq!(recorded.code, 0, "{}", recorded.err);
    let path = folder.path().join(recorded.out.trim());
    assert!(path.starts_with(folder.path().join("pack/assets/recordings")), "{}", path.display());
    let text = fs::read_to_string(&path).unwrap();
    let read = warpbook::session::experiment::recording::read("it", "it.ron", &text).unwrap();
    assert_eq!(read.backend, warpbook::trace::record::Backend::Wgpu);
    let points: usize = read.experiments.iter().flat_map(|e| &e.curves).map(|c| c.points.len()).sum();
    assert!(points > 1 && text.lines().filter(|l| l.contains("samples_s")).count() == points, "{text}");
    // The recording is part of the pack now.
    let files = warpbook::lesson::PackFiles::Folder(folder.path().join("pack"));
    let (pack, _) = warpbook::session::load(&files);
    let (recordings, problems) = warpbook::session::experiment::recording::load(&files, &pack);
    assert_eq!((recordings.len(), problems.len()), (1, 0), "{problems:?}");
}

#[test]
fn a_new_lesson_passes_check() {
    let folder = tempfile::tempdir().unwrap();
    let run = warpbook_in(folder.path(), &["new", "my-lesson", "--pack", "pack"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let run = warpbook_in(folder.path(), &["check", "pack"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let run = warpbook_in(folder.path(), &["new", "my-lesson", "--pack", "pack"]);
    assert_eq!(run.code, 2, "a lesson that is there is not overwritten");
    let run = warpbook_in(folder.path(), &["--pack", "pack", "list"]);
    assert!(run.out.contains("my-lesson"), "{}", run.out);
    let run = warpbook_in(folder.path(), &["new", "another", "--pack", "pack"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(warpbook_in(folder.path(), &["check", "pack"]).code, 0);
}

#[test]
fn without_a_window_it_writes_the_site_and_says_how_to_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let run = warpbook_in(folder.path(), &[]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("neither WAYLAND_DISPLAY nor DISPLAY is set"), "{}", run.err);
    assert!(run.out.contains("warpbook serve site"), "{}", run.out);
    // Each lesson is named as soon as it can be read.
    let lessons = run.err.lines().filter_map(|line| line.rsplit_once(": ")).filter(|(_, page)| page.ends_with(".html"));
    let pages: Vec<&str> = lessons.map(|(_, page)| page).collect();
    assert!(pages.len() > 4 && pages.iter().all(|page| folder.path().join(page).is_file()), "{}", run.err);
}

#[test]
fn the_ledger_goes_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let shown = warpbook_in(folder.path(), &["ledger", "--md"]);
    let written = warpbook_in(folder.path(), &["ledger", "-o", "ledger.md"]);
    assert_eq!((shown.code, written.code, written.out.as_str()), (0, 0, ""), "{}{}", shown.err, written.err);
    assert_eq!(fs::read_to_string(folder.path().join("ledger.md")).unwrap(), shown.out);
    let json = warpbook_in(folder.path(), &["ledger", "--json", "-o", "ledger.json"]);
    let text = fs::read_to_string(folder.path().join("ledger.json")).unwrap();
    let ledger: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(json.code == 0 && ledger["concepts"].is_array(), "{text}");
}

#[test]
fn times_are_predicted_for_the_device_asked_for() {
    let run = warpbook(&["run", "coalescing", "--backend", "simt", "--kernel", "transpose_tiled", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let predicted = &run.json()["kernels"][0]["predicted"];
    assert_eq!(
        (predicted["device"]["id"].as_str(), predicted["device"]["this_machine"].as_bool()),
        (Some("h200-sxm"), Some(false))
    );
    let (low, high) = (predicted["low_s"].as_f64().unwrap(), predicted["high_s"].as_f64().unwrap());
    // 8 MiB at 4.8 TB/s after an empty launch in a CUDA graph, 0.79 us; 1,081,344 wavefronts on 132 SMs at 1.98 GHz, and 1024 blocks in 0.97
    // waves of 132 x 8.
    assert!((low / (8.0 * 1024.0 * 1024.0 / 4.8e12 + 0.79e-6) - 1.0).abs() < 1e-9, "{low}");
    let terms = predicted["terms"].as_array().unwrap();
    let end = |of: &str| terms.iter().find(|term| term["of"] == of).and_then(|term| term["high_s"].as_f64()).unwrap();
    assert!((end("shared_memory") / (1_081_344.0 / (132.0 * 1.98e9) * 1056.0 / 1024.0) - 1.0).abs() < 1e-9);
    let sum: f64 = terms.iter().filter_map(|term| term["high_s"].as_f64()).sum();
    assert!((high / sum - 1.0).abs() < 1e-9, "{high}");
    assert_eq!(
        (predicted["occupancy"]["blocks_per_sm"].as_u64(), predicted["waves"]["blocks"].as_u64()),
        (Some(8), Some(1024))
    );
    assert!(predicted["assumptions"].as_array().is_some_and(|a| a.iter().all(|s| s["text"].is_string())));
    assert!(predicted["error"].is_null());

    // The help names the device that is modelled where none is given.
    let default = warpbook(&["trace", "coalescing/copy", "--json"]).json()["predicted"]["device"]["id"].clone();
    for (command, before) in [("run", "where it is known, else"), ("trace", "assets/devices/ names it;")] {
        let help = warpbook(&[command, "--help"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(help.contains(&format!("{before} {}", default.as_str().unwrap())), "{help}");
    }

    // A thirty-second of the lanes a block are 32 times as many blocks to start.
    let bound = |block: &str| {
        let set = format!("block={block}");
        warpbook(&["trace", "coalescing/copy", "--json", "--set", &set]).json()["predicted"]["terms"]
            .as_array()
            .and_then(|terms| terms.iter().find(|term| term["of"] == "blocks")?["low_s"].as_f64())
    };
    assert!(bound("32").zip(bound("1024")).is_some_and(|(narrow, wide)| (narrow / wide - 32.0).abs() < 1e-6));

    let run = warpbook(&["predict", "one_loop", "--most-work", "1e6"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.out.contains("loop, lanes = 65,536")
            && run.out.contains("no prediction: its work is more than --most-work 1e6"),
        "{}",
        run.out
    );
    assert!(
        run.out.lines().last().is_some_and(|line| line.starts_with("all") && line.contains("100.0 %")),
        "{}",
        run.out
    );
    for wrong in [["predict", "one_lop"], ["predict", "--most-work=nan"], ["predict", "--most-work=-1"]] {
        assert_eq!(warpbook(&wrong).code, 2, "{wrong:?}");
    }
    let nothing = warpbook(&["predict", "one_loop", "--most-work", "0"]).out;
    assert!(nothing.lines().last().is_some_and(|line| line.contains('–') && !line.contains('%')), "{nothing}");

    let trace = ["trace", "coalescing/copy", "--json", "--device"];
    let run = warpbook(&[&trace[..], &["iris-xe-96"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    assert_eq!(json["global"]["load"]["sectors"], 131_072);
    assert!(json["predicted"]["low_s"].is_null() && json["predicted"]["waves"]["sms"] == 6);
    assert_eq!(json["predicted"]["missing"][1]["kind"], "bandwidth");
    let run = warpbook(&[&trace[..], &["rtx-409"]].concat());
    assert!(run.code == 2 && run.err.contains("did you mean `rtx-4090`?"), "{}", run.err);
}
