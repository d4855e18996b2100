# A file of tokens has no list of merges: the joined bytes' id is
# the rank of a merge.
def encode(word, ranks):
    tokens = [bytes([b]) for b in word]
    while len(tokens) > 1:
        joined = [a + b for a, b in zip(tokens, tokens[1:])]
        best = min(joined, key=lambda t: ranks.get(t, 1 << 30))
        if best not in ranks:
            break
        i = joined.index(best)
        tokens[i:i + 2] = [best]
    return [ranks[t] for t in tokens]

ranks = {bytes([b]): b for b in range(256)}
ranks.update({b"es": 256, b"est": 257, b"ew": 258, b"new": 259})
assert encode(b"newest", ranks) == [259, 257]
assert encode(b"newes", ranks) == [259, 256]
