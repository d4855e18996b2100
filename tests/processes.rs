//! Ranks as processes: they find each other as launchers start them, agree, and end cleanly when one of them is lost.
#![cfg(target_os = "linux")]
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{pack, spoilt_copy, warpbook};

/// The longest wait, however busy the machine is.
const DEADLINE: Duration = Duration::from_secs(60);

/// Sends a signal to a process. The shell has a command for it, wherever there is a shell.
fn send(signal: &str, process: u32) {
    let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {process}")]).status().expect("a shell");
    assert!(sent.success(), "{signal}");
}

/// Waits until rank 0 has printed the head of its table: then all ranks have met.
fn await_head(rank: &mut Child) {
    let mut head = String::new();
    BufReader::new(rank.stdout.as_mut().expect("a pipe")).read_line(&mut head).expect("text");
    assert!(head.contains("collective"), "rank 0 has ended before: {head}");
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port()
}

/// Ranks as torchrun starts them: the rank that each is given, and the number of ranks.
struct Started(Vec<Child>, u16);

impl Started {
    fn new(ranks: &[usize], sizes: &[usize], arguments: &[&str]) -> Self {
        let port = free_port();
        Self(Self::at(port, ranks, sizes, arguments), port)
    }

    /// The ranks alone, at a port.
    fn at(port: u16, ranks: &[usize], sizes: &[usize], arguments: &[&str]) -> Vec<Child> {
        Self::of("ranks", port, ranks, sizes, arguments)
    }

    /// Ranks of a command.
    fn of(command: &str, port: u16, ranks: &[usize], sizes: &[usize], arguments: &[&str]) -> Vec<Child> {
        let start = |(rank, size): (&usize, &usize)| {
            Command::new(env!("CARGO_BIN_EXE_warpbook"))
                .arg(command)
                .args(arguments)
                .env("RANK", rank.to_string())
                .env("WORLD_SIZE", size.to_string())
                .env("MASTER_ADDR", "127.0.0.1")
                .env("MASTER_PORT", port.to_string())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the program")
        };
        ranks.iter().zip(sizes).map(start).collect()
    }

    fn at_work(&mut self) {
        await_head(&mut self.0[0]);
    }

    fn signal(&self, process: usize, signal: &str) {
        send(signal, self.0[process].id());
    }

    /// How a process ends, and what it said.
    fn ended(&mut self, process: usize) -> (Option<i32>, String) {
        let (child, begin) = (&mut self.0[process], Instant::now());
        let status = loop {
            if let Some(status) = child.try_wait().expect("a process") {
                break status;
            }
            assert!(begin.elapsed() < DEADLINE, "process {process} does not end");
            std::thread::sleep(Duration::from_millis(20));
        };
        let mut said = String::new();
        child.stderr.as_mut().expect("a pipe").read_to_string(&mut said).expect("text");
        (status.code(), said)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn any_number_of_ranks_agrees_with_arithmetic() {
    for ranks in ["1", "2", "3", "5", "8"] {
        // Fewer elements than ranks, a number that nothing divides, and one of several frames.
        let run = warpbook(&["ranks", "--ranks", ranks, "--bytes", "4,28,400012", "--seconds", "0.001", "--json"]);
        assert_eq!(run.code, 0, "{ranks} ranks: {}", run.err);
        let rows: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        let rows = rows.as_array().expect("a list");
        assert_eq!(rows.len(), if ranks == "1" { 0 } else { 9 }, "{ranks}");
        assert!(rows.iter().all(|row| row["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0)), "{}", run.out);
    }
}

#[test]
fn a_rank_that_is_killed_ends_all_others_and_is_named() {
    for victim in [2, 0] {
        let mut ranks = Started::new(&[0, 1, 2, 3], &[4; 4], &["--bytes", "4096,4000000", "--seconds", "600"]);
        ranks.at_work();
        ranks.signal(victim, "KILL");
        for rank in (0..4).filter(|rank| *rank != victim) {
            let (code, said) = ranks.ended(rank);
            assert_eq!(code, Some(1), "rank {rank}: {said}");
            assert!(said.contains(&format!("rank {victim} is gone")), "rank {rank} says: {said}");
        }
    }
}

#[test]
fn a_rank_that_stalls_is_named() {
    let arguments = ["--bytes", "4096", "--seconds", "600", "--patience", "3"];
    let mut ranks = Started::new(&[0, 1, 2, 3], &[4; 4], &arguments);
    ranks.at_work();
    ranks.signal(1, "STOP");
    for rank in [0, 2, 3] {
        let (code, said) = ranks.ended(rank);
        assert_eq!(code, Some(1), "rank {rank}: {said}");
        assert!(said.contains("rank 1 does not answer"), "rank {rank} says: {said}");
    }
}

#[test]
fn a_world_that_is_none_is_refused() {
    for (ranks, sizes, message) in [
        (&[0, 1, 1][..], &[3; 3][..], "rank 1 has joined twice"),
        (&[0, 1], &[2, 3], "rank 1 came for a world of 3 ranks, and rank 0 has one of 2"),
        (&[0, 2], &[3, 3], "rank 1 of 3 has not come within 2 s"),
        (&[1], &[2], "rank 0 does not answer at 127.0.0.1"),
        (&[0], &[2000], "1024 ranks at most"),
    ] {
        let mut started = Started::new(ranks, sizes, &["--patience", "2"]);
        let said: Vec<(Option<i32>, String)> = (0..ranks.len()).map(|process| started.ended(process)).collect();
        assert!(said.iter().all(|(code, _)| matches!(code, Some(1 | 2))), "{message}: {said:?}");
        // A rank that has joined is informed; one that comes too late finds no meeting.
        assert!(said.iter().any(|(_, said)| said.contains(message)), "{message}: {said:?}");
    }
}

#[test]
fn the_launcher_names_the_rank_that_was_lost() {
    let mut launcher = Command::new(env!("CARGO_BIN_EXE_warpbook"))
        .args(["ranks", "--ranks", "3", "--bytes", "4,4000000", "--seconds", "5"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program");
    await_head(&mut launcher);
    // The last process that the launcher has started is rank 2; its other threads start none.
    let children = format!("/proc/{0}/task/{0}/children", launcher.id());
    let children = std::fs::read_to_string(children).expect("the system's list of children");
    let last = children.split_whitespace().last().and_then(|last| last.parse().ok()).expect("a child");
    send("KILL", last);
    let mut said = String::new();
    launcher.stderr.as_mut().expect("a pipe").read_to_string(&mut said).expect("text");
    assert_eq!(launcher.wait().expect("a process").code(), Some(1), "{said}");
    assert!(said.contains("rank 2 ended with signal: 9"), "{said}");
    assert!(said.contains(": error: rank 2 is gone"), "{said}");
}

#[test]
fn ranks_that_were_started_differently_are_told() {
    let port = free_port();
    let start = |rank: &str, bytes: &str| {
        Command::new(env!("CARGO_BIN_EXE_warpbook"))
            .args(["ranks", "--bytes", bytes])
            .envs([
                ("RANK", rank),
                ("WORLD_SIZE", "2"),
                ("MASTER_ADDR", "127.0.0.1"),
                ("MASTER_PORT", &port.to_string()),
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program")
    };
    let mut ranks = Started(vec![start("0", "4"), start("1", "8")], port);
    for rank in 0..2 {
        let (code, said) = ranks.ended(rank);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("rank 1 was started with --bytes [8], and rank 0 with --bytes [4]"), "{said}");
    }
}

#[test]
fn a_stranger_at_the_port_holds_nobody() {
    let arguments = ["--bytes", "4096", "--seconds", "0.01", "--patience", "30"];
    let mut ranks = Started::new(&[0], &[2], &arguments);
    let port = ranks.1;
    // It says that much comes, and then nothing.
    let begin = Instant::now();
    let mut stranger = loop {
        match std::net::TcpStream::connect(("127.0.0.1", port)) {
            Ok(line) => break line,
            Err(_) => assert!(begin.elapsed() < DEADLINE, "rank 0 does not listen"),
        }
    };
    stranger.write_all(&1000_u32.to_le_bytes()).expect("a line");
    // More than are served at one time, and without a thread each.
    let silent: Vec<_> = (0..300).map_while(|_| std::net::TcpStream::connect(("127.0.0.1", port)).ok()).collect();
    assert!(silent.len() >= 100, "{} connections", silent.len());
    let tasks = std::fs::read_dir(format!("/proc/{}/task", ranks.0[0].id())).expect("the system's list of threads");
    assert!(tasks.count() < 100, "a thread for each newcomer");
    ranks.0.extend(Started::at(port, &[1], &[2], &arguments));
    for rank in 0..2 {
        let (code, said) = ranks.ended(rank);
        assert_eq!(code, Some(0), "rank {rank}: {said}");
    }
    drop((stranger, silent));
}

/// Ranks that train are killed in the midst of it.
#[test]
fn a_rank_that_is_killed_while_it_trains_ends_all_others() {
    for (victim, stage) in [(1, "stage=3"), (0, "stage=0")] {
        let port = free_port();
        let sets = ["ranks=3", stage, "steps=100", "layers=16", "width=64"].map(|set| ["--set", set]).concat();
        let arguments = [&["zero", "--program", "train", "--backend", "simt"][..], &sets].concat();
        let mut ranks = Started(Started::of("run", port, &[0, 1, 2], &[3; 3], &arguments), port);
        let mut met = String::new();
        BufReader::new(ranks.0[0].stderr.as_mut().expect("a pipe")).read_line(&mut met).expect("text");
        assert!(met.contains("3 ranks have met, to exchange numbers over host"), "{met}");
        std::thread::sleep(Duration::from_millis(300));
        ranks.signal(victim, "KILL");
        for rank in (0..3).filter(|rank| *rank != victim) {
            let (code, said) = ranks.ended(rank);
            assert_eq!(code, Some(1), "rank {rank}: {said}");
            assert!(said.contains(&format!("rank {victim} is gone")), "rank {rank} says: {said}");
        }
    }
}

#[test]
fn ranks_of_another_number_or_setting_are_told() {
    let arguments = ["zero", "--program", "train", "--backend", "simt", "--set", "ranks=4", "--patience", "5"];
    let port = free_port();
    let mut ranks = Started(Started::of("run", port, &[0, 1], &[2; 2], &arguments), port);
    for rank in 0..2 {
        let (code, said) = ranks.ended(rank);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("there are 2 ranks, and the lesson has 4"), "{said}");
    }
    let port = free_port();
    let of = |stage| ["zero", "--program", "train", "--backend", "simt", "--set", "ranks=2", "--set", stage];
    let mut ranks = Started::of("run", port, &[0], &[2], &of("stage=1"));
    ranks.extend(Started::of("run", port, &[1], &[2], &of("stage=2")));
    let mut ranks = Started(ranks, port);
    for rank in 0..2 {
        let (code, said) = ranks.ended(rank);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("rank 1 was started with --set stage=2, and rank 0 with --set stage=1"), "{said}");
    }
}

/// A frame as ranks send it: its length, which kind it is, and the rest in postcard's form.
fn frame(kind: u8, rest: &[u8]) -> Vec<u8> {
    let length = u32::try_from(rest.len() + 1).expect("a short frame").to_le_bytes();
    [&length[..], &[kind], rest].concat()
}

#[test]
fn a_rank_0_that_hands_on_too_little_ends_no_rank_in_a_panic() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    let arguments = ["--bytes", "4096", "--seconds", "0.01", "--patience", "3"];
    let mut ranks = Started(Started::at(port, &[1], &[2], &arguments), port);
    let (mut line, _) = listener.accept().expect("rank 1");
    // The answer to the greeting; all were started alike; and then no rank has an address.
    for (kind, rest) in [(1, &[][..]), (3, &[2, 1, b'x', 1, b'x']), (3, &[0])] {
        line.write_all(&frame(kind, rest)).expect("a line");
    }
    let (code, said) = ranks.ended(0);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("rank 0 hands on 0 parts for 2 ranks") && !said.contains("panicked"), "{said}");
}

#[test]
fn ranks_with_other_packs_are_told() {
    let edits = [
        ("lessons/mean/lesson.ron", "default: 5, domain", "default: 6, domain"),
        ("shaders/mean/divide.wgsl", "@compute", "// another text\n@compute"),
        ("lessons/mean/lesson.ron", "bounds: (\"0\", \"1\"), columns", "bounds: (\"0\", \"2\"), columns"),
    ];
    for edit in edits {
        let other = spoilt_copy("ranks", &[edit]).expect("a copy of the pack");
        let port = free_port();
        let of = |rank, pack: &std::path::Path| {
            let pack = pack.to_str().expect("a path in UTF-8");
            let rest = [pack, "run", "mean", "--backend", "simt", "--set", "ranks=2", "--patience", "6"];
            Started::of("--pack", port, &[rank], &[2], &rest)
        };
        let mut ranks = of(0, &pack("ranks"));
        ranks.extend(of(1, other.path()));
        let mut ranks = Started(ranks, port);
        for rank in 0..2 {
            let (code, said) = ranks.ended(rank);
            assert_eq!(code, Some(1), "{edit:?}: {said}");
            assert!(said.contains("rank 1 and rank 0 run programs that differ"), "{edit:?}: {said}");
        }
    }
}
