//! Three ways of adding up 256 numbers, traced from their text: what the tree holds, and that its picture is tidy.

use std::sync::atomic::AtomicBool;

use super::super::fixtures::assert_tidy;
use super::super::frame::Item;
use super::super::{Theme, svg};
use super::tree::Kind;
use super::*;
use crate::base::tensor::{Elem, Tensor};
use crate::job::TraceSpec;
use crate::palette::Ink;
use crate::trace::{Exchange, FindingKind};
use warpbook_tracer::simt::{Options, Program, run};

type Result<T = ()> = std::result::Result<T, String>;

/// Through workgroup memory alone.
const IN_MEMORY: &str = "
    var<workgroup> sums: array<f32, 256>;
    @group(0) @binding(0) var<storage, read> x: array<f32>;
    @group(0) @binding(1) var<storage, read_write> out: array<f32>;
    @compute @workgroup_size(256) fn main(@builtin(local_invocation_index) i: u32) {
        sums[i] = x[i];
        workgroupBarrier();
        for (var half = 128u; half > 0u; half /= 2u) {
            if (i < half) { sums[i] += sums[i + half]; }
            workgroupBarrier();
        }
        if (i == 0u) { out[0] = sums[0]; }
    }";

/// In each warp by a subgroup operation, then through a word of workgroup memory for each warp.
const WARP_BY_WARP: &str = "
    enable subgroups;
    var<workgroup> partial: array<f32, 64>;
    @group(0) @binding(0) var<storage, read> x: array<f32>;
    @group(0) @binding(1) var<storage, read_write> out: array<f32>;
    @compute @workgroup_size(256) fn main(
        @builtin(local_invocation_index) i: u32, @builtin(subgroup_invocation_id) lane: u32,
        @builtin(subgroup_id) warp: u32, @builtin(num_subgroups) warps: u32,
    ) {
        let sum = subgroupAdd(x[i]);
        if (lane == 0u) { partial[warp] = sum; }
        workgroupBarrier();
        if (i < warps) {
            let all = subgroupAdd(partial[i]);
            if (i == 0u) { out[0] = all; }
        }
    }";

/// Among the lanes of a warp, step by step.
const IN_REGISTERS: &str = "
    enable subgroups;
    @group(0) @binding(0) var<storage, read> x: array<f32>;
    @group(0) @binding(1) var<storage, read_write> out: array<f32>;
    @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
        var sum = 0.0;
        for (var at = i; at < 256u; at += 32u) { sum += x[at]; }
        for (var far = 16u; far > 0u; far /= 2u) { sum += subgroupShuffleXor(sum, far); }
        if (i == 0u) { out[0] = sum; }
    }";

fn traced(source: &str, warp_width: u32) -> Result<Timeline> {
    let listed = |errors: Vec<crate::base::diag::Diagnostic>| {
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let program = Program::compile("t.wgsl", source, "main", &[]).map_err(listed)?;
    let floats = |values: Vec<f32>| Tensor { elem: Elem::F32, words: values.iter().map(|x| x.to_bits()).collect() };
    let mut buffers = [floats((0_u8..=255).map(f32::from).collect()), floats(vec![0.0])];
    let spec = TraceSpec { warp_width, timeline_workgroups: vec![0], ..TraceSpec::default() };
    let options = Options { spec, fuel: 1 << 20, ..Options::default() };
    let outcome = run(&program, &mut buffers, [1, 1, 1], &options, &AtomicBool::new(false), &|_, _| {})
        .map_err(|error| error.to_string())?;
    assert_eq!(outcome.trace.findings.iter().map(|f| f.kind).collect::<Vec<FindingKind>>(), []);
    assert_eq!(buffers[1].words, [32640_f32.to_bits()], "the sum of 0 to 255");
    outcome.timeline.ok_or_else(|| "no timeline".to_owned())
}

/// Kind, round, edges and lanes of each level.
fn shape(tree: &Tree) -> Vec<(Kind, u32, usize, usize)> {
    tree.levels.iter().map(|level| (level.kind, level.round, level.edges.len(), level.lanes.len())).collect()
}

#[test]
fn a_tree_in_memory_halves_round_by_round() -> Result {
    let timeline = traced(IN_MEMORY, 32)?;
    let tree = Tree::new(&timeline, 0);
    let Kind::Store(sums) = tree.levels[1].kind else { return Err(format!("{:?}", tree.levels[1].kind)) };
    assert_eq!(timeline.buffers[usize::from(sums)].name, "sums");
    let mut expected = vec![(Kind::Start, 0, 0, 256), (Kind::Store(sums), 0, 256, 256)];
    for (round, half) in (1..).zip([128, 64, 32, 16, 8, 4, 2, 1]) {
        expected.push((Kind::Store(sums), round, 2 * half, half));
    }
    expected.push((Kind::Load(sums), 9, 1, 1));
    assert_eq!(shape(&tree), expected);
    assert_eq!((tree.columns, tree.rounds), (256, 10));
    // Lane 5 of the round of 16 adds words 5 and 21, which the round before stored.
    let round = &tree.levels[5];
    let mut from: Vec<(usize, u32)> = round.edges.iter().filter(|e| e.to == 5).map(|e| (e.level, e.from)).collect();
    from.sort_unstable();
    assert_eq!(from, [(4, 5), (4, 21)]);
    Ok(())
}

#[test]
fn warps_join_first_and_their_words_after() -> Result {
    let timeline = traced(WARP_BY_WARP, 32)?;
    let tree = Tree::new(&timeline, 0);
    let kinds: Vec<(Kind, u32)> = tree.levels.iter().map(|level| (level.kind, level.round)).collect();
    let sum = Kind::Exchange(Exchange::Reduction);
    let Kind::Store(partial) = kinds[2].0 else { return Err(format!("{kinds:?}")) };
    assert_eq!(kinds, [(Kind::Start, 0), (sum, 0), (Kind::Store(partial), 0), (Kind::Load(partial), 1), (sum, 1)]);
    let joins: Vec<(u32, u64)> = tree.levels[1].joins.iter().map(|join| (join.warp, join.mask)).collect();
    assert_eq!(joins, (0..8).map(|warp| (warp, 0xffff_ffff)).collect::<Vec<_>>());
    let stores: Vec<(u32, u32)> = tree.levels[2].edges.iter().map(|e| (e.from, e.to)).collect();
    assert_eq!(stores, (0..8).map(|warp| (32 * warp, warp)).collect::<Vec<_>>());
    let loads: Vec<(u32, u32)> = tree.levels[3].edges.iter().map(|e| (e.from, e.to)).collect();
    assert_eq!(loads, (0..8).map(|i| (i, i)).collect::<Vec<_>>());
    assert_eq!(tree.levels[4].joins.iter().map(|j| (j.warp, j.mask)).collect::<Vec<_>>(), [(0, 0xff)]);
    Ok(())
}

#[test]
fn shuffles_are_a_butterfly() -> Result {
    let timeline = traced(IN_REGISTERS, 32)?;
    let tree = Tree::new(&timeline, 0);
    assert_eq!((tree.levels.len(), tree.rounds, tree.columns), (6, 1, 32));
    for (level, far) in tree.levels[1..].iter().zip([16, 8, 4, 2, 1]) {
        assert_eq!(level.kind, Kind::Exchange(Exchange::Shuffle));
        assert!(level.edges.len() == 32 && level.edges.iter().all(|e| e.from == e.to ^ far), "{level:?}");
    }
    // Each lane's value is the one of the level before.
    assert!((1..6).all(|i| tree.levels[i].edges.iter().all(|e| e.level == i - 1)));
    Ok(())
}

fn view<'a>(timeline: &'a Timeline, tree: &'a Tree, position: f32, size: [f32; 2]) -> ReductionView<'a> {
    ReductionView { timeline, tree, warp: 0, position, hovered: None, motion: true, size }
}

#[test]
fn every_moment_fits_every_size() -> Result {
    for source in [IN_MEMORY, WARP_BY_WARP, IN_REGISTERS] {
        for width in [8, 32, 64] {
            // With warps of 8 these two would leave some of their 256 numbers out.
            if source != IN_MEMORY && width == 8 {
                continue;
            }
            let timeline = traced(source, width)?;
            let tree = Tree::new(&timeline, 0);
            let events = timeline.of_warp(0, 0).count();
            for size in [[420.0, 300.0], [560.0, 380.0], [760.0, 560.0], [1400.0, 900.0]] {
                for event in (0..=events).step_by(3) {
                    let frame = frame(&view(&timeline, &tree, event as f32 + 0.4, size));
                    assert_tidy(&frame, &format!("{width} lanes, {size:?}, event {event}"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn the_warp_on_the_stage_is_where_the_accent_is() -> Result {
    let timeline = traced(IN_MEMORY, 32)?;
    let tree = Tree::new(&timeline, 0);
    let accents = |position: f32| {
        let frame = frame(&view(&timeline, &tree, position, [760.0, 560.0]));
        frame.items.iter().filter(|i| matches!(i, Item::Line { ink: Ink::Accent, .. })).count()
    };
    let events: Vec<usize> = timeline.of_warp(0, 0).collect();
    let stores = (0..events.len()).filter(|i| tree.places.contains_key(&events[*i]));
    let now: Vec<usize> = stores.map(|i| accents(i as f32 + 0.99)).collect();
    // The first store brings each lane's own value; then come, for each round, two loads and the store after them.
    assert_eq!(now[0], 32);
    assert!(now.iter().all(|lines| *lines > 0 && *lines <= 64), "{now:?}");
    // A barrier brings nothing.
    let barrier = events.iter().position(|i| timeline.events[*i].kind == EventKind::Barrier).unwrap_or_default();
    assert_eq!(accents(barrier as f32 + 0.99), 0);
    Ok(())
}

#[test]
fn what_is_hovered_lights_and_what_combines_nothing_says_so() -> Result {
    let timeline = traced(WARP_BY_WARP, 32)?;
    let tree = Tree::new(&timeline, 0);
    let store = tree.levels[2].edges[3].event;
    let lit = frame(&ReductionView { hovered: Some(Tag::Event(store)), ..view(&timeline, &tree, 0.0, [760.0, 400.0]) });
    let bright = lit.items.iter().filter(|i| matches!(i, Item::Line { ink: Ink::Shared, .. })).count();
    assert_eq!(bright, 1);
    let text = svg::svg(&lit, Theme::Dark);
    roxmltree::Document::parse(&text).map_err(|error| error.to_string())?;
    let nothing = Timeline { warp_width: 32, ..Timeline::default() };
    let none = frame(&view(&nothing, &Tree::new(&nothing, 0), 0.0, [420.0, 300.0]));
    assert_tidy(&none, "nothing");
    assert!(none.alt.starts_with("Nothing is combined here"));
    Ok(())
}
