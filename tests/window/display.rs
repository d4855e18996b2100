//! The real window on a real display, and its picture drawn off screen. Where `WARPBOOK_REQUIRE_GPU` is set there must
//! be both.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn warpbook(home: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpbook"));
    command.current_dir(home).env("HOME", home).env_remove("XDG_DATA_HOME").stdin(Stdio::null());
    command
}

fn required() -> bool {
    std::env::var_os("WARPBOOK_REQUIRE_GPU").is_some()
}

#[test]
fn the_window_opens_and_keeps_what_the_learner_did() {
    let home = tempfile::tempdir().unwrap();
    if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
        assert!(!required(), "a display is required here: set DISPLAY, or run under xvfb-run");
        let said = warpbook(home.path()).arg("doctor").output().unwrap();
        assert!(String::from_utf8_lossy(&said.stdout).contains("display: missing"));
        return;
    }
    let mut window = warpbook(home.path()).stderr(Stdio::piped()).spawn().unwrap();
    // The window's first frames open the first lesson, and that the learner was there is kept.
    let state = home.path().join(".local/share/warpbook/state.ron");
    let began = Instant::now();
    while !state.exists() {
        if let Some(status) = window.try_wait().unwrap() {
            let said = window.wait_with_output().map(|o| String::from_utf8_lossy(&o.stderr).into_owned());
            panic!("the window closed by itself with {status}: {said:?}");
        }
        assert!(began.elapsed() < Duration::from_secs(60), "the window did not open its first lesson");
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(500));
    assert!(window.try_wait().unwrap().is_none(), "the window closed by itself");
    window.kill().unwrap();
    window.wait().unwrap();
    let kept = std::fs::read_to_string(state).unwrap();
    assert!(kept.contains("one_loop") && kept.contains("loop"), "{kept}");
}

#[test]
fn a_shot_is_a_picture_of_the_size_asked_for() {
    let home = tempfile::tempdir().unwrap();
    let shot = warpbook(home.path())
        .args(["shot", "coalescing", "--step", "3", "--theme", "light", "--size", "1280x800", "-o", "shot.png"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&shot.stderr).into_owned();
    if !shot.status.success() && !required() {
        assert!(said.contains("no graphics driver"), "{said}");
        return;
    }
    assert!(shot.status.success(), "{said}");
    let picture = image::open(home.path().join("shot.png")).unwrap().to_rgb8();
    assert_eq!(picture.dimensions(), (1280, 800));
    let mut colours: Vec<[u8; 3]> = picture.pixels().map(|p| p.0).collect();
    colours.sort_unstable();
    colours.dedup();
    assert!(colours.len() > 100, "only {} colours", colours.len());
}
