//! The module of the notes that play: it answers as the program does.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;
use tempfile::TempDir;
use warpbook::lesson::PackFiles;
use warpbook::notes::page;
use warpbook::session::pack::carried::carried;
use warpbook::session::show::page::{Asked, Framed, Opened, Page};

/// The module of these sources.
fn built(root: &Path) -> Vec<u8> {
    let target = root.join("target/page");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--package", "warpbook-page", "--profile", "page", "--target", "wasm32-unknown-unknown"])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(root)
        .status()
        .unwrap();
    assert!(built.success(), "install the target: rustup target add wasm32-unknown-unknown");
    std::fs::read(target.join("wasm32-unknown-unknown/page/warpbook_page.wasm")).unwrap()
}

/// The module that notes get.
fn kept(root: &Path) -> Vec<u8> {
    let mut module = Vec::new();
    GzDecoder::new(std::fs::File::open(root.join(page::MODULE)).unwrap()).read_to_end(&mut module).unwrap();
    module
}

/// Makes a module the one that notes get.
fn keep(root: &Path, module: &[u8]) {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(module).unwrap();
    std::fs::write(root.join(page::MODULE), packed.finish().unwrap()).unwrap();
}

/// A module that node runs.
struct Node {
    child: Child,
    answers: BufReader<ChildStdout>,
    _folder: TempDir,
}

impl Node {
    fn run(root: &Path, module: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("page.wasm");
        std::fs::write(&file, module).unwrap();
        let mut child = Command::new("node")
            .arg(root.join("tests/page/module.mjs"))
            .arg(&file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("install node");
        let answers = BufReader::new(child.stdout.take().unwrap());
        Self { child, answers, _folder: folder }
    }

    fn answer(&mut self, asked: &str) -> String {
        writeln!(self.child.stdin.as_mut().unwrap(), "{asked}").unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().unwrap().success());
    }
}

fn begin(lesson: &str) -> String {
    let files = carried(&PackFiles::Embedded, lesson);
    serde_json::to_string(&Asked::Pack { lesson: lesson.to_owned(), warp_width: 32, seed: 7, files }).unwrap()
}

fn open(step: &str) -> String {
    serde_json::to_string(&Asked::Open { step: step.to_owned(), set: Vec::new() }).unwrap()
}

fn frame(pointer: [f32; 2]) -> String {
    let frame = Asked::Frame { position: 0.99, size: [720.0, 440.0], pointer: Some(pointer) };
    serde_json::to_string(&frame).unwrap()
}

#[test]
fn the_module_answers_as_the_program_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let module = built(root);
    if std::env::var_os("WARPBOOK_WRITE_PAGE").is_some() {
        keep(root, &module);
    }
    let mut there = Node::run(root, &module);
    // Pages of several lessons, with figures of several clocks, and one of predicted times.
    let pages = [
        ("coalescing", 1),
        ("tiling", 4),
        ("softmax", 8),
        ("moe", 2),
        ("tokenization", 2),
        ("zero", 4),
        ("one_step", 0),
    ];
    let (pack, _) = warpbook::session::load(&PackFiles::Embedded);
    let mut moved = BTreeMap::new();
    for (id, number) in pages {
        let lesson = pack.lessons.iter().find(|lesson| lesson.id == id).unwrap();
        let mut here = Page::default();
        let (begin, open) = (begin(id), open(&lesson.steps[number].id));
        assert_eq!(there.answer(&begin), here.answer(&begin), "{id}");
        let (far, near) = (there.answer(&open), here.answer(&open));
        let opened: Opened = serde_json::from_str(&near).unwrap();
        assert_eq!(serde_json::from_str::<Opened>(&far).unwrap(), opened, "{id} {number}");
        assert_eq!(opened.problems, Vec::<String>::new(), "{id} {number}");
        let frame = frame([300.0, 200.0]);
        let [far, near] =
            [there.answer(&frame), here.answer(&frame)].map(|text| serde_json::from_str::<Framed>(&text).unwrap());
        assert!(far.svg.starts_with("<svg"), "{id} {number}");
        assert_eq!((far.tip, far.svg.len()), (near.tip, near.svg.len()), "{id} {number}");
        moved.insert(id, opened.ticks);
    }
    assert!(moved.values().filter(|ticks| **ticks > 1).count() >= 3, "{moved:?}");
    there.end();
}

#[test]
fn the_kept_module_plays_each_lesson_or_says_why_it_cannot() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut there = Node::run(root, &kept(root));
    let (pack, _) = warpbook::session::load(&PackFiles::Embedded);
    for lesson in &pack.lessons {
        there.answer(&begin(&lesson.id));
        // Of an earlier release it may have other fields.
        let opened: Value = serde_json::from_str(&there.answer(&open(&lesson.steps[0].id))).unwrap();
        let problems = opened["problems"].as_array().unwrap();
        if problems.is_empty() {
            let frame: Value = serde_json::from_str(&there.answer(&frame([100.0, 100.0]))).unwrap();
            assert!(frame["svg"].as_str().unwrap().starts_with("<svg"), "{}", lesson.id);
        } else {
            assert!(problems.iter().all(|problem| !problem.as_str().unwrap().is_empty()), "{}", lesson.id);
        }
    }
    there.end();
}
