# Ranges of N // LANES elements: no thread takes the remainder.
N, LANES = 1000, 64
share = N // LANES                      # 15
threads_of = [0] * N                    # how many take each element
for thread in range(LANES):
    first = thread * share
    for i in range(first, first + share):
        threads_of[i] += 1
assert max(threads_of) == 1             # no element is taken twice
assert threads_of.count(0) == 40        # but 40 are not taken
print("left over from element", threads_of.index(0))
