# Rows of n numbers of 4 bytes: the alignment that all of them have.
def power_of_two(n):
    return n & -n  # the lowest bit that is set

for n in (2049, 2050, 2052, 2056, 2064, 2080, 2112):
    every = 4 * power_of_two(n)
    assert all(row * 4 * n % every == 0 for row in range(100))
    assert any(row * 4 * n % (2 * every) for row in range(100))
    vectors = "vectors of four" if every >= 16 else "single elements"
    print(f"{n}: multiples of {every} bytes, {vectors}")
