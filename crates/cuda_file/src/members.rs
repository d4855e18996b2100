//! The members of structures that kernels take by value, with their places in memory.

use std::collections::BTreeMap;

use tree_sitter::Node;

use crate::host::{Code, Frame, Host, declared};
use crate::launches::{Reader, bytes_of};
use crate::tree::named;
use crate::value::Evaluator;

/// Members of a parameter that are looked at, at most.
const MOST: usize = 256;

/// A number or a pointer within a structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name from the structure on: `n`, `inner.scale`, `bias[2]`.
    pub path: String,
    /// Its type, without `*`.
    pub ty: String,
    pub is_pointer: bool,
    /// Bytes from the structure's start.
    pub offset: i64,
    pub bytes: i64,
}

/// By parameter of a kernel (of a template with its arguments), the members of the structure that it is, and the
/// structure's bytes; None if it is no structure, or if its layout is not understood.
#[must_use]
pub fn members(texts: &[&str], kernel: &str) -> Vec<Option<(Vec<Member>, i64)>> {
    let (host, given) = (Host::new(texts), BTreeMap::new());
    let code = Code::of(&host);
    let evaluator = Evaluator::new(&code, &given);
    let reader = Reader { host: &host, code: &code, evaluator: &evaluator };
    let frame = Frame::of(0, usize::MAX);
    let layout = |ty: &str| {
        let mut found = Layout { reader: &reader, frame: &frame, members: Vec::new() };
        let (bytes, _) = found.class(ty, "", 0, 0)?;
        Some((found.members, bytes))
    };
    // Of overloads, and of variants under #if, which one is meant is not looked into.
    if code.functions(kernel.split('<').next().unwrap_or_default()).len() > 1 {
        return Vec::new();
    }
    let parameters = reader.parameters_of(kernel, &frame).into_iter();
    parameters.map(|parameter| layout(&parameter.ty).filter(|_| parameter.is_class)).collect()
}

/// The members that were found so far.
struct Layout<'r, 'a, 'e> {
    reader: &'r Reader<'a, 'e>,
    frame: &'r Frame<'a>,
    members: Vec<Member>,
}

impl<'a> Layout<'_, 'a, '_> {
    /// The bytes and the alignment of a structure that begins at byte `start`; None if it is not understood.
    fn class(&mut self, ty: &str, path: &str, start: i64, depth: usize) -> Option<(i64, i64)> {
        if let Some(standard) = Standard::of(ty) {
            return self.standard(&standard, path, start, depth);
        }
        let name = ty.rsplit("::").next()?;
        let is_known = depth < 8 && !self.reader.code.is_doubtful(name);
        let (source, class) = self.reader.code.class(name).filter(|_| is_known)?;
        let is_plain = class.kind() == "struct_specifier" || class.kind() == "class_specifier";
        let has_bases = named(class).any(|part| part.kind() == "base_class_clause");
        if !is_plain || has_bases {
            return None;
        }
        let (mut bytes, mut widest) = (0, 1);
        for field in named(class.child_by_field_name("body")?).filter(|it| it.kind() == "field_declaration") {
            let text = self.reader.host.text(source, field);
            if text.split_whitespace().any(|word| word == "static") {
                continue;
            }
            if ["virtual", "alignas", "__align__", "volatile"].iter().any(|word| text.contains(word)) {
                return None;
            }
            let ty = self.reader.host.text(source, field.child_by_field_name("type")?).to_owned();
            let mut cursor = field.walk();
            let declarators: Vec<Node<'a>> = field.children_by_field_name("declarator", &mut cursor).collect();
            for declarator in declarators {
                if named(field).any(|part| part.kind() == "bitfield_clause") {
                    return None;
                }
                let Some((size, align)) = self.field(source, &ty, declarator, path, (start, bytes), depth)? else {
                    continue;
                };
                bytes = (bytes + align - 1) / align * align + size;
                widest = widest.max(align);
            }
        }
        Some(((bytes + widest - 1) / widest * widest, widest))
    }

    /// The bytes and the alignment of a member after `bytes` of its structure, Some(None) if it declares a function.
    fn field(
        &mut self,
        source: usize,
        ty: &str,
        declarator: Node<'a>,
        path: &str,
        (start, bytes): (i64, i64),
        depth: usize,
    ) -> Option<Option<(i64, i64)>> {
        let (mut at, mut counts, mut is_pointer) = (declarator, Vec::new(), false);
        loop {
            match at.kind() {
                "field_identifier" => break,
                "function_declarator" => return Some(None),
                "pointer_declarator" => is_pointer = true,
                "array_declarator" => {
                    let size = self.reader.evaluator.value(at.child_by_field_name("size")?, self.frame).ok();
                    counts.push(size.and_then(|size| size.whole()).filter(|size| (1..=64).contains(size))?);
                }
                "reference_declarator" => return None,
                _ => {}
            }
            at = at.child_by_field_name("declarator").or_else(|| named(at).next())?;
        }
        let name = self.reader.host.text(source, declared(declarator)?);
        let own = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        if ty.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| self.reader.code.is_doubtful(word)) {
            return None;
        }
        let plain = self.reader.evaluator.plain_type(ty.trim_start_matches("const "), self.frame);
        let count: i64 = counts.iter().product();
        let vector = vector(&plain).filter(|_| !is_pointer);
        let number = match vector {
            Some(_) => None,
            None if is_pointer => Some((8, 8)),
            None => number(&plain),
        };
        let (each, align) = match (number, vector) {
            (Some(number), _) => number,
            (None, Some((of, lanes, align))) => (bytes_of(of)? * lanes, align),
            (None, None) => self.measured(&plain, depth)?,
        };
        let first = start + (bytes + align - 1) / align * align;
        for i in 0..count {
            if self.members.len() >= MOST {
                return None;
            }
            let path = if counts.is_empty() { own.clone() } else { format!("{own}[{i}]") };
            let offset = first + i * each;
            match (number, vector) {
                (Some(_), _) => self.members.push(Member { path, ty: plain.clone(), is_pointer, offset, bytes: each }),
                (None, Some((of, lanes, _))) => {
                    let bytes = bytes_of(of)?;
                    let parts = ["x", "y", "z", "w"].into_iter().zip(0..lanes);
                    self.members.extend(parts.map(|(part, at)| Member {
                        path: format!("{path}.{part}"),
                        ty: of.to_owned(),
                        is_pointer: false,
                        offset: offset + at * bytes,
                        bytes,
                    }));
                }
                (None, None) => drop(self.class(&plain, &path, offset, depth + 1)?),
            }
        }
        Some(Some((each * count, align)))
    }

    /// The same of an array or a span of the standard library (CCCL, `cuda/std/array` and `cuda/std/span`).
    fn standard(&mut self, of: &Standard, path: &str, start: i64, depth: usize) -> Option<(i64, i64)> {
        let element = |ty: &str| self.reader.evaluator.plain_type(ty, self.frame);
        let name = |part: &str| if path.is_empty() { part.to_owned() } else { format!("{path}.{part}") };
        match of {
            Standard::Array { element: ty, count } => {
                let (ty, count) = (element(ty), count.parse().ok().filter(|count| (1..=64).contains(count))?);
                let number = number(&ty);
                let (each, align) = number.or_else(|| self.measured(&ty, depth))?;
                for i in 0..count {
                    let (path, offset) = (format!("{path}[{i}]"), start + i * each);
                    if number.is_some() {
                        let (ty, is_pointer) = (ty.clone(), false);
                        self.members.push(Member { path, ty, is_pointer, offset, bytes: each });
                    } else {
                        self.class(&ty, &path, offset, depth + 1)?;
                    }
                }
                (self.members.len() <= MOST).then_some((each * count, align))
            }
            Standard::Span { element: ty } => {
                let data = Member { path: name("data"), ty: element(ty), is_pointer: true, offset: start, bytes: 8 };
                let size = Member {
                    path: name("size"),
                    ty: "size_t".to_owned(),
                    is_pointer: false,
                    offset: start + 8,
                    bytes: 8,
                };
                self.members.extend([data, size]);
                Some((16, 8))
            }
        }
    }

    /// The bytes and the alignment of a structure within another.
    fn measured(&self, ty: &str, depth: usize) -> Option<(i64, i64)> {
        Layout { reader: self.reader, frame: self.frame, members: Vec::new() }.class(ty, "", 0, depth + 1)
    }
}

/// A type of the standard library that kernels take by value.
pub enum Standard {
    /// `std::array<element, count>`.
    Array { element: String, count: String },
    /// `std::span<element>`, of a size that is known when the program runs.
    Span { element: String },
}

impl Standard {
    /// The type by its name; None if it is another one.
    pub fn of(ty: &str) -> Option<Self> {
        let plain = ty.trim_start_matches("const ").trim_start_matches("::").trim_start_matches("cuda::");
        let (name, arguments) = plain.strip_prefix("std::")?.strip_suffix('>')?.split_once('<')?;
        let arguments = arguments.trim();
        match (name.trim(), arguments.rsplit_once(',')) {
            ("array", Some((element, count))) => {
                Some(Self::Array { element: element.trim().to_owned(), count: count.trim().to_owned() })
            }
            ("span", None) => Some(Self::Span { element: arguments.trim_start_matches("const ").to_owned() }),
            _ => None,
        }
    }
}

/// The bytes and the alignment of a number's type, or of a vector of halves or bytes, which is loaded as one.
fn number(ty: &str) -> Option<(i64, i64)> {
    let bytes = bytes_of(ty.rsplit("::").next()?)?;
    Some((bytes, bytes))
}

/// The type of a component of CUDA's vectors, their number, and the vector's alignment (CUDA C++ Programming Guide, "Built-in Vector
/// Types").
fn vector(ty: &str) -> Option<(&'static str, i64, i64)> {
    if ty == "dim3" {
        return Some(("unsigned", 3, 4));
    }
    let lanes: i64 = ty.chars().last()?.to_digit(10)?.into();
    let of = match &ty[..ty.len() - 1] {
        "float" => "float",
        "double" => "double",
        "int" => "int",
        "uint" => "unsigned",
        _ => return None,
    };
    let bytes = bytes_of(of)?;
    (2..=4).contains(&lanes).then(|| (of, lanes, if lanes == 3 { bytes } else { (bytes * lanes).min(16) }))
}
