# Why a small table may be enough: few pairs occur, and often.
from collections import Counter

text = b"the cat and the hat and the mat: that cat sat on the mat. " * 70
counts = Counter(zip(text, text[1:]))
places = 256 * 256                     # counters for all pairs of bytes
print(len(counts), "pairs occur, of", places)
print("the most frequent:", counts.most_common(3))
# With a place of its own, a pair is added to global memory once.
assert len(counts) < 1024 and 3 * len(counts) < sum(counts.values())
