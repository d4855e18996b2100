//! Each figure's picture beside the one that was looked at and kept in `tests/kept/`, as SVG: without a window, a driver, or its title.
//!
//! A picture that differs is written to `target/kept/`. Look at both in a browser; to keep the new one:
//! `WARPBOOK_WRITE_PICTURES=1 cargo test --test main kept::NAME`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use warpbook::device::DeviceSpec;
use warpbook::figures::explore::{self, ExploreView};
use warpbook::figures::{FIGURES, Frame, Kept, View, ask, svg};
use warpbook::gpu::simt;
use warpbook::job::{Language, TraceSpec};
use warpbook::lesson::{Lesson, Pack, PackFiles, Picture, Step};
use warpbook::session;
use warpbook::session::ask::{Answers, At, Inline, Store};
use warpbook::session::experiment::recording::{self, Recording};
use warpbook::session::jobs;
use warpbook::session::jobs::setting::Setting;
use warpbook::session::pack::quote::Quotes;
use warpbook::session::run::model;
use warpbook::session::show::source::{Staged, prepare};
use warpbook::session::show::stage::{Drawing, Stage};
use warpbook::session::show::staged::Sources;

/// The stage of a window of usual size, in points, in which a picture is kept.
const SIZE: [f32; 2] = [652.0, 376.0];
/// Other sizes in which a picture must have no layout error, from a telephone's to a large screen's.
const SIZES: [[f32; 2]; 5] = [[320.0, 260.0], [420.0, 300.0], [1000.0, 560.0], [1400.0, 900.0], [2560.0, 1300.0]];

macro_rules! kept {
    ($($name:ident: $figure:literal in $lesson:literal, $step:literal;)*) => {
        $(#[test]
        fn $name() {
            let frames = drawn($figure, $lesson, $step);
            compare(stringify!($name), &frames[0]);
            fits(&frames[1..]);
        })*

        /// The figures that have a picture.
        const DRAWN: &[&str] = &[$($figure),*];
    };
}

kept! {
    warp: "Warp" in "coalescing", "stride";
    maths: "Explore" in "softmax", "product";
    overflow: "Explore" in "softmax", "maximum";
    tensor_view: "Explore" in "coalescing", "view";
    registers: "Explore" in "tiling", "column";
    fragments: "Explore" in "tensor_cores", "fragments";
    formats: "Explore" in "tensor_cores", "formats";
    tile_order: "Explore" in "tensor_cores", "order";
    code_points: "Explore" in "text_to_ids", "bytes";
    by_rank: "Explore" in "text_to_ids", "encode";
    matrices: "Matrices" in "tiling", "tile";
    heat: "Heat" in "tiling", "sizes";
    reduction: "Reduction" in "softmax", "subgroups";
    banks: "Banks" in "coalescing", "padding";
    sweeps: "Sweeps" in "softmax", "sweeps";
    bytes: "Bytes" in "tiling", "traffic";
    ring: "Ring" in "tensor_cores", "pipeline";
    waves: "Waves" in "tiling", "sizes";
    schedulers: "Schedulers" in "coalescing", "schedulers";
    time: "Time" in "coalescing", "sum";
    launches: "Launches" in "one_step", "bill";
    pass_roofline: "PassRoofline" in "one_step", "all_passes";
    rounds: "Rounds" in "one_step", "loss";
    roofline: "Roofline" in "tiling", "block";
    buffers: "Contents" in "coalescing", "stride";
    bars: "Contents" in "moe", "buckets";
    lying_bar: "Contents" in "zero", "weight";
    tokens: "Contents" in "text_to_ids", "one_merge";
    scores: "Scores" in "attention", "tile";
    scores_causal: "Scores" in "attention", "causal";
    meter: "Meter" in "attention", "three";
    heads: "Heads" in "attention", "heads";
    pages: "Pages" in "attention", "paged";
    experts: "Experts" in "moe", "eight";
    shards: "Shards" in "zero", "optimizer";
    stairs: "Stairs" in "moe", "starts";
    dispatch: "Dispatch" in "moe", "rows";
    arrivals: "Arrivals" in "moe", "others";
    blocks: "Blocks" in "moe", "products";
    histogram: "Histogram" in "moe", "experts_choose";
    values: "Values" in "moe", "router";
    curves: "Curves" in "zero", "two_gpus";
    amounts: "Amounts" in "coalescing", "flight";
    beside: "Beside" in "coalescing", "width";
    ladder: "Ladder" in "tiling", "onward";
    boxes: "Boxes" in "tensor_cores", "tiles";
    places: "Places" in "moe", "back";
}

#[test]
fn every_figure_has_a_picture() {
    let drawn: BTreeSet<&str> = DRAWN.iter().copied().collect();
    let all = FIGURES.iter().map(|figure| figure.card().name);
    assert_eq!(drawn, all.collect());
}

/// The built-in pack with all that figures are drawn from.
struct Known {
    pack: Pack,
    models: Vec<DeviceSpec>,
    recordings: Vec<Recording>,
    quotes: Quotes,
}

fn known() -> &'static Known {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let files = PackFiles::Embedded;
        let (pack, _) = session::load(&files);
        let (models, _) = model::load(&files);
        let (recordings, _) = recording::load(&files, &pack);
        let (quotes, _) = Quotes::load(&files, &pack, &recordings, &models);
        Known { pack, models, recordings, quotes }
    })
}

/// A figure of a step as its stage opens, in the usual size and the others.
fn drawn(figure: &str, lesson: &str, step: &str) -> Vec<Frame> {
    let Known { pack, models, recordings, quotes } = known();
    let lesson = pack.lessons.iter().find(|known| known.id == lesson).unwrap();
    let step = lesson.steps.iter().find(|known| known.id == step).unwrap();
    if let Some(explorer) = step.explorer().and_then(explore::find).filter(|_| figure == "Explore") {
        let at = explore::begin(&step.figure);
        let picture =
            |[width, _]: [f32; 2]| explore::picture(&ExploreView { explorer, at: &at, spelled: (0, 0), width }).frame;
        return [SIZE].into_iter().chain(SIZES).map(picture).collect();
    }
    // A title is the lesson's, not the figure's: it may change.
    let mut picture = if step.figure.name == figure { step.figure.clone() } else { Picture::named(figure) };
    picture.args.retain(|arg| !matches!(arg.name.as_str(), "title" | "caption"));
    let device = simt::device();
    let sources = Sources { models, recordings, quotes: Some(quotes), ..Sources::of_device(&device) };
    on_stage(lesson, step, &picture, &sources)
}

fn on_stage(lesson: &Arc<Lesson>, step: &Step, picture: &Picture, sources: &Sources<'_>) -> Vec<Frame> {
    let setting = Arc::new(Setting {
        lesson: lesson.clone(),
        plain: lesson.clone(),
        params: jobs::begins(lesson, step),
        seed: 1,
        bounds_checks: true,
        warp_width: TraceSpec::default().warp_width,
        language: Language::default(),
    });
    let (at, cancel) = (At::traced(&setting, &step.variant), AtomicBool::new(false));
    let store = Inline::new(Answers::default(), &cancel);
    let stage = Stage { picture, ..Stage::of_step(&at, step).unwrap() };
    prepare(stage, &store, sources);
    let traced = (&store as &dyn Store).find(&at, ask::Counts);
    let launches = traced.and_then(|traced| Some(traced.pass(stage.shown.pass)?.launches));
    let staged = Staged { stage: stage.within(launches), store: &store, sources };
    let drawing = Drawing::of(&staged).unwrap();
    let (_, first) = drawing.opening(step);
    #[expect(clippy::cast_precision_loss, reason = "a clock has a few hundred thousand ticks at most")]
    let picture = |size: [f32; 2]| {
        let view = View { titled: true, ..drawing.view(size, first as f32 + 0.99) };
        drawing.figure.draw(&view, &mut Kept::default()).unwrap_or_else(|missing| panic!("{missing:?}"))
    };
    [SIZE].into_iter().chain(SIZES).map(picture).collect()
}

/// Fails if a frame has a layout error.
fn fits(frames: &[Frame]) {
    let faults = |frame: &Frame| {
        let size = format!("{} × {}", frame.width, frame.height);
        frame.faults().into_iter().take(8).map(move |fault| format!("{size}: {fault}")).collect::<Vec<_>>()
    };
    let found: Vec<String> = frames.iter().flat_map(faults).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Compares a picture with the one that is kept, or keeps it.
fn compare(name: &str, frame: &Frame) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kept = root.join(format!("tests/kept/{name}.svg"));
    // A line for each item, so that a change is read as one.
    let drawn = svg::adaptive(frame).replace("><", ">\n<");
    if std::env::var_os("WARPBOOK_WRITE_PICTURES").is_some() {
        std::fs::create_dir_all(kept.parent().unwrap()).unwrap();
        std::fs::write(&kept, drawn).unwrap();
        return;
    }
    if std::fs::read_to_string(&kept).is_ok_and(|kept| kept == drawn) {
        return;
    }
    let written = root.join(format!("target/kept/{name}.svg"));
    std::fs::create_dir_all(written.parent().unwrap()).unwrap();
    std::fs::write(&written, drawn).unwrap();
    panic!(
        "{} differs from the picture that is kept. Where it is as it should be:\n    \
         WARPBOOK_WRITE_PICTURES=1 cargo test --test main kept::{name}",
        written.display()
    );
}
