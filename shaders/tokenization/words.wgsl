// Where words begin, by GPT-2's rule: a word is letters, digits
// or other characters with one space before them, or spaces.
// 's, 't, 'm, 'd, 'll, 've and 're are words. All characters
// beyond ASCII count as letters here.

const SPACE = 0u;
const LETTER = 1u;
const DIGIT = 2u;
const OTHER = 3u;

fn kind(byte: u32) -> u32 {
    if (byte == 32u || (byte >= 9u && byte <= 13u)) {
        return SPACE;
    }
    let upper = byte & 0xdfu;  // without the bit of lower case
    if ((upper >= 65u && upper <= 90u) || byte >= 128u) {
        return LETTER;
    }
    return select(OTHER, DIGIT, byte >= 48u && byte <= 57u);
}

// The byte at i; the text is read again behind its end. Outside
// of what is read it is a line's end.
fn byte_at(i: u32) -> u32 {
    if (i >= N) {
        return 10u;
    }
    return text[i % TEXT];
}

// How many letters belong to an apostrophe at i: 0 if it is
// no contraction.
fn contracted(i: u32) -> u32 {
    if (byte_at(i) != 39u) {
        return 0u;
    }
    // An apostrophe after a space or a sign belongs to it.
    let left = byte_at(i - 1u);
    if (i > 0u && (left == 32u || kind(left) == OTHER)) {
        return 0u;
    }
    let a = byte_at(i + 1u);
    let b = byte_at(i + 2u);
    if (a == 115u || a == 116u || a == 109u || a == 100u) {
        return 1u;  // s t m d
    }
    let two = a * 256u + b;
    // ll ve re
    return select(0u, 2u, two == 0x6c6cu || two == 0x7665u
        || two == 0x7265u);
}

// Whether a word begins at i: by the rule if WALLS is 1; if it
// is more, at every byte of such a number.
fn word_begins(i: u32) -> bool {
    if (i == 0u) {
        return true;
    }
    if (WALLS != 1u) {
        return WALLS > 1u && i % max(WALLS, 1u) == 0u;
    }
    // The letters of a contraction go with its apostrophe, and
    // what follows them is another word.
    if (contracted(i - 1u) > 0u
        || (i > 1u && contracted(i - 2u) == 2u)) {
        return false;
    }
    if ((i > 1u && contracted(i - 2u) == 1u)
        || (i > 2u && contracted(i - 3u) == 2u)) {
        return true;
    }
    let here = kind(byte_at(i));
    let left = kind(byte_at(i - 1u));
    if (here == SPACE) {
        return is_first_space(i);
    }
    if (left == SPACE) {
        // One space belongs to the word behind it.
        return byte_at(i - 1u) != 32u;
    }
    return here != left;
}

// Spaces are a word, but the last before a word is another.
fn is_first_space(i: u32) -> bool {
    return kind(byte_at(i - 1u)) != SPACE
        || kind(byte_at(i + 1u)) != SPACE;
}
