//! Tokens, a router, experts: which experts each of the first tokens is sent to, and with which weight.

use super::figure::NO_BUFFER;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, MOST_EXPERTS, View};
use super::frame::{Anchor, Frame, Item, Tag};
use super::lanes::between;
use super::palette::Ink;
use super::reel::{Moment, Reel};
use super::results::Missing;
use super::{bars, text};
use crate::base::tensor::Tensor;
use crate::base::units::{count, digits3};

const MARGIN: f32 = 16.0;
/// Tokens that are drawn at most, and experts.
const TOKENS: usize = 8;
const EXPERTS: usize = 16;
/// Height above the boxes, below them, and of a box with its gap at least and at most.
const HEAD: f32 = 28.0;
const FOOT: f32 = 28.0;
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

/// Who goes where at a moment.
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
        let tokens = (now.len() / k).min(TOKENS);
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
        let mut frame = Frame::new(view.size);
        let [width, height] = view.size;
        let room = (height - HEAD - FOOT).max(1.0);
        let fits = (room / PITCH[0]).max(1.0) as usize;
        let (tokens, experts) = (self.tokens.min(fits), self.experts.clamp(1, EXPERTS).min(fits));
        let pitch = |boxes: usize| (room / boxes as f32).min(PITCH[1]);
        let (left, right) = (width * 0.2, width * 0.72);
        let boxed = |boxes: usize, i: usize, x: f32, wide: f32| {
            let pitch = pitch(boxes);
            let top = HEAD + (room - pitch * boxes as f32) / 2.0;
            [x, top + pitch * i as f32 + pitch * 0.14, wide, pitch * 0.72]
        };
        let wide = (width * 0.15).clamp(64.0, 150.0).min(left - 8.0);
        let token = |i: usize| boxed(tokens, i, left - wide, wide);
        let of_expert = |i: usize| boxed(experts, i, right, wide);
        for (x, anchor, name) in
            [(left, Anchor::End, "tokens"), (width / 2.0, Anchor::Middle, "router"), (right, Anchor::Start, "experts")]
        {
            frame.text([x, 16.0], 14.0, anchor, Ink::Muted, name);
        }
        // The arrows first: boxes and weights cover them.
        let shown = || self.choices.iter().filter(|choice| choice.token < tokens && choice.expert < experts);
        for choice in shown() {
            self.arrow(&mut frame, choice, token(choice.token), of_expert(choice.expert));
        }
        for choice in shown() {
            self.weight(&mut frame, choice, token(choice.token), of_expert(choice.expert));
        }
        // Logits have room below the name.
        let has_bars = !self.logits.is_empty() && token(0)[3] >= 26.0;
        for i in 0..tokens {
            let [x, y, w, h] = token(i);
            frame.outline([x, y, w, h], 4.0, Some(Ink::Raised), Ink::Faint, None);
            frame.text(
                [x + w / 2.0, y + h / 2.0 - if has_bars { 4.0 } else { 0.0 }],
                13.0,
                Anchor::Middle,
                Ink::Text,
                format!("token {i}"),
            );
            if has_bars {
                self.bars(&mut frame, i, [x, y, w, h]);
            }
        }
        for i in 0..experts {
            let rect = of_expert(i);
            let [x, y, w, h] = rect;
            let is_chosen = self.choices.iter().any(|choice| choice.expert == i);
            let fill = if is_chosen { color(i) } else { Ink::Raised };
            frame.outline(rect, 4.0, Some(fill), Ink::Faint, None);
            let ink = if is_chosen { bars::on(i) } else { Ink::Muted };
            frame.text([x + w / 2.0, y + h / 2.0], 13.0, Anchor::Middle, ink, format!("expert {i}"));
            if let Some(rows) = &self.rows {
                let said = format!("{} rows", count(rows[i]));
                frame.text(
                    [x + w + 8.0, y + h / 2.0],
                    12.0,
                    Anchor::Start,
                    Ink::Muted,
                    text::fit(&said, 12.0, false, width - x - w - 12.0),
                );
            }
        }
        self.legend(&mut frame, experts, has_bars);
        frame
    }

    /// An arrow from a token to an expert, as far as it has come; it is as thick as its weight.
    fn arrow(&self, frame: &mut Frame, choice: &Choice, token: [f32; 4], expert: [f32; 4]) {
        let (from, to) = self.ends(choice, token, expert);
        let tip = between(from, to, choice.share);
        let thick = choice.weight.map_or(2.0, |weight| 1.0 + 4.0 * weight.clamp(0.0, 1.0) as f32);
        let tag = Some(self.tag(choice));
        frame.line(from, tip, thick, color(choice.expert), tag);
        frame.dot(tip, thick.max(3.0), color(choice.expert), tag);
    }

    /// The weight of a choice, on its arrow: in a column for each of a token's choices, so that neighbours do not meet.
    fn weight(&self, frame: &mut Frame, choice: &Choice, token: [f32; 4], expert: [f32; 4]) {
        let Some(weight) = choice.weight.filter(|_| choice.share >= 0.5) else { return };
        let (from, to) = self.ends(choice, token, expert);
        let (x, tag) = (from[0] + 24.0 + 38.0 * choice.place as f32, Some(self.tag(choice)));
        let at = between(from, to, ((x - from[0]) / (to[0] - from[0]).max(1.0)).min(1.0));
        let words = format!("{weight:.2}");
        let half = text::width(&words, 11.0, true) / 2.0 + 1.0;
        frame.fill([at[0] - half, at[1] - 6.5, 2.0 * half, 13.0], 3.0, Ink::Panel, tag);
        let (size, anchor, ink, mono) = (11.0, Anchor::Middle, Ink::Text, true);
        frame.items.push(Item::Text { at, size, anchor, ink, text: words, mono, tag });
    }

    /// Where a choice's arrow begins and ends.
    fn ends(&self, choice: &Choice, token: [f32; 4], expert: [f32; 4]) -> ([f32; 2], [f32; 2]) {
        let step = token[3] / (self.k as f32 + 1.0);
        let from = [token[0] + token[2], token[1] + step * (choice.place as f32 + 1.0)];
        (from, [expert[0] - 3.0, expert[1] + expert[3] / 2.0])
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
                color(i),
                None,
            );
        }
    }

    /// The words below, where `shown` of the experts are drawn.
    fn legend(&self, frame: &mut Frame, shown: usize, has_bars: bool) {
        let y = frame.height - 18.0;
        let room = frame.width - 2.0 * MARGIN;
        let mut said = vec![format!("{}: each token has {} of {} experts", self.when, self.k, self.experts)];
        if shown < self.experts {
            said.push(format!("the first {shown} are drawn"));
        }
        if self.choices.iter().any(|choice| choice.weight.is_some()) {
            said.push("numbers: weights in the sum".to_owned());
        }
        if has_bars {
            said.push("bars: the token's logits".to_owned());
        }
        let said = said.join("; ");
        let arrows: Vec<String> =
            self.choices.iter().map(|choice| format!("token {} to expert {}", choice.token, choice.expert)).collect();
        frame.alt = format!("{} tokens and {} experts, {said}. {}.", self.tokens, self.experts, arrows.join(", "));
        frame.text([MARGIN, y], 12.0, Anchor::Start, Ink::Muted, text::fit(&said, 12.0, false, room));
    }

    fn told(&self, tag: Tag) -> Option<String> {
        let Tag::Word { index, .. } = tag else { return None };
        let choice = self.choices.iter().find(|choice| (choice.token * self.k + choice.place) as u64 == index)?;
        let weight = choice.weight.map(|weight| format!(", weight {}", digits3(weight))).unwrap_or_default();
        Some(format!("token {}, choice {}: expert {}{weight}", choice.token, choice.place + 1, choice.expert))
    }
}

/// An expert's colour; after the last comes the first again.
fn color(expert: usize) -> Ink {
    bars::ink(expert)
}

/// An element once it is written: after the launch of a moment that is more than halfway.
fn written(reel: &Reel, name: &str, moment: Moment, i: usize) -> Option<f64> {
    let tensor = reel.after(name, moment.settled())?;
    (i < tensor.len() && !tensor.is_poison(i)).then(|| tensor.get(i))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, filmed, picture_of};
    use super::super::reel::ReelBuffer;
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
        Reel { film, buffers, passes: vec![("choose".into(), 1)] }
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
