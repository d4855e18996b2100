//! File watcher for a pack on disk.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use notify::{RecursiveMode, Watcher};

use crate::base::diag::Diagnostic;

/// Debounce time: an editor writes a file in several small steps; a change is reported once they have stopped for this
/// long.
const SETTLE: Duration = Duration::from_millis(150);

/// Watches until dropped.
pub struct Watch {
    _watcher: notify::RecommendedWatcher,
}

/// Calls `on_change` (on another thread) after files in the pack's folders have changed and come to rest; with a
/// problem if changes may have been missed.
pub fn watch(folder: &Path, on_change: impl Fn(Option<Diagnostic>) + Send + 'static) -> Result<Watch, Diagnostic> {
    let folder_name = folder.display().to_string();
    let problem = move |error: notify::Error| {
        Diagnostic::warning(format!("changes in {folder_name} will not be noticed: {error}"))
            .hint("start Warpbook again after changing them")
    };
    let (changed, changes) = channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.as_ref().is_ok_and(|event| event.kind.is_access()) {
            return;
        }
        // The other side is gone only when the watch is being dropped.
        let _ = changed.send(event.map(drop));
    })
    .map_err(&problem)?;
    for name in ["lessons", "shaders", "assets"] {
        let part = folder.join(name);
        if part.is_dir() {
            watcher.watch(&part, RecursiveMode::Recursive).map_err(&problem)?;
        }
    }
    std::thread::spawn(move || settle(&changes, |error| on_change(error.map(&problem))));
    Ok(Watch { _watcher: watcher })
}

/// Calls `on_change` once for changes that follow each other closely, with the last error among them.
fn settle(changes: &Receiver<notify::Result<()>>, on_change: impl Fn(Option<notify::Error>)) {
    while let Ok(change) = changes.recv() {
        let mut error = change.err();
        while let Ok(change) = changes.recv_timeout(SETTLE) {
            error = change.err().or(error);
        }
        on_change(error);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn changes_are_reported_once_with_an_error_among_them() {
        for (sent, expected) in
            [(vec![Ok(()), Ok(())], vec![None]), (vec![Ok(()), Err("full"), Ok(())], vec![Some("full")])]
        {
            let (sender, changes) = channel();
            sent.into_iter().for_each(|change| sender.send(change.map_err(notify::Error::generic)).unwrap_or_default());
            drop(sender);
            let seen = RefCell::new(Vec::new());
            settle(&changes, |error| seen.borrow_mut().push(error.map(|error| error.to_string())));
            assert_eq!(seen.into_inner(), expected.into_iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>());
        }
    }
}
