# The table of pairs: a row per left token, a column per right one.
text = b"low lower widest newest low lower"
V = 256 + 32                     # tokens that there can be
counts = [0] * (V * V)
for i in range(len(text) - 1):   # on the GPU: a thread per position
    counts[text[i] * V + text[i + 1]] += 1   # there it is atomic

assert sum(counts) == len(text) - 1
assert counts[ord("l") * V + ord("o")] == 4
assert sum(count > 0 for count in counts) < len(text)  # mostly zeros
