# Rounded sums depend on their order: here in f16, with 11 bits.
import numpy as np

one, tiny = np.float16(1.0), np.float16(2.0 ** -11)
left = (one + tiny) + tiny             # each addition is rounded
right = one + (tiny + tiny)
print(left, right)
assert left == one and right == np.float16(1 + 2.0 ** -10)
assert left + right == right + left    # two numbers have one order
assert (0.1 + 0.2) + 0.3 != 0.1 + (0.2 + 0.3)   # f64, too
