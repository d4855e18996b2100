//! A row of bars for each entry: logits that can be dragged, their softmax, and the gradient of a loss.

use super::super::frame::Anchor;
use super::super::palette::Ink;
use super::Derived;
use super::sheet::{BAR, ROW, Sheet, fixed, short, sub};
use super::{Entry, Handle, maths};
use crate::reference::Explored;

/// Room for an entry's index.
const INDEX: f32 = 20.0;
/// Room for a number right of its bar, the space before it included.
const NUMBER: f32 = 48.0;
/// Between two columns.
const GAP: f32 = 16.0;

/// The colour of logits.
pub(super) const LOGITS: Ink = Ink::Series(0);
/// The colour of softmax.
pub(super) const SOFTMAX: Ink = Ink::Series(2);
/// The colour of gradients of the cross-entropy.
const GRADIENT: Ink = Ink::Series(1);
/// The colour of the vector that the Jacobian is applied to, and of the z-loss.
pub(super) const OTHER: Ink = Ink::Series(3);

/// A column of bars.
#[derive(Clone, Copy)]
pub(super) struct Column {
    /// Left edge of the bars.
    pub(super) x: f32,
    /// Width of the bars.
    pub(super) width: f32,
    /// The value at the right end.
    pub(super) most: f64,
    /// Whether zero is in the middle; otherwise at the left end.
    pub(super) signed: bool,
}

impl Column {
    /// Where a value lies; values beyond the ends lie at them.
    pub(super) fn at(&self, value: f64) -> f32 {
        let share = if self.signed { (value / self.most + 1.0) / 2.0 } else { value / self.most };
        let share = share.clamp(0.0, 1.0) as f32;
        self.x + share * self.width
    }

    /// The bar's ground, with a line at zero.
    pub(super) fn ground(&self, sheet: &mut Sheet) {
        let top = sheet.y + (ROW - BAR) / 2.0;
        sheet.frame.fill([self.x, top, self.width, BAR], 3.0, Ink::Raised, None);
        let zero = self.at(0.0);
        if self.signed {
            sheet.frame.line([zero, top], [zero, top + BAR], 1.0, Ink::Faint, None);
        }
    }

    /// A bar from `from` to `to`, in the part of the row's height from `share[0]` to `share[1]`.
    pub(super) fn bar(&self, sheet: &mut Sheet, (from, to): (f64, f64), share: [f32; 2], ink: Ink) {
        let (from, to) = (self.at(from), self.at(to));
        let top = sheet.y + (ROW - BAR) / 2.0;
        let rect = [from.min(to), top + share[0] * BAR, (to - from).abs(), (share[1] - share[0]) * BAR];
        if rect[2] > 0.0 {
            sheet.frame.fill(rect, 2.0, ink, None);
        }
    }

    /// The number right of the bar.
    pub(super) fn number(&self, sheet: &mut Sheet, text: String) {
        let at = [self.x + self.width + NUMBER - 4.0, sheet.y + ROW / 2.0];
        sheet.frame.text(at, 13.0, Anchor::End, Ink::Text, text);
    }

    /// A bar that the learner drags, with a grip at its end.
    pub(super) fn handle(&self, sheet: &mut Sheet, entry: Entry, value: f64, ink: Ink) {
        self.ground(sheet);
        self.bar(sheet, (0.0, value), [0.0, 1.0], ink);
        let top = sheet.y + (ROW - BAR) / 2.0;
        let grip = self.at(value).clamp(self.x + 3.0, self.x + self.width - 3.0);
        sheet.frame.outline([grip - 3.0, top - 2.0, 6.0, BAR + 4.0], 3.0, Some(Ink::Text), Ink::Panel, None);
        self.number(sheet, fixed(value, 1));
        let rect = [self.x, sheet.y, self.width, ROW];
        sheet.handles.push(Handle { entry, rect, most: self.most });
    }
}

/// The index of a row.
pub(super) fn index(sheet: &mut Sheet, i: usize) {
    sheet.frame.text([0.0, sheet.y + ROW / 2.0], 13.0, Anchor::Start, Ink::Muted, i.to_string());
}

/// `count` columns of equal width, each with room for its number.
pub(super) fn columns<const N: usize>(sheet: &Sheet, scales: [(f64, bool); N]) -> [Column; N] {
    let count = N as f32;
    let pitch = (sheet.width - INDEX + GAP) / count;
    let mut x = INDEX;
    scales.map(|(most, signed)| {
        let column = Column { x: x.round(), width: (pitch - GAP - NUMBER).floor(), most, signed };
        x += pitch;
        column
    })
}

const LOGIT: (f64, bool) = (Explored::LOGIT, true);

/// Heads and rows of logits and softmax; `more` draws the columns to the right of them.
fn pairs<const N: usize>(
    sheet: &mut Sheet,
    derived: &Derived<'_>,
    columns: &[Column; N],
    heads: [&str; N],
    more: impl Fn(&mut Sheet, usize),
) {
    for (column, head) in columns.iter().zip(heads) {
        sheet.head(column.x, column.width + NUMBER - 4.0, head);
    }
    sheet.y += ROW;
    for (i, (a, y)) in derived.at.logits.iter().zip(&derived.y).enumerate() {
        index(sheet, i);
        columns[0].handle(sheet, Entry::Logit(i), *a, LOGITS);
        columns[1].ground(sheet);
        columns[1].bar(sheet, (0.0, *y), [0.0, 1.0], SOFTMAX);
        columns[1].number(sheet, fixed(*y, 3));
        more(sheet, i);
        sheet.y += ROW;
    }
    sheet.y += 8.0;
    let list = |values: &[f64], decimals| values.iter().map(|v| fixed(*v, decimals)).collect::<Vec<_>>().join(", ");
    let t = short(derived.at.temperature);
    sheet.say(&format!(
        "Logits {}; their softmax at temperature {t}: {}.",
        list(&derived.at.logits, 1),
        list(&derived.y, 3)
    ));
}

/// Logits and softmax, row by row.
pub(super) fn both(sheet: &mut Sheet, derived: &Derived<'_>) {
    let columns = columns(sheet, [LOGIT, (1.0, false)]);
    pairs(sheet, derived, &columns, ["logits x: drag", "y = softmax(x / T)"], |_, _| ());
}

/// The same, and figures of the whole.
pub(super) fn softmax(sheet: &mut Sheet, derived: &Derived<'_>) {
    both(sheet, derived);
    let most = derived.at.logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let entropy: f64 = derived.y.iter().filter(|y| **y > 0.0).map(|y| -y * y.ln()).sum();
    let line = format!(
        "T = {}   ·   max x = {}   ·   lse = log Σ exp(x / T) = {}",
        short(derived.at.temperature),
        fixed(most, 1),
        fixed(derived.lse, 3)
    );
    sheet.line(13.0, Ink::Text, &line);
    let evenly = (derived.y.len() as f64).ln();
    let sum = short(derived.y.iter().sum());
    let nats = format!("Σ y = {sum}   ·   entropy {} of at most {}", fixed(entropy, 3), fixed(evenly, 3));
    sheet.line(13.0, Ink::Text, &nats);
    sheet.say(&line);
    sheet.say(&nats);
}

/// Logits, softmax against the target, and the gradient of the loss.
pub(super) fn cross_entropy(sheet: &mut Sheet, derived: &Derived<'_>) {
    let at = derived.at;
    let (a, t, weight) = (&at.logits, at.temperature, at.weight);
    let target = at.target_distribution();
    let entropy = maths::cross_entropy_gradient(a, &target, t);
    let z = maths::z_loss_gradient(a, weight, t);
    let both: Vec<f64> = entropy.iter().zip(&z).map(|(e, z)| e + z).collect();
    // Whole steps, so that the scale keeps still while a bar is dragged.
    let reach = entropy.iter().chain(&z).chain(&both).map(|g| g.abs()).fold(1.0, f64::max);
    let most = 2_f64.powf(reach.log2().ceil());
    let columns = columns(sheet, [LOGIT, (1.0, false), (most, true)]);
    let heads = ["logits x: drag", "y and target t", "∂L/∂x"];
    pairs(sheet, derived, &columns, heads, |sheet, i| {
        let goal = columns[1].at(target[i]).clamp(columns[1].x + 1.0, columns[1].x + columns[1].width - 1.0);
        let top = sheet.y + (ROW - BAR) / 2.0;
        sheet.frame.line([goal, top - 2.0], [goal, top + BAR + 2.0], 2.0, Ink::Accent, None);
        columns[2].ground(sheet);
        let split = if weight > 0.0 { 0.5 } else { 1.0 };
        columns[2].bar(sheet, (0.0, entropy[i]), [0.0, split], GRADIENT);
        if weight > 0.0 {
            columns[2].bar(sheet, (0.0, z[i]), [0.5, 1.0], OTHER);
        }
        columns[2].number(sheet, fixed(both[i], 3));
    });
    let loss = maths::cross_entropy(a, &target, t);
    legend(sheet, weight > 0.0);
    let over_t = if t == 1.0 { String::new() } else { format!(" / {}", short(t)) };
    let name = sub(at.target);
    let lines = [
        format!("L = −log y{name} = {}; its gradient is (y − t){over_t}", fixed(loss, 3)),
        format!(
            "z-loss λ·lse² = {} × {}² = {}; it adds 2λ·lse·y{over_t}",
            short(weight),
            fixed(derived.lse, 3),
            fixed(maths::z_loss(a, weight, t), 3)
        ),
    ];
    for line in lines.iter().take(if weight > 0.0 { 2 } else { 1 }) {
        sheet.line(13.0, Ink::Text, line);
        sheet.say(line);
    }
    let list: Vec<String> = both.iter().map(|g| fixed(*g, 3)).collect();
    sheet.say(&format!("Gradient: {}.", list.join(", ")));
}

/// The legend of a gradient's colours.
fn legend(sheet: &mut Sheet, with_z: bool) {
    let mut keys = vec![(Ink::Accent, "target t"), (GRADIENT, "from the cross-entropy")];
    if with_z {
        keys.push((OTHER, "from the z-loss"));
    }
    let mut x = 0.0;
    for (ink, name) in keys {
        let y = sheet.y + 10.0;
        let wide = if ink == Ink::Accent { 2.0 } else { 12.0 };
        sheet.frame.fill([x + (12.0 - wide) / 2.0, y - 6.0, wide, 12.0], 1.0, ink, None);
        sheet.frame.text([x + 18.0, y], 12.0, Anchor::Start, Ink::Muted, name);
        x += 18.0 + super::super::text::width(name, 12.0, false) + 16.0;
    }
    sheet.y += ROW;
}
