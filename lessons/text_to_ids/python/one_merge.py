# One merge: count the pairs, take the most frequent one, join it.
text = ["low"] * 5 + ["lower"] * 2 + ["widest"] * 3 + ["newest"] * 6
words = [list(word.encode()) for word in text]

counts = {}
for word in words:
    for pair in zip(word, word[1:]):
        counts[pair] = counts.get(pair, 0) + 1
best = min(counts, key=lambda pair: (-counts[pair], pair))
assert bytes(best) == b"es" and counts[best] == 9

def merge(word, pair, new):
    out = []
    for token in word:
        out.append(token)
        if tuple(out[-2:]) == pair:
            out[-2:] = [new]
    return out

words = [merge(word, best, 256) for word in words]
assert sum(map(len, words)) + 15 == 94 - 9   # 15 line ends
