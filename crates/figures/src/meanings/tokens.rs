//! A text in cells, one for each token: its buffer says at which bytes the tokens begin.

use super::super::buffer::Contents;
use super::super::figure::{Arg, ArgKind};
use super::super::frame::{Anchor, Frame, Item, Tag};
use super::super::kit::MARGIN;
use super::super::kit::legend::{Key, legend};
use super::super::palette::Ink;
use super::super::text;
use super::letters::{CHARACTER, shown, wide, width};
use super::pairs::{self, Cell};
use super::{Card, Meaning, Meant, corner};
use crate::base::tensor::Tensor;
use crate::base::units::{count, counted};

/// Bytes of a token that are kept to be shown: a kernel that is wrong makes tokens of any size.
pub(crate) const HEAD_BYTES: usize = 64;

/// Space above the cells and below them.
const HEAD: f32 = 36.0;
const FOOT: f32 = 32.0;
/// Height of a line of cells, and of a cell.
pub(crate) const LINE: f32 = 27.0;
const CELL: f32 = 22.0;
/// Width of the space beside the characters of a cell.
const PADDING: f32 = 8.0;
/// Bytes of a text by which the length of its lines is judged.
const KNOWN: usize = 4096;
/// Colours of tokens of several bytes; the same token has the same colour everywhere.
const COLOURS: u32 = 32;

/// The range of bytes of token `i`; None after the last token.
fn span(contents: &Contents<'_>, i: usize) -> Option<(u64, u64)> {
    if i + 1 >= contents.tensor.len() {
        return None;
    }
    let [begin, end] = [contents.value(i)?, contents.value(i + 1)?];
    // An entry after the last token is left from a longer text: it begins earlier than the one before it.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "places of bytes")]
    (begin < end).then_some((begin as u64, end as u64))
}

/// Tokens, from the first on.
fn tokens(contents: &Contents<'_>) -> usize {
    (0..contents.tensor.len()).take_while(|i| span(contents, *i).is_some()).count()
}

/// A token as it is shown: its first bytes, and how many it has.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    head: Vec<u8>,
    pub(crate) bytes: u64,
}

impl Token {
    pub(crate) const EMPTY: Self = Self { head: Vec::new(), bytes: 0 };

    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self { head: bytes[..bytes.len().min(HEAD_BYTES)].to_vec(), bytes: bytes.len() as u64 }
    }

    /// The bytes of a text from one place to before another; the text is read again after its end.
    fn of(text: &Tensor, (begin, end): (u64, u64)) -> Self {
        let length = text.len().max(1) as u64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes")]
        let byte = |at: u64| text.get(usize::try_from(at % length).unwrap_or(0)) as u8;
        Self { head: (begin..end).take(HEAD_BYTES).map(byte).collect(), bytes: end - begin }
    }

    /// This one and another after it.
    pub(crate) fn then(&self, other: &Self) -> Self {
        let mut head = self.head.clone();
        if self.is_whole() {
            head.extend(other.head.iter().take(HEAD_BYTES - head.len()));
        }
        Self { head, bytes: self.bytes.saturating_add(other.bytes) }
    }

    /// True if all its bytes are kept.
    pub(crate) fn is_whole(&self) -> bool {
        self.head.len() as u64 == self.bytes
    }

    /// Its bytes as far as they are kept, and how many it has if there are more.
    pub(crate) fn shown(&self) -> String {
        let head = shown(&self.head);
        if self.is_whole() { head } else { head + &self.rest() }
    }

    /// Its bytes as far as there is `room` for them, and how many it has if there are more.
    fn fitted(&self, room: f32) -> String {
        let whole = self.shown();
        if wide(&whole) <= room {
            return whole;
        }
        let rest = self.rest();
        let mut left = room - wide(&rest);
        let fits = |c: &char| {
            left -= width(*c);
            left >= 0.0
        };
        shown(&self.head).chars().take_while(fits).collect::<String>() + &rest
    }

    fn rest(&self) -> String {
        format!("… {} bytes", count(self.bytes))
    }
}

/// A token's cell with its upper left corner at `at`, `most` wide at most; returns how much room it takes.
pub(crate) fn cell(
    frame: &mut Frame,
    at: [f32; 2],
    (token, most): (&Token, f32),
    hovered: Option<Tag>,
    tag: Option<Tag>,
) -> f32 {
    let text = token.fitted(most - PADDING);
    let wide = wide(&text) + PADDING;
    let fill = colour(token);
    let edge = if tag.is_some() && hovered == tag { Ink::Accent } else { fill };
    frame.outline([at[0], at[1], wide - 2.0, CELL], 3.0, Some(fill), edge, tag);
    let middle = [at[0] + (wide - 2.0) / 2.0, at[1] + CELL / 2.0];
    let (size, anchor, ink) = (13.0, Anchor::Middle, Ink::Text);
    frame.items.push(Item::Text { at: middle, size, anchor, ink, text, mono: true, tag });
    wide
}

/// Room that a token's cell takes of `most`.
pub(crate) fn room(token: &Token, most: f32) -> f32 {
    wide(&token.fitted(most - PADDING)) + PADDING
}

/// A token's colour, from its first bytes (FNV-1a).
fn colour(token: &Token) -> Ink {
    if token.bytes < 2 {
        return Ink::Raised;
    }
    let hash =
        token.head.iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    Ink::Bank(((hash >> 16) % COLOURS) as u8, 45)
}

/// A token's cell in the picture.
struct Placed {
    /// Its place among all tokens.
    index: usize,
    /// Its bytes in the text.
    span: (u64, u64),
    /// Its upper left corner.
    at: [f32; 2],
    /// The room of its cell, and with its id.
    room: [f32; 2],
    token: Token,
    id: String,
}

/// The tokens that fit, from the first that is shown on.
fn placed(size: [f32; 2], contents: &Contents<'_>, read: &Tensor, [ids, pairs]: [Option<&Tensor>; 2]) -> Vec<Placed> {
    let line = if ids.or(pairs).is_some() { LINE + 12.0 } else { LINE };
    let most = size[0] - 2.0 * MARGIN;
    let has_lines = !flows(read, most, (size[1] - HEAD - FOOT) / line);
    let (mut x, mut y) = (MARGIN, HEAD);
    let mut cells = Vec::new();
    for index in contents.from.. {
        let Some(span) = span(contents, index) else { break };
        let token = Token::of(read, span);
        let id = ids.filter(|ids| index < ids.len() && !ids.is_poison(index)).map(|ids| ids.bits(index).to_string());
        let id = id.unwrap_or_default();
        let own = room(&token, most);
        let wide = own.max(text::width(&id, 12.0, false) + 5.0);
        if x + wide > size[0] - MARGIN && x > MARGIN {
            (x, y) = (MARGIN, y + line);
        }
        if y + line - LINE + CELL > size[1] - FOOT {
            break;
        }
        cells.push(Placed { index, span, at: [x, y], room: [own, wide], token, id });
        // A line of the text begins a line of cells.
        x = if has_lines && ends_line(read, span) { size[0] } else { x + wide };
    }
    cells
}

/// Whether a text's lines follow one another in one line of cells: there are more than `rows`, and they would leave most of the width empty.
fn flows(text: &Tensor, width: f32, rows: f32) -> bool {
    let known = text.len().min(KNOWN);
    let ends = (0..known).filter(|at| text.bits(*at) == u32::from(b'\n')).count() as f32;
    ends > rows && known as f32 / ends * (CHARACTER + PADDING) < width / 2.0
}

/// Whether a token ends with the end of a line.
fn ends_line(text: &Tensor, (_, end): (u64, u64)) -> bool {
    let last = usize::try_from(end - 1).unwrap_or(usize::MAX);
    last < text.len() && text.bits(last) == u32::from(b'\n')
}

impl Placed {
    fn edges(&self) -> Cell {
        let left = self.left();
        Cell { token: self.index, left, right: left + self.room[0] - 2.0, bottom: self.at[1] + CELL }
    }

    /// The left edge of its cell, which is in the middle of the room.
    fn left(&self) -> f32 {
        self.at[0] + (self.room[1] - self.room[0]) / 2.0
    }

    fn draw(&self, frame: &mut Frame, at: [f32; 2], hovered: Option<Tag>) {
        let tag = Some(Tag::Word { buffer: 0, index: self.index as u64 });
        cell(frame, at, (&self.token, frame.width - 2.0 * MARGIN), hovered, tag);
    }

    fn draw_id(&self, frame: &mut Frame) {
        if !self.id.is_empty() {
            let at = [self.at[0] + self.room[1] / 2.0 - 1.0, self.at[1] + CELL + 7.0];
            frame.text(at, 12.0, Anchor::Middle, Ink::Muted, self.id.clone());
        }
    }
}

/// The cells of the tokens before a launch on their way to those after it: parts of a new token zip together, the others close up.
/// A cell that changes its line is in the old one for the first half, and in the new one for the second.
fn zip(frame: &mut Frame, old: &[Placed], new: &[Placed], progress: f32) {
    for part in old {
        let into = new.partition_point(|whole| whole.span.0 <= part.span.0);
        let Some(whole) = into.checked_sub(1).and_then(|at| new.get(at)).filter(|whole| part.span.1 <= whole.span.1)
        else {
            if progress < 0.5 {
                part.draw(frame, [part.left(), part.at[1]], None);
            }
            continue;
        };
        let share = (part.span.0 - whole.span.0) as f32 / (whole.span.1 - whole.span.0).max(1) as f32;
        let [from, to] = [[part.left(), part.at[1]], [whole.left() + share * (whole.room[0] - PADDING), whole.at[1]]];
        let at = match (from[1] - to[1]).abs() < 1.0 {
            true => [from[0] + progress * (to[0] - from[0]), to[1]],
            false if progress < 0.5 => from,
            false => to,
        };
        let merges = part.span != whole.span;
        part.draw(frame, at, merges.then_some(Tag::Word { buffer: 0, index: part.index as u64 }));
        if !merges && progress >= 0.5 {
            whole.draw_id(frame);
        }
    }
}

/// A text in tokens: the buffer with their beginnings, the text, the tokens' ids, and the buffer before the present launch.
pub(crate) struct Cut<'a> {
    pub of: &'a Contents<'a>,
    pub text: &'a Tensor,
    pub ids: Option<&'a Tensor>,
    pub before: Option<&'a Tensor>,
    /// By token: 1 where a merge with the next one begins.
    pub pairs: Option<&'a Tensor>,
    /// The name of several cells, if they are not tokens.
    pub name: &'a str,
}

impl Cut<'_> {
    /// Draws the tokens from the first that is shown on, and says how many there are.
    pub(crate) fn draw(&self, frame: &mut Frame, hovered: Option<Tag>) -> String {
        let all = tokens(self.of);
        let end = if all == 0 { 0 } else { span(self.of, all - 1).map_or(0, |(_, end)| end) };
        let name = if self.name.is_empty() { "tokens" } else { self.name };
        // If the cells are the bytes, they are counted once.
        let said = match self.name {
            "" => format!("{} bytes in {}", count(end), counted(all as u64, "token")),
            _ if end == all as u64 => format!("{} {}", count(end), self.name),
            name => format!("{} bytes in {} {name}", count(end), count(all as u64)),
        };
        let size = [frame.width, frame.height];
        let below = [self.ids, self.pairs];
        let new = placed(size, self.of, self.text, below);
        let here = match new.len() {
            shown if shown < all => format!("{said}, {} here", count(shown as u64)),
            _ => said.clone(),
        };
        corner(frame, &here);
        let moves = self.of.progress > 0.0 && self.of.progress < 1.0;
        let before = self.before.filter(|before| moves && *before != self.of.tensor);
        let old = before.map(|tensor| placed(size, &Contents { tensor, ..self.of.clone() }, self.text, below));
        let old = old.filter(|old| !old.is_empty());
        let merges = self.pairs.filter(|_| old.is_none()).map(|pairs| {
            let cells: Vec<Cell> = new.iter().map(Placed::edges).collect();
            pairs::draw(frame, &cells, pairs)
        });
        match old {
            Some(old) => zip(frame, &old, &new, self.of.progress),
            None => new.iter().for_each(|cell| {
                cell.draw(frame, [cell.left(), cell.at[1]], hovered);
                cell.draw_id(frame);
            }),
        }
        let several = format!("several bytes: equal {name} have equal colours");
        let has_several = new.iter().any(|cell| cell.token.bytes > 1);
        let mut keys = vec![Key::new(Ink::Raised, "a byte").edge(Ink::Muted)];
        keys.extend(has_several.then(|| Key::new(Ink::Bank(3, 45), &several)));
        keys.extend(merges.iter().flat_map(pairs::Drawn::keys));
        legend(frame, MARGIN, frame.height - 14.0, frame.width - 2.0 * MARGIN, &keys);
        format!("{said}.{}", merges.map(|merges| merges.said()).unwrap_or_default())
    }
}

/// Token `i` in words, with its id if the tokens have some.
pub(crate) fn told(contents: &Contents<'_>, (text, ids): (&Tensor, Option<&Tensor>), i: usize) -> Option<String> {
    let (begin, end) = span(contents, i)?;
    let words = Token::of(text, (begin, end)).shown();
    let id = ids.filter(|ids| i < ids.len() && !ids.is_poison(i)).map(|ids| format!(", id {}", ids.bits(i)));
    let id = id.unwrap_or_default();
    Some(format!("token {}: {words}{id}, bytes {} to {}", count(i as u64), count(begin), count(end - 1)))
}

static CARD: Card = Card {
    name: "Tokens",
    tab: "Tokens",
    help: "elements are the bytes at which the tokens of a text begin; the picture is the text in cells",
    args: &[
        Arg::required("text", ArgKind::Buffer, "the text, an element for each byte"),
        Arg::optional("ids", ArgKind::Buffer, "the tokens' ids, which are written below the cells"),
        Arg::optional(
            "pairs",
            ArgKind::Buffer,
            "1 for a token where a merge with the next one begins: the two are bracketed, in red if brackets overlap",
        ),
        Arg::optional("name", ArgKind::Text, "the name of several cells, if they are not tokens: \"words\""),
    ],
    travels: true,
};

/// The tokens' ids, if the lesson names their buffer.
fn ids<'a>(of: &Meant<'a>) -> Option<&'a Tensor> {
    Some(of.picture.text("ids")).filter(|ids| !ids.is_empty()).and_then(|_| of.now("ids"))
}

/// Where merges begin, if the lesson names that buffer, and it is of the tokens that are shown.
fn merges<'a>(of: &Meant<'a>) -> Option<&'a Tensor> {
    let name = Some(of.picture.text("pairs")).filter(|name| !name.is_empty())?;
    of.now("pairs").filter(|_| of.reel.changed_since(name, of.contents.buffer, of.frames[0]))
}

/// The meaning.
pub struct Fig;

impl Meaning for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn row(&self, _: usize) -> usize {
        16
    }

    fn draw(&self, frame: &mut Frame, of: &Meant<'_>, hovered: Option<Tag>) -> Option<String> {
        Some(
            Cut {
                of: of.contents,
                text: of.now("text")?,
                ids: ids(of),
                before: of.before(),
                pairs: merges(of),
                name: of.picture.text("name"),
            }
            .draw(frame, hovered),
        )
    }

    fn tip(&self, of: &Meant<'_>, i: usize) -> Option<String> {
        told(of.contents, (of.now("text")?, ids(of)), i)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixtures::assert_tidy;
    use super::super::super::shape::Shape;
    use super::*;
    use crate::base::tensor::Elem;
    use crate::lesson::Legend;

    fn contents(tensor: &Tensor) -> Contents<'_> {
        let count = tensor.len() as u64;
        let (buffer, when) = ("offset", "at the end");
        Contents {
            buffer,
            when,
            tensor,
            count,
            columns: None,
            row: None,
            legend: Legend::NONE,
            shape: Shape::Meant,
            from: 0,
            line: crate::buffer::Line::default(),
            progress: 1.0,
        }
    }

    fn cut<'a>(of: &'a Contents<'a>, text: &'a Tensor) -> Cut<'a> {
        Cut { of, text, ids: None, before: None, pairs: None, name: "" }
    }

    fn of(numbers: &[u32]) -> Tensor {
        Tensor::from_bits(Elem::U32, numbers.iter().copied())
    }

    #[test]
    fn tokens_end_where_a_shorter_text_ends() {
        // "new low": new, ␣l, ow; then what is left from before.
        let text = of(&"new low".bytes().map(u32::from).collect::<Vec<_>>());
        let offset = of(&[0, 3, 5, 7, 4, 5, 6, 7]);
        let contents = contents(&offset);
        assert_eq!(tokens(&contents), 3);
        assert_eq!(told(&contents, (&text, None), 1).as_deref(), Some("token 1: ␣l, bytes 3 to 4"));
        assert_eq!(told(&contents, (&text, None), 3), None);
        let mut frame = Frame::new([420.0, 200.0]);
        assert_eq!(cut(&contents, &text).draw(&mut frame, None), "7 bytes in 3 tokens.");
        frame.alt = "three tokens".to_owned();
        assert_tidy(&frame, "three tokens");
    }

    #[test]
    fn short_lines_follow_one_another_when_they_do_not_fit_below() {
        let lines = |count: usize| of(&"low\n".repeat(count).bytes().map(u32::from).collect::<Vec<_>>());
        let tops = |count: usize| {
            let text = lines(count);
            let offset = of(&(0..=4 * count as u32).collect::<Vec<_>>());
            let cells = placed([420.0, 200.0], &contents(&offset), &text, [None; 2]);
            let mut tops: Vec<f32> = cells.iter().map(|cell| cell.at[1]).collect();
            tops.dedup();
            (cells.len(), tops.len())
        };
        assert_eq!(tops(3), (12, 3), "each line of the text has its own");
        assert_eq!(tops(16), (64, 3), "16 lines have no room");
    }

    #[test]
    fn the_parts_of_a_new_token_zip_together() {
        let text = of(&"new low".bytes().map(u32::from).collect::<Vec<_>>());
        let [before, after] = [of(&[0, 1, 2, 3, 4, 7]), of(&[0, 1, 3, 4, 7, 7])];
        // The left edges of the cells that are drawn.
        let edges = |progress| {
            let contents = Contents { progress, ..contents(&after) };
            let mut frame = Frame::new([420.0, 200.0]);
            Cut { before: Some(&before), ..cut(&contents, &text) }.draw(&mut frame, None);
            let cells = frame.items.iter().filter_map(|item| match item {
                Item::Rect { rect, tag: Some(_), .. } => Some(rect[0]),
                _ => None,
            });
            cells.collect::<Vec<_>>()
        };
        let [first, middle, last] = [edges(0.001), edges(0.5), edges(1.0)];
        assert_eq!((first.len(), middle.len(), last.len()), (5, 5, 4));
        // `n` stays, `e` comes to stay, `w` comes to it, and what follows closes up.
        assert_eq!(first[0], middle[0]);
        assert!(middle[2] - middle[1] < first[2] - first[1], "{first:?} {middle:?}");
        assert!(first[3] > middle[3] && middle[3] > last[2], "{first:?} {middle:?} {last:?}");
    }

    #[test]
    fn equal_tokens_have_equal_colours() {
        let token = |text: &str| Token::new(text.as_bytes());
        assert!(room(&token("人人"), 400.0) > room(&token("abc"), 400.0));
        assert_eq!(colour(&token("a")), Ink::Raised);
        assert_eq!(colour(&token("the")), colour(&token("the")));
    }

    #[test]
    fn a_wide_token_is_shown_as_far_as_it_fits() {
        let text = of(&[97; 8]);
        let offset = of(&[0, 0xf000_0000]);
        let contents = contents(&offset);
        let said = told(&contents, (&text, None), 0).unwrap_or_default();
        assert_eq!(said, format!("token 0: {}… 4,026,531,840 bytes, bytes 0 to 4,026,531,839", "a".repeat(HEAD_BYTES)));
        let mut frame = Frame::new([420.0, 200.0]);
        assert_eq!(cut(&contents, &text).draw(&mut frame, None), "4,026,531,840 bytes in 1 token.");
        let shown = frame.items.iter().find_map(|item| match item {
            Item::Text { text, mono: true, .. } => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(shown, Some(format!("{}… 4,026,531,840 bytes", "a".repeat(25)).as_str()));
        frame.alt = "one token".to_owned();
        assert_tidy(&frame, "one token");
    }
}
