#!/bin/sh
# Writes the lessons as a site.
#   packaging/site.sh OUT [ADDRESS]     ADDRESS is where the site will be, for search engines and shared links
set -eu
out=$(realpath -m "$1")
address=${2:-}
cd "$(dirname "$0")/.."
cargo build --locked --release
exec "${CARGO_TARGET_DIR:-target}/release/warpbook" export --site "$out" ${address:+--address "$address"}
