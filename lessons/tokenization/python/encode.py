# Encode all words at once: each has its own tokens and no others.
def encode_word(ids, rank):
    while True:
        pairs = list(zip(ids, ids[1:]))
        lowest = min((rank[p] for p in pairs if p in rank), default=None)
        if lowest is None:
            return ids
        at = [rank.get(p) for p in pairs].index(lowest)
        ids = ids[:at] + [256 + lowest] + ids[at + 2:]

rank = {(97, 98): 0, (256, 256): 1}      # ab, abab
words = [b"abab", b" ab", b"b"]
one_by_one = [encode_word(list(w), rank) for w in words]
backwards = [encode_word(list(w), rank) for w in words[::-1]][::-1]
assert one_by_one == backwards == [[257], [32, 256], [98]]
