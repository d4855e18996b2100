//! Messages for the driver's error codes, and whether the device's context outlives the errors.

use cudarc::driver::sys::CUresult;

use crate::base::diag::Diagnostic;
use crate::gpu::backend::Failure;
use crate::job::Launch;

/// The meaning of an error code, worded to follow "kernel `x`" or "the device".
struct Meaning {
    what: &'static str,
    hint: &'static str,
    /// Whether every later call in this process fails too.
    fatal: bool,
}

const TRACE: &str = "run it on the tracer (--backend simt), which names the line in the WGSL twin; CUDA itself checks no index, \
                     and `compute-sanitizer` names the line in the CUDA one";
const GONE: &str = "see `nvidia-smi` and the system's log (`dmesg | grep -i nvrm`); a GPU that fell off its bus comes back with a \
                    restart of the machine";
const AGAIN: &str = "run it again; if it happens again, update NVIDIA's driver";
const UPDATE: &str = "update NVIDIA's driver, or set CUDA_HOME to a toolkit that is no newer than the driver's CUDA, which \
                      `warpbook doctor` shows";
const PERMISSION: &str = "give this user the right to open /dev/nvidia* (on many systems the group `video` or `render`), or start \
                          the container with its GPU";

fn meaning(code: CUresult) -> Meaning {
    use CUresult as C;
    let (what, hint, fatal) = match code {
        C::CUDA_ERROR_ILLEGAL_ADDRESS | C::CUDA_ERROR_INVALID_ADDRESS_SPACE => {
            ("read or wrote memory that is not its own", TRACE, true)
        }
        C::CUDA_ERROR_MISALIGNED_ADDRESS => {
            ("used an address that is not a multiple of the access's size", TRACE, true)
        }
        C::CUDA_ERROR_ASSERT => ("failed an assertion of its own", TRACE, true),
        C::CUDA_ERROR_LAUNCH_FAILED
        | C::CUDA_ERROR_HARDWARE_STACK_ERROR
        | C::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | C::CUDA_ERROR_INVALID_PC => ("was ended by the device", TRACE, true),
        C::CUDA_ERROR_LAUNCH_TIMEOUT | C::CUDA_ERROR_TIMEOUT => (
            "ran longer than the driver allows on a GPU with a display",
            "look for a loop that does not end, or give the kernel less work",
            true,
        ),
        C::CUDA_ERROR_ECC_UNCORRECTABLE | C::CUDA_ERROR_NVLINK_UNCORRECTABLE | C::CUDA_ERROR_CONTAINED => {
            ("met an error in the hardware", GONE, true)
        }
        C::CUDA_ERROR_DEVICE_UNAVAILABLE | C::CUDA_ERROR_EXTERNAL_DEVICE => {
            ("is not to be had: it is gone, or another process has it alone", GONE, true)
        }
        C::CUDA_ERROR_UNKNOWN => ("failed in a way that the driver cannot name", GONE, true),
        C::CUDA_ERROR_CONTEXT_IS_DESTROYED
        | C::CUDA_ERROR_INVALID_CONTEXT
        | C::CUDA_ERROR_DEINITIALIZED
        | C::CUDA_ERROR_NOT_INITIALIZED => ("has lost its context", AGAIN, true),
        C::CUDA_ERROR_OUT_OF_MEMORY => (
            "has not enough memory",
            "use smaller buffers, or end what else uses the GPU (`nvidia-smi` lists it)",
            false,
        ),
        C::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => (
            "needs more registers or threads than one multiprocessor has",
            "lower the workgroup's size, or say __launch_bounds__ in the kernel",
            false,
        ),
        C::CUDA_ERROR_NO_BINARY_FOR_GPU
        | C::CUDA_ERROR_INVALID_IMAGE
        | C::CUDA_ERROR_INVALID_PTX
        | C::CUDA_ERROR_UNSUPPORTED_PTX_VERSION
        | C::CUDA_ERROR_INVALID_SOURCE
        | C::CUDA_ERROR_JIT_COMPILER_NOT_FOUND => {
            ("was compiled by a CUDA that the driver does not know", UPDATE, false)
        }
        C::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH
        | C::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE
        | C::CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER
        | C::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND
        | C::CUDA_ERROR_STUB_LIBRARY => ("has a driver whose parts do not fit together, or is too old", UPDATE, false),
        C::CUDA_ERROR_SYSTEM_NOT_READY => {
            ("is not ready", "start the fabric manager (`systemctl start nvidia-fabricmanager`)", false)
        }
        C::CUDA_ERROR_NO_DEVICE => (
            "is not there: the driver sees no NVIDIA GPU",
            "plug one in; or look whether CUDA_VISIBLE_DEVICES hides it, the container was started without it, or this user \
             may not open /dev/nvidia*",
            false,
        ),
        C::CUDA_ERROR_NOT_PERMITTED | C::CUDA_ERROR_OPERATING_SYSTEM | C::CUDA_ERROR_DEVICE_NOT_LICENSED => {
            ("may not be used by this user", PERMISSION, false)
        }
        C::CUDA_ERROR_INVALID_DEVICE => ("does not exist", "`warpbook doctor` lists those that do", false),
        C::CUDA_ERROR_NOT_FOUND => (
            "has no function of its name",
            "the twin's function is called as the WGSL's entry point, or as its file where that is `main`, and is declared \
             extern \"C\" __global__ void",
            false,
        ),
        _ => ("failed", AGAIN, false),
    };
    Meaning { what, hint, fatal }
}

/// A failure of `subject`, such as "the device".
pub(super) fn failure(subject: &str, code: CUresult) -> Failure {
    let Meaning { what, hint, fatal } = meaning(code);
    let message = format!("{subject} {what}: {code:?} ({})", code as u32);
    Failure { diagnostic: Diagnostic::error(message).hint(hint), fatal }
}

/// A failure of a launch's kernel, in the file of its CUDA twin.
pub(super) fn of_kernel(launch: &Launch, code: CUresult) -> Failure {
    let file = launch.twin().map_or(launch.file(), |twin| &twin.file);
    named(&[(&launch.kernel, file)], code)
}

/// A failure of one of some kernels, each given with its file; of the device where there are none.
pub(super) fn named(kernels: &[(&str, &str)], code: CUresult) -> Failure {
    let names: Vec<String> = kernels.iter().map(|(name, _)| format!("`{name}`")).collect();
    let mut failure = match names.as_slice() {
        [] => failure("the device", code),
        [one] => failure(&format!("kernel {one}"), code),
        some => failure(&format!("one of the kernels {}", some.join(", ")), code),
    };
    if let Some((_, file)) = kernels.first() {
        failure.diagnostic = failure.diagnostic.in_file(file);
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::fake;

    #[test]
    fn a_poisoned_context_costs_the_worker_and_a_full_memory_does_not() {
        use CUresult as C;
        let poisons = [
            C::CUDA_ERROR_ILLEGAL_ADDRESS,
            C::CUDA_ERROR_MISALIGNED_ADDRESS,
            C::CUDA_ERROR_LAUNCH_TIMEOUT,
            C::CUDA_ERROR_LAUNCH_FAILED,
            C::CUDA_ERROR_ASSERT,
            C::CUDA_ERROR_ECC_UNCORRECTABLE,
            C::CUDA_ERROR_DEVICE_UNAVAILABLE,
            C::CUDA_ERROR_UNKNOWN,
        ];
        for code in poisons {
            assert!(failure("the device", code).fatal, "{code:?}");
        }
        let harmless = [
            C::CUDA_ERROR_OUT_OF_MEMORY,
            C::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            C::CUDA_ERROR_NO_BINARY_FOR_GPU,
            C::CUDA_ERROR_NO_DEVICE,
            C::CUDA_ERROR_NOT_PERMITTED,
            C::CUDA_ERROR_INVALID_VALUE,
        ];
        for code in harmless {
            assert!(!failure("the device", code).fatal, "{code:?}");
        }
    }

    #[test]
    fn each_says_what_where_and_what_to_do() {
        let mut job = fake::job("copy", 1024);
        let Some(launch) = fake::only_launch(&mut job) else { unreachable!("it launches one") };
        if let crate::job::Code::Wgsl(wgsl) = &mut launch.code {
            wgsl.twin = Some(crate::job::Twin {
                file: "copy.cu".into(),
                source: "".into(),
                entry: "copy".into(),
                shipped: None,
            });
        }
        let text = of_kernel(launch, CUresult::CUDA_ERROR_ILLEGAL_ADDRESS).diagnostic.to_string();
        assert!(
            text.starts_with("copy.cu:1:1: error: kernel `copy` read or wrote memory that is not its own"),
            "{text}"
        );
        assert!(text.contains("CUDA_ERROR_ILLEGAL_ADDRESS (700)") && text.contains("--backend simt"), "{text}");
        let gone = failure("the device", CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE).diagnostic.to_string();
        assert!(gone.contains("(46)") && gone.contains("bus"), "{gone}");
        let old = failure("kernel `copy`", CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION).diagnostic.to_string();
        assert!(old.contains("update NVIDIA's driver"), "{old}");
        let barred = failure("the device", CUresult::CUDA_ERROR_OPERATING_SYSTEM).diagnostic.to_string();
        assert!(barred.contains("/dev/nvidia"), "{barred}");
    }
}
