# The time of a step with S pairs of tiles, if a load is a latency.
def step(pairs, load, multiply):
    if pairs == 1:
        return load + multiply
    return max(multiply, load / (pairs - 1))

times = [step(pairs, load=3, multiply=1) for pairs in (1, 2, 3, 4, 5)]
assert times == [4, 3, 1.5, 1, 1]
print("times of a step:", times)
