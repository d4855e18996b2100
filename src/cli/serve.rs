//! `warpbook serve`: gives the files of a folder to a browser on this machine.

use std::fs::{File, Metadata};
use std::io::{BufRead, BufReader, Cursor, ErrorKind, Read, Write, empty};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant, UNIX_EPOCH};

use flate2::Compression;
use flate2::read::GzEncoder;

use super::{Context, out, site};
use crate::base::diag::Diagnostic;
use crate::notes::site::INDEX;

/// The longest request that is read.
const REQUEST: u64 = 1 << 14;

/// How long a browser may take for its request, and for a part of the answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Browsers that are answered at once; others are turned away.
const AT_ONCE: usize = 64;

/// The beginnings of the types of files that are compressed on their way, and the largest that are, in bytes.
const COMPRESSED: [&str; 3] = ["text/", "image/svg", "application/json"];
const MOST_COMPRESSED: u64 = 1 << 24;

/// The interval at which it checks whether the first lesson is written.
const LOOK: Duration = Duration::from_millis(50);

/// Serves a folder until the program is stopped. Without a folder, the lessons: if they are not there, they are written meanwhile.
pub(super) fn serve(context: &Context, folder: Option<&Path>, port: u16) -> Result<ExitCode, ExitCode> {
    if let Some(folder) = folder {
        return give(folder, port);
    }
    let folder = PathBuf::from(site::FOLDER);
    if folder.join(INDEX).is_file() {
        return give(&folder, port);
    }
    std::thread::scope(|scope| {
        let written = scope.spawn(|| site::export(context, &folder, "", &[]));
        while !written.is_finished() && !folder.join("index.html").is_file() {
            std::thread::sleep(LOOK);
        }
        if written.is_finished() {
            written.join().unwrap_or_else(|why| std::panic::resume_unwind(why))?;
        }
        give(&folder, port)
    })
}

fn give(folder: &Path, port: u16) -> Result<ExitCode, ExitCode> {
    let root = folder.canonicalize().ok().filter(|root| root.is_dir()).ok_or_else(|| {
        let problem = Diagnostic::error(format!("there is no folder {}", folder.display()));
        out::misused(problem.hint("write one with `warpbook export --site DIR`"))
    })?;
    if !root.join("index.html").is_file() {
        let problem = Diagnostic::error(format!("{} has no index.html: it is no site", folder.display()));
        return Err(out::misused(problem.hint("write one with `warpbook export --site DIR`")));
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|why| {
        let problem = Diagnostic::error(format!("cannot listen on port {port}: {why}"));
        out::misused(problem.hint("give another one with --port; 0 takes any that is free"))
    })?;
    let address = listener.local_addr().map_err(|why| out::misused(Diagnostic::error(why.to_string())))?;
    out::line(&format!("http://{address}/"));
    out::note("Open this address in a browser on this machine. Ctrl-C ends it.");
    let root = Arc::new(root);
    for stream in listener.incoming().flatten() {
        if Arc::strong_count(&root) > AT_ONCE {
            continue;
        }
        let root = root.clone();
        std::thread::spawn(move || {
            // A browser that hangs up early has what it wanted.
            let _ = answer(&stream, &root);
        });
    }
    Ok(super::DONE)
}

/// An HTTP request: the parts of it that the server reads.
#[derive(Debug, Default)]
struct Request {
    method: String,
    target: String,
    host: String,
    /// The version that it has.
    known: String,
    /// Whether it takes texts that are compressed by gzip.
    takes_gzip: bool,
}

impl Request {
    fn read(stream: &TcpStream) -> std::io::Result<Self> {
        let mut reader = BufReader::new(stream.take(REQUEST));
        let start = Instant::now();
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let mut words = line.split_whitespace().map(ToOwned::to_owned);
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let mut request = Self { method, target, ..Self::default() };
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
                return Ok(request);
            }
            if start.elapsed() > PATIENCE {
                return Err(ErrorKind::TimedOut.into());
            }
            let Some((name, value)) = line.split_once(':') else { continue };
            match name.to_ascii_lowercase().as_str() {
                "host" => value.trim().clone_into(&mut request.host),
                "accept-encoding" => {
                    let mut encodings = value.split(',').map(|one| one.split(';').next().unwrap_or_default().trim());
                    request.takes_gzip = encodings.any(|one| one.eq_ignore_ascii_case("gzip"));
                }
                "if-none-match" => value.trim().clone_into(&mut request.known),
                _ => {}
            }
        }
    }

    /// Whether it is for this machine: a page elsewhere must not reach the server under a name of its own.
    fn is_local(&self) -> bool {
        let name = self.host.rsplit_once(':').map_or(self.host.as_str(), |(name, _)| name);
        ["127.0.0.1", "localhost"].iter().any(|local| name.eq_ignore_ascii_case(local))
    }
}

/// An answer: its status, its header lines, its length and its body.
type Answer = (&'static str, String, u64, Box<dyn Read>);

fn answer(mut stream: &TcpStream, root: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = Request::read(stream)?;
    let (status, lines, length, mut body) = answered(&request, root);
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\nX-Content-Type-Options: nosniff\r\n\
         Cache-Control: no-cache\r\n{lines}\r\n"
    );
    stream.write_all(head.as_bytes())?;
    if request.method != "HEAD" {
        std::io::copy(&mut body, &mut stream)?;
    }
    Ok(())
}

fn answered(request: &Request, root: &Path) -> Answer {
    let said = |status: &'static str, words: &str| -> Answer {
        let body = format!("{words}\n").into_bytes();
        (
            status,
            "Content-Type: text/plain; charset=utf-8\r\n".to_owned(),
            body.len() as u64,
            Box::new(Cursor::new(body)),
        )
    };
    if !request.is_local() {
        return said("403 Forbidden", "ask for 127.0.0.1");
    }
    if !["GET", "HEAD"].contains(&request.method.as_str()) {
        return said("405 Method Not Allowed", "only GET");
    }
    let Some(path) = file_of(root, &request.target) else { return said("404 Not Found", "there is no such page") };
    if path.is_dir() {
        let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
        let query = if query.is_empty() { String::new() } else { format!("?{query}") };
        return ("301 Moved Permanently", format!("Location: {path}/{query}\r\n"), 0, Box::new(empty()));
    }
    // Only regular files: to open a pipe would wait for its other end.
    let about = path.metadata().ok().filter(Metadata::is_file);
    let Some((about, body)) = about.and_then(|about| Some((about, File::open(&path).ok()?))) else {
        return said("404 Not Found", "there is no such page");
    };
    let changed = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let is_small = about.len() <= MOST_COMPRESSED && COMPRESSED.iter().any(|text| kind(&path).starts_with(text));
    let is_compressed = request.takes_gzip && is_small;
    let way = if is_compressed { "z" } else { "" };
    let version = format!("\"{:x}-{:x}{way}\"", changed.map_or(0, |time| time.as_nanos()), about.len());
    let lines = format!("Content-Type: {}\r\nETag: {version}\r\nVary: Accept-Encoding\r\n", kind(&path));
    if request.known == version {
        return ("304 Not Modified", lines, 0, Box::new(empty()));
    }
    if is_compressed {
        let mut text = Vec::new();
        let mut encoder = GzEncoder::new(body.take(about.len()), Compression::fast());
        return match encoder.read_to_end(&mut text) {
            Ok(length) => {
                ("200 OK", format!("{lines}Content-Encoding: gzip\r\n"), length as u64, Box::new(Cursor::new(text)))
            }
            Err(_) => said("404 Not Found", "there is no such page"),
        };
    }
    ("200 OK", lines, about.len(), Box::new(body.take(about.len())))
}

/// The file that a request names, or the folder if the slash at its end is missing; None if it is not below `root`.
fn file_of(root: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?;
    let relative = Path::new(path.strip_prefix('/')?);
    // A site has no hidden files.
    let is_page =
        |part: Component<'_>| matches!(part, Component::Normal(name) if !name.as_encoded_bytes().starts_with(b"."));
    let is_plain = relative.components().all(is_page);
    if !is_plain || path.contains(['%', '\\']) {
        return None;
    }
    let mut file = root.join(relative);
    if path.ends_with('/') {
        file.push("index.html");
    }
    // A link must not lead out of the folder.
    file.canonicalize().ok().filter(|file| file.starts_with(root))
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("gz") => "application/gzip",
        Some("txt" | "md" | "csv") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compressed_for_those_who_take_it() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        let text = "a page ".repeat(1000);
        std::fs::write(root.join("index.html"), &text)?;
        std::fs::write(root.join("module.gz"), "packed")?;
        let ask = |target: &str, takes_gzip| {
            let request = Request {
                method: "GET".to_owned(),
                target: target.to_owned(),
                host: "127.0.0.1:8000".to_owned(),
                takes_gzip,
                ..Request::default()
            };
            answered(&request, &root)
        };
        let (status, lines, length, body) = ask("/index.html", true);
        assert!(status == "200 OK" && lines.contains("Content-Encoding: gzip") && length < 200, "{lines} {length}");
        let mut read = String::new();
        flate2::read::GzDecoder::new(body).read_to_string(&mut read)?;
        assert_eq!(read, text);
        for (target, takes_gzip) in [("/index.html", false), ("/module.gz", true)] {
            assert!(!ask(target, takes_gzip).1.contains("Content-Encoding"), "{target}");
        }
        Ok(())
    }

    #[test]
    fn only_files_of_the_folder_are_given() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?.join("site");
        std::fs::create_dir_all(root.join("a"))?;
        std::fs::write(root.join("a/index.html"), "page")?;
        std::fs::write(folder.path().join("secret"), "secret")?;
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path().join("secret"), root.join("link"))?;
        assert_eq!(file_of(&root, "/a/?stride=8"), Some(root.join("a/index.html")));
        assert_eq!(file_of(&root, "/a"), Some(root.join("a")));
        std::fs::write(root.join(".env"), "secret")?;
        for outside in [
            "/../secret",
            "/a/../../secret",
            "/%2e%2e/secret",
            "/link",
            "//etc/passwd",
            "/c:\\x",
            "/.env",
            "secret",
            "",
        ] {
            assert_eq!(file_of(&root, outside), None, "{outside}");
        }
        Ok(())
    }
}
