# Mixed precision: a small update, and a small gradient, in 16 bits.
import numpy as np

w, update = np.float16(1.0), np.float16(0.0001)
assert w + update == w                # rounded away
master = np.float32(1.0)
for _ in range(10):
    master -= np.float32(update)      # kept in 32 bits
assert np.float16(master) < w         # the cast shows the sum

gradient = 1e-8
assert np.float16(gradient) == 0.0    # too small for 16 bits
scaled = np.float16(gradient * 1024)  # loss scaling
assert scaled > 0 and abs(float(scaled) / 1024 / gradient - 1) < 0.01
