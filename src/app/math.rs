//! Formulas as textures: measured when laid out, rasterised when first seen, a few in each frame.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use egui::{Color32, ColorImage, Pos2, Rect, TextureHandle, TextureOptions, Ui, pos2, vec2};
use egui_extras::image::load_svg_bytes_with_size;

use crate::base::math::{MathSvg, svg};

/// Formulas rasterised in one frame at most: each takes about a millisecond.
const PER_FRAME: u32 = 3;

type Key = (String, bool, u32);

/// Every formula seen so far.
#[derive(Default)]
pub struct Formulas {
    drawn: HashMap<Key, Option<Rc<MathSvg>>>,
    textures: Rc<RefCell<Textures>>,
}

#[derive(Default)]
struct Textures {
    by_key: HashMap<(Key, u32), TextureHandle>,
    frame: u64,
    in_frame: u32,
}

/// A formula that can be painted.
#[derive(Clone)]
pub struct Formula {
    /// Width in points.
    pub width: f32,
    /// Height in points, depth included.
    pub height: f32,
    /// How far it reaches below the baseline, in points.
    pub depth: f32,
    key: Key,
    drawn: Rc<MathSvg>,
    textures: Rc<RefCell<Textures>>,
}

impl Formulas {
    /// The formula at `size` points an em.
    ///
    /// # Errors
    /// Where the LaTeX cannot be typeset; a lesson that was read has none such.
    pub fn get(&mut self, latex: &str, display: bool, size: f32) -> Result<Formula, ()> {
        let key = (latex.to_owned(), display, size.to_bits());
        let drawn = self
            .drawn
            .entry(key.clone())
            .or_insert_with(|| svg(latex, display, size, "#ffffff").ok().map(Rc::new))
            .clone()
            .ok_or(())?;
        Ok(Formula {
            width: drawn.width,
            height: drawn.height,
            depth: drawn.depth,
            key,
            drawn,
            textures: self.textures.clone(),
        })
    }
}

impl Formula {
    /// Paints it with its top left corner at `at`. One that is not rasterised yet appears in a later frame.
    pub fn paint(&self, ui: &Ui, at: Pos2, color: Color32) {
        let scale = ui.ctx().pixels_per_point();
        let mut textures = self.textures.borrow_mut();
        let frame = ui.ctx().cumulative_pass_nr();
        if textures.frame != frame {
            (textures.frame, textures.in_frame) = (frame, 0);
        }
        let key = (self.key.clone(), scale.to_bits());
        if !textures.by_key.contains_key(&key) {
            if textures.in_frame >= PER_FRAME {
                ui.ctx().request_repaint();
                return;
            }
            textures.in_frame += 1;
            let image = load_svg_bytes_with_size(
                self.drawn.svg.as_bytes(),
                egui::SizeHint::Scale(scale.into()),
                &Default::default(),
            )
            .unwrap_or_else(|_| ColorImage::filled([1, 1], Color32::TRANSPARENT));
            let texture = ui.ctx().load_texture("formula", image, TextureOptions::LINEAR);
            textures.by_key.insert(key.clone(), texture);
        }
        if let Some(texture) = textures.by_key.get(&key) {
            let size = texture.size_vec2() / scale;
            let at = pos2((at.x * scale).round() / scale, (at.y * scale).round() / scale);
            let whole = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
            ui.painter().image(texture.id(), Rect::from_min_size(at, vec2(size.x, size.y)), whole, color);
        }
    }
}
