#!/bin/sh
# Unpacks an archive into a folder of its own and uses the program there, as someone would who has nothing else.
#   packaging/archive_test.sh ARCHIVE
set -eu
archive=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$(dirname "$archive")"
if command -v sha256sum > /dev/null; then sha256sum -c "$(basename "$archive").sha256"; else shasum -c "$(basename "$archive").sha256"; fi
cd "$folder"
tar -xzf "$archive"
cd warpbook-*
for file in README.txt LICENSE-APACHE LICENSE-MIT LICENSES-FONTS.md; do test -s "$file"; done
test "$(wc -l < LICENSES-CRATES.txt)" -gt 5000
./warpbook doctor
./warpbook list
./warpbook trace coalescing/strided --set stride=8
./warpbook export --site site one_loop
test -f site/one_loop/index.html
