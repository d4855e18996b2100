# Whoever comes first gets the next row: the order is not defined.
import random

chosen = [0, 1, 0, 1, 1, 0]

def place(order):
    following, source = [0, 3], [0] * 6
    for i in order:  # the hardware decides on this order
        source[following[chosen[i]]] = i
        following[chosen[i]] += 1
    return source

one, other = place(range(6)), place(random.sample(range(6), 6))
assert sorted(one[:3]) == sorted(other[:3]) == [0, 2, 5]
