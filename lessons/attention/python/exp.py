# Clocks of an SM of an H100 for 1,024 scores.
for d in (32, 64, 128, 256):
    products = 4 * d * 1024 / 4096    # tensor cores, 16 bits
    exponentials = 1024 / 16          # special function units
    print(d, products, exponentials)
assert 4 * 64 * 1024 / 4096 == 1024 / 16
# e^x as a power of two, the way the hardware has it:
from math import e, exp, log2
assert abs(2 ** (3.7 * log2(e)) - exp(3.7)) < 1e-12
