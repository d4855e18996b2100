# A warp runs a loop for each kind that one of its lanes has.
def loops(n, run):                      # loops of all warps
    total = 0
    for first in range(0, n, 32):
        kinds = {i // run % 2 for i in range(first, first + 32)}
        total += len(kinds)
    return total

n = 65536
assert loops(n, 1) == loops(n, 16) == 2 * loops(n, 32)
print("run 1:", loops(n, 1), "loops; run 32:", loops(n, 32))
