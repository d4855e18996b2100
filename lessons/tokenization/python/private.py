# Pairs are counted in a small table first; the rest goes past it.
text = b"low lower lowest newer newest widest " * 100
PLACES = 1024
holder, times = [None] * PLACES, [0] * PLACES
counts, additions = {}, 0        # counters in global memory
for pair in zip(text, text[1:]):
    number = pair[0] * 288 + pair[1]
    place = (number * 2654435769) % 2 ** 32 >> 22
    if holder[place] is None:
        holder[place] = pair     # the first to come keeps it
    if holder[place] == pair:
        times[place] += 1
    else:
        counts[pair] = counts.get(pair, 0) + 1
        additions += 1
for pair, n in zip(holder, times):   # once per place, at the end
    if pair is not None:
        counts[pair] = counts.get(pair, 0) + n
        additions += 1
assert sum(counts.values()) == len(text) - 1
print(len(text) - 1, "pairs,", additions, "additions")
