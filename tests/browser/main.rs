//! The site in a browser: `cargo test --test browser`. It needs node and Chromium. `WARPBOOK_LESSONS` names lessons, with spaces between,
//! if not all are to be read; coalescing must be among them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use warpbook::lesson::{Lesson, PackFiles, Step};
use warpbook::session;
use warpbook::session::pack::carried::carried;
use warpbook::session::show::page::{Asked, Opened, Page};

/// By page, the texts in its prose and the counts of its stage; null where no stage plays.
fn expected(root: &Path) -> BTreeMap<String, Value> {
    let (pack, _) = session::load(&PackFiles::Embedded);
    let written = pack.lessons.iter().filter(|lesson| root.join(&lesson.id).is_dir());
    written.flat_map(|lesson| of_lesson(root, lesson)).collect()
}

fn of_lesson(root: &Path, lesson: &Lesson) -> Vec<(String, Value)> {
    let mut page = Page::default();
    let mut ask = |asked: &Asked| -> Opened {
        serde_json::from_str(&page.answer(&serde_json::to_string(asked).unwrap())).unwrap()
    };
    let files = carried(&PackFiles::Embedded, &lesson.id);
    ask(&Asked::Pack { lesson: lesson.id.clone(), warp_width: 32, seed: 1, files });
    let folder = root.join(&lesson.id);
    let names: Vec<String> =
        fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.file_name().into_string().unwrap()).collect();
    let mut of_step = |(place, step): (usize, &Step)| {
        let name = names.iter().find(|name| name.starts_with(&format!("{}-", place + 1))).unwrap();
        let text = fs::read_to_string(folder.join(name).join("index.html")).unwrap();
        let explorers = text.matches("&quot;explore&quot;:").count();
        // A stage that plays names its step.
        let said = if text.contains("&quot;step&quot;:") {
            let opened = ask(&Asked::Open { step: step.id.clone(), set: Vec::new() });
            assert_eq!(opened.problems, Vec::<String>::new(), "{}", step.id);
            json!({ "live": opened.live, "counts": opened.counts, "explorers": explorers })
        } else {
            json!({ "live": null, "counts": null, "explorers": explorers })
        };
        (format!("{}/{name}/", lesson.id), said)
    };
    lesson.steps.iter().enumerate().map(&mut of_step).collect()
}

#[test]
fn a_reader_in_a_browser_has_the_programs_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    let program = env!("CARGO_BIN_EXE_warpbook");
    let lessons = std::env::var("WARPBOOK_LESSONS").unwrap_or_default();
    let export = Command::new(program).args(["export", "--site"]).arg(&site).args(lessons.split_whitespace()).status();
    assert!(export.unwrap().success());
    let file = folder.path().join("expected.json");
    fs::write(&file, serde_json::to_string(&expected(&site)).unwrap()).unwrap();
    let mut server = Command::new(program);
    let mut server = server.arg("serve").arg(&site).args(["--port", "0"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/book.mjs");
    let read = Command::new("node").arg(script).arg(address.trim()).arg(&file).status();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(read.expect("install node").success());
}
