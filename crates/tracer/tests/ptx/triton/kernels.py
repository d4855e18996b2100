"""Kernels in Triton whose PTX the tests trace."""

import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    sums = tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside)
    tl.store(out + at, sums, mask=inside)


@triton.jit
def row_softmax(x, out, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    scores = tl.load(x + row * stride + at, mask=inside, other=-float("inf"))
    weights = tl.exp(scores - tl.max(scores, axis=0))
    tl.store(out + row * stride + at, weights / tl.sum(weights, axis=0), mask=inside)


@triton.jit
def layer_norm(x, scale, shift, out, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        total += tl.load(x + row * columns + at, mask=at < columns, other=0.0)
    mean = tl.sum(total, axis=0) / columns
    spread = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * columns + at, mask=at < columns, other=0.0)
        away = tl.where(at < columns, values - mean, 0.0)
        spread += away * away
    inverse = tl.rsqrt(tl.sum(spread, axis=0) / columns + epsilon)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        inside = at < columns
        values = tl.load(x + row * columns + at, mask=inside, other=0.0)
        factor = tl.load(scale + at, mask=inside, other=0.0)
        moved = tl.load(shift + at, mask=inside, other=0.0)
        tl.store(out + row * columns + at, (values - mean) * inverse * factor + moved, mask=inside)


@triton.jit
def grouped_matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
    # Blocks in one column of GROUP rows come after each other, so that they share tiles of b in the cache.
    rows, columns = tl.cdiv(m, M), tl.cdiv(n, N)
    place = tl.program_id(0)
    first = place // (GROUP * columns) * GROUP
    high = tl.minimum(rows - first, GROUP)
    row = first + place % (GROUP * columns) % high
    column = place % (GROUP * columns) // high
    ms, ns, ks = row * M + tl.arange(0, M), column * N + tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, k, K):
        left = tl.load(a + ms[:, None] * k + start + ks[None, :], mask=(ms[:, None] < m) & (start + ks[None, :] < k), other=0.0)
        right = tl.load(b + (start + ks[:, None]) * n + ns[None, :], mask=(start + ks[:, None] < k) & (ns[None, :] < n), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + ms[:, None] * n + ns[None, :], total, mask=(ms[:, None] < m) & (ns[None, :] < n))


@triton.jit
def causal_attention(q, k, v, out, length, scale, Q: tl.constexpr, KV: tl.constexpr, D: tl.constexpr):
    tile, head = tl.program_id(0), tl.program_id(1)
    base = head * length * D
    rows, dims, keys = tile * Q + tl.arange(0, Q), tl.arange(0, D), tl.arange(0, KV)
    query = tl.load(q + base + rows[:, None] * D + dims[None, :], mask=rows[:, None] < length, other=0.0)
    most = tl.full([Q], -float("inf"), dtype=tl.float32)
    total = tl.zeros([Q], dtype=tl.float32)
    mixed = tl.zeros([Q, D], dtype=tl.float32)
    for start in range(0, (tile + 1) * Q, KV):
        at = start + keys
        key = tl.load(k + base + at[None, :] * D + dims[:, None], mask=at[None, :] < length, other=0.0)
        scores = tl.dot(query, key) * scale
        scores = tl.where(rows[:, None] >= at[None, :], scores, -float("inf"))
        highest = tl.maximum(most, tl.max(scores, axis=1))
        weights = tl.exp(scores - highest[:, None])
        rescale = tl.exp(most - highest)
        total = total * rescale + tl.sum(weights, axis=1)
        value = tl.load(v + base + at[:, None] * D + dims[None, :], mask=at[:, None] < length, other=0.0)
        mixed = mixed * rescale[:, None]
        mixed = tl.dot(weights.to(v.dtype.element_ty), value, mixed)
        most = highest
    result = mixed / total[:, None]
    tl.store(out + base + rows[:, None] * D + dims[None, :], result, mask=rows[:, None] < length)
