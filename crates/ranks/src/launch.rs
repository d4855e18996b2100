//! Launching ranks on this host: one process of this program for each.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use warpbook_base::diag::Diagnostic;

/// Set for ranks that this program started. They end when it does: their standard input is then at its end.
const LAUNCHED: &str = "WARPBOOK_LAUNCHED";

/// Whether this process is a rank that this program started.
#[must_use]
pub fn is_launched() -> bool {
    std::env::var_os(LAUNCHED).is_some()
}

/// Ends this process as soon as the one that launched it is gone, if one did.
#[expect(clippy::disallowed_methods, reason = "nobody waits for this process any more")]
pub fn end_with_launcher() {
    if is_launched() {
        thread::spawn(|| {
            let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
            std::process::exit(1);
        });
    }
}

/// How long the other ranks have to end by themselves after one has failed.
const GRACE: Duration = Duration::from_secs(5);

/// Runs `program` with `arguments` as `size` ranks until all have ended. What rank 0 prints is printed; what each says
/// on standard error is handed to `said` with the rank.
///
/// Gives the exit code of a rank that failed and reported why itself; 0 if none did.
///
/// # Errors
/// When a rank cannot be started, was killed or does not end: it is named, and the others are ended.
pub fn launch(
    program: &Path,
    arguments: &[OsString],
    size: usize,
    said: impl Fn(usize, &str) + Sync,
) -> Result<u8, Diagnostic> {
    let cannot = |what: &str, error: std::io::Error| Diagnostic::error(format!("cannot {what}: {error}"));
    // A port that is free now; it is given back so that rank 0 can have it.
    let port = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .map_err(|error| cannot("find a free port", error))?
        .port();
    let mut ranks: Vec<Child> = Vec::new();
    for rank in 0..size {
        let out = if rank == 0 { Stdio::inherit() } else { Stdio::null() };
        let started = Command::new(program)
            .args(arguments)
            .envs(
                [("RANK", rank), ("LOCAL_RANK", rank), ("WORLD_SIZE", size), ("LOCAL_WORLD_SIZE", size)]
                    .map(|(name, value)| (name, value.to_string())),
            )
            .envs([("MASTER_ADDR", "127.0.0.1".to_owned()), ("MASTER_PORT", port.to_string())])
            .env_remove("TORCHELASTIC_USE_AGENT_STORE")
            .env(LAUNCHED, "1")
            .stdin(Stdio::piped())
            .stdout(out)
            .stderr(Stdio::piped())
            .spawn();
        match started {
            Ok(child) => ranks.push(child),
            Err(error) => {
                end(&mut ranks);
                return Err(cannot(&format!("start rank {rank}"), error));
            }
        }
    }
    let errors: Vec<_> = ranks.iter_mut().map(|child| child.stderr.take()).collect();
    thread::scope(|scope| {
        for (rank, stderr) in errors.into_iter().enumerate() {
            let said = &said;
            scope.spawn(move || {
                for line in stderr.into_iter().flat_map(|stderr| BufReader::new(stderr).lines()).map_while(Result::ok) {
                    said(rank, &line);
                }
            });
        }
        wait(&mut ranks)
    })
}

/// Waits for all.
fn wait(ranks: &mut [Child]) -> Result<u8, Diagnostic> {
    let mut ended: Vec<Option<ExitStatus>> = vec![None; ranks.len()];
    let mut failed: Option<(usize, ExitStatus, Instant)> = None;
    let mut is_over = false;
    let mut stuck: Vec<String> = Vec::new();
    loop {
        for (rank, child) in ranks.iter_mut().enumerate() {
            if ended[rank].is_none()
                && let Ok(Some(status)) = child.try_wait()
            {
                ended[rank] = Some(status);
                // A rank that was killed is the cause; others that end badly do so because of it.
                let is_cause = failed.is_none_or(|(_, first, _)| first.code().is_some() && status.code().is_none());
                if !status.success() && is_cause && !is_over {
                    failed = Some((rank, status, failed.map_or_else(Instant::now, |(.., since)| since)));
                }
            }
        }
        if ended.iter().all(Option::is_some) {
            break;
        }
        if !is_over && failed.is_some_and(|(.., since)| since.elapsed() > GRACE) {
            is_over = true;
            stuck = (0..ranks.len()).filter(|rank| ended[*rank].is_none()).map(|rank| rank.to_string()).collect();
            end(ranks);
        }
        thread::sleep(Duration::from_millis(10));
    }
    match failed {
        None => Ok(0),
        Some(_) if !stuck.is_empty() => {
            let ranks = if stuck.len() == 1 { "rank" } else { "ranks" };
            let message =
                format!("{ranks} {} did not end when others had failed, and had to be ended", stuck.join(", "));
            Err(Diagnostic::error(message).hint("the messages are above; start all ranks again"))
        }
        Some((_, status, _)) if status.code().is_some() => {
            Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
        }
        Some((rank, status, _)) => {
            Err(Diagnostic::error(format!("rank {rank} ended with {status}, and with it all others"))
                .hint("its messages are above; start all ranks again"))
        }
    }
}

fn end(ranks: &mut [Child]) {
    for child in ranks {
        let _ = child.kill();
        let _ = child.wait();
    }
}
