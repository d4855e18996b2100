//! `TABLE.md`: the comparison for people, one line a row.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Comparison;
use super::cases::Counters;

/// The text above the rows.
const INTRODUCTION: &str = "\
# The tracer beside the hardware

Each line is one kernel with its constants: what the hardware's counters gave for its CUDA twin, and what the tracer counts of its
WGSL. `=` says that the tracer's counts are the same, all of them; otherwise only those that differ are given, with the reason.
The two also left the same bytes in their buffers, or the test fails; only where a kernel takes exponentials, which the hardware
rounds its own way, are the bytes not compared (`\"inexact\"` in cases.json). Kernels that exist only in CUDA have no row.

Global memory is given as requests/sectors, shared memory as requests/wavefronts and, in parentheses, conflicts where there are any.
The counters: `l1tex__t_requests_pipe_lsu_mem_global_op_*` and `l1tex__t_sectors_pipe_lsu_mem_global_op_*` (`atom` and `red` are both
atomics), `smsp__inst_executed_op_shared_*_pred_on_any` with `…_op_ldsm` and `…_op_shared_stsm`, `l1tex__data_pipe_lsu_wavefronts_mem_shared_op_*` and
`l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_*`. The plain `smsp__inst_executed_op_shared_*` also counts instructions that
no lane took part in; `smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_*` comes from instrumented code and
is not what the hardware's own counter says of sparse loads of 8 and 16 bytes.
";

/// The whole file.
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = INTRODUCTION.to_owned();
    out.push('\n');
    for (what, said) in &comparison.head {
        writeln!(out, "- {what}: `{said}`").ok();
    }
    let differ = |(row, ..): &&(super::Row, _, _)| comparison.explanation(&row.name).is_some();
    let explained = comparison.rows.iter().filter(differ).count();
    let unmeasured = comparison.rows.iter().filter(|(row, ..)| row.unmeasured()).count();
    let rows = comparison.rows.len() - unmeasured;
    writeln!(out, "\n{rows} rows: {} equal, {explained} explained.", rows - explained).ok();
    if unmeasured > 0 {
        writeln!(out, "{unmeasured} more have not been measured yet.").ok();
    }
    let mut file = "";
    for (row, traced, hardware) in &comparison.rows {
        if row.cuda != file {
            file = &row.cuda;
            writeln!(
                out,
                "\n## {} and {file}\n\n| row | hardware | tracer | why |\n| --- | --- | --- | --- |",
                row.wgsl
            )
            .ok();
        }
        if row.unmeasured() {
            let name = row.name.split_once('/').map_or(row.name.as_str(), |(_, name)| name);
            writeln!(out, "| {name} | not measured yet | {} | |", shown(&traced.counters)).ok();
            continue;
        }
        let hardware = hardware.clone().unwrap_or_default();
        let differences = Comparison::differences(traced, &hardware);
        let why = comparison.explanation(&row.name).map_or("", |e| e.why.as_str());
        let name = row.name.split_once('/').map_or(row.name.as_str(), |(_, name)| name);
        writeln!(out, "| {name} | {} | {} | {why} |", shown(&hardware.counters), differing(&differences)).ok();
    }
    out
}

/// The counters of a row: `load 128/512, shared store 4/8 (4)`.
pub fn shown(counters: &Counters) -> String {
    let of = |name: String| counters.get(&name).copied().unwrap_or(0);
    let mut parts = Vec::new();
    for kind in ["load", "store", "atomic"] {
        let requests = of(format!("global.{kind}.requests"));
        if requests > 0 {
            parts.push(format!("{kind} {requests}/{}", of(format!("global.{kind}.sectors"))));
        }
    }
    for kind in ["load", "store", "atomic"] {
        let requests = of(format!("shared.{kind}.requests"));
        if requests > 0 {
            let mut part = format!("shared {kind} {requests}/{}", of(format!("shared.{kind}.wavefronts")));
            let conflicts = of(format!("shared.{kind}.conflicts"));
            if conflicts > 0 {
                write!(part, " ({conflicts})").ok();
            }
            parts.push(part);
        }
    }
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

/// The tracer's count, if it differs.
pub fn differing(differences: &BTreeMap<String, [u64; 2]>) -> String {
    if differences.is_empty() {
        return "=".to_owned();
    }
    let each = differences.iter().map(|(name, [tracer, _])| format!("{} {tracer}", name.replace('.', " ")));
    each.collect::<Vec<_>>().join(", ")
}
