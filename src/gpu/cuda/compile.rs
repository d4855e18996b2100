//! From a job's twin in CUDA C++ to machine code for a device, with the compiler's complaints at their place.

use super::{constants, log, nvrtc, probe};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::Failure;
use crate::gpu::toolkit;
use crate::job::{Job, Twin};

/// The header that holds the job's constants. It is included before the twin's first line, so that its lines keep their numbers.
const CONSTANTS: &str = "constants.h";

/// What is compiled for where there is no device to ask.
const USUAL_ARCHITECTURE: i32 = 90;

/// A compiled twin.
pub(super) struct Image {
    /// What the driver loads: machine code, or PTX where the compiler is older than the device.
    pub(super) code: Vec<u8>,
    /// PTX, for people.
    pub(super) ptx: String,
    /// What the compiler warned of.
    pub(super) warnings: Vec<Diagnostic>,
}

/// The job's twin.
///
/// # Errors
/// When the kernel has none.
pub(super) fn twin(job: &Job) -> Result<&Twin, Diagnostic> {
    job.twin.as_ref().ok_or_else(|| {
        let message = format!("kernel `{}` has no twin in CUDA C++", job.kernel);
        Diagnostic::error(message)
            .in_file(&job.file)
            .hint("add a .cu file of the same name beside it, or use --backend wgpu")
    })
}

/// Compiles the job's twin for an architecture such as 90; for a usual one where none is given.
///
/// # Errors
/// What the compiler says, at its line and column; or that there is no compiler.
pub(super) fn compile(job: &Job, architecture: Option<i32>) -> Result<Image, Failure> {
    let twin = twin(job)?;
    probe::require_nvrtc()?;
    let broken = |why: String| {
        Diagnostic::error(format!("NVRTC cannot compile this file: {why}"))
            .in_file(&twin.file)
            .hint("`warpbook doctor` shows which NVRTC was found; install it anew, or another version")
    };
    let target = target(architecture, &nvrtc::architectures().map_err(broken)?).map_err(broken)?;
    let mut options = vec![
        format!("--gpu-architecture={target}"),
        "--generate-line-info".to_owned(),
        format!("--pre-include={CONSTANTS}"),
    ];
    options.extend(toolkit::roots().iter().map(|root| format!("--include-path={}", root.join("include").display())));
    let header = constants::header(job);
    let compiled = nvrtc::compile(&twin.source, &twin.file, (CONSTANTS, &header), &options).map_err(broken)?;
    let (mut errors, warnings): (Vec<_>, Vec<_>) =
        log::diagnostics(&compiled.log, twin).into_iter().partition(Diagnostic::is_error);
    if !compiled.done {
        if errors.is_empty() {
            return Err(broken(compiled.log.trim().to_owned()).into());
        }
        let mut first = errors.remove(0);
        if !errors.is_empty() {
            first.message = format!("{} (and {} more)", first.message, errors.len());
        }
        return Err(first.into());
    }
    let ptx = String::from_utf8_lossy(&compiled.ptx).trim_end_matches('\0').to_owned();
    check_entry(job, twin, &ptx)?;
    let code = if compiled.cubin.is_empty() { compiled.ptx } else { compiled.cubin };
    Ok(Image { code, ptx, warnings })
}

/// What to compile for: the device itself with all its own instructions, or the nearest virtual architecture below it.
fn target(wanted: Option<i32>, known: &[i32]) -> Result<String, String> {
    let newest = known.iter().copied().max().ok_or("it knows no architecture")?;
    let wanted = wanted.unwrap_or(if known.contains(&USUAL_ARCHITECTURE) { USUAL_ARCHITECTURE } else { newest });
    if known.contains(&wanted) {
        // Instructions that no later device keeps: from Hopper on, tensor cores have some.
        return Ok(format!("sm_{wanted}{}", if wanted >= 90 { "a" } else { "" }));
    }
    match known.iter().filter(|&&arch| arch < wanted).max() {
        Some(below) => Ok(format!("compute_{below}")),
        None => Err(format!("it compiles for sm_{newest} and others, but not for this device's sm_{wanted}")),
    }
}

/// Fails where the twin's function is not there, or does not take as many parameters as the kernel has buffers.
fn check_entry(job: &Job, twin: &Twin, ptx: &str) -> Result<(), Diagnostic> {
    let buffers = job.buffers.len();
    let maps = job.cuda_only.as_ref().map_or(&[][..], |only| &only.maps);
    match parameters(ptx, &twin.entry) {
        Some(count) if count == buffers + maps.len() => Ok(()),
        Some(count) => {
            let names: Vec<&str> = ordered(job).into_iter().map(|i| job.buffers[i].name.as_str()).collect();
            let mut message =
                format!("`{}` takes {count} parameters, and the kernel has {buffers} buffers", twin.entry);
            let mut hint = format!("take one pointer for each, in this order: {}", names.join(", "));
            if !maps.is_empty() {
                message.push_str(&format!(" and {} tensor maps", maps.len()));
                let names: Vec<&str> = maps.iter().map(|map| map.buffer.as_str()).collect();
                hint.push_str(&format!("; then a `const __grid_constant__ CUtensorMap` each for {}", names.join(", ")));
            }
            Err(Diagnostic::error(message).in_file(&twin.file).hint(hint))
        }
        None => {
            let message = format!("this file has no kernel `{}`", twin.entry);
            let hint = format!("declare extern \"C\" __global__ void {}(…)", twin.entry);
            Err(Diagnostic::error(message).in_file(&twin.file).hint(hint))
        }
    }
}

/// How many parameters the kernel `entry` takes in `ptx`; none where there is no such kernel.
fn parameters(ptx: &str, entry: &str) -> Option<usize> {
    let (_, after) = ptx.split_once(&format!(".entry {entry}("))?;
    let (list, _) = after.split_once(')')?;
    Some(list.matches(".param").count())
}

/// The job's buffers by group and binding: the order of the twin's parameters.
pub(super) fn ordered(job: &Job) -> Vec<usize> {
    let mut order: Vec<usize> = (0..job.buffers.len()).collect();
    order.sort_by_key(|&i| (job.buffers[i].group, job.buffers[i].binding));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::fake;

    #[test]
    fn the_device_itself_or_the_nearest_below_it() {
        let known = [75, 80, 86, 90, 100];
        assert_eq!(target(Some(86), &known), Ok("sm_86".into()));
        assert_eq!(target(Some(90), &known), Ok("sm_90a".into()));
        assert_eq!(target(Some(121), &known), Ok("compute_100".into()));
        assert_eq!(target(None, &known), Ok("sm_90a".into()));
        assert_eq!(target(None, &[75, 80]), Ok("sm_80".into()));
        assert!(target(Some(70), &known).is_err_and(|why| why.contains("not for this device's sm_70")));
        assert!(target(None, &[]).is_err());
    }

    #[test]
    fn a_twin_takes_a_pointer_for_each_buffer() {
        let job = fake::job("copy", 1024);
        let twin = Twin { file: "copy.cu".into(), source: "".into(), entry: "copy".into() };
        let ptx = ".visible .entry copy(\n\t.param .u64 .ptr copy_param_0,\n\t.param .u64 copy_param_1\n)\n{ }";
        assert_eq!(check_entry(&job, &twin, ptx), Ok(()));
        let one = ptx.replace(",\n\t.param .u64 copy_param_1", "");
        let found = check_entry(&job, &twin, &one).err().map(|d| d.to_string()).unwrap_or_default();
        assert!(
            found.contains("takes 1 parameters, and the kernel has 2 buffers") && found.contains("src, dst"),
            "{found}"
        );
        assert!(check_entry(&job, &twin, "").is_err_and(|d| d.message.contains("no kernel `copy`")));
    }

    #[test]
    fn a_kernel_without_a_twin_says_so() {
        let failed =
            compile(&fake::job("copy", 1024), None).err().map(|f| f.diagnostic.to_string()).unwrap_or_default();
        assert!(failed.contains("no twin in CUDA C++") && failed.contains(".cu file"), "{failed}");
    }
}
