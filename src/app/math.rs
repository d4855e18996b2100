//! Formulas as textures. Typesetting and rasterising each takes about a millisecond, so a frame begins no more of
//! either once they have taken their share of it; what is missing appears in the next frames.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hash;
use std::rc::Rc;
use std::time::{Duration, Instant};

use egui::{Color32, ColorImage, Context, Pos2, Rect, TextureHandle, TextureOptions, Ui, pos2, vec2};
use egui_extras::image::load_svg_bytes_with_size;

use crate::math::{MathSvg, svg};

/// The time that formulas may take of one frame.
const SHARE: Duration = Duration::from_micros(1000);

/// Formulas, and textures, above which those that are no longer on the screen are dropped.
const MANY: usize = 1000;

/// LaTeX, whether it is on its own line, and the bits of its size.
type Key = (String, bool, u32);

/// The formulas seen lately. Clones share them.
#[derive(Clone, Default)]
pub struct Formulas(Rc<RefCell<Cache>>);

#[derive(Default)]
struct Cache {
    /// None for LaTeX that cannot be typeset.
    drawn: Recent<Key, Option<Rc<MathSvg>>>,
    /// By key and the bits of the pixels in a point.
    textures: Recent<(Key, u32), TextureHandle>,
    frame: u64,
    spent: Duration,
}

/// Values by key, each with the frame that last used it.
struct Recent<K, V>(HashMap<K, (V, u64)>);

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash, V> Recent<K, V> {
    fn get(&mut self, key: &K, frame: u64) -> Option<&V> {
        let (value, used) = self.0.get_mut(key)?;
        *used = frame;
        Some(value)
    }

    fn insert(&mut self, key: K, value: V, frame: u64) {
        if self.0.len() >= MANY {
            self.0.retain(|_, (_, used)| *used + 1 >= frame);
        }
        self.0.insert(key, (value, frame));
    }
}

/// A formula that can be placed and painted.
#[derive(Clone)]
pub struct Formula {
    /// Width in points.
    pub width: f32,
    /// Height in points, depth included.
    pub height: f32,
    /// How far it reaches below the baseline, in points.
    pub depth: f32,
    key: Key,
    /// None until it is typeset; the size is then an estimate.
    drawn: Option<Rc<MathSvg>>,
    formulas: Formulas,
}

impl Cache {
    /// Does `work` within the frame's share; otherwise asks for another frame.
    fn afford<T>(&mut self, ctx: &Context, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let frame = ctx.cumulative_pass_nr();
        if self.frame != frame {
            (self.frame, self.spent) = (frame, Duration::ZERO);
        }
        if self.spent >= SHARE {
            ctx.request_repaint();
            return None;
        }
        let began = Instant::now();
        let done = work(self);
        self.spent += began.elapsed();
        Some(done)
    }
}

impl Formulas {
    /// The formula at `size` points an em; none where the LaTeX cannot be typeset, which no lesson that was read holds.
    #[must_use]
    pub fn get(&self, ctx: &Context, latex: &str, display: bool, size: f32) -> Option<Formula> {
        let key = (latex.to_owned(), display, size.to_bits());
        let mut cache = self.0.borrow_mut();
        let frame = ctx.cumulative_pass_nr();
        let known = cache.drawn.get(&key, frame).cloned();
        let drawn = match known {
            Some(drawn) => Some(drawn?),
            None => match cache.afford(ctx, |_| svg(latex, display, size, "#ffffff").ok().map(Rc::new)) {
                Some(drawn) => {
                    cache.drawn.insert(key.clone(), drawn.clone(), frame);
                    Some(drawn?)
                }
                None => None,
            },
        };
        #[expect(clippy::cast_precision_loss, reason = "a formula's length")]
        let estimate = (latex.len() as f32 * size * 0.3, size, size * 0.25);
        let (width, height, depth) = drawn.as_ref().map_or(estimate, |d| (d.width, d.height, d.depth));
        Some(Formula { width, height, depth, key, drawn, formulas: self.clone() })
    }
}

impl Formula {
    /// Paints it with its top left corner at `at`, once it is rasterised.
    pub fn paint(&self, ui: &Ui, at: Pos2, color: Color32) {
        let Some(drawn) = &self.drawn else { return };
        let scale = ui.ctx().pixels_per_point();
        // On a large screen a wide formula is drawn coarser than the screen is: a texture has a largest side.
        #[expect(clippy::cast_precision_loss, reason = "some thousand pixels")]
        let side = ui.input(|input| input.max_texture_side) as f32;
        let fine = scale.min((side - 1.0) / drawn.width.max(drawn.height));
        let mut cache = self.formulas.0.borrow_mut();
        let key = (self.key.clone(), fine.to_bits());
        let frame = ui.ctx().cumulative_pass_nr();
        if cache.textures.get(&key, frame).is_none() {
            let size = egui::SizeHint::Scale(fine.into());
            let texture = cache.afford(ui.ctx(), |_| {
                let image = load_svg_bytes_with_size(drawn.svg.as_bytes(), size, &Default::default())
                    .unwrap_or_else(|_| ColorImage::filled([1, 1], Color32::TRANSPARENT));
                ui.ctx().load_texture("formula", image, TextureOptions::LINEAR)
            });
            if let Some(texture) = texture {
                cache.textures.insert(key.clone(), texture, frame);
            }
        }
        if let Some(texture) = cache.textures.get(&key, frame) {
            let size = texture.size_vec2() / fine;
            let at = pos2((at.x * scale).round() / scale, (at.y * scale).round() / scale);
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            ui.painter().image(texture.id(), Rect::from_min_size(at, vec2(size.x, size.y)), whole, color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_left_the_screen_is_dropped_when_there_is_much() {
        let mut recent = Recent::default();
        for frame in 0..10 * MANY as u64 {
            assert_eq!(recent.get(&0, frame).is_none(), frame == 0);
            recent.insert(frame, (), frame);
        }
        assert!(recent.0.len() <= MANY, "{}", recent.0.len());
    }
}
