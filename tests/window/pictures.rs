//! Pictures of the window beside those that were looked at and kept in `tests/pictures/`: one of each view in both
//! themes. Those of single figures are in `tests/kept.rs`.
//!
//! Both are compared at half their size, so that a font's edges do not decide. A picture that differs is written to
//! `target/pictures/`. Who has looked at it and wants it so keeps it:
//! `WARPBOOK_WRITE_PICTURES=1 cargo test --test window pictures::NAME`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use egui::Key;
use egui_kittest::Harness;
use image::imageops::{FilterType, resize};
use image::{Rgb, RgbImage};

use warpbook::app::View;
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
    Do(Command),
    Press(Key),
    Home,
}

const USUAL: [f32; 2] = [1280.0, 800.0];
const LARGE: [f32; 2] = [1600.0, 1000.0];

#[test]
fn edited() {
    // All of it is in sight: how far a longer one is scrolled depends on when its check ends.
    let edit = "// Mine.\noverride N: u32 = 1048576; override STRIDE: u32 = 1; override OFFSET: u32 = 0;\noverride BLOCK: u32 = 256;\n\
                @group(0) @binding(0) var<storage, read> src: array<f32>;\n@group(0) @binding(1) var<storage, read_write> dst: array<f32>;\n\
                @compute @workgroup_size(BLOCK)\nfn main(@builtin(global_invocation_id) gid: vec3<u32>) {\n    dst[gid.x] = src[gid.x];\n}\n";
    shot("edited", ("coalescing", "stride"), LARGE, Then::Do(Command::TypeKernel(Language::Wgsl, edit.to_owned())));
}

#[test]
fn race() {
    let others = vec![Variant::plain("copy"), Variant::plain("vec4")];
    shot("race", ("coalescing", "stride"), LARGE, Then::Do(Command::SetBeside(others)));
}

#[test]
fn page() {
    shot("page", ("tiling", "tile"), USUAL, Then::Nothing);
}

#[test]
fn stacked() {
    shot("stacked", ("coalescing", "stride"), [800.0, 600.0], Then::Nothing);
}

#[test]
fn large_plot() {
    shot("large-plot", ("tiling", "vectors"), USUAL, Then::Press(Key::Num4));
}

#[test]
fn start() {
    shot("start", ("coalescing", "request"), USUAL, Then::Home);
}

fn take(window: &mut Harness<'_, Window>, theme: ThemeChoice) -> Result<RgbImage, String> {
    window.state_mut().desk.command(Command::Set(SettingCommand::Theme(theme)));
    settle(window);
    picture(window, None)
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

/// Writes a picture small: in 16 steps of each channel, which look alike, by a palette of at most 256 colours.
fn keep(path: &Path, picture: &RgbImage) {
    let mut palette: Vec<[u8; 3]> = Vec::new();
    let mut index = |Rgb(pixel): &Rgb<u8>| {
        let coarse = pixel.map(|channel| (channel >> 4) * 17);
        let known = palette.iter().position(|known| *known == coarse).unwrap_or_else(|| {
            palette.push(coarse);
            palette.len() - 1
        });
        u8::try_from(known).expect("at most 256 colours in 16 steps of each channel")
    };
    let indices: Vec<u8> = picture.pixels().map(&mut index).collect();
    let mut encoder = png::Encoder::new(std::fs::File::create(path).unwrap(), picture.width(), picture.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_palette(palette.concat());
    encoder.set_compression(png::Compression::High);
    encoder.write_header().unwrap().write_image_data(&indices).unwrap();
}

/// Compares a picture with the one that is kept, or keeps it; what is wrong.
fn compare(name: &str, taken: &RgbImage) -> Option<String> {
    let kept = folder().join(format!("{name}.png"));
    if std::env::var_os("WARPBOOK_WRITE_PICTURES").is_some() {
        std::fs::create_dir_all(folder()).unwrap();
        keep(&kept, taken);
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
fn a_picture_that_differs_is_found() {
    let plain = RgbImage::from_pixel(100, 100, Rgb([20, 20, 20]));
    let mut other = plain.clone();
    (0..10).for_each(|x| (0..10).for_each(|y| other.put_pixel(x, y, Rgb([200, 20, 20]))));
    assert_eq!((difference(&plain, &plain), difference(&plain, &other)), (0.0, 0.01));
    assert_eq!(difference(&plain, &RgbImage::new(100, 99)), 1.0);
}

/// A step of a lesson in a window of this size, after an action, beside the pictures that are kept.
fn shot(name: &str, (lesson, step): (&str, &str), size: [f32; 2], then: Then) {
    let state = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &state.path().join("state.ron"), size);
    window.state_mut().desk.command(Command::OpenLesson(lesson.to_owned()));
    let steps = &window.state().desk.state().place.lesson.clone().unwrap().steps;
    let at = steps.iter().position(|of| of.id == step).unwrap_or_else(|| panic!("no step {step} in {lesson}"));
    window.state_mut().desk.command(Command::GoTo(at));
    settle(&mut window);
    match then {
        Then::Nothing => {}
        Then::Do(command) => window.state_mut().desk.command(command),
        Then::Press(key) => window.key_press(key),
        Then::Home => window.state_mut().view = View::at_home(),
    }
    settle(&mut window);
    let mut wrong = Vec::new();
    for (theme, of) in [(ThemeChoice::Dark, "dark"), (ThemeChoice::Light, "light")] {
        match take(&mut window, theme) {
            Ok(taken) => wrong.extend(compare(&format!("{name}-{of}"), &taken)),
            Err(why) => {
                let required = std::env::var_os("WARPBOOK_REQUIRE_GPU").is_some();
                assert!(!required, "a graphics driver is required here: {why}");
                return;
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nLook at them. Where they are as they should be:\n    WARPBOOK_WRITE_PICTURES=1 cargo test --test window pictures::{name}",
        wrong.join("\n")
    );
}
