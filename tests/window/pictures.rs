//! Pictures of the window beside those that were looked at and kept in `tests/pictures/`: one of each figure in both
//! themes, and one of each view.
//!
//! Both are compared at half their size, so that a font's edges do not decide. A picture that differs is written to
//! `target/pictures/`. Who has looked at it and wants it so keeps it:
//! `WARPBOOK_WRITE_PICTURES=1 cargo test --test window pictures::`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use egui::Key;
use egui_kittest::Harness;
use image::imageops::{FilterType, resize};
use image::{Rgb, RgbImage};

use warpbook::app::View;
use warpbook::figures::FIGURES;
use warpbook::job::Language;
use warpbook::lesson::{PackFiles, Variant};
use warpbook::session::desk::{Command, SettingCommand};
use warpbook::session::learn::saved::ThemeChoice;

use crate::harness::{Window, open, settle};

/// The line at the bottom says how long the tracer took, which is never the same.
const STATUS: u32 = 32;
/// Channels that differ by less look alike.
const ALIKE: u8 = 32;
/// The most of a picture that may differ: a caret, an edge, a letter that another version of a font sets elsewhere.
const SHARE: f64 = 0.004;

/// Actions before a picture is taken.
enum Then {
    Nothing,
    Do(Vec<Command>),
    Press(Key),
    Home,
}

/// A picture: its name, the lesson and the number of the step, the window's size, what to do there.
struct Shot(&'static str, &'static str, &'static str, [f32; 2], Then);

const USUAL: [f32; 2] = [1280.0, 800.0];
/// The stage's rectangle in a window of that size: left, top, width, height. Of a figure only that is compared, so that
/// a word of prose changes none.
const STAGE: [u32; 4] = [628, 48, 652, 376];

/// One of each figure, and of each explorer's picture; a test holds that no figure is missing.
fn figures() -> Vec<(&'static str, Shot)> {
    let show = |name: &str| Then::Do(vec![Command::ShowFigure(name.to_owned())]);
    vec![
        ("Warp", Shot("warp", "coalescing", "stride", USUAL, Then::Nothing)),
        ("Explore", Shot("maths", "softmax", "product", USUAL, Then::Nothing)),
        ("Explore", Shot("overflow", "softmax", "maximum", USUAL, Then::Nothing)),
        ("Explore", Shot("tensor-view", "coalescing", "view", USUAL, Then::Nothing)),
        ("Explore", Shot("registers", "tiling", "column", USUAL, Then::Nothing)),
        ("Explore", Shot("fragments", "tensor_cores", "fragments", USUAL, Then::Nothing)),
        ("Explore", Shot("formats", "tensor_cores", "formats", USUAL, Then::Nothing)),
        ("Explore", Shot("tile-order", "tensor_cores", "order", USUAL, Then::Nothing)),
        ("Matrices", Shot("matrices", "tiling", "tile", USUAL, Then::Nothing)),
        ("Heat", Shot("heat", "tiling", "sizes", USUAL, Then::Nothing)),
        ("Reduction", Shot("reduction", "softmax", "subgroups", USUAL, Then::Nothing)),
        ("Banks", Shot("banks", "coalescing", "padding", USUAL, Then::Nothing)),
        ("Sweeps", Shot("sweeps", "softmax", "sweeps", USUAL, Then::Nothing)),
        ("Bytes", Shot("bytes", "coalescing", "time", USUAL, Then::Nothing)),
        ("Ring", Shot("ring", "tensor_cores", "pipeline", USUAL, Then::Nothing)),
        ("Waves", Shot("waves", "tiling", "sizes", USUAL, show("Waves"))),
        ("Schedulers", Shot("schedulers", "coalescing", "schedulers", USUAL, Then::Nothing)),
        ("Roofline", Shot("roofline", "tiling", "block", USUAL, show("Roofline"))),
        ("Contents", Shot("buffers", "coalescing", "stride", USUAL, show("Contents"))),
        ("Scores", Shot("scores", "attention", "tile", USUAL, Then::Nothing)),
        ("Scores", Shot("scores-causal", "attention", "causal", USUAL, Then::Nothing)),
        ("Meter", Shot("meter", "attention", "three", USUAL, Then::Nothing)),
        ("Heads", Shot("heads", "attention", "heads", USUAL, Then::Nothing)),
        ("Pages", Shot("pages", "attention", "paged", USUAL, Then::Nothing)),
        ("Experts", Shot("experts", "moe", "eight", USUAL, Then::Nothing)),
        ("Shards", Shot("shards", "zero", "optimizer", USUAL, Then::Nothing)),
        ("Contents", Shot("bars", "moe", "buckets", USUAL, Then::Nothing)),
        ("Contents", Shot("lying-bar", "zero", "weight", USUAL, Then::Nothing)),
        ("Contents", Shot("tokens", "text_to_ids", "one_merge", USUAL, Then::Nothing)),
        ("Stairs", Shot("stairs", "moe", "starts", USUAL, Then::Nothing)),
        ("Dispatch", Shot("dispatch", "moe", "rows", USUAL, Then::Nothing)),
        ("Arrivals", Shot("arrivals", "moe", "others", USUAL, Then::Nothing)),
        ("Blocks", Shot("blocks", "moe", "products", USUAL, Then::Nothing)),
        ("Histogram", Shot("histogram", "moe", "experts_choose", USUAL, Then::Nothing)),
        ("Curves", Shot("curves", "zero", "two_gpus", USUAL, Then::Nothing)),
        ("Explore", Shot("code-points", "text_to_ids", "bytes", USUAL, Then::Nothing)),
        ("Explore", Shot("by-rank", "text_to_ids", "encode", USUAL, Then::Nothing)),
    ]
}

/// One of each view that is no figure.
fn views() -> Vec<Shot> {
    // All of it is in sight: how far a longer one is scrolled depends on when its check ends.
    let edit = "// Mine.\noverride N: u32 = 1048576; override STRIDE: u32 = 1; override OFFSET: u32 = 0;\noverride BLOCK: u32 = 256;\n\
                @group(0) @binding(0) var<storage, read> src: array<f32>;\n@group(0) @binding(1) var<storage, read_write> dst: array<f32>;\n\
                @compute @workgroup_size(BLOCK)\nfn main(@builtin(global_invocation_id) gid: vec3<u32>) {\n    dst[gid.x] = src[gid.x];\n}\n";
    let race = vec![Variant::plain("copy"), Variant::plain("vec4")];
    vec![
        Shot(
            "edited",
            "coalescing",
            "stride",
            [1600.0, 1000.0],
            Then::Do(vec![Command::TypeKernel(Language::Wgsl, edit.to_owned())]),
        ),
        Shot("race", "coalescing", "stride", [1600.0, 1000.0], Then::Do(vec![Command::SetBeside(race)])),
        Shot("stacked", "coalescing", "stride", [800.0, 600.0], Then::Nothing),
        Shot("large-plot", "tiling", "vectors", USUAL, Then::Press(Key::Num4)),
        Shot("start", "coalescing", "request", USUAL, Then::Home),
    ]
}

fn take(window: &mut Harness<'_, Window>, theme: ThemeChoice, whole: bool) -> Result<RgbImage, String> {
    window.state_mut().desk.command(Command::Set(SettingCommand::Theme(theme)));
    settle(window);
    picture(window, if whole { None } else { Some(STAGE) })
}

/// A part of the window as it is, at half its size; all but the line at the bottom if no part is named.
pub fn picture(window: &mut Harness<'_, Window>, part: Option<[u32; 4]>) -> Result<RgbImage, String> {
    let picture = image::DynamicImage::ImageRgba8(window.render()?).to_rgb8();
    let (width, height) = picture.dimensions();
    let [left, top, width, height] = part.unwrap_or([0, 0, width, height - STATUS]);
    let part = image::imageops::crop_imm(&picture, left, top, width, height).to_image();
    Ok(resize(&part, width / 2, height / 2, FilterType::Triangle))
}

/// The share of the pixels that do not look alike.
pub fn difference(a: &RgbImage, b: &RgbImage) -> f64 {
    if a.dimensions() != b.dimensions() {
        return 1.0;
    }
    let alike = |a: &Rgb<u8>, b: &Rgb<u8>| a.0.iter().zip(b.0).all(|(a, b)| a.abs_diff(b) < ALIKE);
    let differ = a.pixels().zip(b.pixels()).filter(|(a, b)| !alike(a, b)).count();
    differ as f64 / f64::from(a.width() * a.height())
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures")
}

/// Compares a picture with the one that is kept, or keeps it; what is wrong.
fn compare(name: &str, taken: &RgbImage) -> Option<String> {
    let kept = folder().join(format!("{name}.png"));
    if std::env::var_os("WARPBOOK_WRITE_PICTURES").is_some() {
        std::fs::create_dir_all(folder()).unwrap();
        taken.save(&kept).unwrap();
        return None;
    }
    let wanted = match image::open(&kept) {
        Ok(wanted) => wanted.to_rgb8(),
        Err(why) => return Some(format!("{name}: {why}")),
    };
    let share = difference(&wanted, taken);
    if share <= SHARE {
        return None;
    }
    let written = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/pictures");
    std::fs::create_dir_all(&written).unwrap();
    let written = written.join(format!("{name}.png"));
    taken.save(&written).unwrap();
    Some(format!("{name}: {:.1}% of it differs; what it is now: {}", 100.0 * share, written.display()))
}

#[test]
fn every_scene_has_a_picture() {
    let taken: BTreeSet<&str> = figures().iter().map(|(name, _)| *name).collect();
    // Series are drawn by the plot, and no built-in lesson keeps any.
    let all: BTreeSet<&str> =
        FIGURES.iter().map(|figure| figure.card().name).filter(|name| *name != "Rounds").collect();
    assert_eq!(taken, all);
}

#[test]
fn a_picture_that_differs_is_found() {
    let plain = RgbImage::from_pixel(100, 100, Rgb([20, 20, 20]));
    let mut other = plain.clone();
    (0..10).for_each(|x| (0..10).for_each(|y| other.put_pixel(x, y, Rgb([200, 20, 20]))));
    assert_eq!((difference(&plain, &plain), difference(&plain, &other)), (0.0, 0.01));
    assert_eq!(difference(&plain, &RgbImage::new(100, 99)), 1.0);
}

#[test]
fn pictures_are_as_they_were_kept() {
    let shots =
        figures().into_iter().map(|(_, shot)| (shot, false)).chain(views().into_iter().map(|shot| (shot, true)));
    let mut wrong = Vec::new();
    for (Shot(name, lesson, step, size, then), whole) in shots {
        let state = tempfile::tempdir().unwrap();
        let mut window = open(PackFiles::Embedded, &state.path().join("state.ron"), size);
        window.state_mut().desk.command(Command::OpenLesson(lesson.to_owned()));
        let steps = &window.state().desk.state().place.lesson.clone().unwrap().steps;
        let at = steps.iter().position(|of| of.id == step).unwrap_or_else(|| panic!("no step {step} in {lesson}"));
        window.state_mut().desk.command(Command::GoTo(at));
        settle(&mut window);
        match then {
            Then::Nothing => {}
            Then::Do(commands) => commands.into_iter().for_each(|command| {
                window.state_mut().desk.command(command);
                settle(&mut window);
            }),
            Then::Press(key) => window.key_press(key),
            Then::Home => {
                window.state_mut().view = View::at_home();
                settle(&mut window);
            }
        }
        for (theme, of) in [(ThemeChoice::Dark, "dark"), (ThemeChoice::Light, "light")] {
            match take(&mut window, theme, whole) {
                Ok(taken) => wrong.extend(compare(&format!("{name}-{of}"), &taken)),
                Err(why) => {
                    let required = std::env::var_os("WARPBOOK_REQUIRE_GPU").is_some();
                    assert!(!required, "a graphics driver is required here: {why}");
                    return;
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nLook at them. Where they are as they should be:\n    WARPBOOK_WRITE_PICTURES=1 cargo test --test window pictures::",
        wrong.join("\n")
    );
}
