# Three simple ways to turn a text into ids, and what goes wrong.
text = "low low lower"
vocabulary = {word: i for i, word in enumerate(set(text.split()))}
assert "widest" not in vocabulary    # words: a new one has no id

ids = [ord(c) for c in "lower"]      # characters: up to 1,114,111
assert ids == [108, 111, 119, 101, 114]

ids = list("lower".encode("utf-8"))  # bytes: 0 to 255, always
assert len(ids) == 5 and max(ids) < 256

def comparisons(tokens):             # of causal attention
    return tokens * (tokens + 1) // 2

print(comparisons(2000) / comparisons(1000))  # nearly 4
