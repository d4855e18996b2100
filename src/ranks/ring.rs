//! Collectives on a ring of processes, over TCP and in the host's memory: what remains if there is no GPU.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use super::measure::{Collective, Transport, chunk};
use super::meeting::Meeting;
use crate::base::diag::Diagnostic;

/// How long a rank waits for its neighbour before it looks whether a rank is lost.
const LOOK: Duration = Duration::from_millis(100);

/// A rank's neighbours, and its numbers.
pub struct Ring {
    rank: usize,
    size: usize,
    /// To the right neighbour, and from the left one; None if the rank is alone.
    lines: Option<(TcpStream, TcpStream)>,
    data: Vec<f32>,
    arrived: Vec<f32>,
}

impl Ring {
    /// Connects with both neighbours.
    ///
    /// # Errors
    /// When a rank is lost, or cannot be reached.
    pub fn join(meeting: &mut Meeting) -> Result<Self, Diagnostic> {
        let (rank, size) = (meeting.world().rank, meeting.world().size);
        let lines = if size > 1 { Some(connect(meeting, rank, size)?) } else { None };
        Ok(Self { rank, size, lines, data: Vec::new(), arrived: Vec::new() })
    }

    /// Sends a chunk to the right while one comes from the left, which is added to this rank's or takes its place.
    fn step(&mut self, [out, into]: [usize; 2], adds: bool, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        let Some((right, left)) = &mut self.lines else { return Ok(()) };
        let [left_rank, right_rank] = [(self.rank + self.size - 1) % self.size, (self.rank + 1) % self.size];
        let patience = meeting.patience();
        let (out, into) = (chunk(self.data.len(), self.size, out), chunk(self.data.len(), self.size, into));
        let arrived = &mut self.arrived[..into.len()];
        let sent: &[u8] = bytemuck::cast_slice(&self.data[out]);
        let (sending, receiving) = thread::scope(|scope| {
            let sending = scope.spawn(move || right.write_all(sent));
            let receiving = fill(left, bytemuck::cast_slice_mut(arrived), patience, meeting);
            if receiving.is_err() {
                // The other thread must not wait for a neighbour that takes nothing any more.
                let _ = left.shutdown(std::net::Shutdown::Both);
            }
            (sending.join(), receiving)
        });
        let lost = |rank: usize, error: &std::io::Error| {
            Diagnostic::error(format!("rank {rank} does not go on: {error}"))
                .hint("see what that rank wrote before it ended, then start all ranks again")
        };
        match receiving {
            Err(Stopped::News(news)) => return Err(news),
            Err(Stopped::Line(error)) => return Err(meeting.explain(&lost(left_rank, &error))),
            Ok(()) => {}
        }
        if let Ok(Err(error)) = sending {
            return Err(meeting.explain(&lost(right_rank, &error)));
        }
        for (own, arrived) in self.data[into].iter_mut().zip(&self.arrived) {
            *own = if adds { *own + arrived } else { *arrived };
        }
        Ok(())
    }

    /// Chunk `c` goes once round the ring, from the rank after rank `c` to rank `c`.
    fn reduce_scatter(&mut self, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        let (rank, size) = (self.rank, self.size);
        (1..size).try_for_each(|step| {
            self.step([(rank + 2 * size - step) % size, (rank + 2 * size - step - 1) % size], true, meeting)
        })
    }

    fn all_gather(&mut self, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        let (rank, size) = (self.rank, self.size);
        (0..size - 1).try_for_each(|step| {
            self.step([(rank + size - step) % size, (rank + size - step - 1) % size], false, meeting)
        })
    }
}

impl Transport for Ring {
    fn name(&self) -> &'static str {
        "host"
    }

    fn write(&mut self, numbers: &[f32]) -> Result<(), Diagnostic> {
        self.data = numbers.to_vec();
        self.arrived = vec![0.0; numbers.len().div_ceil(self.size)];
        Ok(())
    }

    fn run(&mut self, what: Collective, times: usize, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        for _ in 0..times {
            if what != Collective::AllGather {
                self.reduce_scatter(meeting)?;
            }
            if what != Collective::ReduceScatter {
                self.all_gather(meeting)?;
            }
        }
        Ok(())
    }

    fn read(&mut self) -> Result<Vec<f32>, Diagnostic> {
        Ok(self.data.clone())
    }
}

/// Why nothing more comes.
enum Stopped {
    Line(std::io::Error),
    News(Diagnostic),
}

/// Reads until `bytes` is full; looks at the meeting while nothing comes.
fn fill(line: &mut TcpStream, bytes: &mut [u8], patience: Duration, meeting: &mut Meeting) -> Result<(), Stopped> {
    let (mut done, mut last) = (0, Instant::now());
    while done < bytes.len() {
        match line.read(&mut bytes[done..]) {
            Ok(0) => return Err(Stopped::Line(std::io::Error::other("its connection has ended"))),
            Ok(read) => (done, last) = (done + read, Instant::now()),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                meeting.look().map_err(Stopped::News)?;
                if last.elapsed() > patience {
                    let silence = format!("nothing has come for {} s", patience.as_secs_f64());
                    return Err(Stopped::Line(std::io::Error::other(silence)));
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(Stopped::Line(error)),
        }
    }
    Ok(())
}

fn connect(meeting: &mut Meeting, rank: usize, size: usize) -> Result<(TcpStream, TcpStream), Diagnostic> {
    let cannot = |what: &str, error: std::io::Error| Diagnostic::error(format!("cannot {what}: {error}"));
    let own = meeting.own_address()?;
    let listening = TcpListener::bind((own, 0)).and_then(|listener| Ok((listener.local_addr()?, listener)));
    let (own, listener) = listening.map_err(|error| meeting.explain(&cannot("listen to the left neighbour", error)))?;
    let all = meeting.gather(own.to_string().into_bytes())?;
    let right = String::from_utf8_lossy(&all[(rank + 1) % size]).parse::<SocketAddr>();
    let right = right.map_err(|_| Diagnostic::error("the right neighbour has no address"))?;
    // The connection is made by the system before the other side accepts it.
    let right = TcpStream::connect_timeout(&right, meeting.patience())
        .map_err(|error| meeting.explain(&cannot("reach the right neighbour", error)))?;
    let left = accept(&listener, rank, size, meeting)?;
    right
        .set_nodelay(true)
        .and_then(|()| right.set_write_timeout(Some(meeting.patience())))
        .and_then(|()| left.set_read_timeout(Some(LOOK)))
        .map_err(|error| meeting.explain(&cannot("ready its connections", error)))?;
    Ok((right, left))
}

/// Waits for the left neighbour's connection, and looks at the meeting meanwhile.
fn accept(listener: &TcpListener, rank: usize, size: usize, meeting: &mut Meeting) -> Result<TcpStream, Diagnostic> {
    let cannot = |error: std::io::Error| Diagnostic::error(format!("rank {rank} cannot hear its neighbour: {error}"));
    listener.set_nonblocking(true).map_err(cannot)?;
    let until = Instant::now() + meeting.patience();
    loop {
        match listener.accept() {
            Ok((line, _)) => return line.set_nonblocking(false).map(|()| line).map_err(cannot),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                meeting.look()?;
                if Instant::now() > until {
                    let left = (rank + size - 1) % size;
                    return Err(meeting.explain(&Diagnostic::error(format!("rank {left} does not connect"))));
                }
                thread::sleep(Duration::from_millis(1));
            }
            Err(error) => return Err(cannot(error)),
        }
    }
}
