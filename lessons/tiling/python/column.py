# A lane with a column of sums: in each step k it keeps one number of B
# in a variable, as in a register, and all its sums use it.
TM, DEPTH = 4, 3
a_rows = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]
b_column = [10, 20, 30]

sums = [0] * TM
for k in range(DEPTH):
    b_value = b_column[k]
    for i in range(TM):
        sums[i] += a_rows[i][k] * b_value
assert sums == [140, 320, 500, 680]
