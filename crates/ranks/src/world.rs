//! Rank and world size of a process, from the environment as torchrun, srun and mpirun set it.

use warpbook_base::diag::Diagnostic;

/// The most ranks.
pub const MOST: usize = 1024;

/// The default port of rank 0.
const PORT: u16 = 29_400;

/// Whose variables name a rank, the number of ranks, the rank on its host, and the number of ranks there.
const LAUNCHERS: [(&str, [&str; 4]); 4] = [
    ("torchrun", ["RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"]),
    (
        "mpirun",
        ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"],
    ),
    // Of a step: a batch script alone is no rank.
    ("srun", ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"]),
    ("mpiexec", ["PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"]),
];

/// A rank's place among all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// This rank, from 0.
    pub rank: usize,
    /// How many there are.
    pub size: usize,
    /// This rank among those of its host, from 0: the number of its GPU.
    pub local: usize,
    /// The host of rank 0.
    pub address: String,
    /// Where rank 0 listens.
    pub port: u16,
}

impl World {
    /// The rank and world size in the environment; None if it names no rank. `variable` looks up a variable.
    ///
    /// # Errors
    /// When a value is no number, a rank is beyond the last one, or the address of rank 0 is missing.
    pub fn from(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, Diagnostic> {
        let number = |name: &str| -> Result<Option<usize>, Diagnostic> {
            let wrong = |text: &str| {
                Diagnostic::error(format!("the environment has {name}={text}, which is no whole number"))
                    .hint("let torchrun, srun or mpirun set it, or unset it")
            };
            variable(name).map(|text| text.trim().parse().map_err(|_| wrong(&text))).transpose()
        };
        let Some((launcher, [rank_name, size_name, local_name, local_size_name])) =
            LAUNCHERS.into_iter().find(|(_, [rank, size, ..])| variable(rank).is_some() && variable(size).is_some())
        else {
            return Ok(None);
        };
        let (Some(rank), Some(size)) = (number(rank_name)?, number(size_name)?) else { return Ok(None) };
        if size > MOST {
            return Err(Diagnostic::error(format!("{size_name} is {size}, and there are {MOST} ranks at most")));
        }
        if rank >= size {
            return Err(Diagnostic::error(format!("{rank_name} is {rank}, and {size_name} is {size}"))
                .hint("ranks are counted from 0 to one less than their number"));
        }
        let (local, beside) = (number(local_name)?, number(local_size_name)?);
        let several = number("SLURM_STEP_NUM_NODES")?.is_some_and(|hosts| hosts > 1) && launcher == "srun";
        let address = match variable("MASTER_ADDR").filter(|address| !address.trim().is_empty()) {
            Some(address) => address,
            None if !several && beside.is_none_or(|beside| beside == size) => "127.0.0.1".to_owned(),
            None => {
                return Err(Diagnostic::error(format!(
                    "{launcher} started ranks on several hosts, and MASTER_ADDR is not set"
                ))
                .hint("set MASTER_ADDR to the host of rank 0"));
            }
        };
        let port = match number("MASTER_PORT")? {
            None => Some(PORT),
            // Behind that port torchrun itself listens.
            Some(port) if variable("TORCHELASTIC_USE_AGENT_STORE").as_deref() == Some("True") => {
                port.checked_add(1).and_then(|port| u16::try_from(port).ok())
            }
            Some(port) => u16::try_from(port).ok(),
        };
        let port = port.filter(|port| *port > 0).ok_or_else(|| {
            Diagnostic::error("MASTER_PORT is not the number of a port").hint("choose one from 1024 to 65534")
        })?;
        Ok(Some(Self { rank, size, local: local.unwrap_or(rank), address, port }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(set: &[(&str, &str)]) -> Result<Option<World>, Diagnostic> {
        World::from(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn each_launcher_is_understood() {
        let expected = |rank, size, local, address: &str, port| {
            Ok(Some(World { rank, size, local, address: address.to_owned(), port }))
        };
        assert_eq!(world(&[]), Ok(None));
        assert_eq!(world(&[("RANK", "1")]), Ok(None), "a rank alone is no world");
        let torchrun = [("RANK", "3"), ("WORLD_SIZE", "4"), ("LOCAL_RANK", "1"), ("MASTER_ADDR", "gpu7")];
        assert_eq!(world(&torchrun), expected(3, 4, 1, "gpu7", PORT));
        let store = [&torchrun[..], &[("MASTER_PORT", "29500"), ("TORCHELASTIC_USE_AGENT_STORE", "True")]].concat();
        assert_eq!(world(&store), expected(3, 4, 1, "gpu7", 29_501));
        let srun = [("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "2"), ("SLURM_LOCALID", "1")];
        assert_eq!(world(&srun), expected(1, 2, 1, "127.0.0.1", PORT));
        let mpirun =
            [("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "2"), ("OMPI_COMM_WORLD_LOCAL_SIZE", "2")];
        assert_eq!(world(&mpirun), expected(0, 2, 0, "127.0.0.1", PORT));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (set, message) in [
            (&[("RANK", "4"), ("WORLD_SIZE", "4")][..], "RANK is 4, and WORLD_SIZE is 4"),
            (&[("RANK", "one"), ("WORLD_SIZE", "4")], "RANK=one, which is no whole number"),
            (&[("RANK", "0"), ("WORLD_SIZE", "4"), ("LOCAL_WORLD_SIZE", "2")], "MASTER_ADDR is not set"),
            (&[("RANK", "0"), ("WORLD_SIZE", "18446744073709551615")], "1024 ranks at most"),
            (
                &[("SLURM_PROCID", "2"), ("SLURM_STEP_NUM_TASKS", "4"), ("SLURM_STEP_NUM_NODES", "2")],
                "MASTER_ADDR is not set",
            ),
            (&[("RANK", "0"), ("WORLD_SIZE", "4"), ("MASTER_PORT", "70000")], "MASTER_PORT is not the number"),
        ] {
            let error = world(set).expect_err(message);
            assert!(error.message.contains(message), "{}", error.message);
        }
    }
}
