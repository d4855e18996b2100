# Which of the most frequent pairs is merged first? Three rules.
text = ["low"] * 5 + ["lower"] * 2 + ["widest"] * 3 + ["newest"] * 6
counts = {}
for word in text:
    for pair in zip(word.encode(), word.encode()[1:]):
        counts[pair] = counts.get(pair, 0) + 1
most = max(counts.values())
tied = [pair for pair in counts if counts[pair] == most]

winners = [min(tied),   # rule 0: the smallest ids
           tied[0],     # rule 1: seen first; a dict keeps its order
           max(tied)]   # rule 2: the greatest bytes
print([bytes(pair) for pair in tied], [bytes(w) for w in winners])
assert [bytes(pair) for pair in winners] == [b"es", b"es", b"st"]
