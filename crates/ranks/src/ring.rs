//! Ring collectives between processes, over TCP and in host memory: the fallback without a GPU.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::measure::{Collective, Transport, chunk, collected};
use super::meeting::Meeting;
use warpbook_base::diag::Diagnostic;
use warpbook_base::half::{f16_to_f32, f32_to_f16};

/// How often nothing moves before a rank looks whether another is lost, and how long it naps then.
const LOOK: u32 = 64;
const NAP: Duration = Duration::from_micros(20);

/// A number that ranks can sum.
pub trait Number: bytemuck::Pod {
    /// The sum, rounded to the type.
    #[must_use]
    fn plus(self, other: Self) -> Self;
}

impl Number for f32 {
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

/// A float of 16 bits, by its bits.
impl Number for u16 {
    fn plus(self, other: Self) -> Self {
        // Rounding twice does no harm: f32 has more than twice the digits, and two more (Figueroa 1995).
        f32_to_f16(f16_to_f32(self) + f16_to_f32(other))
    }
}

/// A rank's neighbours.
struct Neighbours {
    rank: usize,
    size: usize,
    /// To the right neighbour, and from the left one; None if the rank is alone.
    lines: Option<(TcpStream, TcpStream)>,
}

/// A rank on the ring, and its numbers.
pub struct Ring {
    neighbours: Neighbours,
    data: Vec<f32>,
}

impl Ring {
    /// Connects with both neighbours.
    ///
    /// # Errors
    /// When a rank is lost, or cannot be reached.
    pub fn join(meeting: &mut Meeting) -> Result<Self, Diagnostic> {
        let (rank, size) = (meeting.world().rank, meeting.world().size);
        let lines = if size > 1 { Some(connect(meeting, rank, size)?) } else { None };
        Ok(Self { neighbours: Neighbours { rank, size, lines }, data: Vec::new() })
    }

    /// Runs a collective in place on `data` instead of the ring's own buffer; returns the bytes sent to the right.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn collective<T: Number>(
        &mut self,
        what: Collective,
        data: &mut [T],
        meeting: &mut Meeting,
    ) -> Result<u64, Diagnostic> {
        self.neighbours.collective(what, data, meeting)
    }
}

impl Neighbours {
    fn collective<T: Number>(
        &mut self,
        what: Collective,
        data: &mut [T],
        meeting: &mut Meeting,
    ) -> Result<u64, Diagnostic> {
        let mut sent = 0;
        if what != Collective::AllGather {
            sent += self.reduce_scatter(data, meeting)?;
        }
        if what != Collective::ReduceScatter {
            sent += self.all_gather(data, meeting)?;
        }
        Ok(sent)
    }

    /// Sends chunk `out` to the right while chunk `into` comes from the left; it is added to this rank's if `adds`,
    /// else replaces it. Returns the bytes sent.
    fn step<T: Number>(
        &mut self,
        data: &mut [T],
        [out, into]: [usize; 2],
        adds: bool,
        meeting: &mut Meeting,
    ) -> Result<u64, Diagnostic> {
        let Some((right, left)) = &mut self.lines else { return Ok(0) };
        let (out, into) = (chunk(data.len(), self.size, out), chunk(data.len(), self.size, into));
        let mut arrived = vec![T::zeroed(); into.len()];
        let sent = bytemuck::cast_slice(&data[out]);
        let bytes = sent.len() as u64;
        let exchanged = exchange(right, sent, left, bytemuck::cast_slice_mut(&mut arrived), meeting);
        exchanged.map_err(|stopped| {
            let (rank, error) = match stopped {
                Stopped::News(news) => return news,
                Stopped::Left(error) => ((self.rank + self.size - 1) % self.size, error),
                Stopped::Right(error) => ((self.rank + 1) % self.size, error),
            };
            meeting.explain(&Diagnostic::error(format!("rank {rank} does not go on: {error}")))
        })?;
        for (own, arrived) in data[into].iter_mut().zip(arrived) {
            *own = if adds { own.plus(arrived) } else { arrived };
        }
        Ok(bytes)
    }

    /// Chunk `c` goes once round the ring, from the rank after rank `c` to rank `c`.
    fn reduce_scatter<T: Number>(&mut self, data: &mut [T], meeting: &mut Meeting) -> Result<u64, Diagnostic> {
        let (rank, size) = (self.rank, self.size);
        (1..size).try_fold(0, |sent, step| {
            let chunks = [(rank + 2 * size - step) % size, (rank + 2 * size - step - 1) % size];
            Ok(sent + self.step(data, chunks, true, meeting)?)
        })
    }

    fn all_gather<T: Number>(&mut self, data: &mut [T], meeting: &mut Meeting) -> Result<u64, Diagnostic> {
        let (rank, size) = (self.rank, self.size);
        (0..size - 1).try_fold(0, |sent, step| {
            let chunks = [(rank + size - step) % size, (rank + size - step - 1) % size];
            Ok(sent + self.step(data, chunks, false, meeting)?)
        })
    }
}

impl Transport for Ring {
    fn name(&self) -> &'static str {
        "host"
    }

    fn write(&mut self, numbers: &[f32]) -> Result<(), Diagnostic> {
        self.data = collected(numbers.par_iter().copied(), numbers.len())?;
        Ok(())
    }

    fn run(&mut self, what: Collective, times: usize, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        for _ in 0..times {
            self.neighbours.collective(what, &mut self.data, meeting)?;
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Vec<f32>, Diagnostic> {
        Ok(self.data.clone())
    }
}

/// Why nothing goes on: because of a neighbour, or because a rank is lost.
enum Stopped {
    Left(io::Error),
    Right(io::Error),
    News(Diagnostic),
}

/// Sends to the right and reads from the left at the same time, until both are done. Looks at the meeting while nothing
/// moves.
fn exchange(
    right: &mut TcpStream,
    mut sent: &[u8],
    left: &mut TcpStream,
    mut arriving: &mut [u8],
    meeting: &mut Meeting,
) -> Result<(), Stopped> {
    let (mut last, mut idle) = (Instant::now(), 0_u32);
    while !sent.is_empty() || !arriving.is_empty() {
        let mut moved = 0;
        if !sent.is_empty() {
            let written = some(right.write(sent)).map_err(Stopped::Right)?;
            sent = &sent[written..];
            moved += written;
        }
        if !arriving.is_empty() {
            let read = some(left.read(arriving)).map_err(Stopped::Left)?;
            arriving = &mut arriving[read..];
            moved += read;
        }
        if moved > 0 {
            (last, idle) = (Instant::now(), 0);
            continue;
        }
        idle += 1;
        if idle.is_multiple_of(LOOK) {
            meeting.look().map_err(Stopped::News)?;
            let patience = meeting.patience();
            if last.elapsed() > patience {
                let silence = io::Error::other(format!("nothing has moved for {} s", patience.as_secs_f64()));
                return Err(if arriving.is_empty() { Stopped::Right(silence) } else { Stopped::Left(silence) });
            }
            thread::sleep(NAP);
        } else {
            thread::yield_now();
        }
    }
    Ok(())
}

/// How many bytes a connection took or gave; 0 if it has to be asked again.
fn some(moved: io::Result<usize>) -> io::Result<usize> {
    match moved {
        Ok(0) => Err(io::Error::other("its connection has ended")),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(0),
        other => other,
    }
}

fn connect(meeting: &mut Meeting, rank: usize, size: usize) -> Result<(TcpStream, TcpStream), Diagnostic> {
    let cannot = |what: &str, error: io::Error| Diagnostic::error(format!("cannot {what}: {error}"));
    let own = meeting.own_address()?;
    let listening = TcpListener::bind((own, 0)).and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (own, listener) = listening.map_err(|error| meeting.explain(&cannot("listen to the left neighbour", error)))?;
    // Who connects has to know this number: a stranger does not.
    let password = RandomState::new().hash_one(rank);
    let all = meeting.gather(format!("{own} {password}").into_bytes())?;
    let there = String::from_utf8_lossy(&all[(rank + 1) % size]).into_owned();
    let there =
        there.split_once(' ').and_then(|(at, password)| Some((at.parse().ok()?, password.parse::<u64>().ok()?)));
    let (at, word): (SocketAddr, u64) = there.ok_or_else(|| Diagnostic::error("the right neighbour has no address"))?;
    // The connection is made by the system before the other side accepts it.
    let right = TcpStream::connect_timeout(&at, meeting.patience())
        .and_then(|mut right| {
            right.set_nodelay(true)?;
            right.write_all(&word.to_le_bytes())?;
            right.set_nonblocking(true)?;
            Ok(right)
        })
        .map_err(|error| meeting.explain(&cannot("reach the right neighbour", error)))?;
    let left = accept(&listener, password, (rank + size - 1) % size, meeting)?;
    Ok((right, left))
}

/// Waits for the left neighbour's connection, and looks at the meeting meanwhile.
fn accept(
    listener: &TcpListener,
    password: u64,
    neighbour: usize,
    meeting: &mut Meeting,
) -> Result<TcpStream, Diagnostic> {
    let cannot = |error: io::Error| Diagnostic::error(format!("cannot hear the left neighbour: {error}"));
    listener.set_nonblocking(true).map_err(cannot)?;
    let until = Instant::now() + meeting.patience();
    loop {
        match listener.accept() {
            Ok((mut line, _)) => {
                let mut word = [0; 8];
                let said = line
                    .set_nonblocking(false)
                    .and_then(|()| line.set_read_timeout(Some(Duration::from_millis(500))))
                    .and_then(|()| line.read_exact(&mut word));
                if said.is_ok() && u64::from_le_bytes(word) == password {
                    return line.set_nonblocking(true).map(|()| line).map_err(cannot);
                }
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                meeting.look()?;
                if Instant::now() > until {
                    return Err(meeting.explain(&Diagnostic::error(format!("rank {neighbour} does not connect"))));
                }
                thread::sleep(Duration::from_millis(1));
            }
            Err(error) => return Err(cannot(error)),
        }
    }
}
