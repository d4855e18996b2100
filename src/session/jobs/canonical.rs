//! Canonical serialization of a job, hashed into the keys (fingerprints) of recordings.
//!
//! Each value is written with a tag of its own, by a match that names its parts: renaming or moving a field or a
//! variant changes no byte, and the compiler asks for every part that is added. A part that most jobs do not have is
//! written only where they have it, so that the keys of the others stay. Where bytes have to change, raise [`VERSION`]
//! and translate the pack's recordings while both ways still agree.

use crate::base::tensor::{Elem, Init};
use crate::base::units::Work;
use crate::job::{
    Action, Against, Binding, BindingKind, BufferSpec, CheckSpec, Code, Comparison, Condition, Content, CudaLaunch,
    Formula, Grid, Launch, Library, Node, Pass, Predicate, Product, Reading, Reduction, Repeat, SeriesSpec, Source,
    TensorMap, WorkgroupShape,
};
use crate::tokenizer::tables::{TABLES, Table};
use crate::trace::record::Backend;

/// The version of the bytes. Version 1 was the debug output of the program's types.
pub(super) const VERSION: u32 = 2;

/// A digest of bytes: FNV-1a, 64 bits (Fowler, Noll & Vo, RFC 9923). It detects changes, not attacks.
pub(super) struct Canonical(u64);

impl Canonical {
    pub(super) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// The version and sixteen digits.
    pub(super) fn key(&self) -> String {
        format!("{VERSION}-{:016x}", self.0)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Writes the length first, so that adjacent texts stay distinct.
    pub(super) fn text(&mut self, text: &str) {
        self.int(text.len() as u64);
        self.bytes(text.as_bytes());
    }

    fn int(&mut self, value: impl Into<u64>) {
        self.bytes(&value.into().to_le_bytes());
    }

    fn real(&mut self, value: f64) {
        self.bytes(&value.to_bits().to_le_bytes());
    }

    pub(super) fn list<T>(&mut self, items: &[T], each: impl Fn(&mut Self, &T)) {
        self.int(items.len() as u64);
        items.iter().for_each(|item| each(self, item));
    }

    fn optional<T>(&mut self, item: Option<T>, each: impl Fn(&mut Self, T)) {
        self.int(item.is_some());
        if let Some(item) = item {
            each(self, item);
        }
    }

    fn named(&mut self, values: &[(String, f64)]) {
        self.list(values, |to, (name, value)| {
            to.text(name);
            to.real(*value);
        });
    }

    fn size(&mut self, size: [u32; 3]) {
        size.into_iter().for_each(|extent| self.int(extent));
    }

    pub(super) fn elem(&mut self, elem: Elem) {
        self.text(match elem {
            Elem::F32 => "f32",
            Elem::U32 => "u32",
            Elem::I32 => "i32",
            Elem::F16 => "f16",
            Elem::Bf16 => "bf16",
        });
    }

    fn work(&mut self, work: Work) {
        let Work { bytes, flops } = work;
        self.real(bytes);
        self.real(flops);
    }

    pub(super) fn buffer(&mut self, buffer: &BufferSpec) {
        let BufferSpec { name, elem, count, content, columns: _, blame: _, place: _ } = buffer;
        self.text(name);
        self.elem(*elem);
        self.int(*count);
        match content {
            Content::Made(init) => self.init(*init),
            Content::Bytes(source) => self.source("bytes", source),
            Content::Elements(source) => self.source("elements", source),
            Content::Vocabulary(name, table) => {
                self.text("vocabulary");
                self.text(name);
                self.table(*table);
            }
            Content::Npy(path) => {
                self.text("npy");
                self.text(&path.display().to_string());
            }
            Content::Words(words) => {
                self.text("words");
                self.list(words, |to, word| to.int(*word));
            }
            Content::Repeated(words) => {
                self.text("repeated");
                self.list(words, |to, word| to.int(*word));
            }
        }
    }

    fn init(&mut self, init: Init) {
        let (tag, numbers): (&str, &[f64]) = match init {
            Init::Random => ("random", &[]),
            Init::Iota => ("iota", &[]),
            Init::Zero => ("zeros", &[]),
            Init::Value(value) => ("value", &[value]),
            Init::Poison => ("poison", &[]),
            Init::Within { low, high, masked } => ("within", &[low, high, masked]),
            Init::Normal { mean, deviation } => ("normal", &[mean, deviation]),
            #[expect(clippy::cast_precision_loss, reason = "a count of values that fit a 32-bit word")]
            Init::Zipf { exponent, values } => ("zipf", &[exponent, values as f64]),
            Init::Permutation => ("permutation", &[]),
            #[expect(clippy::cast_precision_loss, reason = "a count of columns that fit a buffer")]
            Init::Softmax { columns } => ("normalized rows", &[columns as f64]),
        };
        self.text(tag);
        self.list(numbers, |to, number| to.real(*number));
    }

    fn source(&mut self, tag: &str, source: &Source) {
        self.text(tag);
        match source {
            Source::Text(text) => self.text(text),
            // The file's path does not matter.
            Source::File { pack: _, path: _, sha256 } => self.text(sha256),
        }
    }

    fn table(&mut self, table: Table) {
        self.text(TABLES.iter().find(|(_, known)| *known == table).map_or("", |(name, _)| name));
    }

    pub(super) fn pass(&mut self, pass: &Pass, backend: Backend) {
        let Pass { id, action, work } = pass;
        self.text(id);
        self.work(*work);
        match action {
            Action::Launch(launch) => self.launch(launch, backend),
            Action::Copy { from, to } => {
                self.text("copy");
                self.int(*from as u64);
                self.int(*to as u64);
            }
            Action::Fill { buffer, value } => {
                self.text("fill");
                self.int(*buffer as u64);
                self.real(*value);
            }
        }
    }

    fn launch(&mut self, launch: &Launch, backend: Backend) {
        let Launch { kernel: _, code, bindings: _, grid, workgroup, library, blame: _ } = launch;
        self.text("launch");
        match (code, launch.twin().filter(|_| backend == Backend::Cuda)) {
            (_, Some(twin)) => [&*twin.source, twin.entry.as_str()].into_iter().for_each(|text| self.text(text)),
            (Code::Wgsl(wgsl), None) => {
                [&*wgsl.source, wgsl.entry.as_str()].into_iter().for_each(|text| self.text(text))
            }
            (Code::Cuda { .. } | Code::Ptx(_), None) => {}
        }
        match code {
            Code::Wgsl(wgsl) => [&wgsl.overrides, &wgsl.consts].into_iter().for_each(|values| self.named(values)),
            // A recording is of a kernel as a pack has it.
            Code::Ptx(_) => {}
            Code::Cuda { twin: _, constants, launch } => {
                let CudaLaunch {
                    shared_bytes,
                    maps,
                    persistent,
                    values,
                    ptx,
                    defines: _,
                    target: _,
                    for_nvcc: _,
                    instance: _,
                } = launch;
                self.named(constants);
                self.int(*shared_bytes);
                self.list(maps, Self::map);
                self.int(*persistent);
                for (place, name, value) in values {
                    self.int(*place);
                    self.text(name);
                    self.real(*value);
                }
                ptx.iter().for_each(|ptx| self.text(ptx));
            }
        }
        self.optional(*workgroup, |to, WorkgroupShape { size, shared_bytes }| {
            to.size(size);
            to.int(shared_bytes);
        });
        match grid {
            Grid::Fixed(size) => self.size(*size),
            Grid::Words { buffer, at, most } => {
                self.text("words");
                self.int(*buffer as u64);
                self.int(*at);
                self.size(*most);
            }
        }
        self.optional(library.as_ref(), Self::library);
    }

    fn map(&mut self, map: &TensorMap) {
        let TensorMap { buffer, columns, rows, box_columns, box_rows, swizzle } = map;
        self.text(buffer);
        [*columns, *rows].into_iter().for_each(|extent| self.int(extent));
        [*box_columns, *box_rows, *swizzle].into_iter().for_each(|extent| self.int(extent));
    }

    fn library(&mut self, library: &Library) {
        match library {
            Library::Copy(from, to) => ["copy", from, to].into_iter().for_each(|text| self.text(text)),
            Library::Product(Product { a, b, c, m, n, k, b_transposed }) => {
                ["product", a, b, c].into_iter().for_each(|text| self.text(text));
                [*m, *n, *k].into_iter().for_each(|extent| self.int(extent));
                self.int(*b_transposed);
            }
        }
    }

    pub(super) fn nodes(&mut self, nodes: &[Node]) {
        self.list(nodes, |to, node| match node {
            Node::Pass(place) => {
                to.text("pass");
                to.int(*place as u64);
            }
            Node::Repeat(Repeat { id, times, until, body }) => {
                to.text("repeat");
                to.text(id);
                to.int(*times);
                to.optional(*until, |to, Condition { buffer, index, comparison, value }| {
                    to.int(buffer as u64);
                    to.int(index);
                    to.comparison(comparison);
                    to.real(value);
                });
                to.nodes(body);
            }
        });
    }

    fn comparison(&mut self, comparison: Comparison) {
        self.text(Comparison::SIGNS.iter().find(|(_, known)| *known == comparison).map_or("", |(sign, _)| sign));
    }

    pub(super) fn whole(&mut self, work: Option<Work>) {
        self.optional(work, Self::work);
    }

    pub(super) fn bindings(&mut self, bindings: &[Binding]) {
        self.list(bindings, |to, Binding { name, buffer, group, binding, kind }| {
            to.text(name);
            to.int(*buffer as u64);
            [*group, *binding].into_iter().for_each(|number| to.int(number));
            to.text(match kind {
                BindingKind::ReadOnly => "read",
                BindingKind::ReadWrite => "read_write",
                BindingKind::Uniform => "uniform",
            });
        });
    }

    pub(super) fn check(&mut self, check: &CheckSpec, backend: Backend) {
        let CheckSpec { output, against, tolerance, scale, after, place: _ } = check;
        self.int(*output as u64);
        [*tolerance, *scale].into_iter().for_each(|number| self.real(number));
        self.optional(after.as_deref(), Self::text);
        match against {
            Against::Reference { name, args, inputs } => {
                ["reference", name].into_iter().for_each(|text| self.text(text));
                self.named(args);
                self.list(inputs, |to, (name, buffer)| {
                    to.text(name);
                    to.int(*buffer as u64);
                });
            }
            Against::Kernel(launch) => {
                self.launch(launch, backend);
                self.bindings(&launch.bindings);
            }
            Against::Formula(formula) => self.formula("formula", formula),
            Against::Predicate(Predicate::Every(formula)) => self.formula("every", formula),
            Against::Predicate(Predicate::SortedBy(formula)) => self.formula("sorted by", formula),
            Against::Predicate(Predicate::Permutation(of)) => {
                self.text("permutation");
                self.int(*of as u64);
            }
            Against::Predicate(Predicate::EqualSets(of)) => {
                self.text("equal sets");
                self.int(*of as u64);
            }
            Against::Predicate(Predicate::SumsTo(sum)) => {
                self.text("sums to");
                self.real(*sum);
            }
        }
    }

    fn formula(&mut self, tag: &str, formula: &Formula) {
        let Formula { expr, names, buffers, count } = formula;
        [tag, expr.source()].into_iter().for_each(|text| self.text(text));
        self.named(names);
        self.list(buffers, |to, (name, buffer, before)| {
            to.text(name);
            to.int(*buffer as u64);
            to.int(*before);
        });
        self.int(*count);
    }

    pub(super) fn series(&mut self, series: &SeriesSpec) {
        let SeriesSpec { id, buffer, reading, each } = series;
        self.text(id);
        self.int(*buffer as u64);
        match reading {
            Reading::Element(index) => {
                self.text("element");
                self.int(*index);
            }
            Reading::All(reduction) => self.reduction(*reduction),
        }
        self.optional(each.as_deref(), Self::text);
    }

    fn reduction(&mut self, reduction: Reduction) {
        self.text(Reduction::NAMES.iter().find(|(_, known)| *known == reduction).map_or("", |(name, _)| name));
    }

    pub(super) fn seed(&mut self, seed: u64) {
        self.int(seed);
    }
}
