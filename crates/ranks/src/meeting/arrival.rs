//! Rendezvous at rank 0: it listens to all that connect, and the others retry until it answers.

use std::io::{ErrorKind, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener, TcpStream, ToSocketAddrs};
use std::thread;
use std::time::{Duration, Instant};

use super::{ANSWER, Frame, frame_length, send};
use crate::world::World;
use warpbook_base::diag::Diagnostic;

/// The first message of ranks of this program's version.
const GREETING: &str = concat!("warpbook ranks ", env!("CARGO_PKG_VERSION"));

/// How long between two tries to reach rank 0.
const RETRY: Duration = Duration::from_millis(50);

/// The longest greeting, in bytes.
const SHORT: u32 = 128;

/// Connections that rank 0 accepts at one time before they have greeted.
const MOST_NEWCOMERS: usize = 256;

/// Waits for all other ranks, at rank 0.
pub(super) fn await_others(
    world: &World,
    patience: Duration,
    until: Instant,
) -> Result<Vec<(usize, TcpStream)>, Diagnostic> {
    if world.size == 1 {
        return Ok(Vec::new());
    }
    let cannot = |error: std::io::Error| {
        Diagnostic::error(format!("rank 0 cannot listen at port {}: {error}", world.port))
            .hint("choose another port in MASTER_PORT")
    };
    let here = (world.address.as_str(), world.port).to_socket_addrs().map_err(cannot)?.next();
    let any: IpAddr = match here.map(|here| here.ip()) {
        Some(ip) if ip.is_loopback() => ip,
        Some(IpAddr::V6(_)) => Ipv6Addr::UNSPECIFIED.into(),
        _ => Ipv4Addr::UNSPECIFIED.into(),
    };
    let listener = TcpListener::bind((any, world.port)).map_err(cannot)?;
    listener.set_nonblocking(true).map_err(cannot)?;
    let mut lines: Vec<Option<TcpStream>> = (0..world.size).map(|_| None).collect();
    // All newcomers are heard in turn: one that says nothing must not hold the others.
    let mut newcomers: Vec<Newcomer> = Vec::new();
    let fail = |lines: &[Option<TcpStream>], message: String, hint: &str| {
        for line in lines.iter().flatten() {
            let _ = send(line, &Frame::Lost(message.clone()));
        }
        Err(Diagnostic::error(message).hint(hint))
    };
    loop {
        let missing: Vec<String> =
            (1..world.size).filter(|rank| lines[*rank].is_none()).map(|rank| rank.to_string()).collect();
        if missing.is_empty() {
            return Ok(lines.into_iter().enumerate().filter_map(|(rank, line)| Some((rank, line?))).collect());
        }
        // Those beyond the most wait until the system hands them over.
        while newcomers.len() < MOST_NEWCOMERS {
            match listener.accept() {
                // A connection that ends at once is not a rank's.
                Ok((line, _)) => newcomers.extend(Newcomer::new(line).ok()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(cannot(error)),
            }
        }
        if Instant::now() > until {
            let (ranks, have) = if missing.len() == 1 { ("rank", "has") } else { ("ranks", "have") };
            let message = format!(
                "{ranks} {} of {} {have} not come within {} s",
                missing.join(", "),
                world.size,
                patience.as_secs_f64()
            );
            let hint = "see whether they were started, and whether they can reach MASTER_ADDR at MASTER_PORT";
            return fail(&lines, message, hint);
        }
        // Anything else that comes to this port is not a rank's.
        let Some((line, Frame::Hello { greeting, rank, size })) = heard(&mut newcomers) else {
            thread::sleep(Duration::from_millis(2));
            continue;
        };
        let hint = "start all ranks with one command, and no other ones at this port";
        if greeting != GREETING {
            let _ = send(&line, &Frame::Lost(format!("rank 0 is `{GREETING}`")));
            return fail(
                &lines,
                format!("rank {rank} is `{greeting}`, and rank 0 `{GREETING}`"),
                "use one version of the program for all ranks",
            );
        }
        if size != world.size || rank == 0 || rank >= size {
            let message = format!("rank {rank} came for a world of {size} ranks, and rank 0 has one of {}", world.size);
            let _ = send(&line, &Frame::Lost(message.clone()));
            return fail(&lines, message, hint);
        }
        if lines[rank].is_some() {
            let message = format!("rank {rank} has joined twice");
            let _ = send(&line, &Frame::Lost(message.clone()));
            return fail(&lines, message, hint);
        }
        lines[rank] = Some(line);
    }
}

/// A connection that has not greeted yet, and what has come over it.
struct Newcomer {
    line: TcpStream,
    came: Instant,
    bytes: Vec<u8>,
}

impl Newcomer {
    fn new(line: TcpStream) -> std::io::Result<Self> {
        line.set_nonblocking(true)?;
        line.set_nodelay(true)?;
        Ok(Self { line, came: Instant::now(), bytes: Vec::new() })
    }

    /// Its first frame, a short one in a short time; None as long as that has not come.
    fn hear(&mut self) -> std::io::Result<Option<Frame>> {
        loop {
            let wanted = match self.bytes.first_chunk() {
                Some(length) => 4 + frame_length(*length, SHORT)?,
                None => 4,
            };
            if self.bytes.len() == wanted && wanted > 4 {
                self.line.set_nonblocking(false)?;
                return postcard::from_bytes(&self.bytes[4..]).map(Some).map_err(std::io::Error::other);
            }
            // No more than the greeting: what follows is heard later.
            let mut more = vec![0; wanted - self.bytes.len()];
            match self.line.read(&mut more) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(read) => self.bytes.extend_from_slice(&more[..read]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock && self.came.elapsed() < ANSWER => return Ok(None),
                Err(error) => return Err(error),
            }
        }
    }
}

/// A newcomer that has greeted; those that say something else or nothing are sent away.
fn heard(newcomers: &mut Vec<Newcomer>) -> Option<(TcpStream, Frame)> {
    let mut at = 0;
    while at < newcomers.len() {
        match newcomers[at].hear() {
            Ok(None) => at += 1,
            Ok(Some(frame @ Frame::Hello { .. })) => return Some((newcomers.swap_remove(at).line, frame)),
            Ok(Some(_)) | Err(_) => drop(newcomers.swap_remove(at)),
        }
    }
    None
}

/// Connects with rank 0.
pub(super) fn reach_first(world: &World, patience: Duration, until: Instant) -> Result<TcpStream, Diagnostic> {
    loop {
        let left = until.saturating_duration_since(Instant::now()).max(RETRY);
        let places = (world.address.as_str(), world.port).to_socket_addrs();
        let connected = places.and_then(|places| {
            let nowhere = Err(std::io::Error::other("the address is none"));
            places.fold(nowhere, |found, place| found.or_else(|_| TcpStream::connect_timeout(&place, left)))
        });
        let tried = connected.and_then(|line| {
            line.set_nodelay(true)?;
            send(&line, &Frame::Hello { greeting: GREETING.to_owned(), rank: world.rank, size: world.size })?;
            Ok(line)
        });
        match tried {
            Ok(line) => return Ok(line),
            Err(error) if Instant::now() > until => {
                let message = format!(
                    "rank 0 does not answer at {}:{} within {} s: {error}",
                    world.address,
                    world.port,
                    patience.as_secs_f64()
                );
                return Err(Diagnostic::error(message)
                    .hint("see whether rank 0 was started; MASTER_ADDR and MASTER_PORT say where it is"));
            }
            Err(_) => thread::sleep(RETRY),
        }
    }
}
