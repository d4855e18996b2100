//! A word encoded by rank: a row per merge, with the rank of each pair that can merge between its two tokens.

use super::super::frame::Anchor;
use super::super::meanings::tokens::{self, Token, cell};
use super::super::palette::Ink;
use super::super::text;
use super::Explorer;
use super::control::Control;
use super::sheet::Sheet;
use crate::base::units::count;
use crate::tokenizer::{Pattern, Vocabulary, rank_file};

/// Bytes of the word that is encoded at most, and rows that are drawn at most.
const BYTES: usize = 16;
const ROWS: usize = 16;
/// Height of a row, and the least room between two tokens.
const PITCH: f32 = 32.0;
const APART: f32 = 22.0;

/// Draws the first word of the text.
fn draw(sheet: &mut Sheet, typed: &str) {
    let Some(vocabulary) = rank_file::shared("cl100k_base") else { return };
    let Some(word) = Pattern::Cl100k.pieces(typed).next() else { return };
    let bytes = &word.as_bytes()[..word.len().min(BYTES)];
    let said = format!("{}: the first word, byte by byte, with the merges of cl100k_base", Token::new(bytes).shown());
    sheet.line(14.0, Ink::Text, &said);
    sheet.line(
        12.0,
        Ink::Muted,
        "Between two tokens: the rank of their merge; a dot if there is none. The lowest rank merges first.",
    );
    sheet.y += 6.0;
    let mut ids: Vec<u32> = bytes.iter().map(|byte| vocabulary.of_byte(*byte)).collect();
    for step in 0..ROWS {
        let ranks: Vec<Option<u32>> =
            ids.windows(2).map(|pair| vocabulary.merge(pair[0], pair[1]).map(|merge| merge.rank)).collect();
        let lowest = ranks.iter().enumerate().filter_map(|(i, rank)| Some(((*rank)?, i))).min();
        row(sheet, vocabulary, (step, &ids), &ranks, lowest.map(|(_, i)| i));
        let Some((rank, at)) = lowest else { break };
        if let Some(merge) = vocabulary.merge(ids[at], ids[at + 1]) {
            ids.splice(at..at + 2, [merge.id]);
        }
        sheet.say(&format!("The merge of rank {rank} is made."));
    }
    let written: Vec<String> = ids.iter().map(u32::to_string).collect();
    let (tokens, ids) = (count(ids.len() as u64), written.join(", "));
    sheet.line(14.0, Ink::Text, &format!("{tokens} tokens: {ids}"));
    sheet.say(&format!("{tokens} tokens: {ids}."));
}

/// The tokens before a merge, with the ranks between them; the lowest is marked.
fn row(
    sheet: &mut Sheet,
    vocabulary: &Vocabulary,
    (step, ids): (usize, &[u32]),
    ranks: &[Option<u32>],
    lowest: Option<usize>,
) {
    let middle = sheet.y + 11.0;
    sheet.frame.text([0.0, middle], 12.0, Anchor::Start, Ink::Muted, step.to_string());
    let mut x = 24.0;
    for (i, id) in ids.iter().enumerate() {
        let token = Token::new(vocabulary.token(*id).unwrap_or_default());
        if x + tokens::room(&token, sheet.width) + APART > sheet.width {
            if x + 12.0 <= sheet.width {
                sheet.frame.text([x, middle], 12.0, Anchor::Start, Ink::Muted, "…");
            }
            break;
        }
        x += cell(&mut sheet.frame, [x, sheet.y], (&token, sheet.width), None, None);
        let Some(rank) = ranks.get(i) else { continue };
        let words = rank.map_or_else(|| "·".to_owned(), |rank| count(u64::from(rank)));
        let wide = (text::width(&words, 12.0, false) + 8.0).max(APART);
        if x + wide > sheet.width {
            break;
        }
        if lowest == Some(i) {
            sheet.frame.outline([x, sheet.y + 2.0, wide - 2.0, 18.0], 9.0, Some(Ink::Accent), Ink::Accent, None);
        }
        let ink = if lowest == Some(i) { Ink::On } else { Ink::Muted };
        sheet.frame.text([x + wide / 2.0 - 1.0, middle], 12.0, Anchor::Middle, ink, words);
        x += wide;
    }
    sheet.y += PITCH;
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "by_rank",
    tab: "Merges",
    controls: &[Control::Text],
    controls_first: true,
    is_low: false,
    has_vocabulary: true,
    draw: |sheet, view| {
        draw(sheet, &view.at.text);
        String::new()
    },
};
