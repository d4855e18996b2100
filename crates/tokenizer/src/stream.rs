//! A text of any length, read block by block.

use std::io::Read;
use std::ops::ControlFlow;
use std::str::Utf8Error;

use super::Pattern;
use warpbook_base::diag::Diagnostic;

/// Bytes that are read before they are worked on: a little less than two of the parts that a device takes. A block
/// grows if it has no place where it can be cut.
const BLOCK: usize = 32_000_000;

/// Reads UTF-8 from `source` and hands it over in blocks whose pieces are those of the whole text, until there is no
/// more or `take` breaks off; returns what it broke off with. `name` is what messages call the source.
///
/// # Errors
/// If it cannot be read, or is no UTF-8: the message has the first wrong byte's offset.
pub fn read<B>(
    mut source: impl Read,
    name: &str,
    pattern: Pattern,
    mut take: impl FnMut(&str) -> ControlFlow<B>,
) -> Result<ControlFlow<B>, Diagnostic> {
    let (mut held, mut done) = (Vec::new(), 0_u64);
    loop {
        let before = held.len();
        source
            .by_ref()
            .take(BLOCK as u64)
            .read_to_end(&mut held)
            .map_err(|error| Diagnostic::error(format!("cannot read {name}: {error}")))?;
        let ended = held.len() == before;
        let text = match std::str::from_utf8(&held) {
            Ok(text) => text,
            // A character that the block cuts is read on with the next one.
            Err(error) if error.error_len().is_none() && !ended => {
                std::str::from_utf8(&held[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(error) => return Err(not_utf8(name, &held, done, error)),
        };
        if ended {
            return Ok(if text.is_empty() { ControlFlow::Continue(()) } else { take(text) });
        }
        if let Some(cut) = pattern.last_cut(text) {
            if let broken @ ControlFlow::Break(_) = take(&text[..cut]) {
                return Ok(broken);
            }
            done += cut as u64;
            held.drain(..cut);
        }
    }
}

fn not_utf8(name: &str, held: &[u8], before: u64, error: Utf8Error) -> Diagnostic {
    let at = error.valid_up_to();
    let offset = before + at as u64;
    if error.error_len().is_none() {
        return Diagnostic::error(format!("{name} ends in the middle of the character at offset {offset}"))
            .hint("is it cut off?");
    }
    let hint = match held {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] if offset == 0 => {
            "it begins like UTF-16: convert it, for instance with `iconv -f UTF-16 -t UTF-8`"
        }
        _ => "convert it, for instance with `iconv -f ENCODING -t UTF-8`",
    };
    Diagnostic::error(format!("{name} is not UTF-8: the byte {:#04x} at offset {offset} begins no character", held[at]))
        .hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_byte_is_named_with_its_offset() {
        let wrong = [b"good text, then ".as_slice(), &[0xe9, 0x20]].concat();
        let all = |_: &str| ControlFlow::<()>::Continue(());
        let error = read(&wrong[..], "some.txt", Pattern::Gpt2, all).expect_err("this is Latin-1");
        assert_eq!(error.message, "some.txt is not UTF-8: the byte 0xe9 at offset 16 begins no character");
        let cut_off = &"good é".as_bytes()[..6];
        let error = read(cut_off, "some.txt", Pattern::Gpt2, all).expect_err("the last character is cut");
        assert_eq!(error.message, "some.txt ends in the middle of the character at offset 5");
    }

    #[test]
    fn who_takes_the_blocks_can_break_off() {
        let text = "low lower ".repeat(2 * BLOCK / 10);
        let mut taken = 0;
        let broken = read(text.as_bytes(), "some.txt", Pattern::Gpt2, |block| {
            taken += block.len();
            ControlFlow::Break("enough")
        });
        assert_eq!(broken, Ok(ControlFlow::Break("enough")));
        assert!(taken <= BLOCK, "{taken}");
    }
}
