import cuda.tile as ct

@ct.kernel
def copy(x, out, BLOCK: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(BLOCK,))
    ct.store(out, index=(i,), tile=t)

@ct.kernel
def softmax(x, out, BLOCK: ct.Constant[int]):
    row = ct.bid(0)
    t = ct.load(x, index=(row, 0), shape=(1, BLOCK), padding_mode=ct.PaddingMode.NEG_INF)
    e = ct.exp(t - ct.max(t, 1, keepdims=True))
    ct.store(out, index=(row, 0), tile=e / ct.sum(e, 1, keepdims=True))

@ct.kernel
def total(x, out, BLOCK: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(BLOCK,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(out, index=(i,), tile=ct.sum(t, 0, keepdims=True))

@ct.kernel
def product(a, b, c, T: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((T, T), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(a, 1, (T, T))):
        x = ct.load(a, index=(i, k), shape=(T, T))
        y = ct.load(b, index=(k, j), shape=(T, T))
        acc = ct.mma(x, y, acc)
    ct.store(c, index=(i, j), tile=acc)
