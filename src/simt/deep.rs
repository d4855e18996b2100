//! A stack for deep recursion, and a place where a compiler's panic ends: it becomes a diagnostic.

use crate::base::diag::Diagnostic;

/// Stack for one walk: an expression of a hundred thousand terms is a tree as deep, and lowering walks it. Only what is
/// used of it is ever committed.
const STACK: usize = 256 << 20;

/// Runs `work` on the shader in `file` with a large stack.
///
/// # Errors
/// Those of `work`, or that it panicked.
pub fn deep<T: Send>(
    file: &str,
    work: impl FnOnce() -> Result<T, Vec<Diagnostic>> + Send,
) -> Result<T, Vec<Diagnostic>> {
    let failed = |why: String| vec![Diagnostic::error(why).in_file(file)];
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("lower".to_owned()).stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|e| failed(format!("no thread can be started to compile the shader: {e}")))?;
        thread.join().unwrap_or_else(|panic| {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it did not say why");
            let mut errors = failed(format!("the compiler of shaders broke down: {said}"));
            errors[0].hint =
                Some("the mistake is in the compiler: say it in other words, and please report it".to_owned());
            Err(errors)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_diagnostic() {
        assert_eq!(deep("t.wgsl", || Ok(3)), Ok(3));
        let broken: Result<(), _> = deep("t.wgsl", || panic!("at {}", 7));
        let text = broken.err().map(|errors| errors[0].to_string()).unwrap_or_default();
        assert!(text.starts_with("t.wgsl:1:1: error: the compiler of shaders broke down: at 7"), "{text}");
    }
}
