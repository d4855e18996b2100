//! The pieces of a paragraph on its lines: breaking, and what is at a place.

use std::ops::Range;
use std::sync::Arc;

use egui::{Color32, Galley, vec2};

use super::selection::Locate;
use crate::app::math::Formula;

/// One thing on a line, that no line break divides.
pub struct Piece {
    pub width: f32,
    /// Above and below the baseline.
    pub ascent: f32,
    pub descent: f32,
    pub kind: Kind,
    /// Where it is in the paragraph's plain words.
    pub words: Range<usize>,
}

impl Piece {
    fn galley(&self) -> Option<&Galley> {
        match &self.kind {
            Kind::Text { galley, .. }
            | Kind::Term { galley, .. }
            | Kind::Value { galley, .. }
            | Kind::Preset { galley, .. } => Some(galley),
            Kind::Control { .. } | Kind::Formula(..) | Kind::Space | Kind::Break => None,
        }
    }

    /// The byte of the paragraph's words at a distance from the piece's left edge.
    fn byte_at(&self, x: f32) -> usize {
        match self.galley() {
            Some(galley) => {
                let chars = galley.cursor_from_pos(vec2(x, 0.0)).index.0;
                let bytes = galley.text().char_indices().nth(chars).map_or(galley.text().len(), |(byte, _)| byte);
                (self.words.start + bytes).min(self.words.end)
            }
            None if x < self.width / 2.0 => self.words.start,
            None => self.words.end,
        }
    }

    /// The distance of a byte of the paragraph's words from the piece's left edge.
    pub fn x_of(&self, byte: usize) -> f32 {
        match self.galley() {
            _ if byte <= self.words.start => 0.0,
            Some(galley) if byte < self.words.end => {
                let before = galley.text().get(..byte - self.words.start).map_or(0, |text| text.chars().count());
                galley.pos_from_cursor(egui::text::CCursor::new(before)).min.x
            }
            _ => self.width,
        }
    }
}

/// A line of pieces, and where it is.
#[derive(Default)]
pub struct Line {
    pub pieces: Vec<Piece>,
    pub top: f32,
    pub height: f32,
    pub baseline: f32,
}

/// A paragraph that is broken into lines, from a left edge.
pub struct Lines {
    pub left: f32,
    pub lines: Vec<Line>,
}

impl Locate for Lines {
    fn byte_at(&self, at: egui::Pos2) -> usize {
        let line = self.lines.iter().rfind(|line| line.top <= at.y).or(self.lines.first());
        let below = line.is_some_and(|line| at.y > line.top + line.height);
        let mut x = self.left;
        let mut byte = 0;
        for piece in line.iter().flat_map(|line| &line.pieces) {
            byte = if below { piece.words.end } else { piece.byte_at(at.x - x) };
            x += piece.width;
            if x > at.x && !below {
                break;
            }
        }
        byte
    }
}

pub enum Kind {
    Text {
        galley: Arc<Galley>,
        color: Color32,
        ground: Option<Color32>,
        link: Option<String>,
    },
    /// A word of the trade, what it means, and whether it is the first time on the page.
    Term {
        galley: Arc<Galley>,
        color: Color32,
        meaning: &'static str,
        is_first: bool,
    },
    Value {
        galley: Arc<Galley>,
        color: Color32,
        explanation: String,
    },
    Formula(Formula, Color32),
    Control {
        id: String,
        galley: Arc<Galley>,
    },
    /// Words that set parameters.
    Preset {
        galley: Arc<Galley>,
        color: Color32,
        settings: Vec<(String, f64)>,
    },
    Space,
    Break,
}

/// Fills lines greedily. Pieces that no space divides stay together; spaces at the ends of lines go.
pub fn break_lines(pieces: Vec<Piece>, width: f32) -> Vec<Line> {
    let mut lines = vec![Line::default()];
    let mut used = 0.0;
    let mut group: Vec<Piece> = Vec::new();
    let mut pending_space: Option<Piece> = None;
    let flush = |group: &mut Vec<Piece>, space: &mut Option<Piece>, lines: &mut Vec<Line>, used: &mut f32| {
        if group.is_empty() {
            return;
        }
        let needed: f32 = group.iter().map(|p| p.width).sum();
        let gap = space.as_ref().map_or(0.0, |s| s.width);
        if *used > 0.0 && *used + gap + needed > width {
            lines.push(Line::default());
            *used = 0.0;
            *space = None;
        }
        if let Some(line) = lines.last_mut() {
            if let Some(space) = space.take().filter(|_| *used > 0.0) {
                *used += space.width;
                line.pieces.push(space);
            }
            *used += needed;
            line.pieces.append(group);
        }
    };
    for piece in pieces {
        match piece.kind {
            Kind::Space => {
                flush(&mut group, &mut pending_space, &mut lines, &mut used);
                pending_space = Some(piece);
            }
            Kind::Break => {
                flush(&mut group, &mut pending_space, &mut lines, &mut used);
                pending_space = None;
                lines.push(Line::default());
                used = 0.0;
            }
            Kind::Text { .. }
            | Kind::Term { .. }
            | Kind::Value { .. }
            | Kind::Formula(..)
            | Kind::Control { .. }
            | Kind::Preset { .. } => {
                group.push(piece);
            }
        }
    }
    flush(&mut group, &mut pending_space, &mut lines, &mut used);
    lines
}
