# Chunks of a message that the ranks do not divide.
COUNT, RANKS = 6, 4
begins = [c * COUNT // RANKS for c in range(RANKS + 1)]
sizes = [end - begin for begin, end in zip(begins, begins[1:])]
print(sizes)
assert sum(sizes) == COUNT and max(sizes) - min(sizes) <= 1

# A rank sends all chunks but one; on average 4.5 elements, not 6.
sent = [COUNT - size for size in sizes]
assert sum(sent) / RANKS == 4.5
padded = -(-COUNT // RANKS)            # rounded up
assert padded * (RANKS - 1) == 6
