//! The arguments of `warpbook ranks`.

use clap::{Args, ValueEnum};

/// Options of `ranks`.
#[derive(Args, Clone, Debug)]
pub struct RanksArgs {
    /// How many ranks to start on this host. A launcher's own number counts if torchrun, srun or mpirun started this.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub ranks: Option<u16>,
    /// Over what they exchange numbers; may be given several times.
    #[arg(long, value_enum, default_value = "host")]
    pub over: Vec<OverArg>,
    /// Lengths of the message in bytes, with commas between them.
    #[arg(long, value_name = "BYTES,…", value_delimiter = ',', default_value = "4096,65536,1048576,16777216", value_parser = bytes)]
    pub bytes: Vec<u64>,
    /// How long each row of the table is timed, in seconds.
    #[arg(long, value_name = "S", default_value = "0.2", value_parser = seconds)]
    pub seconds: f64,
    /// How long a rank may say nothing before it is taken for lost, in seconds.
    #[arg(long, value_name = "S", default_value = "30", value_parser = seconds)]
    pub patience: f64,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Over what ranks exchange numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OverArg {
    /// TCP, between the processes' own memory: a ring.
    Host,
    /// GPUs, through NVIDIA's library of collectives.
    Nccl,
    /// GPUs, by kernels that write to each other's memory.
    Peer,
}

fn bytes(text: &str) -> Result<u64, String> {
    match text.trim().parse() {
        Ok(bytes @ 4..=0x4_0000_0000) => Ok(bytes),
        Ok(_) => Err("a message has 4 bytes at least and 16 GiB at most".to_owned()),
        Err(_) => Err(format!("`{text}` is not a number of bytes")),
    }
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 3600.0 => Ok(seconds),
        Ok(_) => Err("give more than 0 and at most 3,600 seconds".to_owned()),
        Err(_) => Err(format!("`{text}` is not a number of seconds")),
    }
}
