// The rules of four tokenizers for cutting a text into words,
// which their authors publish as regular expressions: which
// word begins at a place, and where it ends.
// Constant: PATTERN, 1 for GPT-2's, 2 for cl100k_base's, 3 for
// o200k_base's, 4 for Llama 3's, which is cl100k_base's but for
// space at the text's end.
#pragma once

// Classes of characters, as Unicode has them. A character may
// be in several: an ideograph is LETTER, UPPER and LOWER.
constexpr unsigned LETTER = 1;
constexpr unsigned NUMBER = 2;
constexpr unsigned SPACE = 4;
constexpr unsigned UPPER = 8;   // not lower case, or a mark
constexpr unsigned LOWER = 16;  // not upper case, or a mark
constexpr unsigned LINE_END = 32;
constexpr unsigned END = 128;   // behind the text

struct Char {
    unsigned classes;
    unsigned end;  // where it ends

    __device__ bool is(unsigned wanted) const {
        return (classes & wanted) != 0;
    }
};

struct Rules {
    const unsigned* text;
    const unsigned* classes;
    // The lane looks at no byte from here on.
    unsigned last;

    __device__ unsigned byte_at(unsigned i) const {
        return i < last ? text[i] : 255;
    }

    __device__ unsigned class_of(unsigned code) const {
        unsigned four = classes[min(code, 0x10ffffu) / 4];
        return (four >> (8 * (code % 4))) & 255;
    }

    // The classes of the character at i, and where it ends.
    __device__ Char char_at(unsigned i) const {
        unsigned first = byte_at(i);
        if (first < 128) {
            return {class_of(first), i + 1};
        }
        if (first == 255) {
            return {END, i};
        }
        unsigned code = first & 31;
        unsigned bytes = 2;
        if (first >= 240) {
            code = first & 7;
            bytes = 4;
        } else if (first >= 224) {
            code = first & 15;
            bytes = 3;
        }
        for (unsigned k = 1; k < bytes; k++) {
            code = (code << 6) | (byte_at(i + k) & 63);
        }
        return {class_of(code), i + bytes};
    }

    // Where the run of such characters ends that begins at i.
    __device__ unsigned run(unsigned i, unsigned wanted) const {
        Char c = char_at(i);
        while (c.is(wanted)) {
            i = c.end;
            c = char_at(i);
        }
        return i;
    }

    // The same of signs: neither space nor letter nor number.
    __device__ unsigned signs(unsigned i) const {
        Char c = char_at(i);
        while (!c.is(SPACE | LETTER | NUMBER | END)) {
            i = c.end;
            c = char_at(i);
        }
        return i;
    }

    // Signs with one space before them at most.
    __device__ unsigned spaced_signs(unsigned i) const {
        unsigned begin = i + (byte_at(i) == 32);
        unsigned end = signs(begin);
        return end > begin ? end : i;
    }

    // White space: all of it at the end of the text; else up to
    // the last end of a line in it, where those count; else
    // without its last character, which goes to the next word.
    __device__ unsigned spaces(unsigned i,
                               bool line_ends) const {
        unsigned at = i;
        unsigned before_last = i;
        unsigned behind_line = i;
        while (true) {
            Char c = char_at(at);
            if (!c.is(SPACE)) {
                break;
            }
            before_last = at;
            at = c.end;
            if (c.is(LINE_END)) {
                behind_line = at;
            }
        }
        bool ended = byte_at(at) == 255;
        if (ended && PATTERN < 3) {
            return at;
        }
        if (line_ends && behind_line > i) {
            return behind_line;
        }
        return ended || before_last == i ? at : before_last;
    }

    // At most three digits, of which one ends at i.
    __device__ unsigned three_numbers(unsigned i) const {
        for (unsigned k = 0; k < 2; k++) {
            Char c = char_at(i);
            if (c.is(NUMBER)) {
                i = c.end;
            }
        }
        return i;
    }

    __device__ unsigned small(unsigned i, bool any_case) const {
        unsigned b = byte_at(i);
        return any_case && b >= 65 && b <= 90 ? b + 32 : b;
    }

    // 's 't 'm 'd 'll 've 're, whose apostrophe is at i; i if
    // it is none of them.
    __device__ unsigned contraction(unsigned i,
                                    bool any_case) const {
        unsigned a = small(i + 1, any_case);
        unsigned b = small(i + 2, any_case);
        if (a == 's' || a == 't' || a == 'm' || a == 'd') {
            return i + 2;
        }
        unsigned two = a * 256 + b;
        // ll, ve, re; the long s is an s in another case.
        bool is_two = two == 0x6c6c || two == 0x7665
            || two == 0x7265 || (any_case && two == 0xc5bf);
        return is_two ? i + 3 : i;
    }

    // '(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+
    // | ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
    __device__ unsigned gpt2(unsigned i) const {
        if (byte_at(i) == 39) {
            unsigned end = contraction(i, false);
            if (end > i) {
                return end;
            }
        }
        Char c = char_at(i + (byte_at(i) == 32));
        if (c.is(LETTER)) {
            return run(c.end, LETTER);
        }
        if (c.is(NUMBER)) {
            return run(c.end, NUMBER);
        }
        if (!c.is(SPACE | END)) {
            return signs(c.end);
        }
        return spaces(i, false);
    }

    // '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+
    // |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]
    // |\s+(?!\S)|\s
    __device__ unsigned cl100k(unsigned i) const {
        if (byte_at(i) == 39) {
            unsigned end = contraction(i, true);
            if (end > i) {
                return end;
            }
        }
        Char c = char_at(i);
        if (c.is(LETTER)) {
            return run(c.end, LETTER);
        }
        if (c.is(NUMBER)) {
            return three_numbers(c.end);
        }
        if (!c.is(LINE_END)) {
            Char second = char_at(c.end);
            if (second.is(LETTER)) {
                return run(second.end, LETTER);
            }
        }
        unsigned end = spaced_signs(i);
        return end > i ? run(end, LINE_END) : spaces(i, true);
    }

    // [UPPER]*[LOWER]+; i if there is none.
    __device__ unsigned lower_word(unsigned i) const {
        unsigned at = i;
        unsigned behind_lower = i;
        while (true) {
            Char c = char_at(at);
            if (!c.is(UPPER)) {
                break;
            }
            at = c.end;
            if (c.is(LOWER)) {
                behind_lower = at;
            }
        }
        unsigned end = run(at, LOWER);
        return end > at ? end : behind_lower;
    }

    // [UPPER]+[LOWER]*; i if there is none.
    __device__ unsigned upper_word(unsigned i) const {
        unsigned end = run(i, UPPER);
        return end == i ? i : run(end, LOWER);
    }

    // A word in which lower case comes last, with one sign
    // before it or without; else one in upper case.
    __device__ unsigned o200k_word(unsigned i,
                                   unsigned second) const {
        unsigned end = lower_word(second);
        if (end > second) {
            return end;
        }
        end = lower_word(i);
        if (end > i) {
            return end;
        }
        end = upper_word(second);
        return end > second ? end : upper_word(i);
    }

    // [^\r\n\p{L}\p{N}]?[UPPER]*[LOWER]+(?i:'s|'t|'re|...)?
    // |[^\r\n\p{L}\p{N}]?[UPPER]+[LOWER]*(?i:'s|'t|'re|...)?
    // |\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+
    // |\s+(?!\S)|\s+
    __device__ unsigned o200k(unsigned i) const {
        Char c = char_at(i);
        bool leads = !c.is(LETTER | NUMBER | LINE_END);
        unsigned word = o200k_word(i, leads ? c.end : i);
        if (word > i) {
            return byte_at(word) == 39 ? contraction(word, true)
                                       : word;
        }
        if (c.is(NUMBER)) {
            return three_numbers(c.end);
        }
        unsigned end = spaced_signs(i);
        if (end == i) {
            return spaces(i, true);
        }
        while (byte_at(end) == '/' || byte_at(end) == '\r'
               || byte_at(end) == '\n') {
            end++;
        }
        return end;
    }

    // Where the word ends that begins at i.
    __device__ unsigned word_end(unsigned i) const {
        return PATTERN == 1 ? gpt2(i)
            : PATTERN == 3  ? o200k(i)
                            : cl100k(i);
    }

    // Whether a word begins at i by each of the rules, whatever
    // else the text holds: behind a letter, where neither
    // letter nor mark nor apostrophe follows, or behind a
    // number.
    __device__ bool begins_surely(unsigned i) const {
        unsigned here = byte_at(i);
        if ((here & 192) == 128) {
            return false;
        }
        unsigned left = i - 1;
        while (left > 0 && (byte_at(left) & 192) == 128) {
            left--;
        }
        Char before = char_at(left);
        Char after = char_at(i);
        if (before.is(NUMBER)) {
            return !after.is(NUMBER | END);
        }
        return before.is(LETTER) && here != 39
            && !after.is(LETTER | UPPER | LOWER | END);
    }
};
