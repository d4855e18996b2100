//! Initial contents of a traced file's buffers: members set by name, and notes on buffers without given contents.

use std::collections::BTreeSet;

use crate::base::diag::{Diagnostic, nearest};
use crate::base::tensor::{Elem, Tensor};
use crate::job::{BindingKind, BufferSpec, Content, no_buffer};
use crate::simt::layout::{Layout, Shape};
use crate::simt::{Binding, Program};

/// Upper bound of members named in a hint.
const NAMED: usize = 24;

/// Numbers for a member: its path, `params.a[1].b`, and one for each number that it holds.
pub type Setting = (String, Vec<f64>);

/// Sets members to their numbers; `buffers` are those of the bindings, and `seed` fills the rest of them. Returns, by
/// binding, the bytes at which a number was set.
///
/// # Errors
/// Every setting that names no member, has a wrong count of numbers or one that the member's type cannot hold, or sets
/// a member again.
pub fn set(
    bindings: &[Binding],
    buffers: &mut [BufferSpec],
    settings: &[Setting],
    seed: u64,
) -> Result<Vec<BTreeSet<u64>>, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let mut contents: Vec<Option<Tensor>> = vec![None; bindings.len()];
    let mut given = vec![BTreeSet::new(); bindings.len()];
    for (path, numbers) in settings {
        let name = &path[..path.find(['.', '[']).unwrap_or(path.len())];
        let Some(at) = bindings.iter().position(|binding| binding.name == name) else {
            problems.push(no_buffer(name, bindings.iter().map(|binding| binding.name.as_str())));
            continue;
        };
        let tensor = match &mut contents[at] {
            Some(tensor) => tensor,
            none => match buffers[at].fill(seed, at) {
                Ok(tensor) => none.insert(tensor),
                Err(problem) => return Err(vec![problem]),
            },
        };
        let put = place(&bindings[at].layout, name, path)
            .and_then(|place| put(&place, path, numbers, tensor, &mut given[at]));
        problems.extend(put.err());
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    for (buffer, tensor) in buffers.iter_mut().zip(contents) {
        if let Some(tensor) = tensor {
            buffer.content = Content::Words(tensor.words.into());
        }
    }
    Ok(given)
}

/// A part of a buffer.
struct Place<'a> {
    byte: u64,
    layout: &'a Layout,
}

/// The part of a buffer that a path leads to.
fn place<'a>(layout: &'a Layout, name: &str, path: &str) -> Result<Place<'a>, Diagnostic> {
    let mut place = Place { byte: 0, layout };
    let mut way = name.to_owned();
    let mut rest = &path[name.len()..];
    while !rest.is_empty() {
        let end = rest[1..].find(['.', '[']).map_or(rest.len(), |end| end + 1);
        let (step, after) = rest.split_at(end);
        let next = match (step.strip_prefix('.'), step.strip_prefix('[').and_then(|step| step.strip_suffix(']'))) {
            (Some(member), _) => place.member(member.trim()),
            (_, Some(index)) => index.trim().parse().ok().and_then(|index| place.element(index)),
            (None, None) => None,
        };
        place = next.ok_or_else(|| {
            let what = step.trim_start_matches('.');
            let problem = Diagnostic::error(format!("`{way}` is {}, and has no `{what}`", article(&place.layout.ty)));
            problem.hint(parts(place.layout, &way, Some(what)))
        })?;
        way.push_str(step);
        rest = after;
    }
    Ok(place)
}

fn article(ty: &str) -> String {
    format!("{} {ty}", if ty.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" })
}

impl<'a> Place<'a> {
    fn member(&self, name: &str) -> Option<Place<'a>> {
        match &self.layout.shape {
            Shape::Members(members) => {
                let member = members.iter().find(|member| member.name == name)?;
                Some(Place { byte: self.byte + u64::from(member.offset), layout: &member.layout })
            }
            Shape::Elements { .. } if self.layout.ty.starts_with("vec") => {
                self.element(["x", "y", "z", "w"].iter().position(|letter| *letter == name)? as u64)
            }
            Shape::Scalar(_) | Shape::Elements { .. } => None,
        }
    }

    fn element(&self, index: u64) -> Option<Place<'a>> {
        match &self.layout.shape {
            Shape::Elements { of, stride, len } if len.is_none_or(|len| index < len.into()) => {
                Some(Place { byte: self.byte.checked_add(index.checked_mul((*stride).into())?)?, layout: of })
            }
            _ => None,
        }
    }
}

/// A hint with the parts of the place named `way`, and the one nearest to the `wanted` part, which does not exist.
fn parts(layout: &Layout, way: &str, wanted: Option<&str>) -> String {
    match &layout.shape {
        Shape::Scalar(_) => format!("write {way}=NUMBER"),
        Shape::Elements { len: None, .. } => format!("write {way}[INDEX]"),
        Shape::Elements { len: Some(len), .. } => {
            format!("its elements are {way}[0] to {way}[{}]", len.saturating_sub(1))
        }
        Shape::Members(members) => {
            let names = members.iter().map(|member| member.name.as_str());
            let near = wanted.and_then(|wanted| nearest(wanted, names));
            let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
            let named = members.iter().take(NAMED).map(|member| format!("{}: {}", member.name, member.layout.ty));
            let named: Vec<String> = named.collect();
            let more = if members.len() > NAMED { ", …" } else { "" };
            format!("{near}its members are {}{more}", named.join(", "))
        }
    }
}

/// Puts numbers into a part of a buffer.
fn put(
    place: &Place<'_>,
    path: &str,
    numbers: &[f64],
    tensor: &mut Tensor,
    given: &mut BTreeSet<u64>,
) -> Result<(), Diagnostic> {
    let ty = &place.layout.ty;
    let Some(wanted) = place.layout.numbers() else {
        let problem = Diagnostic::error(format!("the size of `{path}`, {}, is its buffer's", article(ty)));
        return Err(problem.hint(format!("set single elements, `{path}[0]=…`, or give it --input FILE.npy")));
    };
    if numbers.len() as u64 != wanted {
        let problem =
            Diagnostic::error(format!("`{path}` is {} of {wanted} numbers, not of {}", article(ty), numbers.len()));
        return Err(
            problem.hint(format!("write all with commas between, or set a part: {}", parts(place.layout, path, None)))
        );
    }
    let mut places = Vec::new();
    place.layout.each_number(place.byte, &mut |byte, elem| places.push((byte, elem)));
    for ((byte, elem), number) in places.into_iter().zip(numbers) {
        if !elem.holds(*number) {
            let problem = Diagnostic::error(format!("`{path}` is of {}, which has no {number}", elem.name()));
            return Err(problem.hint("give it a number that it can hold"));
        }
        let Some(word) = usize::try_from(byte / 4).ok().and_then(|word| tensor.words.get_mut(word)) else {
            let problem = Diagnostic::error(format!("`{path}` is past the end of its buffer"));
            return Err(problem.hint("give the buffer more elements with --buffer, or a smaller index"));
        };
        if !given.insert(byte) {
            let problem = Diagnostic::error(format!("`{path}` is set twice"));
            return Err(problem.hint("leave one of the two --set-uniform out"));
        }
        *word = encoded(*word, byte, elem, *number);
    }
    Ok(())
}

/// The word that contains `byte`, with the number put in.
fn encoded(word: u32, byte: u64, elem: Elem, number: f64) -> u32 {
    match (elem.bytes(), byte % 4) {
        (2, 0) => word & 0xFFFF_0000 | elem.encode(number) & 0xFFFF,
        (2, _) => word & 0xFFFF | elem.encode(number) << 16,
        _ => elem.encode(number),
    }
}

/// A line with the contents of each buffer that the kernel reads and that was not, or not wholly, given. `is_given`
/// says whether an option gave a binding's content, and `set` has the bytes at which a number was set.
#[must_use]
pub fn not_given(
    program: &Program,
    buffers: &[BufferSpec],
    set: &[BTreeSet<u64>],
    is_given: &dyn Fn(&str) -> bool,
) -> Vec<String> {
    let each = program.bindings().iter().zip(buffers).zip(set).enumerate();
    let notes = each.filter_map(|(i, ((binding, buffer), set))| {
        let name = &binding.name;
        if is_given(name) || !program.reads(i) {
            return None;
        }
        let holds = if binding.kind == BindingKind::Uniform { "zeros" } else { "random numbers" };
        if set.is_empty() {
            let what = if binding.kind == BindingKind::Uniform { "the uniform " } else { "" };
            let how = match &binding.layout.shape {
                Shape::Members(members) => {
                    members.first().map(|member| format!("--set-uniform {name}.{}=…", member.name))
                }
                _ if binding.kind == BindingKind::Uniform => Some(format!("--set-uniform {name}=…")),
                _ => None,
            };
            let how = how.unwrap_or_else(|| format!("--buffer {name}={}:iota", buffer.count));
            return Some(format!(
                "{what}`{name}` was not set and holds {holds}: set it with {how} or --input {name}=FILE.npy"
            ));
        }
        let Shape::Members(members) = &binding.layout.shape else { return None };
        let ends = members.iter().skip(1).map(|member| u64::from(member.offset)).chain([u64::MAX]);
        let left = members.iter().zip(ends).filter(|(member, end)| {
            let set = set.range(u64::from(member.offset)..*end).count() as u64;
            member.layout.numbers() != Some(set)
        });
        let left: Vec<String> = left.map(|(member, _)| format!("`{name}.{}`", member.name)).collect();
        (!left.is_empty()).then(|| format!("nothing sets {}: left at {holds}", left.join(", ")))
    });
    notes.collect()
}
