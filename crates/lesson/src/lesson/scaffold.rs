//! A template for a new lesson: the smallest one that has a kernel, a step and a prediction, and passes every check.

use super::document::is_id;
use super::excerpt::{Findings, Source};
use super::fields::Node;
use super::records;
use crate::base::diag::Diagnostic;

/// The files of a new lesson called `name`, with their paths within a pack; [`add_to_index`] adds it to the pack's
/// index.
///
/// # Errors
/// Where `name` cannot be the name of a lesson.
pub fn scaffold(name: &str) -> Result<Vec<(String, String)>, Diagnostic> {
    if !is_id(name, true) {
        return Err(Diagnostic::error(format!("`{name}` cannot be the name of a lesson"))
            .hint("use letters, digits, - and _, beginning with a letter"));
    }
    let title = title_of(name);
    let fill = |template: &str| template.replace("@name@", name).replace("@title@", &title);
    Ok(vec![
        (format!("lessons/{name}/lesson.ron"), fill(DOCUMENT)),
        (format!("lessons/{name}/text.md"), fill(TEXT)),
        (format!("shaders/{name}/copy.wgsl"), SHADER.to_owned()),
    ])
}

/// The text of an index with `name` appended to its `order`, and otherwise unchanged.
///
/// # Errors
/// Where `index` is not an index, or already lists `name`; `file` is its name in the diagnostic.
pub fn add_to_index(file: &str, index: &str, name: &str) -> Result<String, Diagnostic> {
    let found = Findings::default();
    let at = {
        let source = Source::new(file, index, &found);
        let order = Node::whole(&source).fields(&records::INDEX).and_then(|fields| {
            fields.get("format_version");
            let order = fields.get("order");
            fields.finish();
            order
        });
        let listed = order.and_then(Node::list).unwrap_or_default();
        for text in listed.iter().filter_map(|node| node.text()).filter(|text| text.value == name) {
            text.error(format!("the lesson `{name}` is listed already"), "choose another name");
        }
        let end = |node: &Node<'_>| node.start() + node.raw.len();
        match (listed.last(), &order) {
            (Some(last), _) => Some((end(last), format!(", \"{name}\""))),
            (None, Some(order)) => Some((order.start() + 1, format!("\"{name}\""))),
            (None, None) => None,
        }
    };
    match (at, found.finish().into_iter().find(Diagnostic::is_error)) {
        (Some((at, entry)), None) => Ok(format!("{}{entry}{}", &index[..at], &index[at..])),
        (_, error) => Err(error.unwrap_or_else(|| Diagnostic::error("this is not an index").in_file(file))),
    }
}

/// `bank-conflicts` as a title: "Bank conflicts".
fn title_of(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut chars = words.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

const DOCUMENT: &str = r##"(
    format_version: 3,
    title: "@title@",
    summary: "What the reader will know afterwards, in a sentence.",
    params: [
        (
            id: "n", label: "elements", help: "How many elements are copied.",
            default: 1048576, domain: PowersOfTwo(1024, 4194304),
        ),
        (
            id: "block", label: "block size", help: "Invocations in a workgroup.",
            default: 256, domain: Choice([32, 64, 128, 256]),
        ),
    ],
    values: [
        (id: "moved", label: "bytes moved", unit: "B", expr: "8 * n"),
    ],
    kernels: [
        (
            id: "copy", title: "Copy",
            shader: "@name@/copy.wgsl", entry: "main",
            constants: {"BLOCK": "block"},
            buffers: [
                (name: "src", elem: F32, count: "n", init: Random),
                (name: "dst", elem: F32, count: "n", init: Poison),
            ],
            grid: ("ceil(n / block)", "1", "1"),
            bytes: "moved",
            check: (
                reference: "strided_copy", args: {"n": "n", "stride": "1", "offset": "0"},
                output: "dst", tolerance: 0,
            ),
        ),
    ],
    experiments: [
        (
            id: "size", title: "Speed by size",
            kernels: ["copy"], over: "n", values: [65536, 262144, 1048576, 4194304], quantity: BytesPerSecond,
        ),
    ],
    steps: [
        (id: "copy", kernel: "copy", experiment: "size"),
    ],
    predictions: [
        (
            id: "double", question: "Twice the elements: how much longer does the copy take?",
            options: [("as long", 1), ("twice as long", 2), ("four times as long", 4)],
            probes: [
                (id: "once", kernel: "copy", set: {"n": 1048576}),
                (id: "twice", kernel: "copy", set: {"n": 2097152}),
            ],
            measured: "twice.time / once.time",
            traced: "twice.load_sectors / once.load_sectors",
            unit: "x",
            because: "A large copy is bound by bytes, and it has twice as many.",
        ),
    ],
)
"##;

const TEXT: &str = "\
## Copy {#copy}

The kernel copies {{n}} elements in workgroups of {{block}}, and so moves {{= moved : B}}: each element is read once and
written once. A warp's 32 lanes ask for 32 neighbouring elements of 4 bytes, that is $32 \\cdot 4 / 32 = 4$ sectors.

{{predict double}}
";

const SHADER: &str = "\
override BLOCK: u32 = 256u;

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(BLOCK)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i < arrayLength(&dst) {
        dst[i] = src[i];
    }
}
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_titles() {
        assert_eq!(title_of("bank-conflicts"), "Bank conflicts");
        for bad in ["", "../up", "two words", "1st", "é"] {
            assert!(scaffold(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_index_keeps_what_it_says() {
        let add = |index: &str| add_to_index("index.ron", index, "new").map_err(|error| error.to_string());
        for (index, longer) in [
            ("(format_version: 3, order: [])", "(format_version: 3, order: [\"new\"])"),
            ("(order: [\"a\"]) // all", "(order: [\"a\", \"new\"]) // all"),
            ("(order: [\n    \"a\", // first\n])", "(order: [\n    \"a\", \"new\", // first\n])"),
        ] {
            assert_eq!(add(index).as_deref(), Ok(longer));
        }
        for (index, why) in
            [("(order: [\"new\"])", "index.ron:1:11"), ("()", "`order` is missing"), ("(", "index.ron:1:")]
        {
            assert!(add(index).is_err_and(|error| error.contains(why)), "{index}");
        }
    }
}
