//! Compiling a kernel's twin in CUDA C++ to machine code for a device, with the compiler's errors at their place.

use std::path::PathBuf;

use super::confined::{self, Order};
use super::{device_part, headers, log, nvrtc, probe};
use crate::base::diag::Diagnostic;
use crate::base::parts;
use crate::gpu::backend::Failure;
use crate::gpu::{constants, toolkit};
use crate::job::{Launch, Twin};
use crate::machine::MachineCode;
use crate::simt;

/// The header that holds the kernel's constants. It is included before the twin's first line, so that its lines keep
/// their numbers.
const CONSTANTS: &str = "constants.h";

/// The architecture to compile for if there is no device to ask.
const USUAL_ARCHITECTURE: i32 = 90;

/// A compiled twin.
pub(super) struct Image {
    /// The code that the driver loads: machine code, or PTX if the compiler is older than the device.
    pub(super) code: Vec<u8>,
    /// PTX, for people.
    pub(super) ptx: String,
    /// The kernel's name in it.
    pub(super) entry: String,
    pub(super) warnings: Vec<Diagnostic>,
}

/// The launch's kernel in CUDA C++.
pub(super) fn twin(launch: &Launch) -> Result<&Twin, Diagnostic> {
    launch.twin().ok_or_else(|| {
        let message = format!("kernel `{}` has no twin in CUDA C++", launch.kernel);
        Diagnostic::error(message)
            .in_file(launch.file())
            .hint("add a .cu file of the same name beside it, or use --backend wgpu")
    })
}

/// Compiles the launch's twin for an architecture such as 90; for a usual one where none is given.
///
/// # Errors
/// The compiler's message, at its line and column; or that there is no compiler.
pub(super) fn compile(launch: &Launch, architecture: Option<i32>) -> Result<Image, Failure> {
    let image = translate(launch, architecture)?;
    check_entry(launch, twin(launch)?, &image.entry, &image.ptx)?;
    Ok(image)
}

/// PTX as the driver loads it.
fn image(twin: &Twin, code: Vec<u8>, ptx: String, warnings: Vec<Diagnostic>) -> Image {
    let entry = simt::ptx_entry_named(&ptx, &twin.entry).unwrap_or_else(|| twin.entry.clone());
    Image { code, ptx, entry, warnings }
}

/// The same without a look at the kernel's parameters, which need not be those of a lesson's.
pub(super) fn translate(launch: &Launch, architecture: Option<i32>) -> Result<Image, Failure> {
    let twin = twin(launch)?;
    if let Some(ptx) = launch.cuda_only().and_then(|only| only.ptx.as_ref()) {
        let code = ptx.bytes().chain([0]).collect();
        return Ok(image(twin, code, ptx.to_string(), Vec::new()));
    }
    probe::require_nvrtc()?;
    let broken = |why: String| {
        Diagnostic::error(format!("NVRTC cannot compile this file: {why}"))
            .in_file(&twin.file)
            .hint("`warpbook doctor` shows which NVRTC was found; install it anew, or another version")
    };
    let known = nvrtc::architectures().map_err(broken)?;
    let target = match launch.cuda_only().and_then(|only| only.target.as_ref()) {
        Some(wanted) => named_target(wanted, &known)?,
        None => target(architecture, &known).map_err(broken)?,
    };
    let mut options = vec![
        format!("--gpu-architecture={target}"),
        "--generate-line-info".to_owned(),
        format!("--pre-include={CONSTANTS}"),
    ];
    let folders = toolkit::roots().into_iter().flat_map(|root| [root.join("include"), root.join("include/cccl")]);
    let named = std::env::var_os("CPATH").unwrap_or_default();
    let named = std::env::split_paths(&named).filter(|folder| !folder.as_os_str().is_empty());
    let folders: Vec<PathBuf> = named.chain(folders).collect();
    options.extend(folders.iter().map(|folder| format!("--include-path={}", folder.display())));
    let only = launch.cuda_only();
    let is_for_nvcc = only.is_some_and(|only| only.for_nvcc);
    let named = only.and_then(|only| only.instance.clone());
    let instance = named.or_else(|| twin.entry.contains('<').then(|| twin.entry.clone()));
    let order = |source: &str, as_nvcc: Option<&str>| {
        let (mut constants, mut options) = (constants::header(launch), options.clone());
        if let Some(further) = as_nvcc {
            // Macros of the command line may not reach into it.
            constants = format!("{}{constants}{further}", headers::OF_NVCC);
            options.extend(["-default-device", "--ptxas-options=-v"].map(str::to_owned));
            // As the compiler of the host defines it.
            if cfg!(target_os = "linux") {
                options.push("--define-macro=__linux__=1".to_owned());
            }
        }
        let headers = headers_of(source, &twin.file, constants);
        let own = parts::parts(source).first().map_or("", |part| part.text);
        let (source, name, instance) = (own.to_owned(), twin.file.clone(), instance.clone());
        Order { source, name, headers, options, instance }
    };
    let mut compiled = confined::compile(&order(&twin.source, is_for_nvcc.then_some(""))).map_err(broken)?;
    // A text with code of the host does not compile as it is.
    let mut left_out = Vec::new();
    if !compiled.done && only.is_some() {
        let part = device_part::of(&twin.source, &folders, instance.as_deref().unwrap_or_default());
        let of_std = if part.text.contains("std::") { headers::OF_STD } else { "" };
        let device = confined::compile(&order(&part.text, Some(of_std))).map_err(broken)?;
        if device.done || part.text != *twin.source {
            (compiled, left_out) = (device, part.left_out);
        }
    }
    let (mut errors, warnings): (Vec<_>, Vec<_>) =
        log::diagnostics(&compiled.log, twin, !is_for_nvcc).into_iter().partition(Diagnostic::is_error);
    if !compiled.done {
        if errors.is_empty() {
            // An error without a line, such as a brace that is never closed.
            let said = compiled.log.lines().find(|line| line.contains("error")).unwrap_or(&compiled.log).trim();
            return Err(Diagnostic::error(format!("this file does not compile: {said}")).in_file(&twin.file).into());
        }
        let mut first = errors.remove(0);
        if !errors.is_empty() {
            first.message = format!("{} (and {} more)", first.message, errors.len());
        }
        if !left_out.is_empty() {
            let names = left_out.join(", ");
            first.hint = first.hint.or_else(|| {
                Some(format!("headers that were not found are left out: {names}; name a folder that has them in CPATH"))
            });
        }
        return Err(first.into());
    }
    let mut ptx = String::from_utf8_lossy(&compiled.ptx).trim_end_matches('\0').to_owned();
    ptx.push_str(&MachineCode::comments(&compiled.log));
    if let Some(name) = &compiled.instance {
        ptx.push_str(&format!("{}{name}\n", simt::PTX_INSTANCE));
    }
    let code = if compiled.cubin.is_empty() { compiled.ptx } else { compiled.cubin };
    Ok(image(twin, code, ptx, warnings))
}

/// The headers of a composed text: the constants, its parts, and those of C that the compiler does not have.
fn headers_of(source: &str, file: &str, constants: String) -> Vec<(String, String)> {
    let parts = parts::parts(source);
    let of_parts = parts.iter().filter_map(|part| Some((part.name()?, part.text)));
    // One in another folder is included by its way from the kernel's own.
    let beside = file.rfind('/').map_or("", |slash| &file[..=slash]);
    let far = parts.iter().filter_map(|part| Some((part.file?.strip_prefix(beside)?, part.text)));
    let far = far.filter(|(name, _)| name.contains('/'));
    let known = headers::HEADERS.into_iter().filter(|(name, _)| parts.iter().all(|part| part.name() != Some(*name)));
    let named = of_parts.chain(far).chain(known).map(|(name, text)| (name.to_owned(), text.to_owned()));
    std::iter::once((CONSTANTS.to_owned(), constants)).chain(named).collect()
}

/// The target to compile for: the device itself with all its own instructions, or the nearest virtual architecture
/// below it.
pub(super) fn target(wanted: Option<i32>, known: &[i32]) -> Result<String, String> {
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

/// The target of this name, such as `sm_80` or `sm_90a`.
fn named_target(wanted: &str, known: &[i32]) -> Result<String, Diagnostic> {
    let number: Option<i32> = wanted.trim_start_matches("sm_").trim_end_matches(['a', 'f']).parse().ok();
    if number.is_some_and(|number| known.contains(&number)) {
        return Ok(wanted.to_owned());
    }
    let known: Vec<String> = known.iter().map(|arch| format!("sm_{arch}")).collect();
    Err(Diagnostic::error(format!("this NVRTC does not compile for {wanted}"))
        .hint(format!("it compiles for {}; another version may know others", known.join(", "))))
}

/// A parameter of a kernel in PTX, by its size: the driver reads as many bytes of the argument that it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parameter {
    /// A pointer's size.
    Eight,
    /// A tensor map's size.
    Map,
    Other(u64),
}

/// Fails where the twin's function is not there, or does not take a pointer for each buffer and then each tensor map.
fn check_entry(launch: &Launch, twin: &Twin, entry: &str, ptx: &str) -> Result<(), Diagnostic> {
    let wrong = |message: String, hint: String| Err(Diagnostic::error(message).in_file(&twin.file).hint(hint));
    let Some(mut found) = parameters(ptx, entry) else {
        let hint = format!("declare extern \"C\" __global__ void {}(…)", twin.entry);
        return wrong(format!("this file has no kernel `{}`", twin.entry), hint);
    };
    // Numbers are compared with the parameters' types where they are encoded.
    for (place, ..) in launch.cuda_only().iter().flat_map(|only| &only.values).rev() {
        let place = *place as usize;
        if place < found.len() {
            found.remove(place);
        }
    }
    let names: Vec<&str> = ordered(launch).into_iter().map(|i| launch.bindings[i].name.as_str()).collect();
    let maps = launch.cuda_only().map_or(&[][..], |only| &only.maps);
    let wanted = names.iter().map(|_| Parameter::Eight).chain(maps.iter().map(|_| Parameter::Map));
    let mut hint = format!("take one pointer for each, in this order: {}", names.join(", "));
    if !maps.is_empty() {
        let names: Vec<&str> = maps.iter().map(|map| map.buffer.as_str()).collect();
        hint.push_str(&format!("; then a `const __grid_constant__ CUtensorMap` each for {}", names.join(", ")));
    }
    if found.len() != names.len() + maps.len() {
        let and = if maps.is_empty() { String::new() } else { format!(" and {} tensor maps", maps.len()) };
        let (takes, buffers) = (found.len(), names.len());
        return wrong(
            format!("`{}` takes {takes} parameters, and the kernel has {buffers} buffers{and}", twin.entry),
            hint,
        );
    }
    match found.iter().zip(wanted).position(|(found, wanted)| *found != wanted) {
        None => Ok(()),
        Some(at) => {
            let what = if at < names.len() { "a pointer" } else { "a tensor map" };
            wrong(format!("parameter {} of `{}` is not {what}", at + 1, twin.entry), hint)
        }
    }
}

/// The parameters that the kernel `entry` takes in `ptx`; None if there is no such kernel.
fn parameters(ptx: &str, entry: &str) -> Option<Vec<Parameter>> {
    let (_, after) = ptx.split_once(&format!(".entry {entry}("))?;
    let (list, _) = after.split_once(')')?;
    let each = list.split(".param").skip(1).map(|declared| {
        // Such as "`.u64 .ptr .align 1 name`" or "`.align 64 .b8 name[128]`".
        let length = declared.split_once('[').and_then(|(_, length)| length.split_once(']')?.0.parse::<u64>().ok());
        let bits = declared
            .split_whitespace()
            .find_map(|word| word.get(2..)?.parse::<u64>().ok().filter(|_| word.starts_with('.')));
        match bits.unwrap_or(0) / 8 * length.unwrap_or(1) {
            8 => Parameter::Eight,
            128 => Parameter::Map,
            bytes => Parameter::Other(bytes),
        }
    });
    Some(each.collect())
}

/// The launch's bindings by group and binding: the order of the twin's parameters.
pub(super) fn ordered(launch: &Launch) -> Vec<usize> {
    let mut order: Vec<usize> = (0..launch.bindings.len()).collect();
    order.sort_by_key(|&i| (launch.bindings[i].group, launch.bindings[i].binding));
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
        let mut job = fake::job("copy", 1024);
        let launch = fake::only_launch(&mut job).map(|launch| &*launch);
        let twin = Twin { file: "copy.cu".into(), source: "".into(), entry: "copy".into(), shipped: None };
        let said = |ptx: &str| match launch.map(|launch| check_entry(launch, &twin, "copy", ptx)) {
            Some(Err(diagnostic)) => diagnostic.to_string(),
            other => format!("{other:?}"),
        };
        let ptx =
            ".visible .entry copy(\n\t.param .u64 .ptr .align 1 copy_param_0,\n\t.param .u64 copy_param_1\n)\n{ }";
        assert_eq!(said(ptx), "Some(Ok(()))");
        let one = said(&ptx.replace(",\n\t.param .u64 copy_param_1", ""));
        assert!(one.contains("takes 1 parameters, and the kernel has 2 buffers") && one.contains("src, dst"), "{one}");
        // The driver would read 128 bytes where it is given 8.
        let map = said(&ptx.replace(".u64 copy_param_1", ".align 64 .b8 copy_param_1[128]"));
        assert!(map.contains("parameter 2 of `copy` is not a pointer"), "{map}");
        assert!(said(&ptx.replace(".u64 copy_param_1", ".u32 copy_param_1")).contains("is not a pointer"));
        assert!(said("").contains("no kernel `copy`"));
    }

    #[test]
    fn a_kernel_without_a_twin_says_so() {
        let job = fake::job("copy", 1024);
        let failed = job.launches().next().and_then(|launch| compile(launch, None).err());
        let failed = failed.map(|failure| failure.diagnostic.to_string()).unwrap_or_default();
        assert!(failed.contains("no twin in CUDA C++") && failed.contains(".cu file"), "{failed}");
    }
}
