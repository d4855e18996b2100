# Training: the same merge step, again and again.
text = ["low"] * 5 + ["lower"] * 2 + ["widest"] * 3 + ["newest"] * 6
words = [list(word.encode()) for word in text]
spelling = {i: bytes([i]) for i in range(256)}
for new in range(256, 256 + 12):
    counts = {}
    for word in words:
        for pair in zip(word, word[1:]):
            counts[pair] = counts.get(pair, 0) + 1
    best = min(counts, key=lambda pair: (-counts[pair], pair))
    spelling[new] = spelling[best[0]] + spelling[best[1]]
    for word in words:
        for i in range(len(word) - 1, 0, -1):  # no runs in these words
            if (word[i - 1], word[i]) == best:
                word[i - 1:i + 1] = [new]

assert [spelling[t].decode() for word in words for t in word] == text
print([spelling[t] for t in range(256, 268)])
