//! A list of merges: of which two tokens each new one is made, and so the tree of any token.

use super::super::buffer::Contents;
use super::super::figure::{Arg, ArgKind};
use super::super::frame::{Anchor, Frame, Tag};
use super::super::kit::MARGIN;
use super::super::palette::Ink;
use super::super::text;
use super::tokens::{self, Token, cell};
use super::{Card, Meaning, Meant, corner};
use crate::base::tensor::Tensor;
use crate::base::units::count;

/// Space above the list.
const HEAD: f32 = 44.0;
/// Room between two columns of the list, and for the sign between two cells.
const GAP: f32 = 28.0;
const SIGN: f32 = 18.0;

/// Bytes of the longest token that is shown: a kernel that is wrong may double a token with each merge.
const LONGEST: usize = 1 << 16;

/// The merges so far: the two tokens of each. Rows after the last one hold zeros, or nothing yet. A merge of a later token ends the list.
pub(crate) fn merges(list: &Tensor, first: u32) -> Vec<[u32; 2]> {
    let token = |i| Some(list.bits(i)).filter(|token| *token != list.elem.poison());
    let mut sizes = vec![1; first as usize];
    let mut merges = Vec::new();
    for row in 0..list.len() / 2 {
        let (Some(left), Some(right)) = (token(2 * row), token(2 * row + 1)) else { break };
        let size = sizes.get(left as usize).zip(sizes.get(right as usize)).map(|(left, right)| left + right);
        let Some(size) = size.filter(|size| *size <= LONGEST && [left, right] != [0, 0]) else { break };
        sizes.push(size);
        merges.push([left, right]);
    }
    merges
}

/// Every token, bytes among them.
pub(crate) fn tokens(merges: &[[u32; 2]], first: u32) -> Vec<Token> {
    let mut tokens: Vec<Token> = (0..first).map(|byte| Token::new(&[byte as u8])).collect();
    for [left, right] in merges {
        tokens.push(tokens[*left as usize].then(&tokens[*right as usize]));
    }
    tokens
}

/// Draws the merges from the first that is shown on, and says how many there are. Those that the present launch adds, after the first
/// `known` ones, come: their parts slide to them from the tokens that they are, and then the new token appears.
pub(crate) fn draw(
    frame: &mut Frame,
    contents: &Contents<'_>,
    (first, known): (u32, usize),
    hovered: Option<Tag>,
) -> String {
    let merges = merges(contents.tensor, first);
    let tokens = tokens(&merges, first);
    let said = format!("{} merges", count(merges.len() as u64));
    corner(frame, &said);
    let from = (contents.from / 2).min(merges.len());
    let number = text::width(&count((first as usize + merges.len()) as u64), 12.0, true) + 12.0;
    // Three of the widest cells fit.
    let most = (frame.width - 2.0 * MARGIN - number - 2.0 * SIGN) / 3.0;
    let widest = |parts: &mut dyn Iterator<Item = usize>| {
        parts.map(|token| tokens::room(&tokens[token], most)).fold(0.0, f32::max)
    };
    let rows = ((frame.height - HEAD - MARGIN) / tokens::LINE).max(1.0) as usize;
    let mut x = MARGIN;
    // The cells of the tokens that merges made.
    let mut homes: Vec<[f32; 2]> = Vec::new();
    for (column, part) in merges[from..].chunks(rows).enumerate() {
        let row = from + column * rows;
        let left = widest(&mut part.iter().map(|[left, _]| *left as usize));
        let right = widest(&mut part.iter().map(|[_, right]| *right as usize));
        let made = widest(&mut (0..part.len()).map(|i| first as usize + row + i));
        let wide = number + left + SIGN + right + SIGN + made;
        if x + wide > frame.width - MARGIN && column > 0 {
            break;
        }
        for (i, pair) in part.iter().enumerate() {
            let y = HEAD + i as f32 * tokens::LINE;
            let middle = y + tokens::LINE / 2.0 - 2.5;
            let made = first as usize + row + i;
            let tag = Some(Tag::Word { buffer: 0, index: 2 * (row + i) as u64 });
            let progress = if row + i < known { 1.0 } else { contents.progress };
            frame.text([x + number - 12.0, middle], 12.0, Anchor::End, Ink::Muted, count(made as u64));
            for (at, token) in [(0.0, pair[0] as usize), (left + SIGN, pair[1] as usize)] {
                let own = [x + number + at, y];
                let home = token.checked_sub(first as usize + from).and_then(|merge| homes.get(merge));
                let [from_x, from_y] = home.copied().unwrap_or(own);
                let at = [from_x + progress * (own[0] - from_x), from_y + progress * (own[1] - from_y)];
                cell(frame, at, (&tokens[token], most), hovered, tag);
            }
            let own = [x + number + left + right + 2.0 * SIGN, y];
            homes.push(own);
            if progress < 1.0 {
                continue;
            }
            cell(frame, own, (&tokens[made], most), hovered, tag);
            for (at, sign) in [(left, "+"), (left + SIGN + right, "=")] {
                let at = [x + number + at + SIGN / 2.0 - 1.0, middle];
                frame.text(at, 13.0, Anchor::Middle, Ink::Muted, sign);
            }
        }
        x += wide + GAP;
    }
    format!("{said}.")
}

/// The merge of element `i` in words, with the tree of its token.
pub(crate) fn told(contents: &Contents<'_>, first: u32, i: usize) -> Option<String> {
    let merges = merges(contents.tensor, first);
    let tokens = tokens(&merges, first);
    let token = first as usize + i / 2;
    let made = tokens.get(token)?;
    Some(format!("token {}: {} = {}", count(token as u64), made.shown(), tree(&merges, &tokens, first, token)))
}

/// A token's two parts, each in brackets if it has parts itself; a part too long to be shown whole is no tree, so the depth is bounded.
fn tree(merges: &[[u32; 2]], tokens: &[Token], first: u32, token: usize) -> String {
    let part = |token: u32| {
        let of = &tokens[token as usize];
        if token < first || !of.is_whole() {
            of.shown()
        } else {
            format!("({})", tree(merges, tokens, first, token as usize))
        }
    };
    let [left, right] = merges[token - first as usize];
    format!("{} {}", part(left), part(right))
}

static CARD: Card = Card {
    name: "Merges",
    tab: "Merges",
    help: "row `i` has the two tokens that token `first + i` consists of, and tokens below `first` are bytes; the picture is the list of merges. Rows of zeros after the last merge are left out",
    args: &[Arg::required("first", ArgKind::UpTo(256), "the first token that is more than a byte")],
    travels: true,
};

/// The meaning.
pub struct Fig;

/// The first token that is more than a byte.
fn first(of: &Meant<'_>) -> u32 {
    of.picture.number("first").map_or(256, |first| first as u32)
}

impl Meaning for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn row(&self, _: usize) -> usize {
        2
    }

    fn draw(&self, frame: &mut Frame, of: &Meant<'_>, hovered: Option<Tag>) -> Option<String> {
        let first = first(of);
        let known = of.before().map_or(0, |before| merges(before, first).len());
        Some(draw(frame, of.contents, (first, known), hovered))
    }

    fn tip(&self, of: &Meant<'_>, i: usize) -> Option<String> {
        told(of.contents, first(of), i)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixtures::assert_tidy;
    use super::super::super::shape::Shape;
    use super::*;
    use crate::base::tensor::{Elem, Tensor};
    use crate::lesson::Legend;

    fn contents(tensor: &Tensor) -> Contents<'_> {
        let (buffer, when, count) = ("merges", "at the end", tensor.len() as u64);
        let (columns, row, shape) = (Some(2), Some(2), Shape::Meant);
        Contents {
            buffer,
            when,
            tensor,
            count,
            columns,
            row,
            legend: Legend::NONE,
            shape,
            from: 0,
            line: crate::buffer::Line::default(),
            progress: 1.0,
        }
    }

    #[test]
    fn a_token_is_a_tree() {
        // e s, es t, w est; then no merge any more.
        let numbers = [101, 115, 256, 116, 119, 257, 0, 0];
        let tensor = Tensor::from_bits(Elem::U32, numbers.into_iter());
        let contents = contents(&tensor);
        assert_eq!(merges(&tensor, 256).len(), 3);
        assert_eq!(told(&contents, 256, 4).as_deref(), Some("token 258: west = w ((e s) t)"));
        assert_eq!(told(&contents, 256, 6), None);
        let mut frame = Frame::new([420.0, 200.0]);
        assert_eq!(draw(&mut frame, &contents, (256, 0), None), "3 merges.");
        frame.alt = "three merges".to_owned();
        assert_tidy(&frame, "three merges");
    }

    #[test]
    fn the_parts_of_a_new_merge_come_from_their_own_rows() {
        let tensor = Tensor::from_bits(Elem::U32, [101, 115, 256, 116].into_iter());
        // The upper edges of the cells: two parts and the whole of the first row, then what there is of the second.
        let edges = |progress| {
            let contents = Contents { progress, ..contents(&tensor) };
            let mut frame = Frame::new([420.0, 200.0]);
            draw(&mut frame, &contents, (256, 1), None);
            let cells = frame.items.iter().filter_map(|item| match item {
                crate::frame::Item::Rect { rect, .. } => Some(rect[1]),
                _ => None,
            });
            cells.collect::<Vec<_>>()
        };
        let [begin, end] = [edges(0.0), edges(1.0)];
        assert_eq!((begin.len(), end.len()), (5, 6));
        assert_eq!(begin[3], begin[2], "es begins where it was made");
        assert_eq!([end[3], end[4]], [end[5]; 2]);
    }

    #[test]
    fn a_pair_of_tokens_that_are_not_there_yet_ends_the_list() {
        let tensor = Tensor::from_bits(Elem::U32, [101, 115, 300, 116].into_iter());
        assert_eq!(merges(&tensor, 256), [[101, 115]]);
    }

    #[test]
    fn long_tokens_are_kept_and_told_in_part() {
        // Each merge adds a letter to the one before.
        let chain: Vec<u32> = (0..32_000_u32).flat_map(|row| [if row == 0 { 97 } else { 255 + row }, 97]).collect();
        let tensor = Tensor::from_bits(Elem::U32, chain.into_iter());
        let contents = contents(&tensor);
        let told = told(&contents, 256, 63_998).unwrap_or_default();
        assert!(told.starts_with("token 32,255: aaa") && told.ends_with("… 32,000 bytes a"), "{told}");
        assert!(told.len() < 4 * tokens::HEAD_BYTES, "{} letters", told.len());
        let list = merges(&tensor, 256);
        let (work, tokens) = (list.len() * tokens::HEAD_BYTES, tokens(&list, 256));
        assert!(tokens.iter().map(|token| token.shown().len()).sum::<usize>() < 2 * work);
        let mut frame = Frame::new([420.0, 200.0]);
        assert_eq!(draw(&mut frame, &Contents { from: 60_000, ..contents }, (256, 0), None), "32,000 merges.");
        frame.alt = "many merges".to_owned();
        assert_tidy(&frame, "many merges");
    }
}
