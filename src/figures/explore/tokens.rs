//! The learner's text cut in five ways, one below the other: what each makes of it, and how many tokens.

use super::super::frame::Anchor;
use super::super::meanings::tokens::{self, Token, cell};
use super::super::palette::Ink;
use super::Explorer;
use super::control::Control;
use super::sheet::{LINE, Sheet};
use crate::base::units::count;
use crate::tokenizer::{Pattern, encode, rank_file};

/// Lines of cells that each way gets at most.
const LINES: usize = 2;

/// Draws it.
fn draw(sheet: &mut Sheet, text: &str) {
    let characters: Vec<&[u8]> = text.char_indices().map(|(at, c)| &text.as_bytes()[at..at + c.len_utf8()]).collect();
    let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
    let words: Vec<&[u8]> = Pattern::Gpt2.pieces(text).map(str::as_bytes).collect();
    way(sheet, "characters", "154,998 in Unicode 16", &characters);
    way(sheet, "words", "no limit", &words);
    way(sheet, "bytes", "256", &bytes);
    for (name, pattern) in [("cl100k_base", Pattern::Cl100k), ("o200k_base", Pattern::O200k)] {
        let Some(vocabulary) = rank_file::shared(name) else { continue };
        let ids = encode::encode(vocabulary, pattern, text);
        let tokens: Vec<&[u8]> = ids.iter().map(|id| vocabulary.token(*id).unwrap_or_default()).collect();
        way(sheet, name, &count(vocabulary.len() as u64), &tokens);
    }
}

/// One way to cut: its name, how many ids it needs, and its tokens as cells.
fn way(sheet: &mut Sheet, name: &str, ids: &str, tokens: &[&[u8]]) {
    let middle = sheet.y + LINE / 2.0;
    let tokens_said = format!("{} tokens", count(tokens.len() as u64));
    sheet.frame.text([0.0, middle], 14.0, Anchor::Start, Ink::Text, format!("{name}: {tokens_said}"));
    sheet.frame.text([sheet.width, middle], 12.0, Anchor::End, Ink::Muted, format!("ids: {ids}"));
    sheet.say(&format!("{name}: {tokens_said}."));
    sheet.y += LINE + 4.0;
    let (mut x, mut lines) = (0.0, 1);
    for (drawn, token) in tokens.iter().enumerate() {
        let token = Token::new(token);
        let wide = tokens::room(&token, sheet.width);
        // The last line keeps room to say how many more there are.
        let room = if lines == LINES && drawn + 1 < tokens.len() { 88.0 } else { 0.0 };
        if x > 0.0 && x + wide > sheet.width - room {
            if lines == LINES {
                let more = format!("and {} more", count((tokens.len() - drawn) as u64));
                sheet.frame.text([x + 6.0, sheet.y + 11.0], 12.0, Anchor::Start, Ink::Muted, more);
                break;
            }
            (x, lines) = (0.0, lines + 1);
            sheet.y += tokens::LINE;
        }
        x += cell(&mut sheet.frame, [x, sheet.y], (&token, sheet.width), None, None);
    }
    sheet.y += tokens::LINE + 8.0;
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "tokens",
    controls: &[Control::Text],
    controls_first: true,
    is_low: false,
    draw: |sheet, view| {
        draw(sheet, &view.at.text);
        String::new()
    },
};
