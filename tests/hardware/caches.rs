//! What the tracer's caches serve, beside an H200's counters (`caches.py`).

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::Deserialize;
use warpbook::device::spec;
use warpbook::job::Caches;
use warpbook::session::run::model;
use warpbook::trace::LineCounts;

use super::cases::{Row, json, root, rows};

#[derive(Deserialize)]
struct Measured {
    rows: BTreeMap<String, Served>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Served {
    l1_hits: u64,
    l2_loads: u64,
    l2_stores: u64,
    dram_load_bytes: u64,
}

fn h200() -> Result<Caches, String> {
    let path = root().join("assets/devices/h200-sxm.ron");
    let text = std::fs::read_to_string(&path).map_err(|e| e.to_string())?;
    let spec = spec::read("h200-sxm", "h200-sxm.ron", &text).map_err(|e| e.to_string())?;
    model::caches(&spec, false).ok_or_else(|| "its caches are not known".to_owned())
}

/// Whether a count is within a share of the hardware's, or within some sectors of it.
fn is_near(traced: u64, hardware: u64, share: f64, sectors: u64) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "counts of small launches")]
    let room = (hardware as f64 * share).max(sectors as f64);
    #[expect(clippy::cast_precision_loss, reason = "counts of small launches")]
    let apart = traced.abs_diff(hardware) as f64;
    apart <= room
}

#[test]
fn caches_serve_what_the_hardwares_do() -> Result<(), String> {
    let measured: Measured = json("caches.json")?;
    let caches = h200()?;
    let rows = rows()?;
    let of = |row: &Row| {
        let hardware = *measured.rows.get(&row.name)?;
        Some(row.cached(caches, None).map(|traced| (row.name.clone(), traced, hardware)))
    };
    let all = rows.par_iter().filter_map(of).collect::<Result<Vec<_>, String>>()?;
    let (mut near, mut apart) = ([0_usize; 4], Vec::new());
    for (name, traced, hardware) in &all {
        let is = [
            is_near(traced.l1_hits, hardware.l1_hits, 0.05, 32),
            is_near(traced.l2_loads, hardware.l2_loads, 0.05, 32),
            is_near(traced.l2_stores, hardware.l2_stores, 0.05, 32),
            is_near(traced.dram_loads * 32, hardware.dram_load_bytes, 0.1, 8192),
        ];
        for (near, is) in near.iter_mut().zip(is) {
            *near += usize::from(is);
        }
        if is.contains(&false) {
            apart.push(format!("{name}: {traced:?}, the hardware {hardware:?}"));
        }
    }
    assert!(near.iter().all(|near| near * 100 >= all.len() * 89), "{near:?} of {}:\n{}", all.len(), apart.join("\n"));
    Ok(())
}

/// A level asks the next one for the sectors that it does not have: none is lost or added on the way.
#[test]
fn each_level_serves_what_the_one_before_has_not() -> Result<(), String> {
    let caches = h200()?;
    for row in rows()?.iter().step_by(7) {
        let trace = row.behind_caches(caches, None)?;
        let served = trace.caches.unwrap_or_default();
        let by_line = |of: fn(&LineCounts) -> u64| trace.lines.iter().map(of).sum::<u64>();
        let [l1, l2, dram] = [by_line(|l| l.l1_hits), by_line(|l| l.l2_sectors), by_line(|l| l.dram_sectors)];
        let asked_of_l2 = served.l2_loads + served.l2_stores + served.l2_atomics;
        assert_eq!([l1, l2, dram], [served.l1_hits, asked_of_l2, served.dram_loads], "{}", row.name);
        let asked = served.l2_loads + served.l2_atomics;
        let fetched = asked - served.l2_hits;
        let is_whole = served.l2_loads <= served.l1_misses
            && served.l2_hits <= asked
            && (fetched..=2 * fetched).contains(&served.dram_loads)
            && served.dirty + served.dram_stores <= 2 * (served.l2_stores + served.l2_atomics);
        assert!(is_whole, "{}: {served:?}", row.name);
    }
    Ok(())
}

#[test]
fn counts_of_caches_do_not_depend_on_threads() -> Result<(), String> {
    let caches = h200()?;
    for row in rows()?.iter().step_by(50) {
        let [one, three] = [1, 3].map(|threads| row.cached(caches, Some(threads)));
        assert_eq!(one?, three?, "{}", row.name);
    }
    Ok(())
}
