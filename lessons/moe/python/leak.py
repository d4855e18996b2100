# Two experts that the router rates alike, and a bias for balance.
affinity, bias = [0.6, 0.6], [0.1, -0.1]

# A weight of what was compared, bias and all: the leak.
scores = [a + b for a, b in zip(affinity, bias)]
leaked = scores[0] / sum(scores)

# The router means halves. The bias makes it 7 to 5.
assert abs(leaked - 7 / 12) < 1e-12
print(f"the first expert counts for {leaked:.1%} of the result")
