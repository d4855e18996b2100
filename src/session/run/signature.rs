//! The parameters of a kernel as its source in CUDA C++ or Python declares them: their names, and the elements that pointers lead to.

use super::pointee::Pointee;

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// The elements that it points to, where its type says some that are known.
    pub pointee: Option<Pointee>,
}

/// The parameters of the function `entry` in `source`; None if it is not there.
#[must_use]
pub fn signature(source: &str, entry: &str) -> Option<Vec<Declared>> {
    let is_python = source.contains(&format!("def {entry}"));
    let source = if is_python { without_remarks(source) } else { without_comments(source) };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let list = source.match_indices(entry).find_map(|(at, _)| {
        let (before, after) = (&source[..at], &source[at + entry.len()..]);
        let whole = !before.ends_with(is_word) && !after.starts_with(is_word);
        let defines = before.trim_end().ends_with("void")
            || before.trim_end().ends_with("def")
            || before.trim_end().ends_with(')');
        after.trim_start().strip_prefix('(').filter(|_| whole && defines)
    })?;
    Some(split(list).into_iter().filter_map(declared).collect())
}

fn declared(text: &str) -> Option<Declared> {
    // A default value, and the annotation of Python.
    let text = text.split('=').next().unwrap_or(text);
    if text.contains("constexpr") && text.contains(':') {
        // A constant of Triton's, which is no parameter of the compiled kernel.
        return None;
    }
    // A namespace of C++ is no annotation.
    let text = text.replace("::", "__");
    let text = text.split([':', '[']).next().unwrap_or_default().trim();
    let start = text.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    let (ty, name) = text.split_at(start);
    // A pointer to a pointer has no elements of a known type.
    let pointee = if ty.matches('*').count() == 1 { Pointee::of_cpp(ty) } else { None };
    (!name.is_empty()).then(|| Declared { name: name.to_owned(), pointee })
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
        assert_eq!(of("void add("), []);
    }
}
