//! Packs: a good one is read whole, and each way of spoiling it is reported at its place, with advice.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use warpbook::base::diag::Diagnostic;
use warpbook::lesson::{AnswerKind, Block, Domain, Inline, Pack, PackFiles, Quantity};
use warpbook::session;

const LESSON: &str = "lessons/tiny/lesson.ron";
const TEXT: &str = "lessons/tiny/text.md";
const INDEX: &str = "lessons/index.ron";

type Outcome = Result<(), Box<dyn Error>>;

fn good_pack() -> PathBuf {
    crate::common::pack("good")
}

fn load(root: &Path) -> (Pack, Vec<Diagnostic>) {
    session::load(&PackFiles::Folder(root.to_owned()))
}

/// The problems of the good pack after replacing, in each file, one text by another; each must occur once.
/// Every diagnostic reads `file:line:column: severity: message` and then its hint, the file within the pack.
fn spoilt(edits: &[(&str, &str, &str)]) -> Result<(Pack, Vec<String>), Box<dyn Error>> {
    let folder = crate::common::spoilt_copy("good", edits)?;
    let (pack, found) = load(folder.path());
    let root = format!("{}/", folder.path().display());
    Ok((pack, found.iter().map(|d| d.to_string().replace(&root, "")).collect()))
}

/// The line and column, both from 1, of `part` in a file of the good pack after an edit.
fn place(file: &str, edit: (&str, &str), part: &str) -> Result<String, Box<dyn Error>> {
    let text = fs::read_to_string(good_pack().join(file))?.replace(edit.0, edit.1);
    assert_eq!(text.matches(edit.1).count(), 1, "{edit:?} is ambiguous");
    let at = text.find(edit.1).ok_or("the edit is gone")?;
    let at = at + edit.1.find(part).ok_or("the part is not in the edit")?;
    let line_start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    Ok(format!("{file}:{}:{}", text[..at].matches('\n').count() + 1, text[line_start..at].chars().count() + 1))
}

#[test]
fn a_good_pack_is_read_whole() -> Outcome {
    let (pack, found) = load(&good_pack());
    assert!(found.is_empty(), "{found:?}");
    let [lesson] = pack.lessons.as_slice() else { return Err("one lesson".into()) };
    assert_eq!((lesson.id.as_str(), lesson.title.as_str()), ("tiny", "Tiny"));
    assert_eq!(lesson.params[0].domain, Domain::PowersOfTwo { min: 256.0, max: 65536.0 });
    let kernel = &lesson.kernels[0];
    assert_eq!(kernel.file(), "shaders/tiny/strided.wgsl");
    assert!(kernel.source().starts_with("// Stands for a kernel.\noverride BLOCK: u32;"), "{}", kernel.source());
    assert_eq!(kernel.requires[0].condition.source(), "n % block == 0");
    assert_eq!(kernel.constants[1].1.source(), "stride");
    let program = &lesson.programs[0];
    assert!(program.alone && program.id == kernel.id && program.checks[0].output == "dst");
    assert_eq!(lesson.kernels[1].work.flops.source(), "0");
    assert_eq!(lesson.experiments[0].quantity, Quantity::BytesPerSecond);
    let titles: Vec<&str> = lesson.steps.iter().map(|step| step.title.as_str()).collect();
    assert_eq!(titles, ["The first step", "The second"]);
    assert_eq!(lesson.steps[0].experiment.as_deref(), Some("by-stride"));
    assert_eq!(lesson.steps[0].blocks[1], Block::Predict("twice".to_owned()));
    let [math, unfold, explore, exercise] = lesson.steps[1].blocks.as_slice() else { return Err("blocks".into()) };
    assert_eq!((math, exercise), (&Block::Math(" 4 \\cdot s ".to_owned()), &Block::Exercise("read_once".to_owned())));
    assert!(matches!(unfold, Block::Unfold(title, inner) if title == "Why four" && inner.len() == 1));
    assert_eq!(*explore, Block::Explore("jacobian".to_owned()));
    assert!(lesson.predictions[0].question.contains(&Inline::Control("n".to_owned())));
    let AnswerKind::Choice(options, _) = &lesson.predictions[0].asks else { return Err("a choice".into()) };
    assert_eq!(options[1], ("50%".to_owned(), 0.5));
    assert_eq!(lesson.exercises.first().map(|e| e.starter_file.as_str()), Some("lessons/tiny/exercise/starter.wgsl"));
    assert_eq!(lesson.blame(&lesson.programs[1].buffers[0].count), ["n", "stride"]);
    Ok(())
}

/// One way to spoil a pack: the file, the edit, the part of it that is wrong, and words of the message and its hint.
type Spoil<'a> = (&'a str, (&'a str, &'a str), &'a str, &'a str, &'a str);

const SPOILS: &[Spoil<'_>] = &[
    // Fields.
    (LESSON, ("ladder: \"copy\"", "lader: \"copy\""), "lader", "no field `lader`", "`ladder`"),
    (LESSON, ("title: \"Filled\",", "title: \"Filled\", colour: 3,"), "colour", "no field `colour`", "`shader`"),
    (LESSON, ("bytes: \"span\",", "bytes: \"span\", bytes: \"1\","), "bytes: \"1\"", "twice", "one of them"),
    (
        LESSON,
        ("(id: \"second-step\", kernel: \"filled\")", "(id: \"second-step\")"),
        "(id",
        "field `kernel` is missing",
        "add `kernel",
    ),
    (LESSON, ("title: \"Tiny\"", "title: 7"), "7", "expected string", "a string"),
    (LESSON, ("elem: U32", "elem: F64"), "F64", "no `F64`", "`F32`"),
    (
        LESSON,
        ("quantity: BytesPerSecond", "quantity: BytesPerSecnd"),
        "BytesPerSecnd",
        "no `BytesPerSecnd`",
        "`BytesPerSecond`",
    ),
    (
        LESSON,
        ("{\"stride\": 1}, starter", "{\"stride\": 1, \"stride\": 2}, starter"),
        "stride\": 2",
        "twice",
        "one of them",
    ),
    // Values out of their domains.
    (LESSON, ("default: 1024", "default: 1000"), "1000", "default, 1000", "power of two from 256"),
    (
        LESSON,
        ("PowersOfTwo(256, 65536)", "PowersOfTwo(256, 65535)"),
        "PowersOfTwo",
        "65535 is not a power",
        "least first",
    ),
    (
        LESSON,
        ("{\"stride\": 1}, experiment", "{\"stride\": 33}, experiment"),
        "33",
        "`stride` cannot be 33",
        "from 1 to 32",
    ),
    (LESSON, ("values: [1, 2, 32]", "values: [1, 2, 64]"), "64", "`stride` cannot be 64", "from 1 to 32"),
    // Names that resolve nowhere.
    (LESSON, ("[\"strided\", \"filled\"]", "[\"strided\", \"filed\"]"), "filed", "program `filed`", "`filled`"),
    (LESSON, ("over: \"stride\"", "over: \"strde\""), "strde", "no parameter `strde`", "`stride`"),
    (LESSON, ("\"n\": 512", "\"m\": 512"), "m\"", "no parameter `m`", "`n`"),
    (LESSON, ("}, experiment: \"by-stride\"", "}, experiment: \"by\""), "by\"", "no experiment", "`by-stride`"),
    (
        LESSON,
        ("reference: \"strided_copy\"", "reference: \"strided_cpy\""),
        "strided_cpy",
        "no reference",
        "`strided_copy`",
    ),
    (LESSON, ("\"offset\": \"0\"", "\"ofset\": \"0\""), "ofset", "no argument `ofset`", "`offset`"),
    (LESSON, ("output: \"dst\"", "output: \"dts\""), "dts", "not a buffer", "`dst`"),
    (LESSON, ("name: \"src\"", "name: \"source\""), "", "reads a buffer `src`", "`source`"),
    (
        LESSON,
        ("shader: \"tiny/filled.wgsl\"", "shader: \"tiny/filed.wgsl\""),
        "tiny/filed.wgsl",
        "no file",
        "`tiny/filled.wgsl`",
    ),
    (LESSON, ("shader: \"tiny/filled.wgsl\"", "shader: \"../lessons/tiny/text.md\""), "../", "no file", "add the file"),
    (
        LESSON,
        ("exercise/solution.wgsl", "exercise/solution.wgl"),
        "exercise/solution.wgl",
        "no file",
        "`exercise/solution.wgsl`",
    ),
    (TEXT, ("{{stride}}", "{{strid}}"), "strid", "no parameter `strid`", "`stride`"),
    (TEXT, ("{{stride}}", "{{span}}"), "span", "is a value", "{{= span}}"),
    (TEXT, ("{{predict twice}}", "{{predict twic}}"), "twic", "no prediction `twic`", "`twice`"),
    (TEXT, ("{{exercise read_once}}", "{{exercise read_one}}"), "read_one", "no exercise `read_one`", "`read_once`"),
    (TEXT, ("{{exercise read_once}}", "{{exercise}}"), "exercise}}", "which exercise", "{{exercise id}}"),
    (LESSON, ("(\"exercise/starter.wgsl\", Goal)]", "\"exercise/starter.wgsl\"]"), "\"ex", "what must catch", "Race"),
    (LESSON, ("(\"exercise/starter.wgsl\", Goal)", "(\"exercise/starter.wgsl\", Slow)"), "Slow", "no `Slow`", "`Goal`"),
    (LESSON, ("exercises: [", "exercise: (), exercises: ["), "()", "a list of exercises", "{{exercise a_name}}"),
    (LESSON, ("of: \"strided\"", "of: \"stridet\""), "stridet", "no curve `stridet`", "`strided`"),
    (LESSON, ("(experiment: \"by-stride\"", "(experiment: \"by\""), "by\"", "no experiment `by`", "`by-stride`"),
    (LESSON, ("y: (0, 4e12)", "y: (4e12, 0)"), "(4e12", "cannot reach", "(0, 40)"),
    (LESSON, ("within: 0.1", "within: 1.5"), "1.5", "right within 1.5", "such as 0.1"),
    (LESSON, ("request?\", number: (within: 0.1),", "request?\","), "", "asks for one of", "number: (within: 0.1)"),
    (LESSON, ("number: (within: 0.1),", "number: (within: 0.1), options: [],"), "", "asks for one of", "options"),
    (TEXT, ("{{exercise read_once}}", "$x = {{block}}$"), "{{block", "cannot stand in a formula", "beside the formula"),
    (TEXT, ("{{exercise read_once}}", "$x = {{= waste}}$"), "{{= waste", "cannot stand in a formula", "beside"),
    (TEXT, ("{{exercise read_once}}", "$$\\frac{a}{b$$"), "$$", "begins no formula", "needs its }"),
    (TEXT, ("explore jacobian", "explore jacobi"), "jacobi", "no explorer `jacobi`", "`jacobian`"),
    (
        TEXT,
        ("explore jacobian", "explore banks"),
        "banks",
        "no explorer `banks`",
        "`views`, `einsum`, `registers`, `fragments`, `formats`, `tile_order`, `softmax`, `overflow`, `cross_entropy`, `jacobian`, `jacobian_product`",
    ),
    (TEXT, ("{{= waste}}", "{{= wate}}"), "wate", "nothing here is called `wate`", "`waste`"),
    (TEXT, ("device.copy", "device.copi"), "device.copi", "no result `copi`", "`copy`"),
    (TEXT, ("strided.bytes_per_s", "stridd.bytes_per_s"), "stridd", "no run `stridd`", "`strided`"),
    // Constants of the shader, and what a kernel requires.
    (
        LESSON,
        ("\"STRIDE\": \"stride\"", "\"STRID\": \"stride\""),
        "STRID",
        "no override or constant `STRID`",
        "`STRIDE`",
    ),
    (
        LESSON,
        ("\"STRIDE\": \"stride\"", "\"X\": \"stride\""),
        "X",
        "no override or constant `X`",
        "BLOCK, STRIDE, SPAN",
    ),
    (LESSON, ("\"STRIDE\": \"stride\"", "\"SPAN\": \"stride\""), "SPAN", "set to `BLOCK * STRIDE`", "BLOCK and STRIDE"),
    (
        LESSON,
        ("\"STRIDE\": \"stride\"", "\"STRIDE\": \"stride / 2\""),
        "\"stride",
        "cannot be 0.5: it is a u32",
        "round",
    ),
    (LESSON, ("\"STRIDE\": \"stride\"", "\"STRIDE\": \"1 - stride\""), "\"1 -", "cannot be -31: it is a u32", "bound"),
    (LESSON, ("\"n % block == 0\"", "\"n % block == 1\""), "\"n %", "not hold at the defaults", "change the condition"),
    (LESSON, ("\"n % block == 0\"", "\"n > 600\""), "\"n >", "not hold at stride = 2, n = 512", "what the lesson sets"),
    (LESSON, ("\"n % block == 0\"", "\"n % blok == 0\""), "blok", "nothing here is called `blok`", "`block`"),
    (LESSON, ("== 0\", \"the block", "== 0\" \"the block"), "\"the block", "cannot read this", "missing comma"),
    // Expressions.
    (
        LESSON,
        ("\"4 * n * stride\"", "\"4 * n * * stride\""),
        "* stride",
        "expected a number or a name, and found `*`",
        "name",
    ),
    (LESSON, ("\"ceil(n / block)\"", "\"cei(n / block)\""), "cei", "no function `cei`", "`ceil`"),
    (LESSON, ("\"n * stride\"", "\"n * waste\""), "waste", "depends on the result `strided.load_", "alone"),
    (LESSON, ("\"n * stride\"", "\"n * strided.time\""), "strided.time", "is a result", "alone"),
    (LESSON, ("\"n / block\"", "\"n / block / 10\""), "\"n / block / 10\"", "1.6", "round"),
    (LESSON, ("\"8 * n\"", "\"0 - 8 * n\""), "\"0 - ", "which is negative, at the defaults", "bound"),
    (
        LESSON,
        ("\"8 * n\"", "\"8 / (2 - stride) / (2 - stride)\""),
        "\"8 / ",
        "not a finite number, at stride = 2",
        "bound",
    ),
    (LESSON, ("\"n / block\"", "\"block / 64\""), "\"block", "at block = 32", "round"),
    (LESSON, ("one.load_sectors /", "one.flops_per_s /"), "one.flops_per_s", "needs a clock", "there is"),
    (LESSON, ("one.time /", "strided.time /"), "strided.time", "no run `strided`", "`one`"),
    (LESSON, ("\"exercise.load_sectors <=", "\"strided.load_sectors <="), "strided", "no run `strided`", "`exercise`"),
    (LESSON, ("\"4 * n * stride\"", "\"4 * n * stride + span\""), "", "span → span", "break the circle"),
    // Ids.
    (
        LESSON,
        ("id: \"span\", label: \"bytes", "id: \"stride\", label: \"bytes"),
        "stride",
        "`stride` is here twice",
        "line 8",
    ),
    (LESSON, ("id: \"filled\"", "id: \"fill-ed\""), "fill-ed", "cannot be an id", "letters"),
    (LESSON, ("id: \"waste\"", "id: \"min\""), "min", "meaning of its own", "another"),
    // Prose in strings, and the text's steps.
    (LESSON, ("half of {{n}}", "half of {{m}}"), "m}", "no parameter `m`", "`n`"),
    (LESSON, ("$\\min(4s, 32)$", "$\\mni(4s, 32)$"), "\\mni", "not LaTeX", "katex"),
    (TEXT, ("{#second-step}", "{#second}"), "", "no step `second`", "`second-step`"),
    (TEXT, ("{{exercise read_once}}", "<b>bold</b>"), "<b>", "HTML", "Markdown"),
    (INDEX, ("[\"tiny\"]", "[\"tiny\", \"tony\"]"), "tony", "no lesson in lessons/tony", "`tiny`"),
    (INDEX, ("[\"tiny\"]", "[\"tiny\", \"tiny\"]"), "tiny\"]", "listed twice", "one of them"),
    (INDEX, ("format_version: 1", "format_version: 9"), "9", "format 9", "the program"),
    (LESSON, ("format_version: 1", "format_version: 9"), "9", "format 9", "the program"),
];

#[test]
fn every_mistake_is_reported_at_its_place() -> Outcome {
    for (file, edit, part, message, hint) in SPOILS {
        let (pack, found) = spoilt(&[(file, edit.0, edit.1)])?;
        let all = found.join("\n");
        let wanted = |line: &&String| line.contains(message) && line.contains(hint);
        let Some(first) = found.iter().find(wanted) else { panic!("{edit:?}: {all}") };
        // Mistakes that show elsewhere than in the edit have no part of it.
        if !part.is_empty() {
            let place = place(file, *edit, part)?;
            assert!(first.starts_with(&format!("{place}: error: ")), "{edit:?}: wanted {place}, found {all}");
        }
        assert!(first.contains("\n  hint: "), "{edit:?}: {all}");
        // A mistake in the index does not hide the lessons that it names rightly.
        assert_eq!(pack.lessons.len(), usize::from(*file == INDEX && !message.contains("format")), "{edit:?}");
    }
    Ok(())
}

#[test]
fn one_reading_reports_all_mistakes() -> Outcome {
    let (_, found) = spoilt(&[
        (LESSON, "title: \"Tiny\"", "titel: \"Tiny\""),
        (LESSON, "elem: U32", "elem: U64"),
        (LESSON, "bytes: \"8 * n\"", "bytes: \"8 * \""),
        (LESSON, "ladder: \"copy\"", "lader: \"copy\""),
        (LESSON, "(id: \"second-step\", kernel: \"filled\")", "(id: \"second-step\", kernel: \"fill\", sett: {})"),
        (LESSON, "options: [(\"100%\", 1.0), ", "options: [(\"100%\", one), "),
        (TEXT, "{{stride}}", "{{strid}}"),
        (TEXT, "{{= waste}}", "{{= waste +}}"),
    ])?;
    let wanted =
        ["`titel`", "`lader`", "ends where", "`U64`", "`fill`", "`sett`", "cannot read this", "`strid`", "ends where"];
    assert_eq!(found.len(), wanted.len(), "{}", found.join("\n"));
    for (found, wanted) in found.iter().zip(wanted) {
        assert!(found.contains(wanted), "{wanted}: {found}");
    }
    Ok(())
}

#[test]
fn cycles_are_printed_once() -> Outcome {
    let (_, found) = spoilt(&[
        (LESSON, "expr: \"4 * n * stride\"", "expr: \"4 * third\""),
        (
            LESSON,
            "    ],\n    kernels: [",
            "        (id: \"third\", label: \"\", expr: \"fourth + 1\"),\n        (id: \"fourth\", label: \"\", expr: \"span\"),\n    ],\n    kernels: [",
        ),
    ])?;
    let [only] = found.as_slice() else { return Err(found.join("\n").into()) };
    assert!(only.starts_with("lessons/tiny/lesson.ron:12:15: error: "), "{only}");
    assert!(only.contains("span → third → fourth → span"), "{only}");
    Ok(())
}

#[test]
fn long_chains_of_values_are_refused() -> Outcome {
    let chain: String =
        (0..500).map(|i| format!("(id: \"v{i}\", label: \"\", expr: \"v{}\"),\n", i + 1)).collect::<String>();
    let (_, found) = spoilt(&[(
        LESSON,
        "        (id: \"waste\"",
        &format!("{chain}(id: \"v500\", label: \"\", expr: \"n\"),\n(id: \"waste\""),
    )])?;
    assert!(found.iter().any(|line| line.contains("more than 32 deep from `v0` on")), "{:?}", found.first());
    Ok(())
}

#[test]
fn broken_syntax_has_a_place() -> Outcome {
    let (pack, found) = spoilt(&[(LESSON, "bytes: \"span\",", "bytes: \"span\" flops: \"0\",")])?;
    assert!(pack.lessons.is_empty());
    assert!(found[0].starts_with("lessons/tiny/lesson.ron:37:"), "{}", found[0]);
    let (_, found) = spoilt(&[(INDEX, "[\"tiny\"])", "[\"tiny\"")])?;
    assert!(found[0].contains("lessons/index.ron:") && found[0].contains("missing comma"), "{}", found[0]);
    let (_, found) = spoilt(&[(LESSON, "params: [", &format!("params: {}", "[".repeat(100_000)))])?;
    assert!(found[0].starts_with("lessons/tiny/lesson.ron:"), "{}", found[0]);
    Ok(())
}

#[test]
fn steps_and_headings_agree() -> Outcome {
    let (_, found) = spoilt(&[(TEXT, "{#first}", "{#swap}"), (TEXT, "{#second-step}", "{#first}")])?;
    assert!(found.iter().any(|f| f.starts_with("lessons/tiny/text.md:1:1: error: lesson.ron has no step `swap`")));
    assert!(
        found
            .iter()
            .any(|f| f.starts_with("lessons/tiny/lesson.ron:48:15: error: the step `second-step` has no heading")),
        "{found:?}"
    );
    let (_, found) =
        spoilt(&[(TEXT, "{#first}", "{#x}"), (TEXT, "{#second-step}", "{#first}"), (TEXT, "{#x}", "{#second-step}")])?;
    let [only] = found.as_slice() else { return Err(found.join("\n").into()) };
    assert!(only.starts_with("lessons/tiny/text.md:1:1: error: the step `second-step` is here"), "{only}");
    let (_, found) = spoilt(&[(TEXT, "{#second-step}", "{#first}")])?;
    assert!(found.iter().any(|f| f.starts_with("lessons/tiny/text.md:12:1: error: the step `first` has two headings")));
    Ok(())
}

#[test]
fn what_nobody_would_see_is_a_warning() -> Outcome {
    let (pack, found) = spoilt(&[(TEXT, "{{predict twice}}", "Nothing.")])?;
    let [only] = found.as_slice() else { return Err(found.join("\n").into()) };
    assert!(only.contains("warning: {{predict twice}} is nowhere"), "{only}");
    assert_eq!(pack.lessons.len(), 1);
    let (pack, found) = spoilt(&[(INDEX, "[\"tiny\"]", "[]")])?;
    assert!(pack.lessons.is_empty() && found[0].contains("warning: the lesson `tiny` is not listed"), "{found:?}");
    let (_, found) = spoilt(&[(TEXT, "{{predict twice}}", "{{predict twice}}\n\n{{predict twice}}")])?;
    assert!(found[0].contains("text.md:8:11: error: {{predict twice}} is in the text twice"), "{found:?}");
    Ok(())
}

#[test]
fn missing_files_are_named() -> Outcome {
    let folder = tempfile::tempdir()?;
    let (pack, found) = load(folder.path());
    assert!(pack.lessons.is_empty() && found.len() == 1);
    assert!(found[0].to_string().contains("lessons/index.ron:1:1: error: this file is missing"));
    crate::common::copy_folder(&good_pack(), folder.path())?;
    fs::remove_file(folder.path().join(TEXT))?;
    let (_, found) = load(folder.path());
    assert!(found[0].to_string().contains("text.md:1:1: error: this file is missing"), "{found:?}");
    fs::write(folder.path().join(TEXT), [0xFF, 0x00])?;
    let (_, found) = load(folder.path());
    assert!(found[0].to_string().contains("not UTF-8"), "{found:?}");
    Ok(())
}

#[test]
fn a_twin_lies_beside_its_shader_and_a_library_names_buffers() -> Outcome {
    let folder = tempfile::tempdir()?;
    crate::common::copy_folder(&good_pack(), folder.path())?;
    let twin = folder.path().join("shaders/tiny/strided.cu");
    fs::write(&twin, "extern \"C\" __global__ void strided(const float* src, float* dst) {}\n")?;
    let (pack, found) = load(folder.path());
    assert!(found.is_empty(), "{found:?}");
    let twins: Vec<_> = pack.lessons[0].kernels.iter().map(|k| k.twin().map(|t| t.entry.as_str())).collect();
    assert_eq!(twins, [Some("strided"), None]);
    fs::write(&twin, [0xFF, 0x00])?;
    let (_, found) = load(folder.path());
    assert!(
        found.len() == 1 && found[0].message.contains("strided.cu") && found[0].message.contains("UTF-8"),
        "{found:?}"
    );
    let with =
        |library: &str| spoilt(&[(LESSON, "bytes: \"8 * n\",", &format!("bytes: \"8 * n\", library: {library},"))]);
    let (_, odd) = with("Copy(\"sorc\", \"dst\")")?;
    assert!(odd.len() == 1 && odd[0].contains("`sorc` is not a buffer") && odd[0].contains("`src`"), "{odd:?}");
    let (_, unequal) = with("Copy(\"src\", \"dst\")")?;
    assert!(unequal.len() == 1 && unequal[0].contains("the same `count`"), "{unequal:?}");
    for (product, wanted) in [
        ("b_transposed: true", ""),
        ("b_transpose: true", "no field `b_transpose`"),
        ("b_transposed: 1", "write true or false"),
        ("n: \"2\"", "field `n` is here twice"),
    ] {
        let (_, found) =
            with(&format!("Product(a: \"src\", b: \"src\", c: \"dst\", m: \"1\", n: \"1\", k: \"1\", {product})"))?;
        assert!(found.len() == usize::from(!wanted.is_empty()) && found.join("").contains(wanted), "{found:?}");
    }
    for (product, wanted) in [
        ("a: \"sorc\", b: \"src\", c: \"dst\", m: \"1\", n: \"1\", k: \"1\"", "`sorc` is not a buffer"),
        ("a: \"src\", b: \"src\", c: \"dst\", m: \"1\", n: \"1\"", "field `k` is missing"),
        (
            "a: \"src\", b: \"src\", c: \"dst\", m: \"n\", n: \"2\", k: \"1\"",
            "the library needs 2048 elements of `dst`, which has 1024",
        ),
        ("a: \"src\", b: \"src\", c: \"dst\", m: \"0\", n: \"1\", k: \"1\"", "at least 1"),
    ] {
        let (_, found) = with(&format!("Product({product})"))?;
        assert!(found.len() == 1 && found[0].contains(wanted), "{found:?}");
    }
    let (_, unknown) = with("Gemm")?;
    assert!(
        unknown.len() == 1 && unknown[0].contains("no library's call `Gemm`") && unknown[0].contains("Product("),
        "{unknown:?}"
    );
    Ok(())
}

#[test]
fn a_new_lesson_loads_without_a_word() -> Outcome {
    let folder = tempfile::tempdir()?;
    session::pack::new_lesson::create(folder.path(), "bank-conflicts")?;
    let (pack, found) = load(folder.path());
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(pack.lessons[0].title, "Bank conflicts");
    Ok(())
}

/// The files of the good pack that are spoilt at random.
const SOURCES: [&str; 3] = [LESSON, TEXT, INDEX];

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is cut out of a pack or put into it, nothing panics, and a lesson goes missing only with a reason.
    #[test]
    fn no_pack_panics(file in 0..3_usize, cut in 0..4000_usize, length in 0..40_usize, put in "[a-z0-9\"\\\\(){}\\[\\],:.#$<*/é -]{0,6}") {
        let folder = tempfile::tempdir()?;
        crate::common::copy_folder(&good_pack(), folder.path())?;
        let path = folder.path().join(SOURCES[file]);
        let chars: Vec<char> = fs::read_to_string(&path)?.chars().collect();
        let cut = cut % chars.len();
        let rest = chars.iter().skip(cut + length);
        let spoilt: String = chars[..cut].iter().copied().chain(put.chars()).chain(rest.copied()).collect();
        fs::write(&path, spoilt)?;
        let (pack, found) = load(folder.path());
        prop_assert!(!pack.lessons.is_empty() || !found.is_empty());
        if file != 2 {
            prop_assert_eq!(pack.lessons.is_empty(), found.iter().any(Diagnostic::is_error));
        }
        prop_assert!(found.iter().all(|d| d.place.is_some()));
    }
}

#[test]
fn a_matrix_has_whole_rows_and_a_scene_is_a_known_one() -> Outcome {
    let src = "(name: \"src\", elem: F32, count: \"n * stride\", init: Random)";
    let with = |columns: &str| src.replace("init:", &format!("columns: \"{columns}\", init:"));
    let step = "set: {\"stride\": 1}, experiment: \"by-stride\"";
    let scene = format!("{step}, scene: Heat");
    let (pack, found) = spoilt(&[(LESSON, src, &with("n / 2")), (LESSON, step, &scene)])?;
    assert!(found.is_empty(), "{found:?}");
    let lesson = &pack.lessons[0];
    assert_eq!(lesson.steps[0].figure.name, "Heat");
    assert_eq!(lesson.programs[0].buffers[0].columns.as_ref().map(|c| c.source().to_owned()), Some("n / 2".to_owned()));
    let (_, found) = spoilt(&[(LESSON, src, &with("7"))])?;
    let at = place(LESSON, (src, &with("7")), "\"7\"")?;
    assert_eq!(found.len(), 1, "{found:?}");
    let wrong = format!("{at}: error: `src` has 1024 elements, which is no whole number of rows of 7");
    assert!(found[0].starts_with(&wrong), "{found:?}");
    let (_, found) = spoilt(&[(LESSON, step, &scene.replace("Heat", "Fire"))])?;
    assert!(found.len() == 1 && found[0].contains("there is no figure `Fire`"), "{found:?}");
    Ok(())
}
