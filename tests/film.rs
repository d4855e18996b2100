//! `warpbook film`: pictures that move, and stills.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use crate::common::warpbook;

#[test]
fn the_readmes_moving_picture_is_what_the_program_writes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("warp.svg");
    let file = path.display().to_string();
    let run = warpbook(&["film", "coalescing", "--step", "3", "--size", "760x430", "-o", &file]);
    assert_eq!((run.code, run.out.trim()), (0, file.as_str()), "{}", run.err);
    let [made, kept] = [path, Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/warp.svg")]
        .map(|path| fs::read_to_string(path).unwrap());
    assert!(made == kept, "write it again: warpbook film coalescing --step 3 --size 760x430 -o docs/warp.svg");
}

#[test]
fn a_picture_is_shared_as_png_still_or_moving_on_a_card() {
    let folder = tempfile::tempdir().unwrap();
    let write = |step: &str, name: &str, card: bool| {
        let path = folder.path().join(name);
        let file = path.display().to_string();
        let mut args = vec!["film", "coalescing", "--step", step, "--size", "400x320", "-o", &file];
        args.extend(card.then_some("--card"));
        let run = warpbook(&args);
        assert_eq!(run.code, 0, "{}", run.err);
        image::open(&path).unwrap_or_else(|_| image::load_from_memory(&fs::read(&path).unwrap()).unwrap())
    };
    let plain = write("4", "still.png", false);
    let card = write("4", "card.png", true);
    assert_eq!((plain.width(), plain.height(), card.width()), (800, 640, 800));
    assert!(card.height() > plain.height());
    write("3", "moving.apng", false);
    let bytes = fs::read(folder.path().join("moving.apng")).unwrap();
    assert!(bytes.windows(4).filter(|chunk| chunk == b"fcTL").count() == 4);
}

#[test]
fn what_does_not_move_has_no_film() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("still.svg").display().to_string();
    // The bytes of a launch are a still.
    let run = warpbook(&["film", "coalescing", "--step", "4", "-o", &file]);
    assert!(run.code == 1 && run.err.contains("the picture of the step `time` does not move"), "{}", run.err);
    let run = warpbook(&["film", "coalescing", "--step", "99", "-o", &file]);
    assert!(run.code == 2 && run.err.contains("has no step 99"), "{}", run.err);
}
