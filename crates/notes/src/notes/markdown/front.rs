//! The front matter of a note: a flat map in YAML with the keys that its reader knows.

use crate::notes::report::INDEX;
use crate::notes::{Format, Report};

/// The front matter, with its lines of dashes; empty for a reader that shows it as text.
pub(super) fn front_matter(report: &Report, format: Format) -> String {
    let (title, lesson) = (quoted(&report.title), quoted(&report.lesson));
    let date = date(&report.created);
    // A tag is letters, digits, `_`, `-` and `/`, as a lesson's id is without the last.
    let tags = format!("tags:\n  - warpbook\n  - {lesson}\n");
    let keys = match format {
        Format::GitHub => return String::new(),
        Format::Obsidian => {
            // The index has a link from each note, and so lists them among its backlinks.
            let up = format!("up: \"[[{INDEX}]]\"\n");
            let up = if report.lesson == INDEX { "" } else { &up };
            format!("aliases:\n  - {title}\n{tags}date: {date}\nlesson: {lesson}\n{up}")
        }
        Format::Jekyll => format!("layout: post\ntitle: {title}\ndate: {date}\n{tags}"),
        Format::Hugo => format!("title: {title}\ndate: {date}\n{tags}math: true\n"),
        Format::Quarto => {
            format!("title: {title}\ndate: {date}\nformat:\n  html:\n    toc: true\nexecute:\n  enabled: false\n")
        }
        _ => format!("title: {title}\nlesson: {lesson}\ncreated: {date}\n"),
    };
    format!("---\n{keys}---\n")
}

/// A JSON string, which YAML reads as a quoted scalar whatever is in it. `<` is escaped in it, because a reader of
/// Markdown that knows no front matter would take a tag for HTML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('<', "\\u003c")
}

/// A date as YAML has it, which readers sort by; quoted if it is none.
fn date(text: &str) -> String {
    let is_date = text.len() == 10
        && text.bytes().enumerate().all(|(i, c)| if [4, 7].contains(&i) { c == b'-' } else { c.is_ascii_digit() });
    if is_date { text.to_owned() } else { quoted(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::report::tests::sample;

    #[test]
    fn front_matter_is_flat_and_holds_any_title() {
        let mut report = sample();
        report.title = "a: | [[b]] {% c %} --- \"d\" # $e$ <f>".to_owned();
        let text = front_matter(&report, Format::Obsidian);
        let title = r#""a: | [[b]] {% c %} --- \"d\" # $e$ \u003cf>""#;
        let tags = "tags:\n  - warpbook\n  - \"coalescing\"\n";
        let expected = format!("---\naliases:\n  - {title}\n{tags}date: 2026-11-20\nlesson: \"coalescing\"\n");
        let expected = format!("{expected}up: \"[[warpbook-lessons]]\"\n---\n");
        assert_eq!(text, expected);
        for format in [Format::Markdown, Format::Jekyll, Format::Hugo] {
            let text = front_matter(&report, format);
            let lines = text.lines().filter(|line| line.starts_with(char::is_whitespace));
            assert!(lines.clone().all(|line| line.starts_with("  - ")), "{text}");
        }
        report.created = "today: now".to_owned();
        assert!(front_matter(&report, Format::Markdown).contains("created: \"today: now\"\n"));
        assert_eq!(front_matter(&report, Format::GitHub), "");
    }
}
