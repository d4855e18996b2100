//! Finding definitions in a kernel's text, for messages. CUDA C++ is near enough to WGSL for its functions to be found,
//! too.

use super::token::token;

/// The byte offset of the name of the function `name` in its definition.
#[must_use]
pub fn function(source: &str, name: &str) -> Option<usize> {
    let is_word = |token: &str| token.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == ')');
    find(source, |before, this, after| this == name && is_word(before) && after == "(")
}

/// The byte offset of the name of the buffer `name` in its WGSL declaration.
#[must_use]
pub fn buffer(source: &str, name: &str) -> Option<usize> {
    find(source, |before, this, after| this == name && before == ">" && after == ":")
}

/// The names of the functions of a shader.
#[must_use]
pub fn functions(source: &str) -> Vec<&str> {
    let tokens: Vec<&str> = super::tokens(source).collect();
    tokens.windows(2).filter(|pair| pair[0] == "fn").map(|pair| pair[1]).collect()
}

/// The first token that fits, with the ones before and after it.
fn find(source: &str, fits: impl Fn(&str, &str, &str) -> bool) -> Option<usize> {
    let (mut before, mut this) = (0..0, token(source, 0)?);
    while let Some(after) = token(source, this.end) {
        if fits(&source[before], &source[this.clone()], &source[after.clone()]) {
            return Some(this.start);
        }
        (before, this) = (this, after);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_by_name() {
        let wgsl = "// fn main()\nvar<storage> x: array<f32>;\nfn x2(a: u32) {}\nfn main() { x2(x[0]); }\n";
        assert_eq!(function(wgsl, "main"), wgsl.rfind("main"));
        assert_eq!(function(wgsl, "x2"), wgsl.find("x2"));
        assert_eq!(function(wgsl, "mai"), None);
        assert_eq!(buffer(wgsl, "x"), wgsl.find("x: array"));
        assert_eq!(buffer(wgsl, "a"), None);
        assert_eq!(functions(wgsl), ["x2", "main"]);
        let cuda = "extern \"C\" __global__ void copy(const float *x) {}\n";
        assert_eq!(function(cuda, "copy"), cuda.find("copy"));
        assert_eq!(function("", "copy"), None);
    }
}
