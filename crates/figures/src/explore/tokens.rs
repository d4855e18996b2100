//! The learner's text cut in five ways, one below the other: what each makes of it, and how many tokens.

use super::super::frame::Anchor;
use super::super::meanings::tokens::{self, Token, cell};
use super::super::palette::Ink;
use super::super::text;
use super::Explorer;
use super::control::Control;
use super::sheet::{LINE, Sheet};
use crate::base::units::count;
use crate::tokenizer::{Pattern, encode, rank_file};

/// Height of a line of cells with their ids.
const WITH_IDS: f32 = tokens::LINE + 12.0;

/// Draws it.
fn draw(sheet: &mut Sheet, typed: &str) {
    let characters: Vec<&[u8]> = typed.char_indices().map(|(at, c)| &typed.as_bytes()[at..at + c.len_utf8()]).collect();
    let bytes: Vec<&[u8]> = typed.as_bytes().chunks(1).collect();
    let words: Vec<&[u8]> = Pattern::Gpt2.pieces(typed).map(str::as_bytes).collect();
    let points: Vec<u32> = typed.chars().map(u32::from).collect();
    let values: Vec<u32> = typed.bytes().map(u32::from).collect();
    for (name, pattern) in [("cl100k_base", Pattern::Cl100k), ("o200k_base", Pattern::O200k)] {
        let Some(vocabulary) = rank_file::shared(name) else { continue };
        let ids = encode::encode(vocabulary, pattern, typed);
        let tokens: Vec<&[u8]> = ids.iter().map(|id| vocabulary.token(*id).unwrap_or_default()).collect();
        way(sheet, (name, &count(vocabulary.len() as u64)), (&tokens, &ids), 2);
    }
    way(sheet, ("words", "no limit"), (&words, &[]), 1);
    way(sheet, ("characters", "154,998 in Unicode 16"), (&characters, &points), 1);
    way(sheet, ("bytes", "256"), (&bytes, &values), 1);
}

/// One way to cut: its name and how many ids it needs, its tokens as cells with their ids below, in `most` lines at most.
fn way(sheet: &mut Sheet, (name, known): (&str, &str), (tokens, ids): (&[&[u8]], &[u32]), most: usize) {
    let middle = sheet.y + LINE / 2.0;
    let tokens_said = format!("{} tokens", count(tokens.len() as u64));
    sheet.frame.text([0.0, middle], 14.0, Anchor::Start, Ink::Text, format!("{name}: {tokens_said}"));
    sheet.frame.text([sheet.width, middle], 12.0, Anchor::End, Ink::Muted, format!("ids: {known}"));
    sheet.say(&format!("{name}: {tokens_said}."));
    sheet.y += LINE + 4.0;
    let line = if ids.is_empty() { tokens::LINE } else { WITH_IDS };
    let (mut x, mut lines) = (0.0, 1);
    for (drawn, token) in tokens.iter().enumerate() {
        let token = Token::new(token);
        let id = ids.get(drawn).map(u32::to_string).unwrap_or_default();
        let wide = tokens::room(&token, sheet.width).max(text::width(&id, 12.0, false) + 6.0);
        // The last line keeps room to say how many more there are.
        let room = if lines == most && drawn + 1 < tokens.len() { 88.0 } else { 0.0 };
        if x > 0.0 && x + wide > sheet.width - room {
            if lines == most {
                let more = format!("and {} more", count((tokens.len() - drawn) as u64));
                sheet.frame.text([x + 6.0, sheet.y + 11.0], 12.0, Anchor::Start, Ink::Muted, more);
                break;
            }
            (x, lines) = (0.0, lines + 1);
            sheet.y += line;
        }
        let own = tokens::room(&token, sheet.width);
        cell(&mut sheet.frame, [x + (wide - own) / 2.0, sheet.y], (&token, sheet.width), None, None);
        if !id.is_empty() {
            sheet.frame.text([x + wide / 2.0 - 1.0, sheet.y + 29.0], 12.0, Anchor::Middle, Ink::Muted, id);
        }
        x += wide;
    }
    sheet.y += line + 8.0;
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "tokens",
    tab: "Text",
    controls: &[Control::Text],
    controls_first: true,
    is_low: false,
    has_vocabulary: true,
    draw: |sheet, view| {
        draw(sheet, &view.at.text);
        String::new()
    },
};
