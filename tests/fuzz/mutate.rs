//! Random changes of the corpus: of tokens, statements, declarations, numbers and characters.

use std::path::Path;

use warpbook::base::rng;

/// The largest text.
const MAX_BYTES: usize = 1 << 16;

/// Numbers at the edges of things.
const NUMBERS: [&str; 34] = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "7",
    "8",
    "16",
    "31",
    "32",
    "33",
    "63",
    "64",
    "65",
    "255",
    "1024",
    "65535",
    "65536",
    "16777217",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967295u",
    "-1",
    "-2147483648",
    "0x7fffffffi",
    "0xffffffffu",
    "1.0",
    "0.5",
    "-0.0",
    "1e38",
    "3.40282347e38f",
    "1e-45",
];
/// Types, and functions that are used alike: one of them may replace another throughout.
const ALIKE: [&[&str]; 4] = [
    &[
        "u32",
        "i32",
        "f32",
        "bool",
        "vec2<u32>",
        "vec3<u32>",
        "vec4<i32>",
        "vec2<f32>",
        "vec3<f32>",
        "vec4<f32>",
        "mat2x2<f32>",
        "mat3x2<f32>",
        "mat4x4<f32>",
        "array<u32, 3>",
        "array<vec3<f32>, 2>",
        "atomic<u32>",
        "f16",
        "f64",
        "i64",
    ],
    &["function", "private", "workgroup", "storage", "uniform", "read", "read_write", "write"],
    &[
        "abs",
        "sign",
        "floor",
        "fract",
        "sqrt",
        "exp2",
        "countOneBits",
        "reverseBits",
        "firstLeadingBit",
        "normalize",
        "length",
        "any",
        "all",
        "transpose",
        "determinant",
        "unpack4x8snorm",
        "pack2x16float",
        "quantizeToF16",
        "bool",
        "arrayLength",
        "modf",
        "frexp",
    ],
    &[
        "min",
        "max",
        "dot",
        "cross",
        "pow",
        "atan2",
        "step",
        "distance",
        "reflect",
        "ldexp",
        "atomicAdd",
        "atomicMax",
        "atomicStore",
        "atomicExchange",
        "dot4I8Packed",
        "subgroupShuffle",
        "subgroupBroadcast",
    ],
];
const OPERATORS: [&str; 19] =
    ["+", "-", "*", "/", "%", "&", "|", "^", "<<", "==", "!=", "<", "<=", ">=", "&&", "||", "=", "+=", "-="];
/// The surroundings of a statement.
const AROUND: [(&str, &str); 8] = [
    ("if true {", "}"),
    ("loop {", "break; }"),
    ("for (var q = 0u; q < 3u; q++) {", "}"),
    ("switch 1 { default {", "} }"),
    ("loop {", "continuing { break if true; } }"),
    ("{", "}"),
    ("while false {", "}"),
    ("if false {} else {", "continue; }"),
];

/// The words of a text, each with the white space after it, so that together they are the text. Comments are words.
pub fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let start = at;
        let first = chars[at];
        at += 1;
        let next = chars.get(at).copied().unwrap_or(' ');
        if first.is_alphanumeric() || first == '_' {
            while chars.get(at).is_some_and(|c| c.is_alphanumeric() || *c == '_' || first.is_ascii_digit() && *c == '.')
            {
                at += 1;
            }
        } else if first == '/' && next == '/' {
            while chars.get(at).is_some_and(|c| *c != '\n') {
                at += 1;
            }
        } else if next == '=' && "=!<+-*/%&|^".contains(first)
            || first == next && "&|<+-".contains(first)
            || first == '-' && next == '>'
        {
            at += 1;
        }
        while chars.get(at).is_some_and(|c| c.is_whitespace()) {
            at += 1;
        }
        out.push(chars[start..at].iter().collect());
    }
    out
}

/// Random choices, the same for a seed on any machine.
struct Choices {
    seed: u64,
    next: u64,
}

impl Choices {
    fn below(&mut self, n: usize) -> usize {
        self.next += 1;
        rng::word(self.seed, self.next) as usize % n.max(1)
    }

    fn of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}

/// The texts that others are made from.
pub struct Corpus {
    texts: Vec<Vec<String>>,
    /// Those that run, which most are made from.
    running: Vec<usize>,
}

impl Corpus {
    pub fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut paths = Vec::new();
        for folder in ["tests/corpus", "tests/kernels", "shaders/coalescing"] {
            paths
                .extend(std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
        paths.retain(|path| path.extension().is_some_and(|e| e == "wgsl"));
        paths.sort();
        let texts: Vec<String> = paths.iter().map(|path| std::fs::read_to_string(path).unwrap_or_default()).collect();
        assert!(texts.len() > 100, "the corpus was not found");
        let running =
            (0..texts.len()).filter(|i| !texts[*i].starts_with("// re") && !texts[*i].starts_with("// no")).collect();
        // Headers say what comes of a file as it is.
        let body = |text: &String| tokens(text.split_once("\n\n").map_or("", |(_, body)| body));
        Self { texts: texts.iter().map(body).collect(), running }
    }

    /// The text of a seed.
    pub fn text(&self, seed: u64) -> String {
        let mut choices = Choices { seed, next: 0 };
        let start = if choices.below(5) == 0 {
            choices.below(self.texts.len())
        } else {
            self.running[choices.below(self.running.len())]
        };
        let mut text = self.texts[start].clone();
        let changes = [1, 1, 1, 1, 1, 1, 2, 2, 3, 12][choices.below(10)];
        for _ in 0..changes {
            let before = text.clone();
            self.change(&mut text, &mut choices);
            if text.iter().map(String::len).sum::<usize>() > MAX_BYTES {
                text = before;
            }
        }
        let text = text.concat();
        if choices.below(20) == 0 { noise(&text, &mut choices) } else { text }
    }

    fn other(&self, choices: &mut Choices) -> &[String] {
        &self.texts[choices.below(self.texts.len())]
    }

    /// Makes one change.
    fn change(&self, text: &mut Vec<String>, choices: &mut Choices) {
        if text.is_empty() {
            text.extend_from_slice(self.other(choices));
            return;
        }
        let at = choices.below(text.len());
        // Changes that mostly leave a valid text are made more often.
        let kinds = [
            0, 1, 2, 3, 4, 4, 5, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 10, 10, 11, 12, 12, 13, 13, 13, 14, 14, 15,
            15, 15,
        ];
        match kinds[choices.below(kinds.len())] {
            0 => _ = text.remove(at),
            1 => text.insert(at, text[at].clone()),
            2 => {
                let with = choices.below(text.len());
                text.swap(at, with);
            }
            // A run of tokens from elsewhere.
            3 => {
                let other = self.other(choices);
                let from = choices.below(other.len());
                let run = other[from..].iter().take(1 + choices.below(12)).cloned();
                text.splice(at..at, run);
            }
            4 => rename(text, at, choices),
            5 | 6 => numbers(text, choices),
            7 => alike(text, choices),
            8 => operator(text, choices),
            9 => {
                let range = statement(text, at);
                text.drain(range);
            }
            10 => {
                let piece = text[statement(text, at)].to_vec();
                let to = statement(text, choices.below(text.len())).start;
                text.splice(to..to, piece);
            }
            11 => {
                let other = self.other(choices);
                let piece = other[statement(other, choices.below(other.len()))].to_vec();
                let to = statement(text, at).start;
                text.splice(to..to, piece);
            }
            // Another text's declarations beside these, under names of their own.
            12 => {
                let mut other = self.other(choices).to_vec();
                for name in ["main", "out", "data", "signed", "real", "tile"] {
                    replace(&mut other, name, &format!("{name}_too"), 1);
                }
                let to = if choices.below(2) == 0 { 0 } else { text.len() };
                text.splice(to..to, other);
            }
            13 => {
                let range = statement(text, at);
                let (before, after) = AROUND[choices.below(AROUND.len())];
                text.insert(range.end, format!("{after}\n"));
                text.insert(range.start, before.to_owned());
            }
            14 => {
                let range = statement(text, at);
                let piece: Vec<String> = text[range.clone()].to_vec();
                let times = [2, 10, 100][choices.below(3)];
                for _ in 0..times {
                    text.splice(range.end..range.end, piece.iter().cloned());
                }
            }
            // A word inside ever more of the same.
            _ => {
                let around = choices.of(&[
                    "(@ + @)",
                    "vec2(@, @).x",
                    "select(@, @, true)",
                    "min(@, @)",
                    "(@)",
                    "-@",
                    "array(@, @)[1]",
                    "(@ << 1u)",
                ]);
                for _ in 0..1 + choices.below(6) {
                    text[at] = around.replace('@', text[at].trim_end());
                    if text[at].len() > MAX_BYTES {
                        break;
                    }
                }
            }
        }
    }
}

/// One name for another, throughout.
fn rename(text: &mut [String], at: usize, choices: &mut Choices) {
    let name = |word: &str| word.trim_end().chars().all(|c| c.is_alphanumeric() || c == '_');
    let to = text[choices.below(text.len())].trim_end().to_owned();
    let was = text[at].trim_end().to_owned();
    if name(&was) && name(&to) {
        replace(text, &was, &to, 1 + choices.below(3));
    }
}

/// Every `each`-th `was` becomes `to`.
fn replace(text: &mut [String], was: &str, to: &str, each: usize) {
    for word in text.iter_mut().filter(|word| word.trim_end() == was).step_by(each) {
        *word = format!("{to}{}", &word[was.len()..]);
    }
}

fn numbers(text: &mut [String], choices: &mut Choices) {
    let places: Vec<usize> = (0..text.len()).filter(|i| text[*i].starts_with(|c: char| c.is_ascii_digit())).collect();
    if places.is_empty() {
        return;
    }
    let word = &mut text[places[choices.below(places.len())]];
    let digits = word.trim_end();
    // With the suffix that it had, it keeps its type.
    let suffix = digits.chars().last().filter(|c| "uifh".contains(*c)).map(String::from).unwrap_or_default();
    let number = choices.of(&NUMBERS);
    let suffix = if number.ends_with(|c: char| c.is_ascii_digit()) { suffix } else { String::new() };
    *word = format!("{number}{suffix}{}", &word[digits.len()..]);
}

fn alike(text: &mut [String], choices: &mut Choices) {
    let group = ALIKE[choices.below(ALIKE.len())];
    let there: Vec<&str> = group.iter().copied().filter(|word| text.iter().any(|t| t.trim_end() == *word)).collect();
    if !there.is_empty() {
        let (was, to, each) = (choices.of(&there), choices.of(group), 1 + choices.below(2));
        replace(text, was, to, each);
    }
}

fn operator(text: &mut [String], choices: &mut Choices) {
    let places: Vec<usize> = (0..text.len()).filter(|i| OPERATORS.contains(&text[*i].trim_end())).collect();
    if !places.is_empty() {
        let word = &mut text[places[choices.below(places.len())]];
        *word = format!("{} ", choices.of(&OPERATORS));
    }
}

/// The statement or declaration that the token at `at` is in.
fn statement(text: &[String], at: usize) -> std::ops::Range<usize> {
    let ends = |word: &str| matches!(word.trim_end(), ";" | "{" | "}");
    let mut start = at;
    while start > 0 && !ends(&text[start - 1]) {
        start -= 1;
    }
    let mut depth = 0_usize;
    for (i, word) in text.iter().enumerate().skip(start) {
        match word.trim_end() {
            "{" | "(" => depth += 1,
            "}" | ")" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && word.starts_with('}') {
                    return start..i + 1;
                }
            }
            ";" if depth == 0 => return start..i + 1,
            _ => {}
        }
    }
    start..text.len()
}

/// Characters out of place.
fn noise(text: &str, choices: &mut Choices) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..1 + choices.below(4) {
        let at = choices.below(chars.len());
        let other = [
            '\0',
            '\u{7f}',
            '"',
            '@',
            '/',
            '*',
            '<',
            '>',
            '{',
            '}',
            ';',
            '(',
            '9',
            'x',
            '\u{e9}',
            '\u{1F600}',
            '\u{202e}',
            '\n',
        ][choices.below(18)];
        match choices.below(3) {
            0 if !chars.is_empty() => chars[at] = other,
            1 if !chars.is_empty() => _ = chars.remove(at),
            _ => chars.insert(at.min(chars.len()), other),
        }
    }
    chars.into_iter().collect()
}
