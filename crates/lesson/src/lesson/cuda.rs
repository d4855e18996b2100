//! CUDA C++ of a kernel: the twin of its shader, or, for a kernel in CUDA C++ only, the launch parameters that WGSL
//! would declare.

use std::sync::Arc;

use super::conditions::Wanted;
use super::document::Reader;
use super::fields::{Fields, Node, did_you_mean};
use super::mention::Access;
use super::model::{Buffer, CudaOnly, InitDecl, MapDecl, RingDecl};
use super::records;
use crate::base::expr::Expr;
use crate::base::files::{FileError, LARGEST};
use crate::base::tensor::Init;
use crate::base::wgsl;
use crate::job::{BindingKind, Shipped, Twin};

/// Swizzle widths of a tile's rows in shared memory, in bytes; 0 for no swizzle (CUDA driver API,
/// `CUtensorMapSwizzle`).
const SWIZZLES: [u32; 4] = [0, 32, 64, 128];

/// A shader's file and text.
pub(super) type Shader = (String, Arc<str>);

/// The file in which a pack has the PTX of a kernel in CUDA C++.
#[must_use]
pub fn shipped_path(file: &str) -> String {
    format!("{}.ptx.gz", file.strip_suffix(".cu").unwrap_or(file))
}

/// Whether a shader is written in CUDA C++, or is the PTX of another text.
pub(super) fn is_cuda((file, _): &Shader) -> bool {
    file.ends_with(".cu") || is_ptx(file)
}

fn is_ptx(file: &str) -> bool {
    file.ends_with(".ptx")
}

/// The parameters of a kernel in CUDA C++ only: its buffers, and its numbers with their places.
type Parameters = (Vec<(String, BindingKind)>, Vec<(u32, String, Expr)>);

fn begins_as_poison(buffer: &Buffer) -> bool {
    matches!(buffer.init, InitDecl::Plain(Init::Poison))
}

/// The `parameters` that a kernel on these buffers is likely to have.
fn likely(buffers: &[Buffer]) -> String {
    let each = buffers.iter().map(|buffer| {
        let does = if begins_as_poison(buffer) { "Write" } else { "Read" };
        format!("\"{}\": {does}", buffer.name)
    });
    let each: Vec<String> = each.collect();
    // The buffers of a program are declared there, and the kernel uses its own names.
    let each = if each.is_empty() { "\"x\": Read, \"y\": Write".to_owned() } else { each.join(", ") };
    format!("parameters: {{{each}}}")
}

impl Reader<'_> {
    /// A kernel's entry point and its text in CUDA C++, if any: the shader itself, or the twin beside it.
    pub(super) fn languages(&self, fields: &Fields<'_>, shader: Option<&Shader>) -> (Option<String>, Option<Twin>) {
        let given = fields.get("entry").map(|node| node.text().map(|text| text.value));
        let Some(shader) = shader else { return (given.unwrap_or_default(), None) };
        let (file, source) = shader;
        // C++ reserves the name `main`.
        let stem = file.rsplit_once('.').map_or(file.as_str(), |(stem, _)| stem);
        let name = stem.rsplit('/').next().unwrap_or(stem).replace('-', "_");
        if is_cuda(shader) {
            let entry = given.unwrap_or(Some(name));
            let shipped = self.shipped(file);
            let twin = entry.clone().map(|entry| Twin { file: file.clone(), source: source.clone(), entry, shipped });
            return (entry, twin);
        }
        let entry = given.unwrap_or(Some("main".to_owned()));
        if let Some(entry) = entry.as_ref().filter(|entry| wgsl::function(source, entry).is_none()) {
            let (message, names) = (format!("the shader has no function `{entry}`"), wgsl::functions(source));
            if let Some(node) = fields.get("entry").or(fields.get("shader")) {
                node.error(message, did_you_mean(entry, names));
            }
        }
        let function = entry.clone().map(|entry| if entry == "main" { name } else { entry });
        let twin = function.and_then(|function| self.twin(fields, format!("{stem}.cu"), function));
        (entry, twin)
    }

    /// The twin in `file`, with its parts, if the file exists.
    fn twin(&self, fields: &Fields<'_>, file: String, entry: String) -> Option<Twin> {
        match self.reading.files.read(&file) {
            Ok(source) => {
                let source = self.composed(&fields.text("shader")?, &file, source)?;
                let shipped = self.shipped(&file);
                Some(Twin { file, source, entry, shipped })
            }
            Err(FileError::Missing) => None,
            Err(FileError::Unreadable(why)) => {
                let message = format!("cannot read {}: {why}", self.reading.files.display(&file));
                fields.text("shader")?.error(message, "make it plain text");
                None
            }
        }
    }

    /// The PTX that the pack has of a kernel in CUDA C++.
    fn shipped(&self, file: &str) -> Option<Shipped> {
        let path = shipped_path(file);
        self.reading.files.read_bytes(&path, LARGEST).ok().map(|bytes| Shipped(bytes.into()))
    }

    /// A kernel's `cuda`, which only kernels in CUDA C++ have. None if it is invalid.
    pub(super) fn cuda_only(
        &mut self,
        kernel: &str,
        shader: Option<&Shader>,
        buffers: &[Buffer],
        fields: &Fields<'_>,
    ) -> Option<Option<(CudaOnly, Option<RingDecl>)>> {
        let node = fields.get("cuda");
        // If the file is missing, its language is unknown.
        let Some(shader) = shader else { return Some(None) };
        match (is_cuda(shader), node) {
            (true, Some(node)) => self.launch(kernel, shader, buffers, node).map(Some),
            (true, None) => {
                let message = "a kernel in CUDA C++ only has to say how it is launched";
                let hint = format!("add cuda: ({}, block: (\"128\", \"1\", \"1\"))", likely(buffers));
                fields.text("shader")?.error(message, hint);
                None
            }
            (false, Some(node)) => {
                let message = "a WGSL kernel and its twin are launched as the WGSL says";
                node.error(message, "leave `cuda` out, or name a .cu file as the shader");
                None
            }
            (false, None) => Some(None),
        }
    }

    /// The launch, and the ring that earlier packs describe there.
    fn launch(
        &mut self,
        kernel: &str,
        (shader_file, shader_text): &Shader,
        buffers: &[Buffer],
        node: Node<'_>,
    ) -> Option<(CudaOnly, Option<RingDecl>)> {
        let mut fields = node.fields(&records::CUDA)?;
        let parameters = self.parameters(kernel, buffers, node, &fields);
        let block = fields.get("block").and_then(Node::triple);
        let block = block.map(|block| block.map(|node| self.figure(kernel, Some(node), Some(1))));
        let shared = fields.get("shared");
        let ptx = Some(&**shader_text).filter(|_| is_ptx(shader_file)).map(Arc::from);
        let listed_source = fields.get("source");
        let source = listed_source.and_then(|node| self.ptx_source(node, is_ptx(shader_file)));
        if listed_source.is_some() && source.is_none() {
            return None;
        }
        let shared = if shared.is_some() { self.figure(kernel, shared, Some(0)) } else { Expr::parse("0").ok() };
        let listed = fields.list("tensor_maps").unwrap_or_default();
        let maps: Vec<Option<MapDecl>> =
            listed.into_iter().map(|node| self.tensor_map(kernel, buffers, node)).collect();
        let persistent = fields.get("persistent").map_or(Some(false), |node| node.read("true or false"));
        let ring = fields.former("ring").and_then(|node| self.ring(kernel, node));
        let is_traced = fields.get("traced").map_or(Some(false), |node| node.read("true or false"))?;
        fields.finish();
        let [x, y, z] = block?;
        let maps = maps.into_iter().collect::<Option<_>>()?;
        let block = [x?, y?, z?];
        let ((parameters, values), shared, persistent) = (parameters?, shared?, persistent?);
        let only = CudaOnly { parameters, values, block, shared, maps, persistent, is_traced, ptx, source };
        Some((only, ring))
    }

    /// The text that a kernel in PTX was compiled from: its file below `shaders/`, and the text.
    fn ptx_source(&self, node: Node<'_>, is_ptx: bool) -> Option<Shader> {
        let name = node.text()?;
        if !is_ptx {
            node.error("only a kernel in PTX was compiled from another text", "leave `source` out");
            return None;
        }
        let path = format!("shaders/{}", name.value);
        match self.reading.files.read(&path) {
            Ok(text) => Some((path, text.into())),
            Err(_) => {
                let message = format!("cannot read {}", self.reading.files.display(&path));
                name.error(message, "name the file that the PTX was compiled from, below shaders/");
                None
            }
        }
    }

    /// The parameters that a kernel in CUDA C++ takes, in order: buffers with its access to each, and numbers. Its text
    /// does not declare them; lessons of the first format took the buffers that begin as poison to be the written ones.
    fn parameters(
        &mut self,
        kernel: &str,
        buffers: &[Buffer],
        cuda: Node<'_>,
        fields: &Fields<'_>,
    ) -> Option<Parameters> {
        let kind = |written| if written { BindingKind::ReadWrite } else { BindingKind::ReadOnly };
        let listed = match fields.get("parameters") {
            Some(node) => node.map()?,
            None if self.version == 1 => {
                let all = buffers.iter().map(|buffer| (buffer.name.clone(), kind(begins_as_poison(buffer))));
                return Some((all.collect(), Vec::new()));
            }
            None => {
                let hint = format!("add {}: what the kernel takes, in order, and does to each", likely(buffers));
                cuda.error("the field `parameters` is missing", hint);
                return None;
            }
        };
        let (mut taken, mut values) = (Vec::new(), Vec::new());
        for ((name, node), place) in listed.into_iter().zip(0..) {
            if let ("Value", Some(inner)) = node.variant() {
                values.push((place, name.value, self.figure(kernel, inner.only(), None)?));
                continue;
            }
            let written = match node.raw {
                "Read" => false,
                "Write" | "ReadWrite" => true,
                other => {
                    let known = ["Read", "Write", "ReadWrite", "Value(\"…\")"];
                    node.error(format!("nothing can be done to a parameter by `{other}`"), did_you_mean(other, known));
                    return None;
                }
            };
            if !buffers.is_empty() && !buffers.iter().any(|buffer| buffer.name == name.value) {
                let hint = did_you_mean(&name.value, buffers.iter().map(|buffer| buffer.name.as_str()));
                name.error(format!("`{}` is not a buffer of this kernel", name.value), hint);
            }
            taken.push((name.value, kind(written)));
        }
        Some((taken, values))
    }

    fn tensor_map(&mut self, kernel: &str, buffers: &[Buffer], node: Node<'_>) -> Option<MapDecl> {
        let fields = node.fields(&records::TENSOR_MAP)?;
        let buffer = fields.text("buffer");
        let mut figure = |name| self.figure(kernel, fields.get(name), Some(1));
        let [columns, rows, box_columns, box_rows] = ["columns", "rows", "box_columns", "box_rows"].map(&mut figure);
        let swizzle_node = fields.get("swizzle");
        let swizzle = swizzle_node.map_or(Some(0), |node| node.read::<u32>("0, 32, 64 or 128"));
        fields.finish();
        if let Some((node, odd)) = swizzle_node.zip(swizzle).filter(|(_, swizzle)| !SWIZZLES.contains(swizzle)) {
            node.error(format!("a tile cannot be swizzled over {odd} bytes"), "write 0, 32, 64 or 128");
            return None;
        }
        let buffer = buffer?;
        if !buffers.is_empty() && !buffers.iter().any(|known| known.name == buffer.value) {
            let hint = did_you_mean(&buffer.value, buffers.iter().map(|known| known.name.as_str()));
            buffer.error(format!("`{}` is not a buffer of this kernel", buffer.value), hint);
            return None;
        }
        Some(MapDecl {
            buffer: buffer.value,
            columns: columns?,
            rows: rows?,
            box_columns: box_columns?,
            box_rows: box_rows?,
            swizzle: swizzle?,
        })
    }

    /// The ring buffer that a kernel's tiles go through: how many places and tiles there are is a number, or a formula
    /// in quotes.
    pub(super) fn ring(&mut self, kernel: &str, node: Node<'_>) -> Option<RingDecl> {
        let fields = node.fields(&records::RING)?;
        let mut number = |node: Node<'_>, wanted| {
            let expr = if node.raw.starts_with('"') {
                self.expr(Some(node), &Access::Fixed)?
            } else {
                let number: u32 = node.read("a whole number, or a formula in quotes")?;
                Expr::parse(&number.to_string()).ok()?
            };
            self.require(kernel, node, expr.clone(), wanted);
            Some(expr)
        };
        let places = fields.get("places").and_then(|node| number(node, Wanted::Between(1, MOST_PLACES)));
        let tiles = fields.get("tiles").map(|node| number(node, Wanted::Amount));
        let (load, multiply) = (fields.text("load"), fields.text("multiply"));
        fields.finish();
        let tiles = match tiles {
            Some(tiles) => Some(tiles?),
            None => None,
        };
        Some(RingDecl { places: places?, tiles, load: load?.value, multiply: multiply?.value })
    }
}

/// The maximum number of places of a ring: more could not be shown.
pub const MOST_PLACES: u64 = 8;
