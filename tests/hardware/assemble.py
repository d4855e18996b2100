"""Compiles the twin of each row of cases.json to PTX by NVRTC, which needs no GPU, into ptx.gz: a section per row, for the test of the
tracer's counts from PTX. CUDA_HOME names a toolkit's folder, or that of pip's nvidia-cuda-nvrtc, -runtime and -crt.

    python3 tests/hardware/assemble.py
"""
import ctypes
import glob
import gzip
import json
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from measure import ROOT, constants, function, rows  # noqa: E402

MARK = "//// "


def library():
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    found = glob.glob(f"{home}/lib*/libnvrtc.so*")
    if not found:
        sys.exit(f"no libnvrtc below {home}: set CUDA_HOME")
    return ctypes.CDLL(sorted(found)[0]), home


def ptx(nvrtc, home, source, header):
    """The PTX of a twin; its includes lie beside it."""
    text = source.read_text()
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    own = (ctypes.c_char_p * 1)(header.encode())
    names = (ctypes.c_char_p * 1)(b"constants.h")
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), source.name.encode(), 1, own, names)
    options = ["-arch=sm_90a", "-lineinfo", "--fmad=false", "--pre-include=constants.h", f"-I{source.parent}", f"-I{home}/include"]
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*(o.encode() for o in options)))
    kind = "ProgramLog" if failed else "PTX"
    getattr(nvrtc, f"nvrtcGet{kind}Size")(program, ctypes.byref(size))
    out = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{kind}")(program, out)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    if failed:
        sys.exit(f"{source}\n{out.value.decode()}")
    # File names alone: folders are those of one machine.
    return re.sub(r'(?m)^(\s*\.file\s+\d+\s+")[^"\n]*/', r"\1", out.value.decode())


def main():
    nvrtc, home = library()
    known, sections = {}, []
    for row in rows(json.loads((Path(__file__).parent / "cases.json").read_text())):
        source = ROOT / row.get("cuda", re.sub(r"\.wgsl$", ".cu", row["wgsl"]))
        key = (source, constants(row))
        if key not in known:
            known[key] = ptx(nvrtc, home, *key)
        sections.append(f"{MARK}{row['name']}\n{known[key]}")
    with gzip.GzipFile(Path(__file__).parent / "ptx.gz", "wb", 9, mtime=0) as out:
        out.write("\n".join(sections).encode())
    print(f"{len(sections)} rows, {len(known)} texts")


main()
