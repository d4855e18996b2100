//! How the readers of Markdown differ: formulas, folded parts, callouts, and text that they would take for a command of
//! their own.

use super::prose::{escape, prefixed};
use crate::base::xml;
use crate::notes::Format;

/// A reader's Markdown.
#[derive(Clone, Copy)]
pub(super) struct Dialect(pub Format);

/// The sort of a part that is set apart from the text around it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Sort {
    /// A question with its answer.
    Question,
    /// Something to unfold.
    Aside,
    /// A program's text.
    Code,
}

impl Dialect {
    /// A formula within a line.
    pub(super) fn inline_math(self, latex: &str) -> String {
        let latex = formula(latex);
        match self.0 {
            // kramdown knows no other delimiter, and takes a bar for a table's.
            Format::Jekyll => format!("$${}$$", without_bars(&latex)),
            // Between backticks, nothing else in the formula is taken for Markdown.
            Format::GitHub => format!("$`{latex}`$"),
            _ => format!("${latex}$"),
        }
    }

    /// A formula of its own.
    pub(super) fn display_math(self, latex: &str) -> String {
        let latex = formula(latex);
        match self.0 {
            Format::GitHub => format!("```math\n{latex}\n```"),
            Format::Jekyll => format!("$$\n{}\n$$", without_bars(&latex)),
            _ => format!("$$\n{latex}\n$$"),
        }
    }

    /// A part under a title that is set apart; `title` and `body` are Markdown.
    pub(super) fn apart(self, sort: Sort, title: &str, body: &str) -> String {
        match self.0 {
            Format::Obsidian => {
                let name = if sort == Sort::Question { "question" } else { "info" };
                prefixed(&format!("[!{name}] {title}\n{body}"), "> ", "> ")
            }
            Format::GitHub if sort == Sort::Question => {
                prefixed(&format!("[!NOTE]\n**{title}**\n\n{body}"), "> ", "> ")
            }
            Format::Quarto => format!("::: {{.callout-note}}\n\n## {title}\n\n{body}\n\n:::"),
            _ => prefixed(&format!("**{title}**\n\n{body}"), "> ", "> "),
        }
    }

    /// A part of which the reader first sees the title, which is plain text; `body` is Markdown.
    pub(super) fn folded(self, sort: Sort, title: &str, body: &str) -> String {
        // The title of a part in HTML is plain text, except in kramdown with `markdown="1"`.
        let title = match self.0 {
            Format::Obsidian | Format::Quarto | Format::Jekyll => escape(self, title),
            _ => xml::escape(title),
        };
        match self.0 {
            Format::Obsidian => {
                let name = match sort {
                    Sort::Question => "question",
                    Sort::Aside => "info",
                    Sort::Code => "example",
                };
                prefixed(&format!("[!{name}]- {title}\n{body}"), "> ", "> ")
            }
            Format::Quarto => {
                format!("::: {{.callout-note collapse=\"true\"}}\n\n## {title}\n\n{body}\n\n:::")
            }
            Format::Jekyll => {
                format!("<details markdown=\"1\"><summary markdown=\"span\">{title}</summary>\n\n{body}\n\n</details>")
            }
            _ => format!("<details><summary>{title}</summary>\n\n{body}\n\n</details>"),
        }
    }

    /// The text with everything that the reader's templates would take for theirs made harmless.
    pub(super) fn protected(self, text: &str) -> String {
        match self.0 {
            Format::Jekyll if text.contains("{{") || text.contains("{%") => {
                if text.contains("endraw") {
                    text.replace("{%", "{\u{0}%").replace("{{", "{{ \"{{\" }}").replace("{\u{0}%", "{{ \"{%\" }}")
                } else {
                    format!("{{% raw %}}{text}{{% endraw %}}")
                }
            }
            // Shortcodes work in code, too, and have no escape.
            Format::Hugo | Format::Quarto => text.replace("{{<", "{{ <").replace("{{%", "{{ %"),
            _ => text.to_owned(),
        }
    }

    /// Characters besides the usual ones that this reader takes for markup, and that a backslash makes plain.
    pub(super) fn specials(self) -> &'static [char] {
        match self.0 {
            // Attributes and footnotes.
            Format::Jekyll => &['{', '}', '^'],
            // Citations and superscripts.
            Format::Quarto => &['@', '^', '{', '}'],
            _ => &[],
        }
    }

    /// Whether the reader shows the title that is in the front matter.
    pub(super) fn shows_title(self) -> bool {
        matches!(self.0, Format::Jekyll | Format::Hugo | Format::Quarto)
    }
}

/// LaTeX in which nothing is an HTML tag to a reader of Markdown that knows no formulas: `<` is separated from what
/// follows.
pub(super) fn formula(latex: &str) -> String {
    let mut out = String::with_capacity(latex.len());
    let mut rest = latex.trim().chars().peekable();
    while let Some(c) = rest.next() {
        out.push(c);
        if c == '<' && rest.peek().is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')) {
            out.push(' ');
        }
    }
    out
}

/// LaTeX with commands in the place of bars.
fn without_bars(latex: &str) -> String {
    latex.replace("\\|", "\\Vert ").replace('|', "\\vert ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_hold_no_tags() {
        assert_eq!(formula(r"\text{<script>x</script>} a<b, 1<2"), r"\text{< script>x< /script>} a< b, 1<2");
    }

    #[test]
    fn formulas_have_the_readers_delimiters() {
        let inline = |format| Dialect(format).inline_math("|x|");
        assert_eq!(inline(Format::Obsidian), "$|x|$");
        assert_eq!(inline(Format::Jekyll), r"$$\vert x\vert $$");
        assert_eq!(inline(Format::GitHub), "$`|x|`$");
        assert_eq!(Dialect(Format::GitHub).display_math("x"), "```math\nx\n```");
    }

    #[test]
    fn the_title_of_a_folded_part_is_plain() {
        let folded = |format| Dialect(format).folded(Sort::Code, "a|b <c>", "body");
        assert!(folded(Format::GitHub).starts_with("<details><summary>a|b &lt;c&gt;</summary>\n\nbody\n"));
        assert!(folded(Format::Jekyll).contains("<summary markdown=\"span\">a\\|b \\<c\\></summary>"));
        assert_eq!(folded(Format::Obsidian), "> [!example]- a\\|b \\<c\\>\n> body");
    }

    #[test]
    fn templates_find_nothing_in_a_note() {
        let jekyll = |text: &str| Dialect(Format::Jekyll).protected(text);
        assert_eq!(jekyll("a {{ b }} {% c %}"), "{% raw %}a {{ b }} {% c %}{% endraw %}");
        assert_eq!(jekyll("{% endraw %}{{x"), "{{ \"{%\" }} endraw %}{{ \"{{\" }}x");
        assert_eq!(jekyll("a { b }"), "a { b }");
        assert_eq!(Dialect(Format::Hugo).protected("{{< x >}} {{% y %}}"), "{{ < x >}} {{ % y %}}");
        assert_eq!(Dialect(Format::Markdown).protected("{{< x >}}"), "{{< x >}}");
    }
}
