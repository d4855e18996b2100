"""NumPy arrays and torch CPU tensors as contents of buffers."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._program import Error

#: Types of elements by NumPy's and torch's names, as `--buffer` names them.
TYPES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "float64": "f64", "bool": "u8"}
TYPES |= {f"{sign}int{bits}": f"{sign or 'i'}{bits}" for sign in ("u", "") for bits in (8, 16, 32, 64)}


#: Bytes that the tracer binds in a buffer with contents.
MOST = 1 << 30


@dataclass(frozen=True)
class Array:
    """The contents of a buffer. `bits` is a NumPy array, of uint16 for bfloat16. Triton reads `dtype`."""

    bits: Any
    dtype: str

    @property
    def typed(self) -> str:
        """COUNT:TYPE of its buffer."""
        return f"{self.bits.size}:{TYPES[self.dtype]}"

    @property
    def bytes(self) -> tuple[int, int]:
        """The addresses of its first byte and of the end."""
        start = self.bits.__array_interface__["data"][0]
        return start, start + self.bits.nbytes

    def data_ptr(self) -> int:
        """The address that Triton looks at for its alignment: a buffer of its own begins at a multiple of 16."""
        return 0

    def save(self, file: Path) -> None:
        """Writes it for `--input`."""
        import numpy

        numpy.save(file, self.bits.reshape(-1).astype(self.bits.dtype.newbyteorder("<"), copy=False))

    def load(self, file: Path) -> Any:
        """Reads what `--dump` wrote: an array of the same shape and type, of float32 for bfloat16."""
        import numpy

        # Types that a trace does not have are dumped as words.
        words = numpy.load(file).view(self.bits.dtype.newbyteorder("<"))
        shaped = words[: self.bits.size].reshape(self.bits.shape)
        return (shaped.astype("u4") << 16).view("f4") if self.dtype == "bfloat16" else shaped


def array(name: str, value: Any) -> Array | None:
    """An argument as contents of a buffer; None if it is no array. `Error` if a buffer cannot hold them as they are."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(value, torch.Tensor):
        if value.device.type != "cpu":
            raise Error(f"`{name}` is on {value.device}\n  hint: contents are copied from the CPU: pass {name}.cpu()")
        dtype, is_contiguous = str(value.dtype).removeprefix("torch."), value.is_contiguous()
        bits = value.detach().view(torch.int16).numpy().view("u2") if dtype == "bfloat16" else value.detach().numpy()
    elif numpy is not None and isinstance(value, numpy.ndarray):
        dtype, is_contiguous = value.dtype.name, value.flags.c_contiguous
        bits = value.view("u2") if dtype == "bfloat16" else value
    else:
        return None
    if dtype not in TYPES:
        raise Error(f"`{name}` holds {dtype}\n  hint: a buffer has one of {', '.join(TYPES)}")
    if bits.nbytes > MOST:
        raise Error(f"`{name}` has {bits.nbytes:,} bytes, and a buffer with contents at most {MOST:,}\n  hint: trace a smaller launch")
    if not is_contiguous:
        raise Error(f"`{name}` is not contiguous\n  hint: pass a contiguous copy, or the array that it is a view of")
    return Array(bits, dtype)
