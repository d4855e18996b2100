//! NVRTC's calls, each made safe to call.
#![expect(unsafe_code, reason = "it is a C library; nothing outside the files that say so calls into C")]

use std::ffi::{CStr, CString, c_char, c_int};

use cudarc::nvrtc::{result, sys};
use serde::{Deserialize, Serialize};

/// A compiler's message where it failed in another way than by finding errors in the source.
pub(super) type Outcome<T> = Result<T, String>;

/// Whether NVRTC's library can be loaded. Every other call here panics where it cannot.
pub(super) fn is_present() -> bool {
    // SAFETY: It loads a library that has no initialisation of its own.
    unsafe { sys::is_culib_present() }
}

/// NVRTC's version: major and minor.
pub(super) fn version() -> Outcome<[i32; 2]> {
    let (mut major, mut minor): (c_int, c_int) = (0, 0);
    // SAFETY: The pointers are to live integers.
    unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) }.result().map_err(|e| e.to_string())?;
    Ok([major, minor])
}

/// The architectures that NVRTC compiles for, such as 90, in order.
pub(super) fn architectures() -> Outcome<Vec<i32>> {
    let mut count: c_int = 0;
    // SAFETY: The pointers are to a live integer, and to as many as the library says it writes.
    unsafe {
        sys::nvrtcGetNumSupportedArchs(&raw mut count).result().map_err(|e| e.to_string())?;
        let mut all = vec![0; usize::try_from(count).unwrap_or(0)];
        sys::nvrtcGetSupportedArchs(all.as_mut_ptr()).result().map_err(|e| e.to_string())?;
        Ok(all)
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Compilation {
    /// Whether the source compiled.
    pub(super) done: bool,
    pub(super) log: String,
    /// PTX, with a zero at its end; empty where it did not compile.
    pub(super) ptx: Vec<u8>,
    /// Machine code; empty where none was asked for.
    pub(super) cubin: Vec<u8>,
    /// The name of the instance in the PTX.
    pub(super) instance: Option<String>,
}

/// A program, destroyed when it goes out of use.
struct Program(sys::nvrtcProgram);

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: It was created and is destroyed once.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

/// Compiles `source`, which messages call `name`, and an instance of one of its templates. Each of `headers`, a name
/// and a text, can be included under its name.
///
/// # Errors
/// When the compiler fails otherwise than by errors in the source.
pub(super) fn compile(
    source: &str,
    name: &str,
    headers: &[(&str, &str)],
    options: &[String],
    instance: Option<&str>,
) -> Outcome<Compilation> {
    let text = |text: &str| CString::new(text).map_err(|_| "the source holds a zero character".to_owned());
    let (source, name) = (text(source)?, text(name)?);
    let instance = instance.map(text).transpose()?;
    let header_names = headers.iter().map(|(name, _)| text(name)).collect::<Outcome<Vec<CString>>>()?;
    let headers = headers.iter().map(|(_, header)| text(header)).collect::<Outcome<Vec<CString>>>()?;
    let header_pointers: Vec<*const c_char> = headers.iter().map(|header| header.as_ptr()).collect();
    let name_pointers: Vec<*const c_char> = header_names.iter().map(|name| name.as_ptr()).collect();
    let header_count = c_int::try_from(headers.len()).map_err(|_| "there are too many headers".to_owned())?;
    let options = options.iter().map(|option| text(option)).collect::<Outcome<Vec<CString>>>()?;
    let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    let mut raw = std::ptr::null_mut();
    // SAFETY: All strings end with a zero and outlive the program; there are as many headers, with names, and options as are counted.
    unsafe {
        sys::nvrtcCreateProgram(
            &raw mut raw,
            source.as_ptr(),
            name.as_ptr(),
            header_count,
            header_pointers.as_ptr(),
            name_pointers.as_ptr(),
        )
        .result()
        .map_err(|e| e.to_string())?;
        let program = Program(raw);
        if let Some(instance) = &instance {
            sys::nvrtcAddNameExpression(program.0, instance.as_ptr()).result().map_err(|e| e.to_string())?;
        }
        let count = c_int::try_from(options.len()).map_err(|_| "there are too many options".to_owned())?;
        let status = sys::nvrtcCompileProgram(program.0, count, options.as_ptr());
        let log = string(&result::get_program_log(program.0).unwrap_or_default());
        match status {
            sys::nvrtcResult::NVRTC_SUCCESS => {}
            sys::nvrtcResult::NVRTC_ERROR_COMPILATION => {
                return Ok(Compilation { done: false, log, ptx: Vec::new(), cubin: Vec::new(), instance: None });
            }
            other => return Err(format!("{other:?} {log}").trim().to_owned()),
        }
        let ptx = result::get_ptx(program.0).map_err(|e| e.to_string())?;
        let mut size = 0;
        sys::nvrtcGetCUBINSize(program.0, &raw mut size).result().map_err(|e| e.to_string())?;
        let mut cubin = vec![0_u8; size];
        if size > 0 {
            sys::nvrtcGetCUBIN(program.0, cubin.as_mut_ptr().cast()).result().map_err(|e| e.to_string())?;
        }
        let mut lowered = std::ptr::null();
        if let Some(instance) = &instance {
            sys::nvrtcGetLoweredName(program.0, instance.as_ptr(), &raw mut lowered)
                .result()
                .map_err(|e| e.to_string())?;
        }
        // The name lives as long as the program.
        let instance = (!lowered.is_null()).then(|| CStr::from_ptr(lowered).to_string_lossy().into_owned());
        Ok(Compilation { done: true, log, ptx: ptx.iter().map(|c| c.cast_unsigned()).collect(), cubin, instance })
    }
}

/// The text before the first zero.
fn string(bytes: &[c_char]) -> String {
    let bytes: Vec<u8> = bytes.iter().map(|c| c.cast_unsigned()).chain([0]).collect();
    CStr::from_bytes_until_nul(&bytes).unwrap_or_default().to_string_lossy().into_owned()
}
