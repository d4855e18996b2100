//! The module of the notes that play: it answers as the program does.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use warpbook::lesson::PackFiles;
use warpbook::notes::page;
use warpbook::session::pack::carried::carried;
use warpbook::session::show::page::{Asked, Framed, Opened, Page};

/// Builds the module, and writes it with the fingerprint of its sources.
fn write(root: &Path) {
    let target = root.join("target/page");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--package", "warpbook-page", "--profile", "page", "--target", "wasm32-unknown-unknown"])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(root)
        .status()
        .unwrap();
    assert!(built.success(), "install the target: rustup target add wasm32-unknown-unknown");
    let module = std::fs::read(target.join("wasm32-unknown-unknown/page/warpbook_page.wasm")).unwrap();
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&module).unwrap();
    std::fs::create_dir_all(root.join("assets/page")).unwrap();
    std::fs::write(root.join(page::MODULE), packed.finish().unwrap()).unwrap();
    std::fs::write(root.join(page::FINGERPRINT), format!("{}\n", page::fingerprint(root).unwrap())).unwrap();
}

#[test]
fn the_module_answers_as_the_program_does() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("WARPBOOK_WRITE_PAGE").is_some() {
        write(root);
    }
    let mut module = Vec::new();
    GzDecoder::new(std::fs::File::open(root.join(page::MODULE)).unwrap()).read_to_end(&mut module).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.wasm");
    std::fs::write(&file, module).unwrap();
    let mut node = Command::new("node")
        .arg(root.join("tests/page/module.mjs"))
        .arg(&file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("install node");
    let (mut questions, mut answers) = (node.stdin.take().unwrap(), BufReader::new(node.stdout.take().unwrap()));
    let mut there = |asked: &str| {
        writeln!(questions, "{asked}").unwrap();
        let mut line = String::new();
        answers.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    };
    // Pages of several lessons, with figures of several clocks.
    let pages = [("coalescing", 1), ("tiling", 4), ("softmax", 8), ("moe", 2), ("tokenization", 2), ("zero", 4)];
    let (pack, _) = warpbook::session::load(&PackFiles::Embedded);
    let mut moved = BTreeMap::new();
    for (id, number) in pages {
        let lesson = pack.lessons.iter().find(|lesson| lesson.id == id).unwrap();
        let mut here = Page::default();
        let files = carried(&PackFiles::Embedded, id);
        let begin = Asked::Pack { lesson: id.to_owned(), warp_width: 32, seed: 7, files };
        let open = Asked::Open { step: lesson.steps[number].id.clone(), set: Vec::new() };
        let [begin, open] = [begin, open].map(|asked| serde_json::to_string(&asked).unwrap());
        assert_eq!(there(&begin), here.answer(&begin), "{id}");
        let (far, near) = (there(&open), here.answer(&open));
        let opened: Opened = serde_json::from_str(&near).unwrap();
        assert_eq!(serde_json::from_str::<Opened>(&far).unwrap(), opened, "{id} {number}");
        assert_eq!(opened.problems, Vec::<String>::new(), "{id} {number}");
        let frame = Asked::Frame { position: 0.99, size: [720.0, 440.0], pointer: Some([300.0, 200.0]) };
        let frame = serde_json::to_string(&frame).unwrap();
        let [far, near] =
            [there(&frame), here.answer(&frame)].map(|text| serde_json::from_str::<Framed>(&text).unwrap());
        assert!(far.svg.starts_with("<svg"), "{id} {number}");
        assert_eq!((far.tip, far.svg.len()), (near.tip, near.svg.len()), "{id} {number}");
        moved.insert(id, opened.ticks);
    }
    assert!(moved.values().filter(|ticks| **ticks > 1).count() >= 3, "{moved:?}");
    drop(questions);
    assert!(node.wait().unwrap().success());
}
