# The same first merge, from a text and from its different words.
from collections import Counter

words = ["low"] * 5 + ["lower"] * 2 + ["widest"] * 3 + ["newest"] * 6
anew, once = Counter(), Counter()
for word in words:                       # all anew: every place
    anew.update(zip(word, word[1:]))
for word, times in Counter(words).items():
    for pair in zip(word, word[1:]):     # each word once
        once[pair] += times
assert anew == once
print(sum(map(len, words)), "letters, or", sum(map(len, set(words))))
