#!/bin/sh
# Packs a built program: an archive with licences and, on Linux, an icon and a Debian package; each with its checksum.
#   packaging/archive.sh PROGRAM [OUT]     OUT is target/archives if it is left out
set -eu
cd "$(dirname "$0")/.."
program=$1
out=${2:-target/archives}
version=$(sed -n '/^\[workspace.package\]/,/^version/s/^version = "\(.*\)"/\1/p' Cargo.toml)
target=$(rustc -vV | sed -n 's/^host: //p')
name=warpbook-$version-$target
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The documents that a copy of the program has to include.
licences=$work/LICENSES-CRATES.txt
python3 packaging/licences.py "$target" > "$licences"
documents() {
    cp packaging/README.txt LICENSE-APACHE LICENSE-MIT "$licences" "$1"
    cp assets/fonts/LICENSES.md "$1/LICENSES-FONTS.md"
}

folder=$work/$name
mkdir "$folder"
cp "$program" "$folder"
documents "$folder"
case $target in
*linux*) cp packaging/warpbook.desktop packaging/warpbook.svg "$folder" ;;
esac
tar -C "$work" -czf "$out/$name.tar.gz" "$name"

sum() {
    if command -v sha256sum > /dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi
}
made=$name.tar.gz

if command -v dpkg-deb > /dev/null; then
    root=$work/deb
    share=$root/usr/share
    mkdir -p "$root/DEBIAN" "$root/usr/bin" "$share/applications" "$share/icons/hicolor/scalable/apps" "$share/doc/warpbook"
    install -m 755 "$program" "$root/usr/bin/warpbook"
    cp packaging/warpbook.desktop "$share/applications"
    cp packaging/warpbook.svg "$share/icons/hicolor/scalable/apps"
    documents "$share/doc/warpbook"
    # Installed, it is on the search path.
    sed -e 's|\./warpbook|warpbook|g' -e 's|Start it in this folder:|Start it:|' packaging/README.txt > "$share/doc/warpbook/README.txt"
    cat LICENSE-MIT LICENSE-APACHE > "$share/doc/warpbook/copyright"
    cat > "$root/DEBIAN/control" << CONTROL
Package: warpbook
Version: $version
Architecture: $(dpkg --print-architecture)
Maintainer: the Warpbook authors
Section: education
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: libc6 (>= 2.35), libgcc-s1
Recommends: libvulkan1, mesa-vulkan-drivers, libx11-6, libx11-xcb1, libxcursor1, libxi6, libxkbcommon0, libxkbcommon-x11-0, libwayland-client0
Description: how machine-learning systems use a GPU
 A notebook whose lessons trace GPU kernels, draw what they do, and time them.
CONTROL
    dpkg-deb --root-owner-group -Zgzip --build "$root" "$out/$name.deb" > /dev/null
    made="$made $name.deb"
fi

cd "$out"
for file in $made; do
    sum "$file" > "$file.sha256"
    echo "$out/$file"
done
