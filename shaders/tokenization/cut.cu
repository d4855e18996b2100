// Where words begin, by the rule of a real tokenizer. Such a
// rule reads from the left: what a word is depends on where the
// one before it ended. But at some places a word begins for
// sure. A lane has SEGMENT bytes: it goes from the first such
// place in them to the first one behind them, word by word.
// Constants: N, the bytes; PATTERN, the rule.
#include "rules.cuh"

constexpr unsigned SEGMENT = 64;
// A lane goes no further than this behind its bytes.
constexpr unsigned REACH = 65536;

// classes has those of each character, four in a u32; wall is
// 1 for a byte at which a word begins; waiting[1] is 1 if
// something is too long for these kernels.
extern "C" __global__ void __launch_bounds__(64)
cut(const unsigned* __restrict__ text,
    const unsigned* __restrict__ classes,
    unsigned* __restrict__ wall,
    unsigned* __restrict__ waiting) {
    unsigned at = (blockIdx.x * 64 + threadIdx.x) * SEGMENT;
    if (at >= N) {
        return;
    }
    unsigned end = at + SEGMENT;
    unsigned last = min(unsigned(N), end + REACH);
    Rules rules{text, classes, last};
    while (at > 0 && at < end && !rules.begins_surely(at)) {
        at++;
    }
    if (at == end) {
        return;
    }
    while (rules.byte_at(at) != 255
           && (at < end || !rules.begins_surely(at))) {
        wall[at] = 1;
        at = rules.word_end(at);
    }
    // Of a character that `last` cuts, the class is not known.
    if (at + 3 >= last && last < N) {
        atomicOr(&waiting[1], 1u);
    }
}
