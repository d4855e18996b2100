# A merge changes the counts of the pairs at its places, no others.
def pairs(tokens):
    counts = {}
    for pair in zip(tokens, tokens[1:]):
        counts[pair] = counts.get(pair, 0) + 1
    return counts

def add(counts, tokens, sign):
    for pair, n in pairs(tokens).items():
        counts[pair] = counts.get(pair, 0) + sign * n

old = ["x", "a", "b", "y"]
new = ["x", "N", "y"]              # a b has become N
text = ["q", "r"] + old + ["r", "q"]
counts = pairs(text)
add(counts, old, -1)               # x a, a b and b y lose one
add(counts, new, +1)               # x N and N y gain one
left = {pair: n for pair, n in counts.items() if n}
assert left == pairs(["q", "r"] + new + ["r", "q"])
