//! The work of a frame of the window, on every step of every lesson. Counted and not timed:
//! `cargo bench --bench window` times it.

use warpbook::job::Language;
use warpbook::lesson::PackFiles;
use warpbook::session::desk::Command;
use warpbook::simt;

use crate::harness::{Window, open, settle};

/// The maximum of a frame's allocations. Most steps take up to 7,000, most of them egui's own; the busiest picture
/// beside two plots takes 10,400, and launches beside a list of 28 pages 13,400. Work that is repeated in each frame, such as the figures of a recording or the
/// results of all programs, takes thousands more.
const MOST: u64 = 13_500;

#[test]
fn a_frame_does_little() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    // A page has an emoji, and not each computer has a font with it.
    window.ctx.set_missing_glyph_policy(egui::epaint::text::MissingGlyphPolicy::Tofu);
    let before = simt::of_this_thread();
    for lesson in window.state().desk.state().library.pack.lessons.clone() {
        window.state_mut().desk.command(Command::OpenLesson(lesson.id.clone()));
        for (number, step) in lesson.steps.iter().enumerate() {
            window.state_mut().desk.command(Command::GoTo(number));
            settle(&mut window);
            // Formulas are laid out a few in each frame.
            window.run_steps(40);
            let still = worst(&mut window, 5);
            window.key_press(egui::Key::Space);
            let playing = worst(&mut window, 20);
            let most = still.max(playing);
            assert!((1..MOST).contains(&most), "{}/{}: {still} still, {playing} playing", lesson.id, step.id);
        }
        for param in &lesson.params {
            let value = param.domain.values().into_iter().find(|value| *value != param.default);
            let turned = value.map(|value| Command::SetParam(param.id.clone(), value));
            turned.into_iter().for_each(|command| window.state_mut().desk.command(command));
            settle(&mut window);
        }
        let source = window.state().desk.state().place.kernel().map(|kernel| format!("// mine\n{}", kernel.source()));
        let typed = source.map(|source| Command::TypeKernel(Language::Wgsl, source));
        typed.into_iter().for_each(|command| window.state_mut().desk.command(command));
        settle(&mut window);
    }
    assert_eq!(simt::of_this_thread(), before, "shaders compiled or launches traced in the window's thread");
}

/// The maximum of the allocations of a frame, over the next `frames`.
fn worst(window: &mut egui_kittest::Harness<'_, Window>, frames: usize) -> u64 {
    let before = window.state().frames.len();
    window.run_steps(frames);
    window.state().frames[before..].iter().copied().max().unwrap_or_default()
}
