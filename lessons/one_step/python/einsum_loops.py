# An einsum by strides, as the kernel does it, against NumPy's.
import numpy as np

def nest(spec, a, b, size):
    operands, out = spec.split("->")
    of_a, of_b = (operands + ",").split(",")[:2]
    def strides(letters):
        found, step = {}, 1
        for letter in reversed(letters):
            found[letter], step = step, step * size[letter]
        return found                        # others: 0
    sa, sb = strides(of_a), strides(of_b)
    summed = [x for x in size if x in of_a + of_b and x not in out]
    letters = list(out) + summed
    c = np.zeros([size[x] for x in out])
    for at in np.ndindex(*[size[x] for x in letters]):
        at = dict(zip(letters, at))
        i = sum(v * sa.get(x, 0) for x, v in at.items())
        j = sum(v * sb.get(x, 0) for x, v in at.items())
        c[tuple(at[x] for x in out)] += a.flat[i] * b.flat[j]
    return c

rng, size = np.random.default_rng(1), dict(b=2, i=3, j=5, k=4)
for spec in ("ij,jk->ik", "i,j->ij", "ij,ij->i", "bij,bjk->bik",
             "ij->ji", "ij,j->ij", "ij,kj->ik"):
    given = [rng.random([size[x] for x in letters])
             for letters in spec.split("->")[0].split(",")]
    a, b = (given + [np.ones(1)])[:2]
    mine = nest(spec, a, b, size)
    assert np.allclose(mine, np.einsum(spec, *given)), spec
x = np.broadcast_to(np.arange(4.0), (3, 4))   # nothing is copied
print(x.strides)
assert x.strides == (0, 8)
