//! The arguments of `warpbook run` that no other command takes, and those of buffers' contents.

use std::path::PathBuf;

use clap::Args;

use super::ranks::seconds;
use super::{OverArg, RunArgs, buffer_file, printed};
use crate::base::diag::Diagnostic;
use crate::session::run::io::Io;
use crate::session::run::model::STAND_IN;

/// Options of `run`.
#[derive(Args, Debug)]
pub struct RunCommand {
    /// Options that `sweep` has too.
    #[command(flatten)]
    pub run: RunArgs,
    /// The device to predict times for.
    #[arg(long, value_name = "ID", help = format!("The device to predict times for, as assets/devices/ names it; the measuring one where it is known, else {STAND_IN}"))]
    pub device: Option<String>,
    /// Contents of buffers.
    #[command(flatten)]
    pub io: IoArgs,
    /// Folder that the program's state goes into at the end: each buffer that it both begins with and writes. A later run
    /// goes on from it.
    #[arg(long, value_name = "DIR", conflicts_with = "over")]
    pub save: Option<PathBuf>,
    /// Go on from the state that an earlier run saved in this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "over")]
    pub resume: Option<PathBuf>,
    /// Run each rank of a program as a process of its own, and exchange numbers over this. The ranks are started here,
    /// unless torchrun, srun or mpirun started this.
    #[arg(long, value_enum)]
    pub over: Option<OverArg>,
    /// How long a rank may say nothing before it is taken for lost, in seconds.
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    pub patience: f64,
}

/// Contents of buffers from files, into files, and onto the screen.
#[derive(Args, Debug)]
pub struct IoArgs {
    /// Initial content of a buffer: a NumPy file of its element type and length.
    #[arg(long = "input", value_name = "BUFFER=FILE.npy", value_parser = buffer_file)]
    pub inputs: Vec<(String, PathBuf)>,
    /// Contents at the end.
    #[command(flatten)]
    pub out: OutArgs,
}

/// Contents of buffers at the end, into files and onto the screen.
#[derive(Args, Debug)]
pub struct OutArgs {
    /// Where a buffer's content at the end goes, as a NumPy file.
    #[arg(long = "dump", value_name = "BUFFER=FILE.npy", value_parser = buffer_file)]
    pub dumps: Vec<(String, PathBuf)>,
    /// Print a buffer's content at the end, or some elements of it: from the first to before the second.
    #[arg(long = "print", value_name = "BUFFER[:FROM..TO]", value_parser = printed)]
    pub prints: Vec<Print>,
}

/// Elements to print: a buffer, and from where to before where.
pub type Print = (String, Option<(u64, u64)>);

impl RunCommand {
    /// The contents of buffers, in the use-case's own form. An `--input` comes before what was saved.
    ///
    /// # Errors
    /// When nothing was saved in the folder of `--resume`.
    pub fn io(&self) -> Result<Io, Diagnostic> {
        let mut io = Io { save: self.save.clone(), ..self.io.io() };
        if let Some(folder) = &self.resume {
            let saved = Io::saved(folder)?;
            io.inputs.extend(saved.into_iter().filter(|(name, _)| self.io.inputs.iter().all(|(own, _)| own != name)));
        }
        Ok(io)
    }
}

impl IoArgs {
    /// The use-case's own form.
    #[must_use]
    pub fn io(&self) -> Io {
        self.out.io(self.inputs.clone())
    }
}

impl OutArgs {
    /// The use-case's own form, with initial contents from these files.
    #[must_use]
    pub fn io(&self, inputs: Vec<(String, PathBuf)>) -> Io {
        Io { inputs, dumps: self.dumps.clone(), prints: self.prints.clone(), save: None }
    }
}
