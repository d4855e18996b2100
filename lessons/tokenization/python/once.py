# Each different word once, with the number of times it occurs.
import re

text = "the cat and the dog and the bird " * 20
words = {}
for word in re.findall(r" ?[a-z]+| ", text):
    words[word] = words.get(word, 0) + 1

counts = {}
for word, times in words.items():
    for pair in zip(word, word[1:]):
        counts[pair] = counts.get(pair, 0) + times
print(len(words), "different words of", sum(words.values()))
assert counts["t", "h"] == text.count("th")
