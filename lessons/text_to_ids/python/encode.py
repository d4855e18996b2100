# To encode: of all pairs in a word, the lowest rank merges first.
def encode(word, ranks):
    tokens = list(word)
    while True:
        pairs = [pair for pair in zip(tokens, tokens[1:])
                 if pair in ranks]
        if not pairs:
            return tokens
        best = min(pairs, key=lambda pair: ranks[pair])
        i = list(zip(tokens, tokens[1:])).index(best)
        tokens[i:i + 2] = [best[0] + best[1]]

ranks = {("b", "c"): 0, ("a", "b"): 1}
assert encode("abc", ranks) == ["a", "bc"]   # the longest match: ab c
