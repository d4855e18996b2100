// The rules of four tokenizers for cutting a text into words,
// which their authors publish as regular expressions: which
// word begins at a place, and where it ends.

// 1: GPT-2's, 2: cl100k_base's, 3: o200k_base's, 4: Llama 3's,
// which is cl100k_base's but for space at the text's end.
override PATTERN: u32 = 2;

// Classes of characters, as Unicode has them. A character may
// be in several: an ideograph is LETTER, UPPER and LOWER.
const LETTER = 1u;
const NUMBER = 2u;
const SPACE = 4u;
const UPPER = 8u;     // not lower case, or a mark
const LOWER = 16u;    // not upper case, or a mark
const LINE_END = 32u;
const END = 128u;     // behind the text

// The lane looks at no byte from here on.
var<private> last: u32;

fn byte_at(i: u32) -> u32 {
    if (i >= last) {
        return 255u;
    }
    return text[i];
}

fn class_of(code: u32) -> u32 {
    let four = classes[min(code, 0x10ffffu) / 4u];
    return (four >> (8u * (code % 4u))) & 255u;
}

// The classes of the character at i, and where it ends.
fn char_at(i: u32) -> vec2<u32> {
    let first = byte_at(i);
    if (first < 128u) {
        return vec2(class_of(first), i + 1u);
    }
    if (first == 255u) {
        return vec2(END, i);
    }
    var code = first & 31u;
    var bytes = 2u;
    if (first >= 240u) {
        code = first & 7u;
        bytes = 4u;
    } else if (first >= 224u) {
        code = first & 15u;
        bytes = 3u;
    }
    for (var k = 1u; k < bytes; k++) {
        code = (code << 6u) | (byte_at(i + k) & 63u);
    }
    return vec2(class_of(code), i + bytes);
}

// Where the run of such characters ends that begins at i.
fn run(i: u32, wanted: u32) -> u32 {
    var at = i;
    var c = char_at(at);
    while ((c.x & wanted) != 0u) {
        at = c.y;
        c = char_at(at);
    }
    return at;
}

// The same of signs: neither space nor letter nor number.
fn signs(i: u32) -> u32 {
    var at = i;
    var c = char_at(at);
    while ((c.x & (SPACE | LETTER | NUMBER | END)) == 0u) {
        at = c.y;
        c = char_at(at);
    }
    return at;
}

// Signs with one space before them at most.
fn spaced_signs(i: u32) -> u32 {
    let begin = i + select(0u, 1u, byte_at(i) == 32u);
    let end = signs(begin);
    return select(i, end, end > begin);
}

// White space: all of it at the end of the text; else up to
// the last end of a line in it, where those count; else
// without its last character, which goes to the next word.
fn spaces(i: u32, line_ends: bool) -> u32 {
    var at = i;
    var before_last = i;
    var behind_line = i;
    loop {
        let c = char_at(at);
        if ((c.x & SPACE) == 0u) {
            break;
        }
        before_last = at;
        at = c.y;
        if ((c.x & LINE_END) != 0u) {
            behind_line = at;
        }
    }
    let ended = byte_at(at) == 255u;
    if (ended && PATTERN < 3u) {
        return at;
    }
    if (line_ends && behind_line > i) {
        return behind_line;
    }
    return select(before_last, at, ended || before_last == i);
}

// At most three digits, of which one ends at i.
fn three_numbers(i: u32) -> u32 {
    var at = i;
    for (var k = 0u; k < 2u; k++) {
        let c = char_at(at);
        if ((c.x & NUMBER) != 0u) {
            at = c.y;
        }
    }
    return at;
}

fn small(i: u32, any_case: bool) -> u32 {
    let b = byte_at(i);
    return select(b, b + 32u, any_case && b >= 65u && b <= 90u);
}

// 's 't 'm 'd 'll 've 're, whose apostrophe is at i; i if it
// is none of them.
fn contraction(i: u32, any_case: bool) -> u32 {
    let a = small(i + 1u, any_case);
    let b = small(i + 2u, any_case);
    if (a == 115u || a == 116u || a == 109u || a == 100u) {
        return i + 2u;
    }
    let two = a * 256u + b;
    // ll, ve, re; the long s is an s in another case.
    let is_two = two == 0x6c6cu || two == 0x7665u
        || two == 0x7265u || (any_case && two == 0xc5bfu);
    return select(i, i + 3u, is_two);
}

// '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+
// | ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
fn gpt2(i: u32) -> u32 {
    if (byte_at(i) == 39u) {
        let end = contraction(i, false);
        if (end > i) {
            return end;
        }
    }
    let c = char_at(i + select(0u, 1u, byte_at(i) == 32u));
    if ((c.x & LETTER) != 0u) {
        return run(c.y, LETTER);
    }
    if ((c.x & NUMBER) != 0u) {
        return run(c.y, NUMBER);
    }
    if ((c.x & (SPACE | END)) == 0u) {
        return signs(c.y);
    }
    return spaces(i, false);
}

// '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
// | ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]|\s+(?!\S)|\s
fn cl100k(i: u32) -> u32 {
    if (byte_at(i) == 39u) {
        let end = contraction(i, true);
        if (end > i) {
            return end;
        }
    }
    let c = char_at(i);
    if ((c.x & LETTER) != 0u) {
        return run(c.y, LETTER);
    }
    if ((c.x & NUMBER) != 0u) {
        return three_numbers(c.y);
    }
    if ((c.x & LINE_END) == 0u) {
        let second = char_at(c.y);
        if ((second.x & LETTER) != 0u) {
            return run(second.y, LETTER);
        }
    }
    let end = spaced_signs(i);
    if (end > i) {
        return run(end, LINE_END);
    }
    return spaces(i, true);
}

// [UPPER]*[LOWER]+; i if there is none.
fn lower_word(i: u32) -> u32 {
    var at = i;
    var behind_lower = i;
    loop {
        let c = char_at(at);
        if ((c.x & UPPER) == 0u) {
            break;
        }
        at = c.y;
        if ((c.x & LOWER) != 0u) {
            behind_lower = at;
        }
    }
    let end = run(at, LOWER);
    return select(behind_lower, end, end > at);
}

// [UPPER]+[LOWER]*; i if there is none.
fn upper_word(i: u32) -> u32 {
    let end = run(i, UPPER);
    if (end == i) {
        return i;
    }
    return run(end, LOWER);
}

// A word in which lower case comes last, with one sign before
// it or without; else one in upper case.
fn o200k_word(i: u32, second: u32) -> u32 {
    var end = lower_word(second);
    if (end > second) {
        return end;
    }
    end = lower_word(i);
    if (end > i) {
        return end;
    }
    end = upper_word(second);
    if (end > second) {
        return end;
    }
    return upper_word(i);
}

// [^\r\n\p{L}\p{N}]?[UPPER]*[LOWER]+(?i:'s|'t|'re|...)?
// |[^\r\n\p{L}\p{N}]?[UPPER]+[LOWER]*(?i:'s|'t|'re|...)?
// |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+
// |\s+(?!\S)|\s+
fn o200k(i: u32) -> u32 {
    let c = char_at(i);
    let leads = (c.x & (LETTER | NUMBER | LINE_END)) == 0u;
    let word = o200k_word(i, select(i, c.y, leads));
    if (word > i) {
        if (byte_at(word) == 39u) {
            return contraction(word, true);
        }
        return word;
    }
    if ((c.x & NUMBER) != 0u) {
        return three_numbers(c.y);
    }
    var end = spaced_signs(i);
    if (end == i) {
        return spaces(i, true);
    }
    while (byte_at(end) == 47u || byte_at(end) == 13u
        || byte_at(end) == 10u) {
        end++;
    }
    return end;
}

// Where the word ends that begins at i.
fn word_end(i: u32) -> u32 {
    if (PATTERN == 1u) {
        return gpt2(i);
    }
    if (PATTERN == 3u) {
        return o200k(i);
    }
    return cl100k(i);
}

// Whether a word begins at i by each of the rules, whatever
// else the text holds: behind a letter, where neither letter
// nor mark nor apostrophe follows, or behind a number.
fn begins_surely(i: u32) -> bool {
    let here = byte_at(i);
    if ((here & 192u) == 128u) {
        return false;
    }
    var left = i - 1u;
    while (left > 0u && (byte_at(left) & 192u) == 128u) {
        left--;
    }
    let before = char_at(left).x;
    let after = char_at(i).x;
    if ((before & NUMBER) != 0u) {
        return (after & (NUMBER | END)) == 0u;
    }
    return (before & LETTER) != 0u && here != 39u
        && (after & (LETTER | UPPER | LOWER | END)) == 0u;
}
