//! Each subgroup operation by itself, on the tracer and on the driver, against what WGSL says that it gives.

use std::io::Write;

use warpbook::base::rng;

use super::case::Case;
use super::driver::Driver;
use super::supervise;

const NAME: &str = "subgroups::operations_give_what_wgsl_says";
/// Invocations of a workgroup.
const SIZE: u32 = 64;

/// A lane and those that take part with it.
struct View {
    /// Its number in its subgroup.
    lane: u32,
    /// Its subgroup's number.
    warp: u32,
    /// How many lanes a subgroup has.
    lanes: u32,
    /// The numbers and values of the active lanes, itself among them.
    active: Vec<(u32, u32)>,
}

impl View {
    /// Its own value.
    fn x(&self) -> u32 {
        self.of(self.lane).unwrap_or_default()
    }

    /// That of another lane, if it is active.
    fn of(&self, lane: u32) -> Option<u32> {
        self.active.iter().find(|(n, _)| *n == lane).map(|(_, x)| *x)
    }

    /// The values of all active lanes, combined.
    fn all(&self, f: fn(u32, u32) -> u32) -> u32 {
        self.active.iter().map(|(_, x)| *x).reduce(f).unwrap_or_default()
    }

    /// The values of the active lanes before it, combined with `start`.
    fn before(&self, start: u32, f: fn(u32, u32) -> u32) -> u32 {
        self.active.iter().filter(|(n, _)| *n < self.lane).fold(start, |a, (_, x)| f(a, *x))
    }
}

struct Operation {
    wgsl: &'static str,
    /// The value that each lane gets; None if WGSL leaves it open.
    gives: fn(&View) -> Option<u32>,
}

const fn op(wgsl: &'static str, gives: fn(&View) -> Option<u32>) -> Operation {
    Operation { wgsl, gives }
}

/// Operations on each lane's `x`.
const OPERATIONS: &[Operation] = &[
    op("lane", |v| Some(v.lane)),
    op("lanes", |v| Some(v.lanes)),
    op("warp", |v| Some(v.warp)),
    op("warps", |v| Some(SIZE / v.lanes)),
    op("subgroupBroadcast(x, 5u)", |v| v.of(5)),
    op("subgroupBroadcastFirst(x)", |v| Some(v.active[0].1)),
    op("subgroupShuffle(x, (lane * 3u + 1u) % lanes)", |v| v.of((v.lane * 3 + 1) % v.lanes)),
    op("subgroupShuffle(x, x % lanes)", |v| v.of(v.x() % v.lanes)),
    op("subgroupShuffleUp(x, 3u)", |v| v.of(v.lane.checked_sub(3)?)),
    op("subgroupShuffleDown(x, 3u)", |v| v.of(v.lane + 3)),
    op("subgroupShuffleXor(x, 6u)", |v| v.of(v.lane ^ 6)),
    op("quadBroadcast(x, 2u)", |v| v.of(v.lane & !3 | 2)),
    op("quadSwapX(x)", |v| v.of(v.lane ^ 1)),
    op("quadSwapY(x)", |v| v.of(v.lane ^ 2)),
    op("quadSwapDiagonal(x)", |v| v.of(v.lane ^ 3)),
    op("u32(subgroupAll(x % 8u < 7u))", |v| Some(v.active.iter().all(|(_, x)| x % 8 < 7).into())),
    op("u32(subgroupAny(x % 8u == 7u))", |v| Some(v.active.iter().any(|(_, x)| x % 8 == 7).into())),
    op("subgroupBallot(x % 2u == 0u).x", |v| {
        Some(v.active.iter().filter(|(n, x)| *n < 32 && x % 2 == 0).map(|(n, _)| 1 << n).sum())
    }),
    op("subgroupAdd(x)", |v| Some(v.all(u32::wrapping_add))),
    op("subgroupMul(x)", |v| Some(v.all(u32::wrapping_mul))),
    op("subgroupMin(x)", |v| Some(v.all(u32::min))),
    op("subgroupMax(x)", |v| Some(v.all(u32::max))),
    op("u32(subgroupMin(i32(x)))", |v| Some(v.all(|a, b| a.cast_signed().min(b.cast_signed()).cast_unsigned()))),
    op("u32(subgroupMax(i32(x)))", |v| Some(v.all(|a, b| a.cast_signed().max(b.cast_signed()).cast_unsigned()))),
    op("subgroupAnd(x | 255u)", |v| Some(v.all(|a, b| a & b) | 255)),
    op("subgroupOr(x)", |v| Some(v.all(|a, b| a | b))),
    op("subgroupXor(x)", |v| Some(v.all(|a, b| a ^ b))),
    op("subgroupExclusiveAdd(x)", |v| Some(v.before(0, u32::wrapping_add))),
    op("subgroupInclusiveAdd(x)", |v| Some(v.before(v.x(), u32::wrapping_add))),
    op("subgroupExclusiveMul(x)", |v| Some(v.before(1, u32::wrapping_mul))),
    op("subgroupInclusiveMul(x)", |v| Some(v.before(v.x(), u32::wrapping_mul))),
    // Whole numbers, whose sum is exact in any order.
    op("u32(subgroupAdd(f32(x % 4096u)))", |v| Some(v.active.iter().map(|(_, x)| x % 4096).sum())),
    op("u32(subgroupInclusiveAdd(vec2(0.0, f32(x % 4096u))).y)", |v| {
        Some(v.active.iter().filter(|(n, _)| *n <= v.lane).map(|(_, x)| x % 4096).sum())
    }),
];

/// Whether the lane with this local index and this value takes part.
type TakesPart = fn(u32, u32) -> bool;

/// How the lanes that take part are chosen, and which they are.
const WAYS: [(&str, TakesPart); 4] = [
    ("if (true)", |_, _| true),
    ("if (i % 3u != 1u)", |i, _| i % 3 != 1),
    ("if (x % 4u < 2u)", |_, x| x % 4 < 2),
    // One pass each of a loop that lanes leave one after another.
    ("for (var k = 0u; k < 1u + x % 2u; k++)", |_, x| x % 2 == 1),
];

fn source(operation: &Operation, way: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size({SIZE}) fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32,
  @builtin(subgroup_size) lanes: u32, @builtin(subgroup_id) warp: u32, @builtin(num_subgroups) warps: u32) {{
  let x = input[i];
  _ = lane + lanes + warp + warps;
  {way} {{ out[i] = {}; }}
}}",
        operation.wgsl
    )
}

/// The faults in `out`, given by `side`.
fn unlike(operation: &Operation, way: usize, lanes: u32, side: &str, input: &[u32], out: &[u32]) -> Option<String> {
    let (text, takes_part) = WAYS[way];
    for i in (0..SIZE).filter(|i| takes_part(*i, input[*i as usize])) {
        let (warp, lane) = (i / lanes, i % lanes);
        let active = (0..lanes)
            .map(|n| (n, input[(warp * lanes + n) as usize]))
            .filter(|(n, x)| takes_part(warp * lanes + n, *x))
            .collect();
        let view = View { lane, warp, lanes, active };
        let (given, wanted) = (out[i as usize], (operation.gives)(&view));
        if wanted.is_some_and(|wanted| wanted != given) {
            return Some(format!(
                "`{}` in `{text}` on the {side}: lane {lane} has {given:#x}, not {wanted:#x?}",
                operation.wgsl
            ));
        }
    }
    None
}

fn check(driver: &Driver, operation: &Operation, way: usize) -> Result<Option<String>, String> {
    let source = source(operation, WAYS[way].0);
    let case = Case { source: &source, constants: &[], grid: [1; 3] };
    let program = case.program()?;
    let input: Vec<u32> = (0..SIZE).map(|i| rng::word(5, u64::from(i))).collect();
    let lanes = driver.subgroup[1];
    let before = vec![input.clone(), vec![0; SIZE as usize]];
    let mut given = before.clone();
    driver.run(&case, program.bindings(), &mut given)?;
    let mut wrong = unlike(operation, way, lanes, "driver", &input, &given[1]);
    let mut traced = before;
    // That some ask lanes that are not active is found, and meant.
    case.trace(&program, &mut traced, lanes)?;
    if let Some(why) = unlike(operation, way, lanes, "tracer", &input, &traced[1]) {
        wrong = Some(wrong.map_or(String::new(), |w| w + "\n") + &why);
    }
    Ok(wrong)
}

#[test]
fn operations_give_what_wgsl_says() {
    let driver = match Driver::open() {
        Ok(driver) if driver.is_extended() => driver,
        _ => {
            assert!(
                std::env::var_os("WARPBOOK_REQUIRE_GPU").is_none(),
                "a driver with subgroups and halves is required here"
            );
            writeln!(std::io::stderr(), "subgroup operations are not compared: no driver here has them").unwrap();
            return;
        }
    };
    let items = OPERATIONS.len() * WAYS.len();
    let work = |item: u64| {
        let (operation, way) = (&OPERATIONS[item as usize / WAYS.len()], item as usize % WAYS.len());
        check(&driver, operation, way)
            .unwrap_or_else(|why| Some(format!("`{}` in `{}`: {why}", operation.wgsl, WAYS[way].0)))
    };
    if supervise::is_part(work) {
        return;
    }
    let outcome = supervise::supervised(NAME, 0..items as u64, &[super::UNOPTIMISED, super::WIDE]);
    assert!(outcome.wrong.is_empty(), "{}", outcome.wrong);
    assert!(outcome.crashes.is_empty(), "the driver crashed at {:?}", outcome.crashes);
}
