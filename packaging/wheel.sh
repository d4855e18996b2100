#!/bin/sh
# Builds the wheel: the program with its window, and the Python module. `pip install maturin` first.
#   packaging/wheel.sh [OUT]        OUT is target/wheels if it is left out
set -eu
cd "$(dirname "$0")/.."
exec maturin build --release --locked --out "${1:-target/wheels}"
