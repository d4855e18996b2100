//! The lessons as a site: its pages lead to each other, say what the module says, and are safe with anybody's lessons.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use warpbook::lesson::PackFiles;
use warpbook::session;
use warpbook::session::pack::carried::carried;
use warpbook::session::show::page::{Asked, Opened, Page};

use crate::common::{spoilt_copy, warpbook_in};

/// The texts between two marks.
fn between<'a>(text: &'a str, begin: &str, end: &'a str) -> Vec<&'a str> {
    text.split(begin).skip(1).filter_map(|rest| rest.split(end).next()).collect()
}

/// All pages of a site.
fn pages(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "html") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn every_link_leads_somewhere_and_every_value_is_the_modules() {
    let folder = tempfile::tempdir().unwrap();
    let run =
        warpbook_in(folder.path(), &["export", "--site", "book", "one_loop", "--address", "https://example.org/b/"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let root = folder.path().join("book");
    let pages = pages(&root);
    let (pack, _) = session::load(&PackFiles::Embedded);
    let lesson = pack.lessons.iter().find(|lesson| lesson.id == "one_loop").unwrap();
    assert_eq!(pages.len(), lesson.steps.len() + 2);
    for page in &pages {
        let text = fs::read_to_string(page).unwrap();
        let document = text.strip_prefix("<!DOCTYPE html>\n").unwrap();
        roxmltree::Document::parse(document).unwrap_or_else(|why| panic!("{}: {why}", page.display()));
        let links = [between(&text, "href=\"", "\""), between(&text, "src=\"", "\"")].concat();
        let within = links.into_iter().filter(|link| !link.starts_with('#') && !link.contains(':'));
        for link in within.collect::<BTreeSet<_>>() {
            let target = page.parent().unwrap().join(link);
            // Other lessons are not written here.
            let is_there = target.exists() || lesson.presupposes.iter().any(|other| link.contains(other));
            assert!(is_there, "{} leads to {link}", page.display());
        }
    }
    let mut module = Page::default();
    let mut ask = |asked: &Asked| -> Opened {
        serde_json::from_str(&module.answer(&serde_json::to_string(asked).unwrap())).unwrap()
    };
    let files = carried(&PackFiles::Embedded, "one_loop");
    ask(&Asked::Pack { lesson: "one_loop".to_owned(), warp_width: 32, seed: 1, files });
    let mut values = 0;
    for (place, step) in lesson.steps.iter().enumerate() {
        let folder = fs::read_dir(root.join("one_loop")).unwrap().flatten().map(|entry| entry.path());
        let name = format!("{}-", place + 1);
        let page =
            folder.into_iter().find(|path| path.file_name().unwrap().to_string_lossy().starts_with(&name)).unwrap();
        let text = fs::read_to_string(page.join("index.html")).unwrap();
        let shown: Vec<&str> =
            between(&text, "<output", "</output>").into_iter().map(|part| part.split_once('>').unwrap().1).collect();
        let opened = ask(&Asked::Open { step: step.id.clone(), set: Vec::new() });
        // A step without a trace has no module that knows better.
        if opened.problems.is_empty() {
            assert_eq!(opened.live, shown, "{}", step.id);
            values += shown.len();
        }
    }
    assert!(values > 5, "{values}");
    let map = fs::read_to_string(root.join("sitemap.txt")).unwrap();
    assert!(
        map.lines().count() == lesson.steps.len() + 1 && map.starts_with("https://example.org/b/one_loop/1-"),
        "{map}"
    );
}

#[test]
fn a_folder_with_other_things_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/diary.txt"), "mine").unwrap();
    let run = warpbook_in(folder.path(), &["export", "--site", "mine", "one_loop"]);
    assert!(run.code == 2 && run.err.contains("no site of Warpbook"), "{} {}", run.code, run.err);
    assert_eq!(fs::read_dir(folder.path().join("mine")).unwrap().count(), 1);
    let run = warpbook_in(folder.path(), &["export", "--site", "new", "no_such_lesson"]);
    assert!(run.code == 2 && !folder.path().join("new").exists(), "{} {}", run.code, run.err);
}

#[test]
fn a_strangers_lesson_runs_no_script() {
    let title =
        "\"><script>alert(1)</script><img src=x onerror=alert(1)> \u{e000}<b>\u{e002} \u{e000}k=1\u{e001}x\u{e002}";
    let good = session::load(&PackFiles::Folder("tests/packs/good".into())).0;
    let lesson = good.lessons.first().unwrap();
    let file = format!("lessons/{}/lesson.ron", lesson.id);
    let escaped = title.replace('"', "\\\"");
    let copy =
        spoilt_copy("good", &[(&file, &format!("title: \"{}\"", lesson.title), &format!("title: \"{escaped}\""))])
            .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let pack = copy.path().display().to_string();
    let run = warpbook_in(folder.path(), &["--pack", &pack, "export", "--site", "book", &lesson.id]);
    let pages = pages(&folder.path().join("book"));
    assert!(pages.len() > 2, "{}", run.err);
    let mut seen = 0;
    for page in pages {
        let text = fs::read_to_string(page).unwrap();
        let policy = between(&text, "Content-Security-Policy\" content=\"", "\"")[0];
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self' 'wasm-unsafe-eval'"));
        let scripts = between(&text, "<script", ">");
        let own = |tag: &&str| tag.contains("book.js") || tag.contains("play.js") || tag.contains("application/json");
        assert!(scripts.iter().all(own), "{scripts:?}");
        assert!(!text.contains("<img") && !text.contains("<b>"));
        // Its private-use characters are no marks: what the page's script reads is JSON.
        assert!(!text.contains(['\u{e000}', '\u{e001}', '\u{e002}']));
        let data = between(&text, "id=\"page\">", "</script>");
        assert!(data.iter().all(|data| serde_json::from_str::<serde_json::Value>(data).is_ok()), "{data:?}");
        seen += usize::from(text.contains("&lt;script&gt;alert(1)"));
    }
    assert!(seen > 1, "the title is on the pages");
}

#[test]
fn a_served_site_is_for_this_machine_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("index.html"), "<p>here</p>").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_warpbook"))
        .args(["serve", ".", "--port", "0"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut address = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
    let address = address.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let ask = |request: &str, host: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "{request} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let answers = [
        (ask("GET /", &address), "200 OK"),
        (ask("GET /?stride=8", "localhost:80"), "<p>here</p>"),
        (ask("GET /nothing", &address), "404"),
        (ask("GET /../../etc/passwd", &address), "404"),
        (ask("POST /", &address), "405"),
        (ask("GET /", "evil.example"), "403"),
        (ask("", &address), "405"),
    ];
    child.kill().unwrap();
    child.wait().unwrap();
    for (answer, wanted) in answers {
        assert!(answer.contains(wanted), "{wanted}: {answer}");
    }
}
