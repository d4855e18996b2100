# A block of 4 x 4 of A is loaded as four vectors of its rows, transposed,
# and stored as four vectors of its columns.
import numpy as np

A = np.arange(8 * 8, dtype=np.float32).reshape(8, 8)
tile = np.empty((8, 8), np.float32)  # A's tile, transposed
for row in range(0, 8, 4):
    for k in range(0, 8, 4):  # a lane
        block = A[row:row+4, k:k+4]      # four loads of 16 bytes
        tile[k:k+4, row:row+4] = block.T  # four stores of 16 bytes
assert (tile == A.T).all()
# Four elements of a column of A are now one vector.
assert (tile[5, 0:4] == A[0:4, 5]).all()
