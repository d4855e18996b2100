//! A shader's module-level declarations, and which of its constants decide the size and memory of a workgroup.

use std::ops::Range;

use super::token::token;

/// How a name is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    /// `const`: part of the text.
    Const,
    /// `override`: given when a pipeline is made.
    Override,
}

/// A constant that a shader declares at module level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared<'a> {
    /// `const` or `override`.
    pub keyword: Keyword,
    /// Its name.
    pub name: &'a str,
    /// The byte offset of its name.
    pub at: usize,
    /// The number in its `@id`.
    pub id: Option<&'a str>,
    /// Its type, where it says one.
    pub ty: Option<&'a str>,
    /// The bytes of the expression that it is set to.
    pub value: Option<Range<usize>>,
}

impl Declared<'_> {
    /// Whether `name` means this one: a pipeline knows an override with an `@id` by its number, too.
    #[must_use]
    pub fn goes_by(&self, name: &str) -> bool {
        self.name == name || (self.keyword == Keyword::Override && self.id == Some(name))
    }
}

/// The names of the constants that a shader's workgroups depend on, through other declarations too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sizing {
    /// Those that a `@workgroup_size` depends on.
    pub size: Vec<String>,
    /// Those that the size of a variable in workgroup memory depends on.
    pub shared: Vec<String>,
}

/// The module-level constants of `source`, in order. Works on text that does not parse: a best guess for highlighting.
#[must_use]
pub fn declared(source: &str) -> Vec<Declared<'_>> {
    items(source).iter().filter_map(|item| constant(source, item)).collect()
}

/// Which constants decide how large the workgroups of `source` are, over all its entry points.
#[must_use]
pub fn sizing(source: &str) -> Sizing {
    let items = items(source);
    let text = |range: &Range<usize>| &source[range.clone()];
    // Each declared name and the tokens of its definition: constants, and the types made of them.
    let named: Vec<(&str, Vec<&str>)> = items
        .iter()
        .filter_map(|item| {
            let at = item.iter().position(|t| ["const", "override", "alias", "struct"].contains(&text(t)))?;
            let (name, rest) = item[at + 1..].split_first()?;
            Some((text(name), rest.iter().map(text).collect()))
        })
        .collect();
    let known = declared(source);
    let through = |first: Vec<&str>| {
        let mut seen: Vec<&str> = first;
        let mut next = 0;
        while let Some(name) = seen.get(next).copied() {
            for part in named.iter().filter(|(known, _)| *known == name).flat_map(|(_, parts)| parts) {
                if !seen.contains(part) {
                    seen.push(part);
                }
            }
            next += 1;
        }
        known.iter().filter(|d| seen.contains(&d.name)).map(|d| d.name.to_owned()).collect::<Vec<_>>()
    };
    let (mut size, mut shared) = (Vec::new(), Vec::new());
    for item in &items {
        let words: Vec<&str> = item.iter().map(text).collect();
        if let Some(at) = words.windows(2).position(|pair| pair == ["@", "workgroup_size"]) {
            // Its arguments end where the function, or its next attribute, begins.
            let arguments = words[at + 2..].iter().take_while(|word| !["fn", "@"].contains(*word));
            size.extend(arguments.copied());
        }
        if words.windows(3).any(|three| three == ["var", "<", "workgroup"]) {
            shared.extend(words);
        }
    }
    Sizing { size: through(size), shared: through(shared) }
}

/// The module's declarations as tokens, up to their `;` or the `{` of their body; a struct's with its members.
fn items(source: &str) -> Vec<Vec<Range<usize>>> {
    let (mut items, mut item): (Vec<Vec<Range<usize>>>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
    let (mut at, mut depth) = (0, 0_u32);
    let mut is_struct = false;
    while let Some(token) = token(source, at) {
        at = token.end;
        match &source[token.clone()] {
            "{" => depth += 1,
            "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    items.push(std::mem::take(&mut item));
                    is_struct = false;
                }
            }
            ";" if depth == 0 => items.push(std::mem::take(&mut item)),
            word if depth == 0 || is_struct => {
                is_struct |= word == "struct";
                item.push(token);
            }
            _ => {}
        }
    }
    items
}

fn constant<'a>(source: &'a str, item: &[Range<usize>]) -> Option<Declared<'a>> {
    let word = |i: usize| item.get(i).map_or("", |t: &Range<usize>| &source[t.clone()]);
    let at = (0..item.len()).find(|i| matches!(word(*i), "const" | "override"))?;
    let keyword = if word(at) == "const" { Keyword::Const } else { Keyword::Override };
    let name = item.get(at + 1)?;
    let equals = (at + 2..item.len()).find(|i| word(*i) == "=");
    let id = (0..at).find(|i| word(*i) == "@" && word(i + 1) == "id" && word(i + 2) == "(").map(|i| word(i + 3));
    let between = |from: usize, to: usize| Some(item.get(from)?.start..item.get(to.checked_sub(1)?)?.end);
    let ty = if word(at + 2) == ":" { between(at + 3, equals.unwrap_or(item.len())) } else { None };
    Some(Declared {
        keyword,
        name: &source[name.clone()],
        at: name.start,
        id,
        ty: ty.map(|range| &source[range]),
        value: equals.and_then(|equals| between(equals + 1, item.len())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_those_of_the_module() {
        let source = "// const A: u32 = 1;\nenable f16; /* const B = 2; */\n@id(3) override C : f32;\n\
                      const D: vec2<u32> = vec2(1, 2);\nconst E = D.x * 2; const F: u32 = /* tiles */ 8u;\n\
                      fn f() { const G = 1; let C = 2; }\noverride H: bool = true;";
        let all = declared(source);
        let names: Vec<&str> = all.iter().map(|d| d.name).collect();
        assert_eq!(names, ["C", "D", "E", "F", "H"]);
        let text = |i: usize| all[i].value.clone().map_or("", |range| &source[range]);
        assert_eq!((all[0].keyword, all[0].id, all[0].ty, text(0)), (Keyword::Override, Some("3"), Some("f32"), ""));
        assert!(all[0].goes_by("3") && all[0].goes_by("C") && !all[3].goes_by("3"));
        assert_eq!((all[1].ty, text(1)), (Some("vec2<u32>"), "vec2(1, 2)"));
        assert_eq!((all[2].keyword, all[2].ty, text(2)), (Keyword::Const, None, "D.x * 2"));
        assert_eq!((all[3].ty, text(3)), (Some("u32"), "8u"));
        assert_eq!(text(4), "true");
        for odd in ["const", "const ;", "const A", "const A = ;", "const A: ;", "override :=;", "}}const A=1;", "@id("]
        {
            let _ = (declared(odd), sizing(odd));
        }
    }

    #[test]
    fn what_sizes_a_workgroup_is_found_through_other_declarations() {
        let source = "override M: u32; const BM: u32 = 64; const BN: u32 = 64; const BK: u32 = 8; const TM: u32 = 8;\n\
                      const ROWS = BM / TM; alias Row = array<f32, BN>; struct Tile { rows: array<Row, BK>, }\n\
                      var<workgroup> a: array<f32, BM * BK>;\nvar<workgroup> b: Tile;\nvar<private> c: array<f32, M>;\n\
                      @compute @workgroup_size(32, ROWS) fn main(@builtin(local_invocation_index) TM: u32) { let x = M; }";
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let found = sizing(source);
        assert_eq!(found.size, names(&["BM", "TM", "ROWS"]));
        assert_eq!(found.shared, names(&["BM", "BN", "BK"]));
    }
}
