"""Launches the Triton kernels' PTX on an NVIDIA GPU, as `tests/triton.rs` does on the tracer, so that ncu can count:
ncu --csv --page raw --metrics METRICS python3 profile.py > triton.csv

It loads the PTX beside it through the driver (libcuda), not through Triton. It needs torch for memory alone.
"""

import ctypes
from pathlib import Path

import torch

cuda = ctypes.CDLL("libcuda.so.1")


def check(code):
    assert code == 0, f"the driver says {code}"


def launch(name, grid, shared, *arguments):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    text = Path(__file__).with_name(name + ".ptx").read_bytes() + b"\0"
    check(cuda.cuModuleLoadData(ctypes.byref(module), text))
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, name.encode()))
    # Triton adds two pointers, which these kernels do not follow.
    values = []
    for argument in [*arguments, None, None]:
        if isinstance(argument, int):
            values.append(ctypes.c_int32(argument))
        elif isinstance(argument, float):
            values.append(ctypes.c_float(argument))
        else:
            values.append(ctypes.c_uint64(argument.data_ptr() if argument is not None else 0))
    pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.byref(v), ctypes.c_void_p) for v in values])
    check(cuda.cuLaunchKernel(function, *grid, 1, 128, 1, 1, shared, None, pointers, None))
    torch.cuda.synchronize()


def close(got, wanted):
    error = (got.double() - wanted.double()).abs().max().item()
    assert error < 2e-3, error


torch.manual_seed(1)
at = dict(device="cuda")
x, y, out = torch.rand(1000, **at), torch.rand(1000, **at), torch.zeros(1000, **at)
launch("vector_add", (4, 1), 0, x, y, out, 1000)
close(out, x + y)
x, out = torch.rand(3, 200, **at), torch.zeros(3, 200, **at)
launch("row_softmax", (3, 1), 16, x, out, 200, 200)
close(out, x.softmax(1))
x, scale, shift, out = torch.rand(3, 300, **at), torch.rand(300, **at), torch.rand(300, **at), torch.zeros(3, 300, **at)
launch("layer_norm", (3, 1), 16, x, scale, shift, out, 300, 1e-5)
close(out, torch.nn.functional.layer_norm(x, (300,), scale, shift, 1e-5))
a, b = torch.rand(70, 40, **at).half(), torch.rand(40, 50, **at).half()
out = torch.zeros(70, 50, **at)
launch("grouped_matmul", (6, 1), 4096, a, b, out, 70, 50, 40)
close(out / 40, a.float() @ b.float() / 40)
q, k, v = (torch.rand(2, 70, 32, **at).half() for _ in range(3))
out = torch.zeros(2, 70, 32, **at)
launch("causal_attention", (3, 2), 4096, q, k, v, out, 70, 32**-0.5)
close(out, torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True))
print("all five are right")
