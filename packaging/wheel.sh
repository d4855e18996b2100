#!/bin/sh
# Builds the wheel: the program with its window, and the Python module. `pip install maturin` first.
#   packaging/wheel.sh [OUT [OPTIONS OF MATURIN]]     OUT is target/wheels if it is left out; --release if there are no options
set -eu
cd "$(dirname "$0")/.."
out=${1:-target/wheels}
if [ $# -gt 0 ]; then shift; fi
if [ $# -eq 0 ]; then set -- --release; fi
exec maturin build --locked --out "$out" "$@"
