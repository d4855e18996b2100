//! File watcher for a pack on disk.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use notify::{RecursiveMode, Watcher};

use crate::base::diag::Diagnostic;

/// Debounce time: an editor writes a file in several small steps; a change is reported once they have stopped for this long.
const SETTLE: Duration = Duration::from_millis(150);

/// Watches until dropped.
pub struct Watch {
    _watcher: notify::RecommendedWatcher,
}

/// Calls `on_change` (on another thread) after files in the pack's folders have changed and come to rest.
///
/// # Errors
/// When the system cannot watch the folder.
pub fn watch(folder: &Path, on_change: impl Fn() + Send + 'static) -> Result<Watch, Diagnostic> {
    let problem = |error: notify::Error| {
        Diagnostic::warning(format!("changes in {} will not be noticed: {error}", folder.display()))
            .hint("start Warpbook again after changing them")
    };
    let (changed, changes) = channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|e| !e.kind.is_access()) {
            // The other side is gone only when the watch is being dropped.
            let _ = changed.send(());
        }
    })
    .map_err(problem)?;
    for name in ["lessons", "shaders", "assets"] {
        let part = folder.join(name);
        if part.is_dir() {
            watcher.watch(&part, RecursiveMode::Recursive).map_err(problem)?;
        }
    }
    std::thread::spawn(move || {
        while changes.recv().is_ok() {
            while !matches!(
                changes.recv_timeout(SETTLE),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected)
            ) {}
            on_change();
        }
    });
    Ok(Watch { _watcher: watcher })
}
