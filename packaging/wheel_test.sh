#!/bin/sh
# Installs a wheel into an environment of its own, and tests it there without the sources. NVRTC and Triton come from
# pip; PYTHON names the interpreter, and EXTRAS what is installed with the wheel.
#   packaging/wheel_test.sh WHEEL [options of pytest]
set -eu
wheel=$(realpath "$1")
shift
sources=$(realpath "$(dirname "$0")/..")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "$wheel[${EXTRAS:-cuda,triton,test}]"
cp -r "$sources/python/tests" "$sources/pyproject.toml" "$folder"
cd "$folder"
VIRTUAL_ENV=$folder/venv
PATH=$VIRTUAL_ENV/bin:$PATH
export VIRTUAL_ENV PATH
unset PYTHONPATH

warpbook doctor
cat > copy.cu << 'CU'
__global__ void copy(const float *x, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = x[i];
}
CU
warpbook trace copy.cu --grid 4 --block 256 --buffer x=1024 --buffer out=1024
python -c 'import sys, warpbook; assert warpbook.__file__.startswith(sys.prefix), warpbook.__file__'
python -m pytest tests "$@"
