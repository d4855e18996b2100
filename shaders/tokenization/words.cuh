// Where words begin, by GPT-2's rule: a word is letters, digits
// or other characters with one space before them, or spaces.
// 's, 't, 'm, 'd, 'll, 've and 're are words. All characters
// beyond ASCII count as letters here.
#pragma once

enum Kind { SPACE, LETTER, DIGIT, OTHER };

__device__ Kind kind(unsigned byte) {
    if (byte == 32 || (byte >= 9 && byte <= 13)) {
        return SPACE;
    }
    unsigned upper = byte & 0xdf;  // without lower case's bit
    if ((upper >= 65 && upper <= 90) || byte >= 128) {
        return LETTER;
    }
    return byte >= 48 && byte <= 57 ? DIGIT : OTHER;
}

// The byte at i; the text is read again behind its end. Outside
// of what is read it is a line's end.
__device__ unsigned byte_at(const unsigned* text, unsigned i) {
    return i < N ? text[i % TEXT] : 10;
}

// How many letters belong to an apostrophe at i: 0 if it is
// no contraction.
__device__ unsigned contracted(const unsigned* text,
                               unsigned i) {
    if (byte_at(text, i) != 39) {
        return 0;
    }
    // An apostrophe after a space or a sign belongs to it.
    unsigned left = byte_at(text, i - 1);
    if (i > 0 && (left == 32 || kind(left) == OTHER)) {
        return 0;
    }
    unsigned a = byte_at(text, i + 1);
    unsigned b = byte_at(text, i + 2);
    if (a == 's' || a == 't' || a == 'm' || a == 'd') {
        return 1;
    }
    unsigned two = a * 256 + b;
    // ll ve re
    bool is_two = two == 0x6c6c || two == 0x7665
        || two == 0x7265;
    return is_two ? 2 : 0;
}

// Spaces are a word, but the last before a word is another.
__device__ bool is_first_space(const unsigned* text,
                               unsigned i) {
    return kind(byte_at(text, i - 1)) != SPACE
        || kind(byte_at(text, i + 1)) != SPACE;
}

// Whether a word begins at i: by the rule if WALLS is 1; if it
// is more, at every byte of such a number.
__device__ bool word_begins(const unsigned* text, unsigned i) {
    if (i == 0) {
        return true;
    }
    if (WALLS != 1) {
        return WALLS > 1 && i % max(WALLS, 1u) == 0;
    }
    // The letters of a contraction go with its apostrophe, and
    // what follows them is another word.
    if (contracted(text, i - 1) > 0
        || (i > 1 && contracted(text, i - 2) == 2)) {
        return false;
    }
    if ((i > 1 && contracted(text, i - 2) == 1)
        || (i > 2 && contracted(text, i - 3) == 2)) {
        return true;
    }
    Kind here = kind(byte_at(text, i));
    Kind left = kind(byte_at(text, i - 1));
    if (here == SPACE) {
        return is_first_space(text, i);
    }
    if (left == SPACE) {
        // One space belongs to the word behind it.
        return byte_at(text, i - 1) != 32;
    }
    return here != left;
}
