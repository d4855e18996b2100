//! The `doctor` report of this machine: backends, devices, drivers, display.

use serde::Serialize;

use super::devices::Devices;
use crate::gpu::backend::Part;
use crate::trace::record::{Backend, Device};

#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The program's version and commit.
    pub version: String,
    pub backends: Vec<BackendReport>,
    /// The software parts of CUDA.
    pub cuda: Vec<Part>,
    /// Whether a window can be shown.
    pub display: Finding,
}

#[derive(Clone, Debug, Serialize)]
pub struct BackendReport {
    /// Its name on the command line.
    pub backend: String,
    /// The device, if there is one.
    pub device: Option<Device>,
    /// Why there is none.
    pub missing: Option<String>,
    /// How to get one.
    pub hint: Option<String>,
}

/// Something that was found or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether it is there.
    pub found: bool,
    /// The finding in words.
    pub what: String,
    /// Advice if it is missing.
    pub hint: Option<String>,
}

/// Examines everything; `display` is the caller's finding about the display.
#[must_use]
pub fn examine(devices: &Devices, display: Finding) -> Report {
    let backends = [Backend::Simt, Backend::Wgpu, Backend::Cuda]
        .into_iter()
        .map(|backend| match devices.describe(backend) {
            Ok(device) => {
                BackendReport { backend: backend.name().to_owned(), device: Some(device), missing: None, hint: None }
            }
            Err(why) => BackendReport {
                backend: backend.name().to_owned(),
                device: None,
                missing: Some(why.message),
                hint: why.hint,
            },
        })
        .collect();
    // If the parts cannot be listed, the backend's own line has the reason.
    let cuda = devices.cuda_parts().unwrap_or_default();
    Report { version: crate::session::VERSION.to_owned(), backends, cuda, display }
}

/// Whether the environment names a display server (a window library would fail without one), and the libraries that a
/// window loads.
#[must_use]
pub fn display() -> Finding {
    let set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    if cfg!(any(target_os = "macos", target_os = "windows")) {
        return Finding { found: true, what: "the system's own".into(), hint: None };
    }
    let (found, what) = match (set("WAYLAND_DISPLAY"), set("DISPLAY")) {
        (true, _) => (true, "WAYLAND_DISPLAY is set; a window also needs libwayland-client and libxkbcommon"),
        (false, true) => (true, "DISPLAY is set; a window also needs libX11, libXcursor, libXi and libxkbcommon-x11"),
        (false, false) => (false, "neither WAYLAND_DISPLAY nor DISPLAY is set"),
    };
    let hint = (!found).then(|| "start it in a graphical session, or over `ssh -X`".to_owned());
    Finding { found, what: what.into(), hint }
}
