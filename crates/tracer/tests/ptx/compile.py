"""Compiles each .cu of this folder and of corpus/ to the .ptx beside it, by NVRTC (pip install nvidia-cuda-nvrtc nvidia-cuda-runtime
nvidia-cuda-crt nvidia-cuda-cccl, or a toolkit's folder in CUDA_HOME). It needs no GPU. A file's line `// options: …` has options of its own.
Names as arguments choose among the files."""
import ctypes
import glob
import os
import re
import site
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOTS = [os.environ.get("CUDA_HOME", "")] + glob.glob(os.path.join(site.getsitepackages()[0], "nvidia", "cu*"))


def ptx(path, architecture):
    root = next((r for r in ROOTS if r and glob.glob(os.path.join(r, "lib*", "libnvrtc.so*"))), None)
    if root is None:
        sys.exit("no libnvrtc was found: set CUDA_HOME to a toolkit's folder")
    nvrtc = ctypes.CDLL(glob.glob(os.path.join(root, "lib*", "libnvrtc.so*"))[0])
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    name, source = os.path.basename(path).encode(), open(path, "rb").read()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, name, 0, None, None)
    own = re.search(rb"(?m)^// options: (.*)$", source)
    options = own.group(1).split() if own else [b"-lineinfo"]
    options.append(b"--gpu-architecture=" + architecture.encode())
    options += [b"-I" + os.path.join(root, "include", folder).encode() for folder in ("", "cccl")]
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    get = (nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog) if failed else (nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX)
    get[0](program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    get[1](program, text)
    if failed:
        sys.exit(text.value.decode())
    return text.value.decode()


for source in sorted(glob.glob(os.path.join(HERE, "*.cu")) + glob.glob(os.path.join(HERE, "corpus", "*.cu"))):
    if sys.argv[1:] and os.path.basename(source)[:-3] not in sys.argv[1:]:
        continue
    text = ptx(source, "compute_80")
    with open(source[:-3] + ".ptx", "w") as out:
        # File names alone: folders are those of one machine.
        out.write(re.sub(r'(?m)^(\s*\.file\s+\d+\s+")[^"\n]*/', r"\1", text))
