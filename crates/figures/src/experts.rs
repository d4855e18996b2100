//! Tokens, a router, experts: which experts each of the first tokens is sent to, and with which weight.

use super::faults::overlap;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, MOST_EXPERTS, NO_BUFFER, View};
use super::frame::{Anchor, Frame, Item, Tag};
use super::kit::{Board, Rows};
use super::lanes::between;
use super::palette::Ink;
use super::reel::{Moment, Reel};
use super::results::Missing;
use super::{bars, text};
use crate::base::tensor::Tensor;
use crate::base::units::{count, digits3};

/// Tokens that are drawn at most, and experts.
const TOKENS: usize = 8;
const EXPERTS: usize = 16;
/// Height of the names above the boxes and of the words below, and of a box with its gap at least and at most.
const HEAD: f32 = 18.0;
const FOOT: f32 = 18.0;
const PITCH: [f32; 2] = [19.0, 56.0];

static CARD: Card = Card {
    name: "Experts",
    tab: "Experts",
    help: "The first tokens, and the experts that the router sends each of them to",
    about: "which experts the router sends the first tokens to",
    clock: Clock::Launches,
    fits: |facts| facts.buffers,
    needs: "give its program a buffer with the experts that are chosen for each token",
    args: &[
        Arg::required("chosen", ArgKind::Buffer, "the experts of each token, a row per token"),
        Arg::required("experts", ArgKind::Count(MOST_EXPERTS), "how many experts there are"),
        Arg::optional("weight", ArgKind::Buffer, "the weight of each choice"),
        Arg::optional("logits", ArgKind::Buffer, "the router's logits, a row per token"),
        Arg::optional(
            "first",
            ArgKind::UpTo(TOKENS as u32),
            "how many tokens are shown, at most; all that have room, if left out",
        ),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        Routing::of(view).map(|routing| routing.draw(view))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        Routing::of(view).ok()?.told(tag)
    }

    fn element(&self, view: &View<'_>, _: Option<usize>, tag: Tag) -> Option<(String, u64)> {
        let Tag::Word { index, .. } = tag else { return None };
        Some((view.picture.text("chosen").to_owned(), index))
    }
}

/// A choice of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Choice {
    token: usize,
    /// Which of the token's choices.
    place: usize,
    expert: usize,
    weight: Option<f64>,
    /// How far the arrow has come, from 0 to 1.
    share: f32,
}

/// The experts of each token at a moment.
struct Routing {
    tokens: usize,
    experts: usize,
    k: usize,
    choices: Vec<Choice>,
    /// Choices of each expert by all tokens, once they are made.
    rows: Option<Vec<u64>>,
    /// The logits of the tokens that are drawn, a row each; empty before they are computed.
    logits: Vec<f64>,
    when: String,
}

/// The expert of a choice; None if it was not made yet, or is no expert's number.
fn expert(chosen: &Tensor, i: usize, experts: usize) -> Option<usize> {
    let is_made = i < chosen.len() && chosen.bits(i) != chosen.elem.poison();
    is_made.then(|| chosen.bits(i) as usize).filter(|expert| *expert < experts)
}

impl Routing {
    fn of(view: &View<'_>) -> Result<Self, Missing> {
        let (reel, moment) = view.reel(&Fig)?;
        let name = view.picture.text("chosen");
        let (buffer, [before, now]) = reel.buffer(name).zip(reel.around(name, moment)).ok_or(NO_BUFFER)?;
        let k = buffer.columns.and_then(|columns| usize::try_from(columns).ok()).unwrap_or(1).max(1);
        let experts = view.number("experts").map_or(0, |experts| experts as usize);
        let first = view.picture.number("first").map_or(TOKENS, |first| first as usize);
        let tokens = (now.len() / k).min(first);
        let weight = |i: usize| written(reel, view.picture.text("weight"), moment, i);
        let choices = (0..tokens * k).filter_map(|i| {
            let is_new = expert(before, i, experts) != expert(now, i, experts);
            let share = if is_new { moment.eased() } else { 1.0 };
            let expert = expert(now, i, experts)?;
            Some(Choice { token: i / k, place: i % k, expert, weight: weight(i), share })
        });
        let choices: Vec<Choice> = choices.filter(|choice| choice.share > 0.0).collect();
        let all = if moment.share >= 0.5 { now } else { before };
        let mut rows = vec![0; experts];
        (0..all.len()).filter_map(|i| expert(all, i, experts)).for_each(|expert| rows[expert] += 1);
        let logit = |i: usize| written(reel, view.picture.text("logits"), moment, i);
        Ok(Self {
            tokens,
            experts,
            k,
            choices,
            rows: rows.iter().any(|rows| *rows > 0).then_some(rows),
            logits: (0..tokens * experts).map_while(logit).collect(),
            when: reel.when(moment.settled()),
        })
    }

    fn draw(&self, view: &View<'_>) -> Frame {
        let mut board = Board::new(view.size);
        let [width, _] = view.size;
        let (left, right) = (width * 0.2, width * 0.72);
        let wide = (width * 0.15).clamp(64.0, 150.0).min(left - 8.0);
        let of = |board: &Board, x: f32, count: [usize; 2]| {
            Rows::boxes(board.room().within([HEAD, FOOT]), [x, wide], count, PITCH)
        };
        let tokens = of(&board, left - wide, [self.tokens, TOKENS]);
        let experts = of(&board, right, [self.experts.max(1), EXPERTS]);
        // Logits have room below the name.
        let has_bars = !self.logits.is_empty() && tokens.rect(0)[3] >= 26.0;
        let said = self.said(has_bars);
        board.footer(&said);
        let frame = &mut board.frame;
        for (x, anchor, name) in
            [(left, Anchor::End, "tokens"), (width / 2.0, Anchor::Middle, "router"), (right, Anchor::Start, "experts")]
        {
            frame.text([x, 16.0], 14.0, anchor, Ink::Muted, name);
        }
        // The arrows first: boxes and weights cover them.
        let shown =
            || self.choices.iter().filter(|choice| choice.token < tokens.shown && choice.expert < experts.shown);
        let ends = |choice: &Choice| {
            let to = [right - 3.0, experts.middle(choice.expert)];
            (tokens.exit(choice.token, [choice.place, self.k]), to)
        };
        shown().for_each(|choice| self.arrow(frame, choice, ends(choice)));
        let mut taken: Vec<[f32; 4]> = Vec::new();
        shown().for_each(|choice| self.weight(frame, choice, ends(choice), &mut taken));
        for i in 0..tokens.shown {
            let rect = tokens.rect(i);
            frame.outline(rect, 4.0, Some(Ink::Raised), Ink::Faint, None);
            let at = [rect[0] + rect[2] / 2.0, tokens.middle(i) - if has_bars { 4.0 } else { 0.0 }];
            frame.text(at, 13.0, Anchor::Middle, Ink::Text, format!("token {i}"));
            if has_bars {
                self.bars(frame, i, tokens.rect(i));
            }
        }
        tokens.more(frame, "token");
        for i in 0..experts.shown {
            let is_chosen = self.choices.iter().any(|choice| choice.expert == i);
            let ink = is_chosen.then(|| [bars::ink(i), bars::on(i)]);
            experts.named(frame, i, ink, &format!("expert {i}"), None);
            if let Some(rows) = &self.rows {
                let (at, room) = ([experts.right + 8.0, experts.middle(i)], width - experts.right - 12.0);
                frame.fitted(at, 12.0, Anchor::Start, Ink::Muted, room, &format!("{} rows", count(rows[i])));
            }
        }
        experts.more(frame, "expert");
        let arrows: Vec<String> =
            self.choices.iter().map(|choice| format!("token {} to expert {}", choice.token, choice.expert)).collect();
        let (tokens, experts) = (self.tokens, self.experts);
        board.finish(format!("{tokens} tokens and {experts} experts, {said}. {}.", arrows.join(", ")))
    }

    /// An arrow from a token to an expert, as far as it has come; it is as thick as its weight.
    fn arrow(&self, frame: &mut Frame, choice: &Choice, (from, to): ([f32; 2], [f32; 2])) {
        let tip = between(from, to, choice.share);
        let thick = choice.weight.map_or(2.0, |weight| 1.0 + 4.0 * weight.clamp(0.0, 1.0) as f32);
        let tag = Some(self.tag(choice));
        frame.line(from, tip, thick, bars::ink(choice.expert), tag);
        frame.dot(tip, thick.max(3.0), bars::ink(choice.expert), tag);
    }

    /// The weight of a choice, on its arrow: in a column for each of a token's choices, or further along where it would meet another one.
    fn weight(&self, frame: &mut Frame, choice: &Choice, (from, to): ([f32; 2], [f32; 2]), taken: &mut Vec<[f32; 4]>) {
        let Some(weight) = choice.weight.filter(|_| choice.share >= 0.5) else { return };
        let words = format!("{weight:.2}");
        let half = text::width(&words, 12.0, true) / 2.0 + 1.0;
        let place = |column: usize| {
            let x = 24.0 + 38.0 * column as f32;
            let at = between(from, to, (x / (to[0] - from[0]).max(1.0)).min(1.0));
            (at, [at[0] - half, at[1] - 7.0, 2.0 * half, 14.0])
        };
        let mut places = (choice.place..choice.place + 4).map(place);
        let Some((at, rect)) = places.find(|(_, rect)| !taken.iter().any(|other| overlap(*other, *rect))) else {
            return;
        };
        let tag = Some(self.tag(choice));
        taken.push(rect);
        frame.fill(rect, 3.0, Ink::Panel, tag);
        let (size, anchor, ink, mono) = (12.0, Anchor::Middle, Ink::Text, true);
        frame.items.push(Item::Text { at, size, anchor, ink, text: words, mono, tag });
    }

    fn tag(&self, choice: &Choice) -> Tag {
        Tag::Word { buffer: 0, index: (choice.token * self.k + choice.place) as u64 }
    }

    /// A token's logits, as bars along the lower edge of its box.
    fn bars(&self, frame: &mut Frame, token: usize, [x, y, w, h]: [f32; 4]) {
        let Some(own) = self.logits.get(token * self.experts..(token + 1) * self.experts) else { return };
        let (low, high) = own.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
        let each = (w - 12.0) / own.len() as f32;
        for (i, logit) in own.iter().enumerate() {
            let share = if high > low { ((logit - low) / (high - low)) as f32 } else { 0.5 };
            let tall = 1.0 + share * (h * 0.3);
            frame.fill(
                [x + 6.0 + each * i as f32, y + h - 3.0 - tall, (each - 1.0).max(0.5), tall],
                0.0,
                bars::ink(i),
                None,
            );
        }
    }

    /// The words below.
    fn said(&self, has_bars: bool) -> String {
        let weights = self.choices.iter().any(|choice| choice.weight.is_some());
        let each = format!("{}: each token has {} of {} experts", self.when, self.k, self.experts);
        let weights = weights.then(|| "numbers: weights in the sum".to_owned());
        let logits = has_bars.then(|| "bars: the token's logits".to_owned());
        [each].into_iter().chain(weights).chain(logits).collect::<Vec<_>>().join("; ")
    }

    fn told(&self, tag: Tag) -> Option<String> {
        let Tag::Word { index, .. } = tag else { return None };
        let choice = self.choices.iter().find(|choice| (choice.token * self.k + choice.place) as u64 == index)?;
        let weight = choice.weight.map(|weight| format!(", weight {}", digits3(weight))).unwrap_or_default();
        Some(format!("token {}, choice {}: expert {}{weight}", choice.token, choice.place + 1, choice.expert))
    }
}

/// An element once it is written: after the launch of a moment that is more than halfway.
fn written(reel: &Reel, name: &str, moment: Moment, i: usize) -> Option<f64> {
    let tensor = reel.after(name, moment.settled())?;
    (i < tensor.len() && !tensor.is_poison(i)).then(|| tensor.get(i))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, filmed, picture_of};
    use super::super::reel::{ReelBuffer, ReelPass};
    use super::*;
    use crate::base::tensor::Elem;
    use crate::lesson::ArgValue;
    use crate::trace::Film;

    /// Two tokens that choose two of four experts each: first nothing, then the choices.
    fn reel() -> Reel {
        let start = Tensor::from_bits(Elem::U32, [Elem::U32.poison(); 4].into_iter());
        let mut film = Film::new(vec![start]);
        film.add((0, 0), vec![(0, Tensor::from_bits(Elem::U32, [3, 1, 0, 3].into_iter()))]);
        let buffers = vec![ReelBuffer { name: "chosen".into(), count: 4, columns: Some(2), ..ReelBuffer::default() }];
        Reel { film, buffers, passes: vec![ReelPass::single("choose")] }
    }

    #[test]
    fn arrows_grow_to_the_chosen_experts() {
        let picture = picture_of("Experts", &[("chosen", ArgValue::Text("chosen".into()))]);
        let results = filmed(&Fig, &picture, &[("experts", 4.0)], reel());
        for size in [[420.0, 300.0], [650.0, 380.0], [1500.0, 800.0]] {
            let at = |position: f32| {
                let view = View { position, motion: true, ..View::still(&results, &picture, size) };
                drawn(&Fig, &view, &mut Kept::default())
            };
            let lines = |frame: &Frame| -> Vec<f32> {
                let long = |item: &Item| match item {
                    Item::Line { from, to, .. } => Some((from[0] - to[0]).hypot(from[1] - to[1])),
                    _ => None,
                };
                frame.items.iter().filter_map(long).collect()
            };
            let [before, halfway, after] = [0.0, 0.4, 0.99].map(at);
            assert_eq!((lines(&before).len(), lines(&halfway).len(), lines(&after).len()), (0, 4, 4));
            assert!(lines(&halfway).iter().zip(lines(&after)).all(|(half, whole)| *half < whole));
            assert!(
                after.alt.contains("token 0 to expert 3, token 0 to expert 1, token 1 to expert 0"),
                "{}",
                after.alt
            );
            for frame in [&before, &halfway, &after] {
                assert_tidy(frame, &format!("{size:?}"));
            }
            assert_eq!(halfway, at(0.4), "a frame between two moments is deterministic");
        }
    }
}
