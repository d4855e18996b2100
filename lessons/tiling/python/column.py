# A lane with a column of sums: one number of B is used for all of them.
def step(sums, a_column, b_value):
    reads = 1  # b_value, which stays in a register
    for i, a_value in enumerate(a_column):
        sums[i] += a_value * b_value
        reads += 1
    return reads

TM = 4
sums = [0.0] * TM
reads = step(sums, a_column=[1.0, 2.0, 3.0, 4.0], b_value=10.0)
assert sums == [10.0, 20.0, 30.0, 40.0] and reads == TM + 1
print(reads / TM, "reads per product, instead of 2")
