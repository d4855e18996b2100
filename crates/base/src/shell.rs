//! Words of a command line: in quotes as a shell wants them, and taken apart again.

/// A word as it is typed: in quotes where a shell would read it otherwise.
#[must_use]
pub fn typed(text: &str) -> String {
    let is_plain = text.chars().all(|c| c.is_alphanumeric() || "_-=.,:/@+".contains(c));
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// The words of a line, with spaces within quotes; None if a quote is not closed.
#[must_use]
pub fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_typed_and_read_again() {
        let texts = ["n=1000", "x.size(0)=4", "sum<int, 4>"];
        let line: Vec<String> = texts.iter().map(|text| typed(text)).collect();
        assert_eq!(line, ["n=1000", "'x.size(0)=4'", "'sum<int, 4>'"]);
        assert_eq!(words(&format!("  {}  ", line.join(" "))), Some(texts.map(str::to_owned).to_vec()));
        assert_eq!(words("a '' b").map(|words| words.len()), Some(3));
        assert_eq!(words("--entry 'k"), None);
    }
}
