# One word by rank, with ids: the exercise in Python.
def encode(word, ranks):                  # ranks: {(left, right): rank}
    ids = list(word)
    while True:
        pairs = list(zip(ids, ids[1:]))
        lowest = min((ranks[p] for p in pairs if p in ranks), default=None)
        if lowest is None:
            return ids
        at = [ranks.get(p) for p in pairs].index(lowest)  # the leftmost
        ids[at:at + 2] = [256 + lowest]

ranks = {(97, 97): 0, (98, 97): 1, (256, 97): 2}   # aa, ba, aaa
assert encode(b"aaa", ranks) == [258]
assert encode(b"aaaa", ranks) == [256, 256]   # and not aaa a
assert encode(b"baa", ranks) == [98, 256]     # and not ba a
