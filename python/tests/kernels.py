"""Kernels in Triton."""

import triton
import triton.language as tl


@triton.jit
def add(x, stride, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + at * stride)  # the mask is missing
    b = tl.load(y + at, mask=at < n, other=0.0)
    tl.store(out + at, a + b, mask=at < n)
