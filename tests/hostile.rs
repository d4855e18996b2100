//! Input that means harm or makes no sense, through the command line: it is refused in words, and what goes on standard
//! output stays whole.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{Run, warpbook_in};

/// A pack of one small lesson in `folder`, and the file of it at `path`.
fn pack(folder: &Path, path: &str) -> PathBuf {
    let new = warpbook_in(folder, &["new", "one", "--pack", "pack"]);
    assert_eq!(new.code, 0, "{}", new.err);
    folder.join("pack").join(path)
}

fn replace(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert_eq!(text.matches(from).count(), 1, "{from}");
    fs::write(file, text.replace(from, to)).unwrap();
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// The problems that `check` reports of the pack.
fn check(folder: &Path) -> Run {
    warpbook_in(folder, &["check", "pack"])
}

#[test]
fn pipes_devices_and_large_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fifo(&folder.join("pipe.wgsl"));
    fs::File::create(folder.join("large.wgsl")).unwrap().set_len(9 << 20).unwrap();
    fs::write(folder.join("bytes.wgsl"), [0xFF]).unwrap();
    for (file, why) in [
        ("pipe.wgsl", "not a regular file"),
        ("/dev/zero", "not a regular file"),
        ("large.wgsl", "larger than 8 MiB"),
        ("bytes.wgsl", "not UTF-8"),
    ] {
        let run = warpbook_in(folder, &["trace", file, "--grid", "1"]);
        assert!(run.code == 2 && run.err.contains(why), "{file}: {}", run.err);
    }
    let index = pack(folder, "lessons/index.ron");
    fs::remove_file(&index).unwrap();
    fifo(&index);
    let new = warpbook_in(folder, &["new", "two", "--pack", "pack"]);
    assert!(new.code == 2 && new.err.contains("not a regular file"), "{}", new.err);
    assert!(!folder.join("pack/lessons/two").exists());
}

#[test]
fn a_state_file_that_is_a_pipe_does_not_hold_up_a_note() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    pack(folder, "");
    fs::create_dir_all(folder.join(".local/share/warpbook")).unwrap();
    fifo(&folder.join(".local/share/warpbook/state.ron"));
    let run = warpbook_in(folder, &["--pack", "pack", "export", "one", "--backend", "simt", "--format", "md"]);
    assert!(run.code == 0 && run.err.contains("not a regular file"), "{}", run.err);
}

#[test]
fn links_do_not_lead_out_of_a_pack() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = pack(folder, "lessons/one/text.md");
    fs::rename(&text, folder.join("outside.md")).unwrap();
    symlink(folder.join("outside.md"), &text).unwrap();
    let list = warpbook_in(folder, &["--pack", "pack", "list"]);
    assert!(list.code == 2 && list.err.contains("a link out of the pack"), "{}", list.err);
}

#[test]
fn elements_are_counted_behind_a_header() {
    let folder = tempfile::tempdir().unwrap();
    let shader = "struct S { n: u32, d: array<u32> }\n@group(0) @binding(0) var<storage, read_write> r: S;\n\
        @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {\n\
        r.d[i] = i;\nif i == 0u { r.n = arrayLength(&r.d); }\n}";
    fs::write(folder.path().join("s.wgsl"), shader).unwrap();
    let args = ["trace", "s.wgsl", "--grid", "1", "--buffer", "r=32", "--print", "r:0..1", "--json"];
    let run = warpbook_in(folder.path(), &args);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.json()["printed"][0]["values"][0], 32.0);
    let past = ["trace", "s.wgsl", "--grid", "1", "--buffer", "r=31"];
    assert!(warpbook_in(folder.path(), &past).err.contains("index 31 is past the end of `r`"));
}

#[test]
fn an_index_below_zero_is_before_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let shader = "@group(0) @binding(0) var<storage, read_write> r: array<u32>;\n\
        @compute @workgroup_size(1) fn main(@builtin(local_invocation_index) i: u32) { r[i32(i) - 5] = 1u; }";
    fs::write(folder.path().join("s.wgsl"), shader).unwrap();
    let run = warpbook_in(folder.path(), &["trace", "s.wgsl", "--grid", "1", "--buffer", "r=8"]);
    assert!(run.err.contains("index -5 is before the start of `r`"), "{}", run.err);
}

#[test]
fn a_full_standard_error_does_not_cost_the_results() {
    let folder = tempfile::tempdir().unwrap();
    pack(folder.path(), "");
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_warpbook"))
        .args(["--pack", "pack", "run", "one", "--backend", "simt", "--json"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(full)
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(0));
    let json: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(json["lesson"], "one");
}

#[test]
fn nothing_steers_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    replace(&pack(folder, "lessons/one/lesson.ron"), "title: \"One\"", "title: \"O\u{1b}[31mne\"");
    for args in [vec!["--pack", "pack", "list"], vec!["run", "a\u{1b}[31m"], vec!["a\u{1b}[31m"]] {
        let run = warpbook_in(folder, &args);
        assert!(!(run.out + &run.err).contains('\u{1b}'), "{args:?}");
    }
}

#[test]
fn check_finds_figures_that_make_no_sense() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let lesson = pack(folder, "lessons/one/lesson.ron");
    let good = fs::read_to_string(&lesson).unwrap();
    let many: String = (0..1001).map(|i| format!("(id: \"v{i}\", label: \"v\", expr: \"1\"),\n")).collect();
    for (from, to, wanted) in [
        ("bytes: \"moved\"", "bytes: \"0-1\"", "`0-1` is -1, which is negative"),
        ("(\"as long\", 1)", "(\"as long\", NaN)", "no answer can be NaN"),
        ("values: [\n", &format!("values: [\n{many}"), "`values` has 1002 entries, and the maximum is 1000"),
    ] {
        replace(&lesson, from, to);
        let run = check(folder);
        assert!(run.code == 2 && run.err.contains(wanted), "{to}: {}", run.err);
        fs::write(&lesson, &good).unwrap();
    }
    let device = folder.join("pack/assets/devices/odd.ron");
    fs::create_dir_all(device.parent().unwrap()).unwrap();
    fs::write(&device, "(").unwrap();
    let run = check(folder);
    assert!(run.code == 2 && run.err.contains("odd.ron"), "{}", run.err);
}

#[test]
fn where_nothing_can_be_written_is_said_first() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    pack(folder, "");
    fs::write(folder.join("file"), "").unwrap();
    let run = warpbook_in(folder, &["--pack", "pack", "export", "one", "-o", "file"]);
    assert!(run.code == 2 && run.err.starts_with("error: file is no folder"), "{}", run.err);
    let run = warpbook_in(folder, &["--pack", "pack", "shot", "one", "-o", "none/deep/a.png"]);
    assert!(run.code == 2 && run.err.contains("there is no folder none/deep"), "{}", run.err);
    assert!(!folder.join("none").exists());
}

/// A pack whose only check compares with a reference of these arguments.
fn checked(folder: &Path, check: &str) -> PathBuf {
    let lesson = pack(folder, "lessons/one/lesson.ron");
    let text = fs::read_to_string(&lesson).unwrap();
    let begin = text.find("check: (").unwrap();
    let end = begin + text[begin..].find("),\n").unwrap();
    fs::write(&lesson, format!("{}check: ({check}{}", &text[..begin], &text[end..])).unwrap();
    lesson
}

#[test]
fn a_check_has_bounds_and_checks_something() {
    for (against, why) in [
        (
            "reference: \"matmul\", args: {\"m\": \"0\", \"n\": \"2^50\", \"k\": \"0\"}, inputs: {\"a\": \"src\", \"b\": \"src\"}",
            "this check covers no element of `dst`",
        ),
        (
            "reference: \"softmax\", args: {\"rows\": \"0\", \"cols\": \"n\"}, inputs: {\"x\": \"src\"}",
            "this check covers no element of `dst`",
        ),
        (
            "reference: \"trained\", args: {\"bytes\": \"1e15\", \"words\": \"1\", \"pattern\": \"0\", \"rule\": \"0\", \"learn\": \"512\"}, inputs: {\"packed\": \"src\"}",
            "the arguments of `trained` are too large",
        ),
        ("formula: \"src[i] + 0 * sum(k, 2^53, 2^53 + 4, 1)\"", "is the greatest number that it can count to"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        checked(folder.path(), &format!("output: \"dst\", {against}, tolerance: 0"));
        for run in
            [check(folder.path()), warpbook_in(folder.path(), &["--pack", "pack", "run", "one", "--backend", "simt"])]
        {
            assert!([1, 2].contains(&run.code) && run.err.contains(why), "{against}: {} {}", run.code, run.err);
        }
    }
}

#[test]
fn infinite_numbers_are_right_where_they_should_be() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    pack(folder, "");
    let mut elements = vec![1.0_f32; 1024];
    elements[..3].copy_from_slice(&[f32::INFINITY, f32::NEG_INFINITY, f32::NAN]);
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1024,), }\n";
    let length = u16::try_from(header.len()).unwrap().to_le_bytes();
    let data: Vec<u8> = elements.iter().flat_map(|element| element.to_le_bytes()).collect();
    fs::write(folder.join("inf.npy"), [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), &data].concat()).unwrap();
    let run = warpbook_in(
        folder,
        &["--pack", "pack", "run", "one", "--backend", "simt", "--input", "src=inf.npy", "--set", "n=1024"],
    );
    assert_eq!(run.code, 0, "{}", run.err);
}

#[test]
fn what_is_written_and_printed_for_machines_steers_no_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let title = "O\u{9b}31m\u{1b}]0;x\u{7}ne";
    replace(&pack(folder, "lessons/one/lesson.ron"), "title: \"One\"", &format!("title: \"{title}\""));
    let list = warpbook_in(folder, &["--pack", "pack", "list", "--json"]);
    assert!(!list.out.contains('\u{9b}') && list.out.contains("\\u009b"), "{}", list.out);
    assert_eq!(list.json()[0]["title"], title);
    let note = ["--pack", "pack", "export", "one", "--backend", "simt", "--format", "md,html,csv", "-o", "notes"];
    let run = warpbook_in(folder, &note);
    assert_eq!(run.code, 0, "{}", run.err);
    let mut folders = vec![folder.join("notes")];
    let mut read = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r');
            assert!(!text.contains(steers), "{}", path.display());
            read += 1;
        }
    }
    assert!(read > 2, "{read} files");
}
