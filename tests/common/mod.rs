//! Helpers of several tests: the program itself, its worker, packs that are copied and changed.
#![allow(dead_code, reason = "each test takes what it needs")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

pub mod texts;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use serde_json::Value;
use warpbook::gpu::client::WorkerCommand;
use warpbook::session::run::devices::Devices;
use warpbook::trace::record::Backend;

/// The outcome of running the program.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Run {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{e}: {}\n{}", self.out, self.err))
    }
}

/// Runs the program in an empty folder with nothing of this machine's display or state.
pub fn warpbook(args: &[&str]) -> Run {
    warpbook_in(tempfile::tempdir().unwrap().path(), args)
}

pub fn warpbook_in(folder: &Path, args: &[&str]) -> Run {
    let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_warpbook"))
        .args(args)
        .current_dir(folder)
        .env("HOME", folder)
        .env_remove("XDG_DATA_HOME")
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        // Where there is a GPU, these tests are about a machine without one.
        .env("CUDA_VISIBLE_DEVICES", "-1")
        .output()
        .unwrap();
    Run {
        code: status.code().unwrap_or(-1),
        out: String::from_utf8(stdout).unwrap(),
        err: String::from_utf8(stderr).unwrap(),
    }
}

/// Devices whose worker is the program.
pub fn devices() -> Devices {
    Devices::new(WorkerCommand {
        program: env!("CARGO_BIN_EXE_warpbook").into(),
        args: vec!["worker".into()],
        env: Vec::new(),
        // A busy machine is silent for long; a worker that hangs has tests of its own.
        deadline: Duration::from_secs(600),
    })
}

/// Whether there is a graphics driver to test with. Where `WARPBOOK_REQUIRE_GPU` is set there must be one.
pub fn driver(devices: &Devices) -> bool {
    match devices.describe(Backend::Wgpu) {
        Ok(_) => true,
        Err(why) => {
            assert!(std::env::var_os("WARPBOOK_REQUIRE_GPU").is_none(), "a driver is required here: {why}");
            assert!(why.hint.is_some(), "a missing driver comes with advice: {why}");
            false
        }
    }
}

/// A pack of `tests/packs/`.
pub fn pack(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs").join(name)
}

pub fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// A copy of a pack in which, in each file, one text is replaced by another; each must be there once.
pub fn spoilt_copy(name: &str, edits: &[(&str, &str, &str)]) -> Result<tempfile::TempDir, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    copy_folder(&pack(name), folder.path())?;
    for (file, from, to) in edits {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path)?;
        assert_eq!(text.matches(from).count(), 1, "{from:?} in {file}");
        fs::write(&path, text.replace(from, to))?;
    }
    Ok(folder)
}
