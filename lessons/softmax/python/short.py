# A butterfly: after five exchanges all 32 lanes have the sum.
values = [float(lane) for lane in range(32)]
bit = 1
while bit < 32:
    values = [values[lane] + values[lane ^ bit] for lane in range(32)]
    bit *= 2
assert values == [496.0] * 32
