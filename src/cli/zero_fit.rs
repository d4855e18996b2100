//! `warpbook zero-fit`: the model state of a rank, by arithmetic alone.

use std::process::ExitCode;

use serde::Serialize;

use super::args::ZeroFitArgs;
use super::{DONE, misused, out};
use crate::base::diag::Diagnostic;
use crate::base::units::si;

/// Bytes of a rank's tensors, in mixed precision with Adam: parameters and gradients in 16 bits, the optimizer's state
/// in 32.
#[derive(Serialize, Debug)]
struct Tensors {
    parameters: u64,
    gradients: u64,
    master: u64,
    m: u64,
    v: u64,
}

#[derive(Serialize, Debug)]
struct Fit {
    params: u64,
    ranks: u64,
    stage: u8,
    model_state_bytes_per_rank: u64,
    /// Bytes that a rank sends in a step, on a ring.
    comm_bytes_per_rank: u64,
    tensors: Tensors,
}

/// A rank's memory and traffic ([Rajbhandari et al. 2020](https://arxiv.org/abs/1910.02054), sections 5 and 7). A slice
/// is rounded up to a whole parameter, so ranks need not divide the model. None if a number of bytes has more than 64
/// bits.
fn fit(params: u64, ranks: u64, stage: u8) -> Option<Fit> {
    let slice = params.div_ceil(ranks);
    let held = |from: u8| if stage >= from { slice } else { params };
    let optimizer = held(1).checked_mul(4)?;
    let tensors = Tensors {
        parameters: held(3).checked_mul(2)?,
        gradients: held(2).checked_mul(2)?,
        master: optimizer,
        m: optimizer,
        v: optimizer,
    };
    let state = [tensors.parameters, tensors.gradients, tensors.master, tensors.m, tensors.v];
    // Gradients are reduced and scattered, then gradients or parameters are gathered; at stage 3 parameters are gathered twice.
    let collectives = if stage == 3 { 3 } else { 2 };
    Some(Fit {
        params,
        ranks,
        stage,
        model_state_bytes_per_rank: state.into_iter().try_fold(0_u64, u64::checked_add)?,
        comm_bytes_per_rank: slice.checked_mul(ranks - 1)?.checked_mul(2 * collectives)?,
        tensors,
    })
}

pub(super) fn zero_fit(args: &ZeroFitArgs) -> Result<ExitCode, ExitCode> {
    let Some(fit) = fit(args.parameters, args.ranks, args.stage) else {
        let problem = Diagnostic::error("the bytes of such a model have more than 64 bits");
        return Err(misused(problem.hint("ask for fewer parameters, or for fewer ranks")));
    };
    if args.json {
        out::json(&fit);
        return Ok(DONE);
    }
    let bytes = |bytes: u64| format!("{:>9}  {bytes}", si(bytes as f64, "B"));
    let Tensors { parameters, gradients, master, m, v } = fit.tensors;
    for (name, size) in [
        ("parameters, 16 bits", parameters),
        ("gradients, 16 bits", gradients),
        ("master copy, 32 bits", master),
        ("m, 32 bits", m),
        ("v, 32 bits", v),
        ("model state of a rank", fit.model_state_bytes_per_rank),
        ("sent by a rank in a step", fit.comm_bytes_per_rank),
    ] {
        out::line(&format!("{name:<26}{}", bytes(size)));
    }
    out::line("Activations, buckets and gathered layers come on top.");
    Ok(DONE)
}

#[cfg(test)]
mod tests {
    use super::fit;

    /// Figure 1 of the paper: 7.5 billion parameters on 64 GPUs.
    #[test]
    fn the_papers_figures() {
        let state = |stage| fit(7_500_000_000, 64, stage).expect("fits into 64 bits").model_state_bytes_per_rank;
        assert_eq!([0, 1, 2, 3].map(state), [120_000_000_000, 31_406_250_000, 16_640_625_000, 1_875_000_000]);
    }

    #[test]
    fn slices_are_rounded_up() {
        let three = fit(10, 4, 3).expect("fits into 64 bits");
        assert_eq!((three.model_state_bytes_per_rank, three.comm_bytes_per_rank), (3 * 16, 3 * 3 * 2 * 3));
        // More ranks than parameters, and one rank.
        assert_eq!(fit(3, 8, 3).expect("fits into 64 bits").model_state_bytes_per_rank, 16);
        assert_eq!(fit(3, 1, 2).expect("fits into 64 bits").comm_bytes_per_rank, 0);
        assert!(fit(u64::MAX / 2, 1, 0).is_none());
    }
}
