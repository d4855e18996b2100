# Hints: 64 bits per word say which pairs it may have.
def bit(pair):
    number = ord(pair[0]) * 65536 + ord(pair[1])
    return 1 << ((number * 2654435769) % 2 ** 32 >> 26)

words = ["low", "lower", "widest", "newest", "slow", "nest", "wide"]
hints = []
for word in words:
    bits = 0
    for pair in zip(word, word[1:]):
        bits |= bit(pair)
    hints.append(bits)

maybe = [w for w, bits in zip(words, hints) if bits & bit(("e", "s"))]
print(maybe)                       # only these words are read
assert set(maybe) >= {"widest", "newest", "nest"}   # misses nothing
