# Three simple ways to turn a text into ids, and what goes wrong.
text = "low low lower"
vocabulary = {word: i for i, word in enumerate(set(text.split()))}
assert "widest" not in vocabulary    # words: a new one has no id

ids = [ord(c) for c in "lower"]      # characters: up to 1,114,111
assert ids == [108, 111, 119, 101, 114]

ids = list("lower".encode("utf-8"))  # bytes: 0 to 255, always
table = [[i / 10, -i / 10] for i in range(256)]   # the embedding
rows = [table[i] for i in ids]       # and these the model gets
assert len(rows) == 5 and rows[0] == [10.8, -10.8]
