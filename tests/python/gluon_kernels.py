from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy(x, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n), mask=i < n)


@gluon.jit
def total(x, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, BLOCK, layout=layout)
    v = gl.load(x + gl.program_id(0) * n + i, mask=i < n, other=0.0)
    gl.store(out + gl.program_id(0), gl.sum(v, 0))


@gluon.jit
def softmax(x, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    row = gl.program_id(0)
    i = gl.arange(0, BLOCK, layout=layout)
    v = gl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    e = gl.exp(v - gl.max(v, 0))
    gl.store(out + row * n + i, e / gl.sum(e, 0), mask=i < n)


@gluon.jit
def product(a, b, c, K: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 1], [8, 4], [2, 2], [1, 0])
    i = gl.arange(0, 16, layout=gl.SliceLayout(1, layout))
    j = gl.arange(0, 16, layout=gl.SliceLayout(0, layout))
    acc = gl.zeros([16, 16], gl.float32, layout)
    for k in range(K):
        column = gl.load(a + i * K + k)
        row = gl.load(b + k * 16 + j)
        acc += gl.expand_dims(column, 1) * gl.expand_dims(row, 0)
    gl.store(c + gl.expand_dims(i, 1) * 16 + gl.expand_dims(j, 0), acc)
