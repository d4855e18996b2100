//! The figures that steps ask for, as lessons write them: what is read, what is refused and where, and formats of
//! earlier programs.

use warpbook::figures::{FIGURES, explore, find};
use warpbook::lesson::{ArgValue, PackFiles};
use warpbook::session;

use crate::common::spoilt_copy;

const LESSON: &str = "lessons/programs/lesson.ron";
const STEP: &str = "figure: Contents)";

/// The messages about the programs' pack with another figure at its second step.
fn found(figure: &str) -> Vec<String> {
    let folder = spoilt_copy("programs", &[(LESSON, STEP, &format!("figure: {figure})"))]).expect("a copy of the pack");
    let (_, found) = session::load(&PackFiles::Folder(folder.path().to_owned()));
    let root = format!("{}/", folder.path().display());
    found.iter().map(|problem| problem.to_string().replace(&root, "")).collect()
}

#[test]
fn what_a_figure_takes_is_checked_at_its_place() {
    for right in [
        "Contents",
        "Contents(buffer: \"sums\", limit: \"n / 2\", at: 0.5)",
        "Contents(title: \"The sums\", caption: \"After the scan.\")",
        "Experts(chosen: \"sums\", experts: 4096)",
    ] {
        assert_eq!(found(right), Vec::<String>::new(), "{right}");
    }
    for (wrong, said) in [
        ("Contends", "there is no figure `Contends`"),
        ("Contents(bufer: \"sums\")", "the figure Contents takes no `bufer`"),
        ("Contents(buffer: \"suns\")", "there is no buffer `suns`"),
        ("Contents(buffer: 3)", "`buffer` is no buffer"),
        ("Contents(at: 1.0)", "`at` is no share"),
        ("Contents(limit: \"m / 2\")", "`limit` cannot be computed: `m` is not known"),
        ("Contents(limit: \"n /\")", "`limit` cannot be computed"),
        ("Contents(title: 7)", "`title` is no text"),
        ("Experts(experts: \"8\")", "the figure Experts is missing `chosen`"),
        ("Experts(chosen: \"sums\", experts: \"1e15\")", "is no count from 0 to 4,096"),
        ("Experts(chosen: \"sums\", experts: 1e15)", "is no count from 0 to 4,096"),
        ("Schedulers(warps: \"0 - n\")", "is no count from 0 to 1,024"),
        ("\"Contents\"", "this is no figure"),
        ("Contents(at: )", "cannot read this"),
    ] {
        let found = found(wrong);
        assert!(found.len() == 1 && found[0].contains(said), "{wrong}: {found:?}");
        assert!(found[0].starts_with(&format!("{LESSON}:167:")), "{wrong}: {found:?}");
    }
}

#[test]
fn scenes_of_earlier_formats_are_figures_with_arguments() {
    for version in [1, 2] {
        let scene = "scene: Contents, buffer: \"sums\", limit: \"n / 2\", at: 0.25, watch: \"sum\")";
        let edits = [
            (LESSON, STEP, scene),
            (LESSON, "figure: Rounds", "scene: Rounds"),
            (LESSON, "format_version: 3", &format!("format_version: {version}")),
        ];
        let folder = spoilt_copy("programs", &edits).expect("a copy of the pack");
        let (pack, found) = session::load(&PackFiles::Folder(folder.path().to_owned()));
        assert!(found.is_empty(), "{found:?}");
        let steps = &pack.lessons[0].steps;
        let figure = &steps[1].figure;
        let args = [figure.arg("buffer"), figure.arg("limit"), figure.arg("at")].map(Option::<&ArgValue>::cloned);
        let text = |text: &str| Some(ArgValue::Text(text.to_owned()));
        assert_eq!(
            (figure.name.as_str(), args),
            ("Contents", [text("sums"), text("n / 2"), Some(ArgValue::Number(0.25))])
        );
        assert_eq!((steps[1].watch.as_str(), steps[4].figure.name.as_str()), ("sum", "Rounds"));
        // A step that says nothing opens on the warp.
        assert_eq!(steps[0].figure.name, "Warp");
    }
}

#[test]
fn figures_have_names_of_their_own() {
    for figure in FIGURES {
        let card = figure.card();
        assert!(
            find(card.name).is_some_and(|found| std::ptr::eq(found.card(), card)),
            "two figures named {}",
            card.name
        );
        assert!(!card.tab.is_empty() && !card.help.is_empty() && !card.about.is_empty() && !card.needs.is_empty());
    }
}

/// The declaration of a buffer.
const SUMS: &str = "(name: \"sums\", elem: U32, count: \"blocks\"";

/// The meaning of the buffer `sums` with this text in its declaration, and the messages.
fn meaning(text: &str) -> (Option<String>, Vec<String>) {
    let folder = spoilt_copy("programs", &[(LESSON, SUMS, &format!("{SUMS}, {text}"))]).expect("a copy of the pack");
    let (pack, found) = session::load(&PackFiles::Folder(folder.path().to_owned()));
    let buffers = pack.lessons.iter().flat_map(|lesson| &lesson.programs).flat_map(|program| &program.buffers);
    let means = buffers.filter(|buffer| buffer.name == "sums").find_map(|buffer| buffer.means.clone());
    let said = means.map(|means| {
        let args = means.args.iter().map(|arg| format!("{}: {:?}", arg.name, arg.value));
        format!("{}({})", means.name, args.collect::<Vec<_>>().join(", "))
    });
    (said, found.iter().map(ToString::to_string).collect())
}

#[test]
fn meanings_of_buffers_are_checked_and_their_earlier_fields_are_read() {
    for (now, before) in [
        ("means: Tokens(text: \"sums\")", "cuts: \"sums\""),
        ("means: Merges(first: 256)", "makes: 256"),
        ("means: Words(tokens: \"sums\", merges: \"sums\")", "words: (\"sums\", \"sums\")"),
        ("means: Links(meter: \"sums\")", "links: \"sums\""),
        ("means: Spans(tracks: [\"one\", \"two\"])", "spans: [\"one\", \"two\"]"),
    ] {
        let read = meaning(now);
        assert!(read.0.is_some() && read.1.is_empty(), "{now}: {read:?}");
        assert_eq!(read, meaning(before), "{before}");
    }
    for (wrong, said) in [
        ("means: Tokns(text: \"sums\")", "there is no meaning `Tokns`"),
        ("means: Tokens(txt: \"sums\")", "the meaning Tokens takes no `txt`"),
        ("means: Tokens", "the meaning Tokens is missing `text`"),
        ("means: Tokens(text: \"suns\")", "there is no buffer `suns`"),
        ("means: Merges(first: 257)", "`first` is no whole number up to 256"),
        ("cuts: \"sums\", makes: 256", "makes"),
    ] {
        let (_, found) = meaning(wrong);
        assert!(found.iter().any(|problem| problem.contains(said)), "{wrong}: {found:?}");
    }
}

#[test]
fn a_block_of_sums_of_earlier_packs_is_arguments_of_the_explorer() {
    let edit = (LESSON, STEP, "figure: Explore, block: (4, 2))");
    let folder = spoilt_copy("programs", &[edit]).expect("a copy of the pack");
    let (pack, _) = session::load(&PackFiles::Folder(folder.path().to_owned()));
    let begun = pack.lessons[0].steps.iter().map(|step| explore::begin(&step.figure).block);
    assert!(begun.clone().any(|block| block == [4, 2]), "{:?}", begun.collect::<Vec<_>>());
}
