//! Files that kernels include: what is shown is what is compiled, in the pack, on the command line and in the window.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::warpbook_in;
use warpbook::base::parts::parts;
use warpbook::lesson::PackFiles;
use warpbook::session;
use warpbook::simt::Program;

/// The paths of all files below `shaders/`.
fn shaders(files: &PackFiles) -> BTreeSet<String> {
    files.list("shaders").into_iter().collect()
}

#[test]
fn a_kernels_text_is_its_file_and_those_that_it_includes() {
    let files = PackFiles::Folder(Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf());
    let (pack, problems) = session::load(&files);
    assert_eq!(problems, []);
    let mut read = BTreeSet::new();
    let mut includes = 0;
    for kernel in pack.lessons.iter().flat_map(|lesson| &lesson.kernels) {
        let twin = kernel.twin().map(|twin| (twin.file.as_str(), &*twin.source));
        for (file, text) in std::iter::once((kernel.file(), &**kernel.source())).chain(twin) {
            for part in parts(text) {
                let path = part.file.unwrap_or(file);
                assert_eq!(part.text.trim_end(), files.read(path).unwrap().trim_end(), "{path} in {file}");
                includes += usize::from(part.file.is_some());
                read.insert(path.to_owned());
            }
        }
    }
    assert!(includes > 20, "{includes} files are included");
    // No file is left over, but those that measure a device's ceilings, and those between ranks.
    let is_tool = |file: &&String| file.contains("/ceilings/") || file.contains("/ranks/");
    // PTX lies beside the twin that it was compiled from.
    let is_ptx = |file: &&String| file.strip_suffix(".ptx.gz").is_some_and(|stem| read.contains(&format!("{stem}.cu")));
    let all = shaders(&files);
    let left: Vec<&String> = all.difference(&read).filter(|file| !is_tool(file) && !is_ptx(file)).collect();
    assert_eq!(left, Vec::<&String>::new());
}

const KERNEL: &str = "// #include \"twice.wgsl\"\n@group(0) @binding(0) var<storage, read_write> a: array<f32>;\n\
    @compute @workgroup_size(32)\nfn main(@builtin(local_invocation_index) i: u32) {\n    a[i] = twice(i);\n}\n";
const PART: &str = "// Twice an element.\nfn twice(i: u32) -> f32 {\n    return 2.0 * a[i];\n}\n";

/// A folder with a kernel and what it includes.
fn folder(part: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("k.wgsl"), KERNEL).unwrap();
    fs::write(folder.path().join("twice.wgsl"), part).unwrap();
    folder
}

const TRACE: [&str; 6] = ["trace", "k.wgsl", "--grid", "1", "--buffer", "a=32"];

#[test]
fn the_command_line_traces_a_file_with_what_it_includes() {
    let folder = folder(PART);
    let run = warpbook_in(folder.path(), &[&TRACE[..], &["--json"]].concat());
    assert_eq!(run.code, 0, "{}", run.err);
    let trace = run.json();
    assert_eq!(trace["global"]["load"]["requests"], 1);
    // The kernel has six lines; the seventh names the file whose lines follow.
    assert_eq!(trace["parts"], serde_json::json!([{"file": "twice.wgsl", "first": 8, "lines": 4}]));
    assert!(trace["lines"].as_array().unwrap().iter().any(|line| line["line"] == 10 && line["sectors"] == 4));
    let text = warpbook_in(folder.path(), &TRACE).out;
    assert!(text.contains("twice.wgsl:3"), "{text}");
}

#[test]
fn what_is_wrong_is_said_at_the_line_of_its_own_file() {
    let wrong = |part: &str| warpbook_in(folder(part).path(), &TRACE).err;
    let unknown = wrong(&PART.replace("a[i]", "b[i]"));
    assert!(unknown.starts_with("twice.wgsl:3:18: error"), "{unknown}");
    let beyond = wrong(&PART.replace("a[i]", "a[i + 1u]"));
    assert!(beyond.contains("\nline twice.wgsl:3: index 32 is past the end"), "{beyond}");
    let cycle = wrong("// #include \"k.wgsl\"\n");
    assert!(cycle.starts_with("twice.wgsl:1:14: error: `k.wgsl` includes itself"), "{cycle}");
    let outside = wrong("\n// #include \"../twice.wgsl\"\n");
    assert!(
        outside.starts_with("twice.wgsl:2:14: error: `../twice.wgsl` is not a file in this folder or below it"),
        "{outside}"
    );
    let missing = wrong("// #include \"none.wgsl\"\n");
    assert!(missing.starts_with("twice.wgsl:1:14: error: there is no file none.wgsl"), "{missing}");
}

#[test]
fn a_packs_findings_name_the_part() {
    let pack = tempfile::tempdir().unwrap();
    assert_eq!(warpbook_in(pack.path(), &["new", "tiny", "--pack", "."]).code, 0);
    let shaders = pack.path().join("shaders/tiny");
    let kernel = fs::read_to_string(shaders.join("copy.wgsl")).unwrap();
    assert_eq!(kernel.matches("src[i]").count(), 1, "{kernel}");
    let including = format!("{}// #include \"element.wgsl\"\n", kernel.replace("src[i]", "element(i)"));
    fs::write(shaders.join("copy.wgsl"), including).unwrap();
    let check = |part: &str| {
        fs::write(shaders.join("element.wgsl"), part).unwrap();
        warpbook_in(pack.path(), &["check", "."])
    };
    let good = check("fn element(i: u32) -> f32 {\n    return src[i];\n}\n");
    assert_eq!(good.code, 0, "{}", good.err);
    let beyond = check("fn element(i: u32) -> f32 {\n    return src[i + 1u];\n}\n");
    assert!(beyond.code == 2 && beyond.err.contains("shaders/tiny/element.wgsl:2:"), "{}", beyond.err);
    let broken = check("fn element(i: u32) -> f32 {\n    return scr[i];\n}\n");
    assert!(broken.code == 2 && broken.err.contains("shaders/tiny/element.wgsl:2:12: error"), "{}", broken.err);
    fs::remove_file(shaders.join("element.wgsl")).unwrap();
    let missing = warpbook_in(pack.path(), &["check", "."]);
    let said = "there is no file shaders/tiny/element.wgsl";
    assert!(missing.code == 2 && missing.err.contains("copy.wgsl:") && missing.err.contains(said), "{}", missing.err);
}

#[test]
fn lines_of_a_part_are_the_programs_own() {
    // The texts that a trace counts are those that are shown: line 10 of what is compiled is line 3 of the part.
    let text = format!("{KERNEL}// ==== twice.wgsl ====\n{PART}");
    let broken = text.replace("2.0 * a[i]", "2.0 * b[i]");
    let problems = Program::compile("k.wgsl", &broken, "main", &[]).unwrap_err();
    assert!(problems[0].to_string().starts_with("twice.wgsl:3:18: error"), "{}", problems[0]);
}
