# Closing the gaps: a token's place is how many before it are kept.
tokens = list("newest")
begins = [0, 0, 0, 1, 0, 0]        # `es` merges
kept = [1] + [1 - b for b in begins[:-1]]   # the right part goes
place, before = [], 0
for k in kept:                     # an exclusive scan
    place.append(before)
    before += k

closed = [None] * before
for i, k in enumerate(kept):       # on the GPU: all at once
    if k:
        closed[place[i]] = "es" if begins[i] else tokens[i]
assert closed == ["n", "e", "w", "es", "t"]
