//! Warpbook.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.split_first() {
        Some((first, rest)) if first == "worker" => warpbook::gpu::worker::main(rest),
        _ => ExitCode::from(2),
    }
}
