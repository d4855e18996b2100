//! The point that a lesson's explorers look at.

use serde::{Deserialize, Serialize};

use super::views::{Op, View};

/// The point that a lesson's explorers look at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Explored {
    /// The logits, from [`Explored::FEWEST`] to [`Explored::MOST`], each within ±[`Explored::LOGIT`].
    pub logits: Vec<f64>,
    /// The vector that the Jacobian is multiplied by: as many entries as logits, each within ±[`Explored::DIRECTION`].
    pub direction: Vec<f64>,
    /// The temperature, within [`Explored::TEMPERATURE`].
    pub temperature: f64,
    /// The number added to every logit before softmax in f32, within ±[`Explored::SHIFT`].
    pub shift: f64,
    /// The index of the target.
    pub target: usize,
    /// The operations that give the displayed view of the tensor, at most [`View::MOST`].
    pub ops: Vec<Op>,
    /// The weight of the z-loss, from 0 to [`Explored::WEIGHT`].
    pub weight: f64,
    /// Rows and columns of C that a lane computes, each from 1 to [`Explored::BLOCK`].
    pub block: [usize; 2],
    /// The lane whose elements are shown, below [`Explored::LANES`].
    pub lane: usize,
    /// The number that is shown in several formats. NaN and infinity are allowed.
    pub number: f64,
    /// Rows of tiles in a group, from 1 to [`Explored::GROUP`].
    pub group: usize,
    /// The current wave of tiles, from 0 and below [`Explored::WAVES`].
    pub wave: usize,
    /// The text that is split into tokens, of at most [`Explored::TEXT`] bytes.
    pub text: String,
}

impl Default for Explored {
    fn default() -> Self {
        Self {
            logits: vec![1.0, -0.5, 2.0, 0.3, -1.5],
            direction: vec![1.0, 0.0, -1.0, 0.5, 0.0],
            temperature: 1.0,
            // Some of the exponentials then overflow in f32, and some do not.
            shift: 88.0,
            target: 0,
            ops: vec![Op::Transpose],
            weight: 0.0,
            block: [1, 1],
            lane: 5,
            // No format represents it exactly, and f16 ends before it.
            number: 70_000.1,
            group: 16,
            wave: 0,
            text: "Unhappiest of all: naïve tokenizers, mistokenizing jabberwocky.".to_owned(),
        }
    }
}

/// Texts to compare: the first sentence of the Universal Declaration of Human Rights in some languages, and a line of
/// code.
pub const TEXTS: [(&str, &str); 9] = [
    ("English", "All human beings are born free and equal in dignity and rights."),
    ("German", "Alle Menschen sind frei und gleich an Würde und Rechten geboren."),
    ("Greek", "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα."),
    ("Russian", "Все люди рождаются свободными и равными в своем достоинстве и правах."),
    ("Hindi", "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।"),
    ("Chinese", "人人生而自由，在尊严和权利上一律平等。"),
    ("Korean", "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다."),
    ("Emoji", "안녕하세요 👍🏽 👨\u{200d}👩\u{200d}👧"),
    ("Code", "for (int i = blockIdx.x; i < n; i += gridDim.x) { y[i] = 2.0f * x[i]; }"),
];

impl Explored {
    /// The minimum number of entries.
    pub const FEWEST: usize = 2;
    /// The maximum number of entries.
    pub const MOST: usize = 8;
    /// The largest logit.
    pub const LOGIT: f64 = 6.0;
    /// The largest entry of the direction.
    pub const DIRECTION: f64 = 2.0;
    /// The minimum and the maximum temperature.
    pub const TEMPERATURE: [f64; 2] = [0.1, 10.0];
    /// The maximum magnitude of the number added to every logit.
    pub const SHIFT: f64 = 120.0;
    /// The maximum weight of the z-loss.
    pub const WEIGHT: f64 = 0.5;
    /// The maximum number of rows or columns of a lane's block.
    pub const BLOCK: usize = 16;
    /// The number of lanes of a warp.
    pub const LANES: usize = 32;
    /// The maximum number of rows of tiles in a group.
    pub const GROUP: usize = 64;
    /// The number of waves of 132 tiles in 64 × 32 tiles.
    pub const WAVES: usize = 16;
    /// The maximum length of the text, in bytes.
    pub const TEXT: usize = 4096;

    /// The same with all values clamped to their bounds: it may come from a file that was edited by hand.
    #[must_use]
    pub fn within_bounds(mut self) -> Self {
        let within = |x: f64, most: f64| if x.is_finite() { x.clamp(-most, most) } else { 0.0 };
        let entries = self.logits.len().clamp(Self::FEWEST, Self::MOST);
        self.logits.resize(entries, 0.0);
        self.direction.resize(entries, 0.0);
        self.logits.iter_mut().for_each(|a| *a = within(*a, Self::LOGIT));
        self.direction.iter_mut().for_each(|v| *v = within(*v, Self::DIRECTION));
        let [cold, hot] = Self::TEMPERATURE;
        self.temperature = if self.temperature.is_finite() { self.temperature.clamp(cold, hot) } else { 1.0 };
        self.shift = within(self.shift, Self::SHIFT);
        self.target = self.target.min(entries - 1);
        self.ops.truncate(View::MOST);
        self.weight = within(self.weight, Self::WEIGHT).max(0.0);
        self.block = self.block.map(|side| side.clamp(1, Self::BLOCK));
        self.lane = self.lane.min(Self::LANES - 1);
        self.group = self.group.clamp(1, Self::GROUP);
        self.wave = self.wave.min(Self::WAVES - 1);
        self.text.truncate(self.text.floor_char_boundary(Self::TEXT));
        self
    }

    /// The target as a one-hot distribution.
    #[must_use]
    pub fn target_distribution(&self) -> Vec<f64> {
        (0..self.logits.len()).map(|i| f64::from(u8::from(i == self.target))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_was_kept_comes_within_bounds() {
        let wild = Explored {
            logits: vec![f64::NAN, 1e9, -3.0],
            direction: vec![f64::INFINITY; 20],
            temperature: -1.0,
            shift: f64::INFINITY,
            target: 99,
            ops: vec![Op::Transpose; 9],
            weight: -0.5,
            block: [0, 99],
            lane: 99,
            group: 0,
            wave: 99,
            number: 70_000.1,
            text: "é".repeat(4000) + "x",
        };
        let tame = wild.within_bounds();
        assert_eq!((tame.logits.as_slice(), tame.direction.as_slice()), (&[0.0, 6.0, -3.0][..], &[0.0; 3][..]));
        assert_eq!((tame.temperature, tame.shift, tame.target, tame.weight), (0.1, 0.0, 2, 0.0));
        assert_eq!(tame.ops.len(), View::MOST);
        assert_eq!((tame.block, tame.lane, tame.group, tame.wave), ([1, 16], 31, 1, 15));
        assert_eq!(tame.text.len(), Explored::TEXT);
        assert_eq!(tame.clone().within_bounds(), tame);
        assert_eq!(tame.target_distribution(), [0.0, 0.0, 1.0]);
        let none = Explored { logits: vec![], ..Explored::default() }.within_bounds();
        assert_eq!(none.logits.len(), Explored::FEWEST);
        assert_eq!(Explored::default().within_bounds(), Explored::default());
    }
}
