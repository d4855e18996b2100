# What the copy engine does with a box: zeros beyond the matrix's edges.
import numpy as np

def copy_box(matrix, row, column, rows, columns):
    box = np.zeros((rows, columns), matrix.dtype)
    inside = matrix[row:row+rows, column:column+columns]
    box[:inside.shape[0], :inside.shape[1]] = inside
    return box

matrix = np.ones((200, 72), np.float32)
box = copy_box(matrix, row=128, column=64, rows=128, columns=64)
assert box.shape == (128, 64) and box.sum() == (200 - 128) * (72 - 64)
