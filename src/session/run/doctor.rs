//! What this machine has: backends, devices, drivers, a display.

use serde::Serialize;

use super::devices::Devices;
use crate::gpu::backend::Part;
use crate::trace::record::{Backend, Device};

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The program's version and commit.
    pub version: String,
    /// One for each backend.
    pub backends: Vec<BackendReport>,
    /// The software that CUDA is made of.
    pub cuda: Vec<Part>,
    /// Whether a window can be shown.
    pub display: Finding,
}

/// One backend.
#[derive(Clone, Debug, Serialize)]
pub struct BackendReport {
    /// Its name on the command line.
    pub backend: String,
    /// The device, where there is one.
    pub device: Option<Device>,
    /// Why there is none.
    pub missing: Option<String>,
    /// How to get one.
    pub hint: Option<String>,
}

/// Something that is there or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether it is there.
    pub found: bool,
    /// What was seen.
    pub what: String,
    /// What to do where it is missing.
    pub hint: Option<String>,
}

/// Looks at everything; `display` is what the caller knows of the display.
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
    // Where nothing can be asked, the backend's own line has said why.
    let cuda = devices.cuda_parts().unwrap_or_default();
    Report { version: crate::session::VERSION.to_owned(), backends, cuda, display }
}

/// Whether a display server is named, before a window library would be asked and fail; and which libraries that one loads.
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
