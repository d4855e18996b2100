//! Each operation on floats by itself, on chosen and on random arguments: the tracer and the driver within WGSL's
//! bounds.

use warpbook::base::rng;

use super::accuracy::{Bound, ROWS, Row, Words};
use super::case::Case;
use super::driver::Driver;
use super::interval::Interval;
use super::supervise;

const NAME: &str = "floats::operations_are_as_exact_as_wgsl_wants_them";
/// Tuples of arguments for each operation.
const TUPLES: u32 = 1024;
/// Words of a tuple.
const WORDS: usize = 6;

/// Numbers at which functions change their ways. The last three promise nothing, but nothing may crash on them.
const CHOSEN: [f32; 31] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    0.499_999_97,
    1.5,
    2.0,
    2.5,
    -2.5,
    3.0,
    std::f32::consts::PI,
    -std::f32::consts::FRAC_PI_2,
    0.999_999_94,
    1.000_000_1,
    1e-4,
    -1e-7,
    8_388_607.5,
    16_777_217.0,
    2_147_483_648.0,
    -3e9,
    65504.0,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    1e-40,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// Known faults of the driver here.
const EXCUSED: &[(&str, &str)] = &[
    (
        "unpack4xI8(pack4x8snorm(vec4(a, b, c, d)))",
        "the SPIR-V instruction rounds to nearest, and -63.5 to -64, where WGSL's floor(0.5 + 127 * a) is -63",
    ),
    (
        "(vec2<i32>(i32(pack2x16snorm(vec2(a, b)))) << vec2(16u, 0u)) >> vec2(16u)",
        "the SPIR-V instruction rounds to nearest, and -16383.5 to -16384, where WGSL's floor(0.5 + 32767 * a) is -16383",
    ),
];

/// The arguments of `row`, all tuples one after another.
fn arguments(row: &Row) -> Vec<u32> {
    let seed = row.wgsl.bytes().fold(0_u64, |h, b| h.wrapping_mul(31) + u64::from(b));
    let draw = |i: usize| {
        let [kind, word] = [0, 1].map(|k| rng::word(seed + k, i as u64));
        let Some((low, high)) = row.from.get(i % WORDS) else { return 0 };
        match kind % 8 {
            0 => word,
            1 | 2 => CHOSEN[word as usize % CHOSEN.len()].to_bits(),
            _ => (low + (high - low) * (word as f32 / 4_294_967_296.0)).to_bits(),
        }
    };
    let mut all: Vec<u32> = (0..TUPLES as usize * WORDS).map(draw).collect();
    // Each chosen number is in the first place once, whatever is drawn.
    for (i, x) in CHOSEN.iter().enumerate() {
        all[i * WORDS] = x.to_bits();
    }
    all
}

fn allowed(row: &Row, tuple: &[u32]) -> Vec<Interval> {
    match row.bound {
        Bound::Bits(bound) => bound(tuple[0]),
        Bound::Floats(bound) => {
            let floats: Vec<Interval> = tuple.iter().map(|w| Interval::of(f32::from_bits(*w))).collect();
            bound(&floats[..row.from.len()])
        }
    }
}

fn value(row: &Row, word: u32) -> f64 {
    match row.gives {
        Words::F32 => f64::from(f32::from_bits(word)),
        Words::I32 => f64::from(word.cast_signed()),
        Words::U32 => f64::from(word),
    }
}

fn source(row: &Row, parts: usize) -> String {
    let part = |k| if parts == 1 { "r".to_owned() } else { format!("r[{k}]") };
    let stores: String = (0..parts).map(|k| format!("  out[i * 4u + {k}u] = bitcast<u32>({});\n", part(k))).collect();
    let letters: String = (0..WORDS)
        .map(|k| format!("  let {} = bitcast<f32>(input[i * 6u + {k}u]);\n", ["a", "b", "c", "d", "e", "f"][k]))
        .collect();
    format!(
        "@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at: vec3<u32>) {{
  let i = at.x;
  let w = input[i * 6u];
{letters}  let r = {};
{stores}}}",
        row.wgsl
    )
}

/// The faults in `results`, given by `side`.
fn beyond(row: &Row, side: &str, arguments: &[u32], results: &[u32]) -> Option<String> {
    let mut wrong = Vec::new();
    for (tuple, given) in arguments.chunks(WORDS).zip(results.chunks(4)) {
        for (k, (interval, word)) in allowed(row, tuple).into_iter().zip(given).enumerate() {
            let value = value(row, *word);
            if !interval.allows(value) {
                let floats: Vec<f32> = tuple[..row.from.len()].iter().map(|w| f32::from_bits(*w)).collect();
                wrong
                    .push(format!("of {floats:?} (first word {:#x}), part {k}: {value:e}, not {interval:?}", tuple[0]));
            }
        }
    }
    let first = wrong.first()?;
    Some(format!("`{}` on the {side} is wrong {} times; {first}", row.wgsl, wrong.len()))
}

fn check(driver: Option<&Driver>, row: &Row) -> Result<Vec<String>, String> {
    let arguments = arguments(row);
    let parts = allowed(row, &arguments[..WORDS]).len();
    let source = source(row, parts);
    let case = Case { source: &source, constants: &[], grid: [TUPLES / 64, 1, 1] };
    let program = case.program()?;
    let mut wrong = Vec::new();
    let before = [arguments.clone(), vec![0; TUPLES as usize * 4]];
    let mut traced = before.clone();
    let findings = case.trace(&program, &mut traced, 32)?;
    wrong.extend(findings.iter().map(|finding| format!("`{}`: {finding:?}", row.wgsl)));
    wrong.extend(beyond(row, "tracer", &arguments, &traced[1]));
    let excuse = EXCUSED.iter().find(|(wgsl, _)| *wgsl == row.wgsl);
    if let Some(driver) = driver {
        let mut given = before.clone();
        driver.run(&case, program.bindings(), &mut given)?;
        match (excuse, beyond(row, "driver", &arguments, &given[1])) {
            (None, report) => wrong.extend(report),
            (Some((_, why)), None) => wrong.push(format!("`{}` needs its excuse no more: {why}", row.wgsl)),
            (Some(_), Some(_)) => {}
        }
    }
    Ok(wrong)
}

#[test]
fn operations_are_as_exact_as_wgsl_wants_them() {
    let driver = Driver::open().ok();
    let work = |item: u64| {
        let row = &ROWS[item as usize];
        let wrong = check(driver.as_ref(), row).unwrap_or_else(|why| vec![format!("`{}`: {why}", row.wgsl)]);
        (!wrong.is_empty()).then(|| wrong.join("\n"))
    };
    if supervise::is_part(work) {
        return;
    }
    assert!(driver.is_some() || std::env::var_os("WARPBOOK_REQUIRE_GPU").is_none(), "a driver is required here");
    let outcome = supervise::supervised(NAME, 0..ROWS.len() as u64, &[super::UNOPTIMISED, super::NARROW]);
    let crashed: Vec<&str> = outcome.crashes.iter().map(|i| ROWS[*i as usize].wgsl).collect();
    assert!(outcome.wrong.is_empty() && crashed.is_empty(), "{}\nthe driver crashed at {crashed:?}", outcome.wrong);
}

#[test]
fn intervals_hold_what_wgsl_allows_and_no_more() {
    let near = |wgsl: &str, arguments: &[f32], within: (f64, f64), beyond: [f64; 2]| {
        let row = ROWS.iter().find(|row| row.wgsl == wgsl).unwrap_or_else(|| panic!("no row {wgsl}"));
        let words: Vec<u32> = arguments.iter().map(|x| x.to_bits()).collect();
        let interval = allowed(row, &words)[0];
        assert!(interval.allows(within.0) && interval.allows(within.1), "{wgsl}: {interval:?}");
        assert!(beyond.iter().all(|x| !interval.allows(*x)), "{wgsl}: {interval:?}");
    };
    let ulp = f64::from(f32::EPSILON);
    // 1/3 lies between two f32; each is a correct rounding of the exact quotient, and 2.5 ULP (of 2^-25) are allowed.
    near("a / b", &[1.0, 3.0], (1.0 / 3.0 - 0.6 * ulp, 1.0 / 3.0 + 0.6 * ulp), [1.0 / 3.0 - ulp, 1.0 / 3.0 + ulp]);
    near("a + b", &[1.0, 1e-9], (1.0, 1.0 + ulp), [1.0 - ulp, 1.0 + 2.0 * ulp]);
    near("a * b", &[1e-30, 1e-9], (0.0, 1e-39), [-1e-44, 1.1e-39]);
    // 3 ULP, of which there are two to an epsilon below 1.
    near("exp(a)", &[0.0], (1.0 - 1.5 * ulp, 1.0 + 2.0 * ulp), [1.0 - 2.0 * ulp, 1.0 + 3.0 * ulp]);
    near("sin(a)", &[1.0], (0.8411, 0.8418), [0.8408, 0.8421]);
    near("log(a)", &[1.0], (-4.7e-7, 4.7e-7), [-5e-7, 5e-7]);
    near("floor(a)", &[-1e-40], (-1.0, 0.0), [-2.0, 1.0]);
    near("i32(a)", &[1e20], (2_147_483_520.0, 2_147_483_520.0), [2_147_483_647.0, 2_147_483_519.0]);
    near(
        "quantizeToF16(a)",
        &[1.0 + 1.0 / 3000.0],
        (1.0, 1.0 + 1.0 / 1024.0),
        [1.0 - 1.0 / 2048.0, 1.0 + 2.0 / 1024.0],
    );
}
