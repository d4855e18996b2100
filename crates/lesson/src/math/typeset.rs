//! Typesetting of formulas, with every glyph an outline.

use ratex_layout::{LayoutOptions, layout, to_display_list, validate_layout};
use ratex_svg::{SvgColorSyntax, SvgOptions, render_to_svg_with_color_syntax};
use ratex_types::color::Color;
use ratex_types::display_item::{DisplayItem, DisplayList};
use ratex_types::math_style::MathStyle;

use super::MathSvg;
use crate::base::diag::{Diagnostic, Place};
use crate::base::xml::{escape, number};

/// The placeholder of the formula's own colour until the caller's replaces it: a colour that no caller asks for.
const MARKER: Color = Color::rgb(1.0 / 255.0, 2.0 / 255.0, 3.0 / 255.0);
const MARKER_CSS: &str = "rgb(1,2,3)";
/// Space around a formula, so that no outline is cut.
const PAD: f32 = 1.0;

/// The widest formula, in ems: several pages' width.
const WIDEST: f64 = 100.0;
/// The tallest formula, in ems, depth included: more than a screen.
const TALLEST: f64 = 60.0;
/// The largest area of a formula, in square ems: what it takes as a texture stays within some ten MiB.
const LARGEST: f64 = 2000.0;

/// Where `latex` is no LaTeX: the byte, and why. None if it is.
#[must_use]
pub fn mistake(latex: &str) -> Option<(usize, String)> {
    let error = ratex_parser::parse(latex).err()?;
    Some((error.loc.as_ref().map_or(0, |loc| loc.start), error.message.clone()))
}

/// Whether `latex` can be drawn.
pub fn check(latex: &str, display: bool) -> Result<(), Diagnostic> {
    typeset(latex, display).map(drop)
}

/// The outlines of a formula, in ems.
fn typeset(latex: &str, display: bool) -> Result<DisplayList, Diagnostic> {
    let nodes = ratex_parser::parse(latex).map_err(|error| {
        let mut diagnostic = Diagnostic::error(format!("cannot read the formula `{latex}`: {}", error.message))
            .hint("formulas are LaTeX, as KaTeX understands it");
        if let Some(place) = &error.loc {
            diagnostic.place = Some(Place::at("formula", latex, place.start));
        }
        diagnostic
    })?;
    let style = if display { MathStyle::Display } else { MathStyle::Text };
    let options = LayoutOptions { style, color: MARKER, ..LayoutOptions::default() };
    let boxed = layout(&nodes, &options);
    validate_layout(&boxed)
        .map_err(|why| Diagnostic::error(format!("the formula `{latex}` cannot be laid out: {why}")))?;
    let list = to_display_list(&boxed);
    // Other faces would come from this machine's fonts, and differ on the next.
    let foreign = list.items.iter().find_map(|item| match item {
        DisplayItem::GlyphPath { font, char_code, .. } if font.ends_with("-Fallback") || font.starts_with("CJK") => {
            Some(char::from_u32(*char_code).unwrap_or('\u{fffd}'))
        }
        _ => None,
    });
    if let Some(c) = foreign {
        return Err(Diagnostic::error(format!("the formula `{latex}` has `{c}`, which no math font draws"))
            .hint("write it in the prose around the formula"));
    }
    let (width, height) = (list.width, list.height + list.depth);
    // No comparison holds for what is not a number.
    if !(0.0..=WIDEST).contains(&width) || !(0.0..=TALLEST).contains(&height) || width * height > LARGEST {
        let message = format!(
            "the formula `{latex}` is {width:.0} em wide and {height:.0} em high, and the maximum is {WIDEST} by \
             {TALLEST} em and {LARGEST} square em"
        );
        return Err(Diagnostic::error(message).hint("look for a length in it that is too large"));
    }
    Ok(list)
}

/// Typesets `latex` at `size_px` points an em. `display` formulas have a line of their own; others are within one.
/// `color` is any CSS colour, such as `#1b1f24` or `currentColor`.
///
/// # Errors
/// A diagnostic at the column of the mistake, where LaTeX is not understood, has characters that no math font draws, or
/// is larger than any page.
pub fn svg(latex: &str, display: bool, size_px: f32, color: &str) -> Result<MathSvg, Diagnostic> {
    let list = typeset(latex, display)?;
    let settings = SvgOptions {
        font_size: f64::from(size_px),
        padding: f64::from(PAD),
        stroke_width: f64::from(size_px) * 0.04,
        embed_glyphs: true,
        font_dir: String::new(),
    };
    let drawn = render_to_svg_with_color_syntax(&list, &settings, SvgColorSyntax::Rgb);
    if drawn.contains("<text") || drawn.contains("NaN") || drawn.contains("inf") {
        return Err(Diagnostic::error(format!("the formula `{latex}` has a character that no math font draws")));
    }
    let body = drawn.split_once('>').map_or("", |(_, body)| body).replace(MARKER_CSS, &escape(color));
    let em = |value: f64| value as f32 * size_px;
    let (width, depth) = (em(list.width) + 2.0 * PAD, em(list.depth) + PAD);
    let height = em(list.height + list.depth) + 2.0 * PAD;
    let (w, h) = (number(width), number(height));
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
         role=\"img\" aria-label=\"{}\">{body}",
        escape(latex)
    );
    Ok(MathSvg { svg, width, height, depth })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_of_the_lessons_are_outlines() -> Result<(), Box<dyn std::error::Error>> {
        for latex in [
            r"\min(4s, 32)",
            r"y_i = \frac{e^{a_i - m}}{\sum_k e^{a_k - m}}",
            r"J = \operatorname{diag}(y) - y y^\top",
            r"\begin{bmatrix} a & b \\ c & d \end{bmatrix}",
            r"\sqrt{2 \pi} \le \left\lceil \frac{n}{32} \right\rceil",
        ] {
            for display in [false, true] {
                let math = svg(latex, display, 16.0, "currentColor")?;
                let document = roxmltree::Document::parse(&math.svg)?;
                assert!(document.descendants().any(|node| node.has_tag_name("path")), "{latex}");
                assert!(!document.descendants().any(|node| node.has_tag_name("text")), "{latex}");
                assert!(math.svg.contains("currentColor") && !math.svg.contains(MARKER_CSS), "{latex}");
                assert!(math.width > 16.0 && math.height > 8.0 && math.depth < math.height, "{latex}: {math:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn a_fraction_on_its_own_line_is_larger() -> Result<(), Diagnostic> {
        let inline = svg(r"\frac{a}{b}", false, 16.0, "#000")?;
        assert!(svg(r"\frac{a}{b}", true, 16.0, "#000")?.height > inline.height);
        Ok(())
    }

    #[test]
    fn mistakes_are_reported_not_drawn() {
        let deep = "{".repeat(5000);
        for latex in [r"\frac{a", r"\unknowncommand", "a}", "日本", "😀", &deep, r"\begin{matrix} a"] {
            match svg(latex, false, 16.0, "#000") {
                Err(error) => assert!(error.message.contains("formula"), "{error}"),
                Ok(math) => panic!("{latex} was drawn: {}", math.svg),
            }
        }
    }

    #[test]
    fn formulas_larger_than_any_page_are_reported() {
        for latex in [r"a\hspace{1000em}b", r"\rule{5000em}{5000em}", r"\rule{50em}{50em}"] {
            let report = check(latex, false).err().map(|error| error.message).unwrap_or_default();
            assert!(report.contains("the maximum is 100 by 60 em"), "{latex}: {report}");
            assert!(svg(latex, true, 16.0, "#000").is_err(), "{latex}");
        }
        assert_eq!(check(r"a\hspace{20em}b", false), Ok(()));
    }

    #[test]
    fn hostile_formulas_stay_pictures() {
        for latex in ["<script>alert(1)</script>", "\"onload=\"x", r"\text{</svg><script>}", r"\href{javascript:x}{y}"]
        {
            if let Ok(math) = svg(latex, false, 16.0, "\"><script>") {
                let parsed = roxmltree::Document::parse(&math.svg);
                assert!(parsed.is_ok_and(|d| !d.descendants().any(|n| n.has_tag_name("script"))), "{}", math.svg);
            }
        }
    }
}
