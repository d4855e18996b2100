"""Compiles the Triton kernels of `kernels.py` to PTX, without a GPU, and prints the launch of each."""

import re
from pathlib import Path

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import kernels

HALF, FULL = "*fp16", "*fp32"
KERNELS = [
    (kernels.vector_add, dict(x=FULL, y=FULL, out=FULL, n="i32"), dict(BLOCK=256), 4),
    (kernels.row_softmax, dict(x=FULL, out=FULL, columns="i32", stride="i32"), dict(BLOCK=256), 4),
    (kernels.layer_norm, dict(x=FULL, scale=FULL, shift=FULL, out=FULL, columns="i32", epsilon="fp32"), dict(BLOCK=128), 4),
    (kernels.grouped_matmul, dict(a=HALF, b=HALF, c=FULL, m="i32", n="i32", k="i32"), dict(M=32, N=32, K=32, GROUP=2), 4),
    (kernels.causal_attention, dict(q=HALF, k=HALF, v=HALF, out=FULL, length="i32", scale="fp32"), dict(Q=32, KV=32, D=32), 4),
]

for kernel, signature, constants, warps in KERNELS:
    signature = {name: signature.get(name, "constexpr") for name in kernel.arg_names}
    source = ASTSource(kernel, signature, {(kernel.arg_names.index(name),): value for name, value in constants.items()})
    compiled = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": warps})
    name = kernel.fn.__name__
    # File names alone: folders are those of one machine.
    text = re.sub(r'(?m)^(\s*\.file\s+\d+\s+")[^"\n]*/', r"\1", compiled.asm["ptx"])
    Path(__file__).with_name(name + ".ptx").write_text(text)
    print(f"{name}: --warps {warps} --shared {compiled.metadata.shared}")
