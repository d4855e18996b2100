# The whole training as a function, on text without walls.
def train(tokens, learn):
    merges, wins = [], []
    for new in range(256, 256 + learn):
        counts = {}
        for pair in zip(tokens, tokens[1:]):
            counts[pair] = counts.get(pair, 0) + 1
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        merges.append(best)
        wins.append(counts[best])
        out = []
        for token in tokens:
            out.append(token)
            if tuple(out[-2:]) == best:
                out[-2:] = [new]
        tokens = out
    return tokens, merges, wins

text = b"the cat and the dog and the bird and the end of the tale "
tokens, merges, wins = train(list(text), 16)
assert wins == sorted(wins, reverse=True)   # they fall or stay
print(len(text) / len(tokens), "bytes per token")
