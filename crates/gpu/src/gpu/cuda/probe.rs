//! Which parts of CUDA are there: the driver, the compiler, the libraries; and how to get missing ones.

use super::{cublas, driver, nccl, nvrtc};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{NVRTC, Part};
use crate::gpu::machine;

const GET_DRIVER: &str =
    "install NVIDIA's driver (it brings the library libcuda); in a container, start it with its GPU";
const GET_NVRTC: &str = "install the CUDA toolkit and name its folder in CUDA_HOME; or, without a GPU, the compiler with its headers into an active Python \
     environment: pip install nvidia-cuda-nvrtc nvidia-cuda-runtime nvidia-cuda-crt nvidia-cuda-cccl";
/// How to get cuBLAS.
pub(super) const GET_CUBLAS: &str = "install the CUDA toolkit, or the library alone (`pip install nvidia-cublas`), and put its folder into \
                          LD_LIBRARY_PATH; without it nothing is missing but the library's own times";

pub(super) const GET_NCCL: &str = "install it (`pip install nvidia-nccl-cu13`), and put its library's folder into LD_LIBRARY_PATH; without it nothing is missing but \
                        `--over nccl` of `ranks` and `run`";

/// Fails where the driver's library is missing.
pub(super) fn require_driver() -> Result<(), Diagnostic> {
    if driver::is_present() {
        return Ok(());
    }
    Err(missing_driver("use --backend wgpu or --backend simt"))
}

/// That the driver's library is missing, and what else can be used.
pub(super) fn missing_driver(instead: &str) -> Diagnostic {
    Diagnostic::error("CUDA's driver is missing: no library libcuda can be loaded")
        .hint(format!("{GET_DRIVER}; or {instead}"))
}

/// Fails where the compiler's library is missing.
pub(super) fn require_nvrtc() -> Result<(), Diagnostic> {
    if nvrtc::is_present() {
        return Ok(());
    }
    let problem = Diagnostic::error("NVRTC, CUDA's compiler, is missing: no library libnvrtc can be loaded");
    Err(problem.hint(GET_NVRTC).not_here())
}

/// Everything that is looked for, found or missing.
pub(super) fn parts() -> Vec<Part> {
    let libraries = [
        part("CUDA driver", found_driver(), "libcuda", GET_DRIVER),
        part(NVRTC, nvrtc::is_present().then(found_nvrtc), "libnvrtc", GET_NVRTC),
        part("cuBLAS", cublas::version().map(|[a, b, c]| format!("{a}.{b}.{c}")), "libcublas", GET_CUBLAS),
        part("NCCL", nccl::version(), "libnccl", GET_NCCL),
    ];
    libraries.into_iter().chain(machine::parts()).collect()
}

fn part(name: &str, found: Option<String>, library: &str, hint: &str) -> Part {
    Part {
        name: name.to_owned(),
        found: found.is_some(),
        hint: found.is_none().then(|| hint.to_owned()),
        what: found.unwrap_or_else(|| format!("no library {library} can be loaded")),
    }
}

fn found_driver() -> Option<String> {
    driver::is_present().then(|| {
        let version = driver::version().map_or_else(|code| format!("{code:?}"), |[a, b]| format!("CUDA {a}.{b}"));
        let devices = match devices() {
            Ok(names) if names.is_empty() => "no device".to_owned(),
            Ok(names) => names.iter().enumerate().map(|(i, name)| format!("{i} {name}")).collect::<Vec<_>>().join(", "),
            Err(code) => format!("{code:?}"),
        };
        format!("{version}; devices: {devices}")
    })
}

fn found_nvrtc() -> String {
    match (nvrtc::version(), nvrtc::architectures()) {
        (Ok([major, minor]), Ok(all)) => {
            let [first, last] = [all.iter().min(), all.iter().max()].map(|n| n.copied().unwrap_or(0));
            format!("{major}.{minor}, for sm_{first} to sm_{last}")
        }
        (Err(why), _) | (_, Err(why)) => format!("does not answer: {why}"),
    }
}

/// The devices' names, by number.
pub(super) fn devices() -> driver::Outcome<Vec<String>> {
    driver::init()?;
    (0..driver::device_count()?).map(driver::device_name).collect()
}
