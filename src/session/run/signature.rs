//! The parameters of a kernel as its source in CUDA C++ or Python declares them: their names, and the elements that
//! pointers lead to. Types come from the kernel's name in PTX where that has them: there the compiler has resolved
//! templates, macros and the types of headers.

use cpp_demangle::Symbol;

use super::pointee::Pointee;
use crate::simt::ptx_source_name;

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    pub name: String,
    /// The elements that it points to, where its type says some that are known.
    pub pointee: Option<Pointee>,
    /// Whether it is a pointer; None if its type does not say it.
    pub is_pointer: Option<bool>,
    /// Its own type, if it is a number of a known one.
    pub number: Option<Pointee>,
    /// How many `*` its type has, and the elements after all of them; None if its type does not say it.
    pub stars: Option<(usize, Option<Pointee>)>,
}

/// The `*` of a type, and the elements after them.
fn stars(ty: &str) -> (usize, Option<Pointee>) {
    (ty.matches('*').count(), Pointee::of_cpp(ty))
}

/// The parameters of the function that is called `mangled` in PTX, as `source` declares it; None if it is not there.
#[must_use]
pub fn signature(source: &str, mangled: &str) -> Option<Vec<Declared>> {
    let entry = ptx_source_name(mangled);
    let is_python = source.contains(&format!("def {entry}"));
    let source = if is_python { without_remarks(source) } else { without_comments(source) };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let names = Names { source: &source };
    let lists = source.match_indices(entry).filter_map(|(at, _)| {
        let (before, after) = (&source[..at], &source[at + entry.len()..]);
        let whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        let defines = before.trim_end().ends_with("void")
            || before.trim_end().ends_with("def")
            || before.trim_end().ends_with(')');
        after.trim_start().strip_prefix('(').filter(|_| whole && defines)
    });
    let read = |list: &str| split(list).into_iter().filter_map(|text| declared(text, &names)).collect::<Vec<_>>();
    let all: Vec<(Vec<Declared>, bool)> = lists.map(|list| (read(list), is_python || has_body(list))).collect();
    let types = types(mangled);
    let fitting = fitting(&all, types.as_deref());
    let mut declared = fitting.first()?.clone();
    // Of variants that differ in their names alone, which one was compiled is not known.
    let names_of = |declared: &[Declared]| declared.iter().map(|of| of.name.clone()).collect::<Vec<_>>();
    if fitting.iter().any(|other| names_of(other) != names_of(&declared)) {
        return None;
    }
    let types = types.filter(|types| types.len() == declared.len());
    for (declared, ty) in declared.iter_mut().zip(types.into_iter().flatten()) {
        declared.is_pointer = Some(ty.contains('*'));
        // A pointer to a pointer has no elements of a known type.
        declared.pointee = if ty.matches('*').count() == 1 { Pointee::of_cpp(&ty) } else { None };
        declared.number = if ty.contains('*') { None } else { Pointee::of_cpp(&ty) };
        declared.stars = Some(stars(&ty));
    }
    Some(declared)
}

/// The declarations that fit a kernel best: those with a body, and of overloads those whose types are the compiler's.
fn fitting(all: &[(Vec<Declared>, bool)], types: Option<&[String]>) -> Vec<Vec<Declared>> {
    let is_defined = all.iter().any(|(_, has_body)| *has_body);
    let all = all.iter().filter(|(_, has_body)| *has_body || !is_defined).map(|(declared, _)| declared);
    let score = |declared: &Vec<Declared>| {
        let types = types.unwrap_or_default();
        let agrees = |(of, ty): &(&Declared, &String)| {
            of.is_pointer.is_none_or(|is_pointer| is_pointer == ty.contains('*'))
                && (of.pointee.is_none() || of.pointee == Pointee::of_cpp(ty))
        };
        (declared.len() == types.len(), declared.iter().zip(types).filter(agrees).count())
    };
    let best = all.clone().map(score).max();
    all.filter(|declared| Some(score(declared)) == best).cloned().collect()
}

/// Whether a body follows a list of parameters.
fn has_body(list: &str) -> bool {
    let mut depth = 0_i32;
    let end = list.char_indices().find(|(_, c)| {
        depth += i32::from(*c == '(') - i32::from(*c == ')');
        depth < 0
    });
    end.is_some_and(|(at, _)| list[at + 1..].trim_start().starts_with('{'))
}

/// The types of a kernel's parameters by its name in PTX; None if that does not have them, as those of `extern "C"` do
/// not.
fn types(mangled: &str) -> Option<Vec<String>> {
    let text = Symbol::new(mangled).ok()?.demangle().ok()?;
    let from = text.char_indices().scan(0_i32, |depth, (at, c)| {
        *depth += i32::from(c == '<') - i32::from(c == '>');
        Some((at, c, *depth))
    });
    let open = from.filter(|(_, c, depth)| *c == '(' && *depth == 0).last()?.0;
    let types = split(&text[open + 1..]);
    Some(types.into_iter().map(|ty| ty.trim().to_owned()).filter(|ty| ty != "void").collect())
}

/// Names of types that a source gives itself.
struct Names<'a> {
    source: &'a str,
}

impl Names<'_> {
    /// The elements of a type. If the source defines its name, those of the definition; None if several definitions
    /// differ.
    fn pointee(&self, ty: &str) -> Option<Pointee> {
        let known = Pointee::of_cpp(ty);
        if known.is_some() {
            return known;
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let qualifiers = ["const", "volatile", "restrict", "__restrict__", "__restrict", "struct", "typename", ""];
        let name = ty.split(|c| !is_word(c)).find(|word| !qualifiers.contains(word))?;
        let of_line = |line: &str| {
            let line = line.trim().trim_end_matches(';');
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["typedef", of @ .., last] if *last == name => Some(of.join(" ")),
                ["using", new, "=", of @ ..] | ["#define", new, of @ ..] if *new == name => Some(of.join(" ")),
                _ => None,
            }
        };
        let mut all = self.source.lines().filter_map(of_line).map(|of| Pointee::of_cpp(&of));
        let first = all.next()??;
        all.all(|other| other == Some(first)).then_some(first)
    }
}

fn declared(text: &str, names: &Names<'_>) -> Option<Declared> {
    // A default value, and the annotation of Python.
    let text = text.split('=').next().unwrap_or(text);
    if text.contains("constexpr") && text.contains(':') {
        // A constant of Triton's, which is no parameter of the compiled kernel.
        return None;
    }
    let is_array = text.contains('[');
    // A namespace of C++ is no annotation.
    let text = text.replace("::", "__");
    let text = text.split([':', '[']).next().unwrap_or_default().trim();
    let start = text.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    let (ty, name) = text.split_at(start);
    // A pointer to a pointer has no elements of a known type.
    let pointee = if ty.matches('*').count() == 1 { names.pointee(ty) } else { None };
    let is_number = !ty.contains('*') && Pointee::of_cpp(ty).is_some();
    let is_pointer = if ty.contains('*') || is_array { Some(true) } else { is_number.then_some(false) };
    let number = if ty.contains('*') || is_array { None } else { Pointee::of_cpp(ty) };
    // A name of the source's own may hide some.
    let stars = Some(stars(ty)).filter(|(count, of)| *count > 1 || of.is_some());
    (!name.is_empty()).then(|| Declared { name: name.to_owned(), pointee, is_pointer, number, stars })
}

/// The parts of a list between commas, up to its closing bracket.
fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0_i32, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' if depth == 0 => {
                parts.push(&list[from..at]);
                return parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
            }
            ')' | '>' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    Vec::new()
}

/// Python without its comments.
fn without_remarks(source: &str) -> String {
    source.lines().flat_map(|line| [line.split('#').next().unwrap_or_default(), "\n"]).collect()
}

fn without_comments(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find('/') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        rest = if from.starts_with("//") {
            from.find('\n').map_or("", |end| &from[end..])
        } else if let Some(inner) = from.strip_prefix("/*") {
            inner.find("*/").map_or("", |end| &inner[end + 2..])
        } else {
            out.push('/');
            &from[1..]
        };
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::tensor::Elem;

    fn of(source: &str) -> Vec<(String, Option<Elem>)> {
        let of = |d: Declared| (d.name, d.pointee.map(Pointee::elem));
        signature(source, "add").unwrap_or_default().into_iter().map(of).collect()
    }

    #[test]
    fn names_and_elements() {
        let cuda = "// add(int x)\n__global__ void __launch_bounds__(256) add(const float* __restrict__ a, /* n, */ __half *b,\n  int n, std::pair<int, int> p, unsigned int out[]) { add2(a); }";
        let name = |name: &str, elem| (name.to_owned(), elem);
        let wanted = [
            name("a", Some(Elem::F32)),
            name("b", Some(Elem::F16)),
            name("n", None),
            name("p", None),
            name("out", None),
        ];
        assert_eq!(of(cuda), wanted);
        let python = "@triton.jit\ndef add(x_ptr,  # in, out\n        n, BLOCK: tl.constexpr):  # sums\n    pass";
        assert_eq!(of(python), [name("x_ptr", None), name("n", None)]);
        assert_eq!(signature("void added(int a);", "add"), None);
        let alias = "typedef __nv_bfloat16 floatX;\nusing number = const double;\n__global__ void add(floatX* a, const number* b) {}";
        assert_eq!(of(alias), [name("a", Some(Elem::Bf16)), name("b", Some(Elem::U32))]);
        let unclear =
            "#if BF16\ntypedef __nv_bfloat16 floatX;\n#else\ntypedef float floatX;\n#endif\nvoid add(floatX* a) {}";
        assert_eq!(of(unclear), [name("a", None)]);
        let template = "template <int N, class T, typename U> __global__ void add(T* a, const U* b, int n) {}";
        let found = signature(template, "_Z3addILi16Ei6__halfEvPT0_PKT1_i").unwrap_or_default();
        let elems: Vec<_> = found.iter().map(|d| d.pointee.map(Pointee::elem)).collect();
        assert_eq!(elems, [Some(Elem::I32), Some(Elem::F16), None]);
        let pointers: Vec<_> = found.iter().map(|d| d.is_pointer).collect();
        assert_eq!(pointers, [Some(true), Some(true), Some(false)]);
        // A macro decides which type of a header it is; the name in PTX has the answer.
        let found = signature(unclear, "_Z3addP13__nv_bfloat16").unwrap_or_default();
        assert_eq!(found[0].pointee.map(Pointee::elem), Some(Elem::Bf16));
        let source = "extern \"C\" __global__ void add(const signed char* x, size_t off, Box box) {}";
        let pointers: Vec<_> = signature(source, "add").unwrap_or_default().iter().map(|d| d.is_pointer).collect();
        assert_eq!(pointers, [Some(true), Some(false), None]);
        assert_eq!(of("void add("), []);
    }
}
