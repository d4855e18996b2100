//! Messages between ranks: each has a connection to rank 0, which relays them, and notifies all ranks if one is lost.

mod arrival;

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use self::arrival::{await_others, reach_first};
use super::world::World;
use warpbook_base::diag::Diagnostic;

/// How long rank 0 waits for the others to answer when one of them is stuck.
const ANSWER: Duration = Duration::from_secs(1);

/// How long a rank that is stuck waits for rank 0 to say why.
const NEWS: Duration = Duration::from_secs(4);

/// The longest frame that is read, in bytes.
const LONGEST: u32 = 1 << 26;

/// A message over a connection.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Frame {
    Hello {
        greeting: String,
        rank: usize,
        size: usize,
    },
    Welcome,
    /// A rank's data for all.
    Own(Vec<u8>),
    /// The data of each rank.
    All(Vec<Vec<u8>>),
    /// A rank does not get on, and why it thinks so.
    Stuck(String),
    Ping,
    Pong,
    /// All is over for this reason.
    Lost(String),
    Done,
}

/// A rank among all others.
pub struct Meeting {
    world: World,
    /// How long a rank may say nothing.
    patience: Duration,
    /// A connection to every other rank that this one is connected with, by rank. Frames are written whole.
    lines: Vec<(usize, Arc<Mutex<TcpStream>>)>,
    /// Frames received, each with its rank; None if its connection has ended.
    inbox: Receiver<(usize, Option<Frame>)>,
    early: VecDeque<(usize, Frame)>,
}

impl Meeting {
    /// Waits until all ranks are there.
    ///
    /// # Errors
    /// When some have not come within `patience`, or one has another idea of the world.
    pub fn join(world: World, patience: Duration) -> Result<Self, Diagnostic> {
        let until = Instant::now() + patience;
        let lines = if world.rank == 0 {
            await_others(&world, patience, until)?
        } else {
            vec![(0, reach_first(&world, patience, until)?)]
        };
        let (sender, inbox) = channel();
        let lines = lines.into_iter().map(|(rank, line)| {
            let reader = line
                .try_clone()
                .map_err(|error| Diagnostic::error(format!("cannot listen to rank {rank}: {error}")))?;
            let line = Arc::new(Mutex::new(line));
            listen(rank, reader, Arc::clone(&line), sender.clone())?;
            Ok((rank, line))
        });
        let lines = lines.collect::<Result<Vec<_>, Diagnostic>>()?;
        let mut meeting = Self { world, patience, lines, inbox, early: VecDeque::new() };
        if meeting.world.rank == 0 {
            meeting.tell(&Frame::Welcome);
        } else {
            // Rank 0 may have come later, and says itself who is missing.
            match meeting.next(until + patience + NEWS)? {
                (_, Frame::Welcome) => {}
                _ => {
                    let message =
                        format!("what listens at {}:{} is no rank 0", meeting.world.address, meeting.world.port);
                    return Err(Diagnostic::error(message).hint("MASTER_ADDR and MASTER_PORT say where rank 0 is"));
                }
            }
        }
        Ok(meeting)
    }

    /// This rank's place.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// How long a rank may say nothing.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// This host's address, as the others reach it.
    ///
    /// # Errors
    /// When the connection has ended.
    pub fn own_address(&self) -> Result<IpAddr, Diagnostic> {
        match self.lines.first() {
            Some((_, line)) => lock(line)
                .local_addr()
                .map(|address| address.ip())
                .map_err(|error| Diagnostic::error(format!("this rank has no address: {error}"))),
            None => Ok(Ipv4Addr::LOCALHOST.into()),
        }
    }

    /// Gathers each rank's data, by rank. All wait for each other here.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn gather(&mut self, own: Vec<u8>) -> Result<Vec<Vec<u8>>, Diagnostic> {
        let until = Instant::now() + self.patience;
        if self.world.rank > 0 {
            self.tell(&Frame::Own(own));
            // Rank 0 may itself have to wait for a rank before it finds that one lost.
            let until = until + self.patience;
            loop {
                if let (_, Frame::All(all)) = self.next(until)? {
                    let (parts, size) = (all.len(), self.world.size);
                    return match parts == size {
                        true => Ok(all),
                        false => Err(self.lost(format!("rank 0 hands on {parts} parts for {size} ranks"))),
                    };
                }
            }
        }
        let mut all: Vec<Option<Vec<u8>>> = vec![None; self.world.size];
        all[0] = Some(own);
        while let Some(silent) = all.iter().position(Option::is_none) {
            if let (rank, Frame::Own(own)) = self.next_or_silent(until, silent)? {
                all[rank] = Some(own);
            }
        }
        let all: Vec<Vec<u8>> = all.into_iter().flatten().collect();
        self.tell(&Frame::All(all.clone()));
        Ok(all)
    }

    /// Each rank's number, by rank.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn numbers(&mut self, own: f64) -> Result<Vec<f64>, Diagnostic> {
        let all = self.gather(own.to_le_bytes().to_vec())?;
        Ok(all.into_iter().map(|bytes| bytes.try_into().map_or(f64::NAN, f64::from_le_bytes)).collect())
    }

    /// Makes sure that all ranks were started with the same options: those that do different things would wait for each
    /// other in vain.
    ///
    /// # Errors
    /// When one was started otherwise, or is lost.
    pub fn agree(&mut self, options: &[String]) -> Result<(), Diagnostic> {
        let all = self.gather(options.join("\n").into_bytes())?;
        let Some(rank) = odd(&all) else { return Ok(()) };
        let [other, first] = [&all[rank], &all[0]].map(|options| String::from_utf8_lossy(options));
        let only = |of: &str, others: &str| {
            let mut lines = of.lines().filter(|line| !others.lines().any(|other| other == *line)).peekable();
            if lines.peek().is_none() { "without it".to_owned() } else { lines.collect::<Vec<_>>().join(" ") }
        };
        let (other, first) = (only(&other, &first), only(&first, &other));
        Err(Diagnostic::error(format!("rank {rank} was started with {other}, and rank 0 with {first}"))
            .hint("start all ranks with the same arguments"))
    }

    /// Makes sure that all ranks have the same job, of which this is a fingerprint: packs and kernels may differ where
    /// arguments do not.
    ///
    /// # Errors
    /// When one has another, or is lost.
    pub fn agree_on_job(&mut self, fingerprint: &str) -> Result<(), Diagnostic> {
        let all = self.gather(fingerprint.as_bytes().to_vec())?;
        let Some(rank) = odd(&all) else { return Ok(()) };
        let message =
            format!("rank {rank} and rank 0 run programs that differ: their packs or versions are not the same");
        Err(Diagnostic::error(message).hint("start all ranks with the same pack and the same program"))
    }

    /// Looks whether a rank is lost, without waiting.
    ///
    /// # Errors
    /// When one is.
    pub fn look(&mut self) -> Result<(), Diagnostic> {
        while let Ok((rank, frame)) = self.inbox.try_recv() {
            let came = self.came(rank, frame)?;
            self.early.push_back(came);
        }
        Ok(())
    }

    /// The reason why this rank cannot go on: the rank that is lost, if rank 0 finds one; else its own reason. All
    /// ranks get it.
    pub fn explain(&mut self, own: &Diagnostic) -> Diagnostic {
        let why = format!("rank {}: {}", self.world.rank, own.message);
        let news = if self.world.rank == 0 { self.probe(why.clone()) } else { self.ask(why.clone()) };
        // Only this rank's own message has its hint.
        if news.message == why { own.clone() } else { news }
    }

    /// Reports to rank 0 that this one is stuck, and waits for what it finds.
    fn ask(&self, why: String) -> Diagnostic {
        self.tell(&Frame::Stuck(why));
        let until = Instant::now() + NEWS;
        loop {
            match self.inbox.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok((rank, frame)) => {
                    if let Err(news) = self.came(rank, frame) {
                        return news;
                    }
                }
                Err(_) => return self.lost("rank 0 does not answer".to_owned()),
            }
        }
    }

    /// Asks all ranks for a sign of life, at rank 0: those that give none are the reason; if all do, it is `why`.
    fn probe(&self, why: String) -> Diagnostic {
        self.tell(&Frame::Ping);
        let until = Instant::now() + ANSWER;
        let mut silent: Vec<usize> = self.lines.iter().map(|(rank, _)| *rank).collect();
        while let Ok((rank, frame)) = self.inbox.recv_timeout(until.saturating_duration_since(Instant::now())) {
            match frame {
                None => return self.lost(format!("rank {rank} is gone")),
                Some(Frame::Pong) => silent.retain(|other| *other != rank),
                Some(_) => {}
            }
            if silent.is_empty() {
                break;
            }
        }
        match silent.first() {
            Some(rank) => self.lost(format!("rank {rank} does not answer")),
            None => self.lost(why),
        }
    }

    /// Ends the meeting: from now on, ranks may go.
    ///
    /// # Errors
    /// When a rank is lost before.
    pub fn leave(mut self) -> Result<(), Diagnostic> {
        self.gather(Vec::new())?;
        self.tell(&Frame::Done);
        Ok(())
    }

    /// Sends a frame over every connection. Errors are ignored: a closed connection is noticed on the receiving side.
    fn tell(&self, frame: &Frame) {
        for (_, line) in &self.lines {
            let _ = send(&lock(line), frame);
        }
    }

    fn next(&mut self, until: Instant) -> Result<(usize, Frame), Diagnostic> {
        self.next_or_silent(until, 0)
    }

    /// The next frame; if none comes, `silent` is the rank that should have sent one.
    fn next_or_silent(&mut self, until: Instant, silent: usize) -> Result<(usize, Frame), Diagnostic> {
        if let Some(early) = self.early.pop_front() {
            return Ok(early);
        }
        match self.inbox.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok((rank, frame)) => self.came(rank, frame),
            Err(RecvTimeoutError::Timeout) => {
                let why = format!("rank {silent} has said nothing for {} s", self.patience.as_secs_f64());
                Err(if self.world.rank == 0 { self.probe(why) } else { self.lost(why) })
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.lost(format!("rank {silent} is gone"))),
        }
    }

    /// A frame that came, if it is no bad news.
    fn came(&self, rank: usize, frame: Option<Frame>) -> Result<(usize, Frame), Diagnostic> {
        match frame {
            Some(Frame::Lost(why)) => Err(self.lost(why)),
            Some(Frame::Stuck(why)) => Err(self.probe(why)),
            None => Err(self.lost(format!("rank {rank} is gone"))),
            Some(frame) => Ok((rank, frame)),
        }
    }

    /// Tells all ranks what happened.
    fn lost(&self, why: String) -> Diagnostic {
        self.tell(&Frame::Lost(why.clone()));
        Diagnostic::error(why).hint("see what that rank wrote before it ended, then start all ranks again")
    }
}

impl Drop for Meeting {
    fn drop(&mut self) {
        for (_, line) in &self.lines {
            // Those that read here end with it.
            let _ = lock(line).shutdown(Shutdown::Both);
        }
    }
}

/// The first rank that has something else than rank 0.
fn odd(all: &[Vec<u8>]) -> Option<usize> {
    all.iter().position(|others| Some(others) != all.first())
}

/// Starts a thread that reads a rank's frames until its connection ends. That thread also gives signs of life, whatever
/// the rank itself is doing.
fn listen(
    rank: usize,
    reader: TcpStream,
    line: Arc<Mutex<TcpStream>>,
    sender: Sender<(usize, Option<Frame>)>,
) -> Result<(), Diagnostic> {
    reader
        .set_read_timeout(None)
        .map_err(|error| Diagnostic::error(format!("cannot listen to rank {rank}: {error}")))?;
    let listening = thread::Builder::new().spawn(move || {
        loop {
            let frame = match receive(&reader) {
                Ok(Frame::Done) => return,
                Ok(Frame::Ping) => {
                    let _ = send(&lock(&line), &Frame::Pong);
                    continue;
                }
                Ok(frame) => Some(frame),
                Err(_) => None,
            };
            let ended = frame.is_none();
            if sender.send((rank, frame)).is_err() || ended {
                return;
            }
        }
    });
    listening.map(|_| ()).map_err(|error| Diagnostic::error(format!("no thread can listen to rank {rank}: {error}")))
}

fn lock(line: &Mutex<TcpStream>) -> MutexGuard<'_, TcpStream> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

fn send(mut line: &TcpStream, frame: &Frame) -> std::io::Result<()> {
    let bytes = postcard::to_stdvec(frame).map_err(std::io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(std::io::Error::other)?;
    line.write_all(&[&length.to_le_bytes()[..], &bytes].concat())
}

/// How long a frame is, if that is not longer than it can be.
fn frame_length(bytes: [u8; 4], longest: u32) -> std::io::Result<usize> {
    match u32::from_le_bytes(bytes) {
        length if length <= longest => Ok(length as usize),
        _ => Err(std::io::Error::other("no frame is so long")),
    }
}

fn receive(mut line: &TcpStream) -> std::io::Result<Frame> {
    let mut length = [0; 4];
    line.read_exact(&mut length)?;
    let mut bytes = vec![0; frame_length(length, LONGEST)?];
    line.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map_err(std::io::Error::other)
}
