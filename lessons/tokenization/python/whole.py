# A word that is a token needs one lookup; the others are merged.
def merged(word, ranks):
    tokens = [bytes([b]) for b in word]
    while True:
        known = [(ranks[a + b], i) for i, (a, b)
                 in enumerate(zip(tokens, tokens[1:])) if a + b in ranks]
        if not known:
            return tokens
        i = min(known)[1]
        tokens[i:i + 2] = [tokens[i] + tokens[i + 1]]

ranks = {b"lo": 256, b"low": 257, b"er": 258}
text, ids = [b"low", b"lower", b"low", b"low"], []
for word in text:
    ids.append([word] if word in ranks else merged(word, ranks))
assert ids == [merged(word, ranks) for word in text]   # the same
print(sum(word not in ranks for word in text), "word was merged")
