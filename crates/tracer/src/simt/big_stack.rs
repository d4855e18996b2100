//! A stack for deep recursion, and a place where a compiler's panic ends: it becomes a diagnostic.

use warpbook_base::diag::Diagnostic;
use warpbook_base::parts::in_part;

/// Stack for one walk: an expression of a hundred thousand terms is a tree as deep, and lowering walks it. Two KiB for
/// each byte of the longest shader are enough, and only what is used of it is ever committed.
const STACK: usize = 1 << 28;

/// The longest shader in WGSL, in bytes. Parsing takes time with the square of it.
pub const MAX_WGSL: usize = 1 << 17;

/// Runs `work` on `source`, the kernel in `file` of `most` bytes at most, with a large stack.
///
/// # Errors
/// Those of `work`, in the part of the shader that they are about, that it panicked, or that the source is too long.
pub fn deep<T: Send>(
    file: &str,
    source: &str,
    most: usize,
    work: impl FnOnce() -> Result<T, Vec<Diagnostic>> + Send,
) -> Result<T, Vec<Diagnostic>> {
    let failed = |why: String| vec![Diagnostic::error(why).in_file(file)];
    if source.len() > most {
        let (has, most) = (source.len() >> 10, most >> 10);
        return Err(failed(format!("a shader of {has} KiB is too long to trace: {most} KiB are the most")));
    }
    // A page has no threads: there the stack is what the module was linked with, and a panic ends the module.
    if cfg!(target_family = "wasm") {
        return work().map_err(|errors| errors.into_iter().map(|error| in_part(error, source)).collect());
    }
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("lower".to_owned()).stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|e| failed(format!("no thread can be started to compile the shader: {e}")))?;
        let outcome = thread.join().unwrap_or_else(|panic| {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it gave no reason");
            let mut errors = failed(format!("the shader compiler failed: {said}"));
            errors[0].hint =
                Some("this is a bug of the compiler: write the shader in another way, and please report it".to_owned());
            Err(errors)
        });
        outcome.map_err(|errors| errors.into_iter().map(|error| in_part(error, source)).collect())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_diagnostic() {
        assert_eq!(deep("t.wgsl", "", 9, || Ok(3)), Ok(3));
        let broken: Result<(), _> = deep("t.wgsl", "", 9, || panic!("at {}", 7));
        let text = broken.err().map(|errors| errors[0].to_string()).unwrap_or_default();
        assert!(text.starts_with("t.wgsl:1:1: error: the shader compiler failed: at 7"), "{text}");
    }

    #[test]
    fn a_long_source_is_refused() {
        let long = " ".repeat(10);
        assert!(deep("t.wgsl", &long, 9, || Ok(())).is_err_and(|errors| errors[0].message.contains("too long")));
        assert_eq!(deep("t.wgsl", &long[1..], 9, || Ok(())), Ok(()));
    }
}
