//! The readers of texts that come from elsewhere, each with the pieces that its texts repeat.

use std::sync::atomic::AtomicBool;

use warpbook::base::expr::Expr;
use warpbook::base::tensor::{Elem, Init, Tensor};
use warpbook::notes::{Format, NoteBlock, Report, Section, To, write};
use warpbook::session::learn::journal;
use warpbook::simt::{self, Options, Program, Ptx, ptx_signature};

use crate::shapes::Shape;

/// A reader.
pub struct Reader {
    pub read: fn(&str),
    /// The part of it that a library does, whose steps do not count.
    pub known: Option<fn(&str)>,
    /// The beginning of a random text, before its units.
    pub head: &'static str,
    /// The end of a random text, after its units.
    pub tail: &'static str,
    /// Pieces of such units.
    pub pieces: &'static [&'static str],
    /// Shapes that were once slow, or could be.
    pub shapes: fn() -> Vec<Shape>,
}

pub const PTX: Reader =
    Reader { read: ptx, known: None, head: PTX_HEAD, tail: PTX_TAIL, pieces: &PTX_PIECES, shapes: ptx_shapes };
/// Naga parses and validates in the square of a text's length, which is limited for it.
pub const WGSL: Reader =
    Reader { read: wgsl, known: Some(naga), head: WGSL_HEAD, tail: WGSL_TAIL, pieces: &WGSL_PIECES, shapes: Vec::new };
pub const WORDS: Reader =
    Reader { read: words, known: None, head: "", tail: "", pieces: &WORDS_PIECES, shapes: words_shapes };
pub const JOURNAL: Reader =
    Reader { read: diary, known: None, head: "", tail: "", pieces: &DIARY_PIECES, shapes: Vec::new };
pub const EXPRESSION: Reader =
    Reader { read: expression, known: None, head: "a", tail: "", pieces: &EXPR_PIECES, shapes: Vec::new };

/// Compiles a kernel and runs one block of it.
fn trace(program: &Program) {
    let fill = |i: usize| Tensor::new(Elem::U32, 1 << 12, Init::Zero, 1, i as u64);
    let mut buffers: Vec<Tensor> = (0..program.bindings().len()).map(fill).collect();
    let options = Options { fuel: 1 << 20, threads: Some(1), ..Options::default() };
    // An error is an outcome, too.
    let _ = simt::run(program, &mut buffers, [1; 3], &options, &AtomicBool::new(false), &|_, _| {});
}

fn ptx(text: &str) {
    let Ok(signature) = ptx_signature("k.ptx", text, "k") else { return };
    let arguments = vec![warpbook_tracer::dispatch::Argument::Buffer("p".to_owned()); signature.parameters.len()];
    let ptx = Ptx {
        file: "k.ptx",
        text,
        entry: "k",
        block: [32, 1, 1],
        shared_bytes: 0,
        arguments: &arguments,
        source: &|_, line| Some(line),
    };
    if let Ok(program) = Program::compile_ptx(&ptx) {
        trace(&program);
    }
}

fn wgsl(text: &str) {
    if let Ok(program) = Program::compile("k.wgsl", text, "main", &[]) {
        trace(&program);
    }
}

fn naga(text: &str) {
    let _ = simt::entry_points("k.wgsl", text);
}

fn words(text: &str) {
    let words = NoteBlock::OwnWords { about: String::new(), words: text.to_owned() };
    let section = Section { id: "my-words".to_owned(), title: "Mine".to_owned(), blocks: vec![words] };
    let report = Report {
        title: "Words".to_owned(),
        lesson: "words".to_owned(),
        created: "2026-01-01".to_owned(),
        meta: Vec::new(),
        sections: vec![section],
        playing: None,
    };
    for format in [Format::Markdown, Format::Html, Format::Jekyll, Format::Jupyter, Format::Anki, Format::Pdf] {
        let folder = tempfile::tempdir().unwrap();
        let _ = write(&report, &[format], &To::folder(folder.path()));
    }
}

fn diary(text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    std::fs::write(&path, text).unwrap();
    let _ = journal::read(&path, &mut |_| {});
}

fn expression(text: &str) {
    let _ = Expr::parse(text);
}

const PTX_HEAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; \
    .reg .pred %p<9>; .reg .f32 %f<9>; .reg .b64 %rw<99999>;\n.shared .align 16 .b8 s[1024];\nld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n\
    mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n";
const PTX_TAIL: &str = "ret;\n}\n";

const PTX_PIECES: [&str; 40] = [
    "add.s32 %r2, %r2, %r1;\n",
    "mad.lo.s32 %r3, %r2, %r1, 7;\n",
    "add.s64 %rd4, %rd4, 4;\n",
    "add.s64 %rd4, %rd4, %rd3;\n",
    "mul.wide.u32 %rd5, %r2, 4;\n",
    "cvt.u64.u32 %rd5, %r2;\n",
    "mov.b64 %rd6, {%r1, %r2};\n",
    "mov.b64 {%r4, %r5}, %rd6;\n",
    "mov.b64 %rw#, %rd4;\n",
    "mov.b64 %rw#, %rw@;\n",
    "mov.b64 %rw@, %rw#;\n",
    "add.s64 %rw#, %rw@, 4;\n",
    "st.global.u32 [%rd4], %r1;\n",
    "ld.global.u32 %r2, [%rd4];\n",
    "ld.global.u32 %r2, [%rw#];\n",
    "ld.volatile.global.u32 %r2, [%rd4];\n",
    "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];\n",
    "atom.global.add.u32 %r6, [%rd4], 1;\n",
    "atom.global.cas.b32 %r6, [%rd4], %r2, %r3;\n",
    "st.shared.u32 [s], %r1;\n",
    "ld.shared.u32 %r7, [s];\n",
    "bar.sync 0;\n",
    "bar.warp.sync -1;\n",
    "fence.sc.gpu;\n",
    "shfl.sync.idx.b32 %r2, %r3, 0, 31, -1;\n",
    "setp.eq.u32 %p1, %r1, #;\n",
    "@%p1 add.s32 %r2, %r2, #;\n",
    "@%p1 bra L#;\n",
    "@%p2 bra L@;\n",
    "L#:\n",
    "bra L#;\n",
    "{\n",
    "}\n",
    "{ .reg .b32 %t#; mov.u32 %t#, %r1; }\n",
    ".loc 1 # 0\n",
    "selp.b32 %r2, %r3, %r4, %p1;\n",
    "selp.b64 %rd4, %rd4, %rd2, %p1;\n",
    "fma.rn.f32 %f1, %f1, %f2, %f3;\n",
    "// a comment\n",
    "/* another */ ",
];

/// Functions and variables before the kernel, and chains in it.
fn ptx_shapes() -> Vec<Shape> {
    let begin = PTX_HEAD.find(".visible").unwrap_or(0);
    let (top, entry) = PTX_HEAD.split_at(begin);
    let before =
        |unit: &str, then: &str| Shape::twice(top, unit, "", &format!("{entry}{}{PTX_TAIL}", then.replace('#', "1")));
    let within = |unit: &str, then: &str, last: &str| Shape::twice(PTX_HEAD, unit, then, &format!("{last}{PTX_TAIL}"));
    vec![
        before(".global .u32 v#;\n", ""),
        before(".const .u32 c# = #;\n", ""),
        before(".shared .u32 w#;\n", ""),
        before(".global .u64 t# = v@;\n", ""),
        before(".func f#()\n{\nret;\n}\n", "call f#;\n"),
        before(".func f#(.param .u32 a)\n{\n.reg .b32 %q<2>; ld.param.u32 %q1, [a];\nret;\n}\n", ""),
        before(".visible .entry k#(.param .u64 p)\n{\nret;\n}\n", ""),
        before(".file # \"x#.cu\"\n", ""),
        before("// #\n", ""),
        within("add.s32 %r2, %r2, %r1;\n", "", ""),
        within("add.s64 %rd4, %rd4, 4;\n", "", "st.global.u32 [%rd4], %r1;\n"),
        within("add.s64 %rw#, %rw@, 4;\n", "", "st.global.u32 [%rd4], %r1;\n"),
        within(".shared .u32 w#;\n", "mov.u32 %r5, w#;\n", ""),
        within(".shared .u32 w#;\n", "st.shared.u32 [w#], %r1;\n", ""),
        within(".local .u32 w#;\n", "st.local.u32 [w#], %r1;\n", ""),
        within("mov.b64 %rw#, %rw@;\n", "ld.global.u32 %r2, [%rw#];\n", ""),
        within("L#:\n@%p1 bra L#;\n", "", ""),
        within("@%p1 bra L#;\n", "L#:\n", ""),
        within("L#:\n", "@%p1 bra L#;\n", ""),
        within("@%p1 bra L#;\nst.global.u32 [%rd4], %r1;\nL#:\n", "", ""),
        within(
            "setp.eq.u32 %p1, %r1, #;\n@%p1 bra L#;\nadd.s32 %r2, %r2, #;\nL#:\n",
            "",
            "st.global.u32 [%rd4], %r2;\n",
        ),
        within(".reg .b32 %u#;\n", "mov.u32 %u#, %r1;\n", ""),
        within("ld.volatile.global.u32 %r2, [%rd4];\n", "st.global.u32 [%rd4], %r2;\n", ""),
        within("atom.global.add.u32 %r6, [%rd4], 1;\n", "", "st.global.u32 [%rd2], %r6;\n"),
        within("atom.global.cas.b32 %r6, [%rd4], %r2, %r3;\nsetp.eq.u32 %p1, %r6, %r2;\n@%p1 bra L#;\nL#:\n", "", ""),
        within("ld.global.u32 %r2, [%rd4+#];\n", "", ""),
        within(".loc 1 # 0\nadd.s32 %r2, %r2, 1;\n", "", ""),
        within("L#: brx: .branchtargets L#;\nbrx.idx %r1, brx;\n", "", ""),
        Shape::twice(&format!("{PTX_HEAD}T: .branchtargets L0"), ", L#", "", ";\nL0:\nbrx.idx %r1, T;\nret;\n}\n"),
        Shape::twice(&format!("{top}.global .u32 v[99999] = {{0"), ", #", "", &format!("}};\n{entry}{PTX_TAIL}")),
        Shape::twice(&format!("{top}.visible .entry k(.param .u64 p0"), ", .param .u64 p#", "", ")\n{\nret;\n}\n"),
    ]
}

const WGSL_HEAD: &str = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\nvar<workgroup> s: array<u32, 64>;\n\
    var<workgroup> a: atomic<u32>;\n@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {\nvar x = i;\n";
const WGSL_TAIL: &str = "out[i] = x;\n}\n";

const WGSL_PIECES: [&str; 16] = [
    "x = x * #u + 1u;\n",
    "let v# = x + #u;\n",
    "var w# = x;\n",
    "out[x + #u] = x;\n",
    "x = out[x];\n",
    "s[i] = x;\n",
    "x = s[i ^ 1u];\n",
    "workgroupBarrier();\n",
    "storageBarrier();\n",
    "x = atomicAdd(&a, #u);\n",
    "if x > #u { x += 1u; } else { x -= 1u; }\n",
    "for (var k# = 0u; k# < 3u; k#++) { x += k#; }\n",
    "if i == #u { return; }\n",
    "switch x { case #u { x = 1u; } default { x = 2u; } }\n",
    "{ let y = x; x = y; }\n",
    "// a comment\n",
];

const WORDS_PIECES: [&str; 44] = [
    "word ",
    "word#\n",
    "\n",
    "\n\n",
    "`",
    "```\n",
    "``` \ncode\n",
    "~~~\n",
    "<!-- ",
    "-->",
    "<b>",
    "<pre",
    "<script",
    "<?",
    "<![cdata[",
    "*",
    "**",
    "_",
    "~~",
    "[",
    "](",
    "](x) ",
    "![a](b)",
    "> ",
    "- ",
    "1. ",
    "    ",
    "| a ",
    "| a | b |\n|---|---|\n",
    "$x$ ",
    "$$",
    "$x^{",
    "\u{1F469}\u{200D}\u{1F469}\u{200D}\u{1F467}",
    "e\u{301}",
    "# ",
    "[x#]: y\n",
    "[^#] ",
    "\\",
    "&amp;",
    "- [ ] task\n",
    "https://a.b/c ",
    "Q: why\nA: so\n",
    "===\n",
    "---\n",
];

fn words_shapes() -> Vec<Shape> {
    let open = |unit: &str| Shape::of("<!--\n", unit, "");
    let mut shapes: Vec<Shape> = WORDS_PIECES.iter().map(|piece| Shape::of("", piece, "")).collect();
    shapes.extend([open("```\n"), open("~~~\n"), open("<pre\n"), open("- a\n"), open("> a\n")]);
    shapes.push(Shape::twice("", "[a#](b) ", "[a#] ", ""));
    shapes.push(Shape::of("| a | b |\n|---|---|\n", "| # | # |\n", ""));
    shapes.push(Shape::of("| a ", "| # ", "|\n|---|\n"));
    shapes
}

const DIARY_PIECES: [&str; 8] = [
    "{\"at\":#,\"did\":{\"Read\":{\"lesson\":\"l\",\"step\":\"s#\"}}}\n",
    "{}\n",
    "{",
    "[",
    "\"",
    "\n",
    "{\"format\":1}\n",
    "x",
];

const EXPR_PIECES: [&str; 20] = [
    "+a",
    "-a",
    "*a",
    "/a",
    "%a",
    "+(a)",
    "+-a",
    "<a",
    "==a",
    "&&a",
    "||a",
    "?a:a",
    "+max(a,a)",
    "+a[#]",
    "(",
    ")",
    "+1",
    "+1e#",
    "!",
    ",a",
];
