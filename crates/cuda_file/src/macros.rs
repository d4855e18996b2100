//! Texts of macros, and of their uses.

/// The name of the macro that a line defines.
pub fn defined_by(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
    let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    (length > 0).then(|| rest[..length].to_owned())
}

/// The text of a macro with arguments in place of its parameters.
pub fn substituted(text: &str, parameters: &[String], given: &[&str]) -> String {
    let mut result = String::with_capacity(text.len());
    let fixed = parameters.iter().position(|parameter| parameter.contains("...")).unwrap_or(parameters.len());
    let rest_of = given.get(fixed..).unwrap_or_default().join(", ");
    let mut rest = text;
    while let Some(begin) = rest.find(|c: char| c.is_alphanumeric() || c == '_') {
        let length = rest[begin..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len() - begin);
        let word = &rest[begin..begin + length];
        let value =
            parameters.iter().position(|parameter| parameter == word).and_then(|at| given.get(at)).unwrap_or(&word);
        let value = if word == "__VA_ARGS__" { rest_of.as_str() } else { value };
        result.push_str(&rest[..begin]);
        result.push_str(value);
        rest = &rest[begin + length..];
    }
    result.push_str(rest);
    result.replace(" ## ", "").replace("##", "")
}

/// The arguments of a macro's use.
pub fn split(list: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut parts) = (0, 0, Vec::new());
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(list[begin..at].trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[begin..].trim());
    parts
}
