//! Buffers in `lesson.ron`: type, size and initial contents.

use super::conditions::Wanted;
use super::cuda::{self, Shader};
use super::document::Reader;
use super::fields::{Fields, Node, did_you_mean};
use super::model::{Buffer, InitDecl, Legend};
use super::picture::{Picture, PictureArg};
use super::records;
use super::steps::{picture, value};
use crate::base::expr::Expr;
use crate::base::files::FileError;
use crate::base::tensor::{Elem, Init};
use crate::job::Source;
use crate::tokenizer::{rank_file, tables};

/// The kinds of initial contents of a buffer.
pub const INITS: [&str; 13] = [
    "Random",
    "Iota",
    "Zero",
    "Poison",
    "Value",
    "Normal",
    "Zipf",
    "Permutation",
    "Softmax",
    "Text",
    "TextFile",
    "File",
    "Vocabulary",
];

/// The maximum number of different values of a Zipf distribution: each takes an entry in a table.
const MOST_VALUES: u64 = 1 << 24;

impl Reader<'_> {
    /// Reads one buffer of `owner`, a kernel with this shader or a program.
    pub(super) fn buffer(&mut self, owner: &str, shader: Option<&Shader>, node: Node<'_>) -> Option<Buffer> {
        let mut fields = node.fields(&records::BUFFER)?;
        let name = fields.text("name");
        let elem_node = fields.get("elem");
        let elem = elem_node.and_then(|node| node.read("F32, F16, Bf16, U32 or I32"));
        let count = self.wanted(owner, fields.get("count"), Wanted::Count(1));
        let columns = fields.get("columns").and_then(|node| self.wanted(owner, Some(node), Wanted::Count(1)));
        let means = means(&mut fields);
        let names = |of| fields.get(of).and_then(|node| node.read("a list of names")).unwrap_or_default();
        let word = |of| fields.get(of).and_then(|node| node.read("a word in quotation marks")).unwrap_or_default();
        let legend = Legend {
            parts: names("parts"),
            names: names("row_names"),
            rows: word("rows"),
            across: word("across"),
            unit: fields.get("unit").and_then(|node| node.read("a unit in quotation marks")).unwrap_or_default(),
        };
        let init = self.init(owner, &fields);
        fields.finish();
        if let (Some(Elem::Bf16), Some(node), false) = (elem, elem_node, shader.is_none_or(cuda::is_cuda)) {
            node.error("WGSL has no bfloat16", "write F16 or F32, or write the kernel in CUDA C++ only");
            return None;
        }
        // A buffer that has been reported keeps its name, so that references to it are not reported as well.
        let (elem, init) = (elem.unwrap_or(Elem::F32), init.unwrap_or(InitDecl::Plain(Init::Zero)));
        let count = count.or_else(|| Expr::parse("1").ok())?;
        Some(Buffer { name: name?.value, elem, count, columns, means, legend, init, place: node.place() })
    }

    /// The initial contents: `init`, with `bounds` and `masked` if they are random.
    fn init(&mut self, owner: &str, fields: &Fields<'_>) -> Option<InitDecl> {
        let node = fields.get("init");
        let bounds_node = fields.get("bounds");
        let bounds = bounds_node.and_then(Node::pair).map(|pair| pair.map(|node| self.number(owner, node)));
        let masked_node = fields.get("masked");
        let masked = masked_node.and_then(|node| self.number(owner, node));
        let init = self.init_alone(owner, node?)?;
        let random = matches!(init, InitDecl::Plain(Init::Random));
        if let Some(node) = bounds_node.or(masked_node).filter(|_| !random) {
            node.error("only random elements have bounds or are masked", "write `init: Random`, or leave this out");
        }
        match bounds {
            Some([low, high]) => Some(InitDecl::Within { low: low?, high: high?, masked }),
            None if bounds_node.is_some() => None,
            None => {
                if let Some(node) = masked_node {
                    node.error("elements that are masked among others need bounds", "add bounds: (\"-1\", \"1\")");
                }
                Some(init)
            }
        }
    }

    fn init_alone(&mut self, owner: &str, node: Node<'_>) -> Option<InitDecl> {
        let plain = |init| Some(InitDecl::Plain(init));
        match node.variant() {
            ("Random", None) => plain(Init::Random),
            ("Iota", None) => plain(Init::Iota),
            ("Zero", None) => plain(Init::Zero),
            ("Poison", None) => plain(Init::Poison),
            ("Permutation", None) => plain(Init::Permutation),
            ("Value", Some(rest)) => plain(Init::Value(rest.only()?.read("a number")?)),
            ("Normal", Some(rest)) => {
                let fields = rest.fields(&records::NORMAL)?;
                let [mean, deviation] = ["mean", "deviation"].map(|name| self.figure(owner, fields.get(name), None));
                fields.finish();
                Some(InitDecl::Normal { mean: mean?, deviation: deviation? })
            }
            ("Zipf", Some(rest)) => {
                let fields = rest.fields(&records::ZIPF)?;
                let exponent = self.figure(owner, fields.get("exponent"), None);
                let values = self.wanted(owner, fields.get("values"), Wanted::Between(1, MOST_VALUES));
                fields.finish();
                Some(InitDecl::Zipf { exponent: exponent?, values: values? })
            }
            ("Softmax", Some(rest)) => {
                let fields = rest.fields(&records::SOFTMAX)?;
                let columns = self.wanted(owner, fields.get("columns"), Wanted::Count(1));
                fields.finish();
                Some(InitDecl::Softmax { columns: columns? })
            }
            ("Text", Some(rest)) => Some(InitDecl::Bytes(Source::Text(rest.only()?.text()?.value.into()))),
            ("TextFile", Some(rest)) => Some(InitDecl::Bytes(self.source(rest)?)),
            ("File", Some(rest)) => Some(InitDecl::Elements(self.source(rest)?)),
            ("Vocabulary", Some(rest)) => vocabulary(rest),
            (name, _) if INITS.contains(&name) => {
                let (hint, more) = match name {
                    "Random" => ("write its bounds beside it: `init: Random, bounds: (\"0\", \"10\")`", true),
                    "Value" => ("write Value(0.5)", false),
                    "Normal" => ("write Normal(mean: \"0\", deviation: \"1\")", false),
                    "Zipf" => ("write Zipf(exponent: \"1\", values: \"1000\")", false),
                    "Softmax" => ("write Softmax(columns: \"cols\")", false),
                    "Text" => ("write Text(\"to be or not to be\")", false),
                    "TextFile" | "File" => ("write (path: \"assets/data/NAME\", sha256: \"…\") behind it", false),
                    "Vocabulary" => ("write (name: \"cl100k_base\", table: \"merges\") behind it", false),
                    _ => ("leave out what comes after it", true),
                };
                node.error(
                    if more { format!("`{name}` needs no more words") } else { format!("`{name}` needs more words") },
                    hint,
                );
                None
            }
            (name, _) => {
                node.error(format!("a buffer cannot begin with `{name}`"), did_you_mean(name, INITS));
                None
            }
        }
    }

    /// A file of the pack, which must exist.
    fn source(&self, node: Node<'_>) -> Option<Source> {
        let fields = node.fields(&records::FILE)?;
        let (path, sha256) = (fields.text("path"), fields.text("sha256"));
        fields.finish();
        let path = path?;
        let pack = self.reading.files;
        match pack.find(&path.value) {
            Ok(()) => {
                Some(Source::File { pack: pack.clone(), path: path.value, sha256: sha256?.value.to_ascii_lowercase() })
            }
            Err(error) => {
                let (message, hint) = match error {
                    FileError::Missing => {
                        let below = pack.list("assets");
                        let hint = did_you_mean(&path.value, below.iter().map(String::as_str));
                        (format!("there is no file {} in the pack", path.value), hint)
                    }
                    FileError::Unreadable(why) => {
                        (format!("cannot use {}: {why}", path.value), "put the file into assets/".to_owned())
                    }
                };
                path.error(message, hint);
                None
            }
        }
    }

    fn number(&mut self, owner: &str, node: Node<'_>) -> Option<Expr> {
        self.wanted(owner, Some(node), Wanted::Number)
    }
}

/// A table of a built-in vocabulary.
fn vocabulary(node: Node<'_>) -> Option<InitDecl> {
    let fields = node.fields(&records::VOCABULARY)?;
    let (name, table) = (fields.text("name"), fields.text("table"));
    fields.finish();
    let (name, table) = (name?, table?);
    if !rank_file::BUILT_IN.contains(&name.value.as_str()) {
        name.error(
            format!("no vocabulary `{}` is built in", name.value),
            did_you_mean(&name.value, rank_file::BUILT_IN),
        );
        return None;
    }
    let found = tables::TABLES.iter().find(|(known, _)| *known == table.value);
    if found.is_none() {
        let hint = did_you_mean(&table.value, tables::TABLES.map(|(known, _)| known));
        table.error(format!("a vocabulary has no table `{}`", table.value), hint);
    }
    Some(InitDecl::Vocabulary(name.value, found?.1))
}

/// The fields that had a meaning in earlier formats, with the meaning's name and its arguments.
const FORMER: [(&str, &str, &[&str]); 5] = [
    ("cuts", "Tokens", &["text"]),
    ("makes", "Merges", &["first"]),
    ("words", "Words", &["tokens", "merges"]),
    ("links", "Links", &["meter"]),
    ("spans", "Spans", &["tracks"]),
];

/// The meaning of the elements: `means`, or the field of an earlier format. None if there is none.
fn means(fields: &mut Fields<'_>) -> Option<Picture> {
    if let Some(node) = fields.get("means") {
        return picture(node);
    }
    let (node, name, args) = FORMER.iter().find_map(|(field, name, args)| Some((fields.former(field)?, name, args)))?;
    let values = if let [_] = args { vec![node] } else { node.pair()?.to_vec() };
    let arg = |(name, node): (&&str, Node<'_>)| {
        Some(PictureArg { name: (*name).to_owned(), value: value(node)?, place: node.place() })
    };
    let args = args.iter().zip(values).map(arg).collect::<Option<_>>()?;
    Some(Picture { name: (*name).to_owned(), args, place: Some(node.place()) })
}
