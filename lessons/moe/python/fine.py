# Cutting each expert into parts: more choices, the same operations.
from math import comb

experts, k, f, parts = 16, 2, 1024, 4
small, small_f = experts * parts - 1, f // parts  # one part is shared
chosen = k * parts - 1                 # besides the shared one
assert (chosen + 1) * small_f == k * f            # operations
assert (small + 1) * small_f == experts * f       # parameters
print(comb(16, 2), "pairs;", comb(64, 8), "ways to choose 8 of 64")
