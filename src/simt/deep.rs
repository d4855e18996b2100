//! Room for deep recursion: an expression of a hundred thousand terms is a tree as deep, and lowering walks it.

/// Stack for one walk. Only what is used of it is ever committed.
const STACK: usize = 256 << 20;

/// Runs `work` with a large stack.
pub fn deep<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        match std::thread::Builder::new().name("lower".to_owned()).stack_size(STACK).spawn_scoped(scope, work) {
            Ok(thread) => match thread.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(error) => panic!("no thread can be started: {error}"),
        }
    })
}
