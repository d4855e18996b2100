//! LaTeX formulas as SVG pictures, with every glyph an outline, so that nothing depends on a reader's fonts.

#[cfg(target_family = "wasm")]
mod in_page;
#[cfg(not(target_family = "wasm"))]
mod typeset;

#[cfg(target_family = "wasm")]
pub use in_page::{check, mistake, svg};
#[cfg(not(target_family = "wasm"))]
pub use typeset::{check, mistake, svg};

/// A formula, drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct MathSvg {
    /// One `<svg>` element.
    pub svg: String,
    /// Its width in points.
    pub width: f32,
    /// Its height in points, depth included.
    pub height: f32,
    /// How far it reaches below the baseline of the text around it, in points.
    pub depth: f32,
}
