# Many chases: each lane has lines of its own.
lines, chases = 8 * 64, 32
jump = chases * (2 * int(0.309 * lines / chases) + 1)

at = list(range(chases))                # the first line of each lane
seen = set()
for hop in range(lines // chases):      # once round
    assert not seen & set(at)           # no lane was here before
    seen.update(at)
    at = [(line + jump) % lines for line in at]
assert at == list(range(chases)) and len(seen) == lines
print(chases, "chains of", lines // chases, "lines")
