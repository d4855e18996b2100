#!/usr/bin/env python3
"""Writes a mixed text of 100 MB for benches/peers/tokenizers: sources of crates, prose and manuals in many languages.

    python3 benches/peers/corpus.py OUT [BYTES] FOLDER...

Each folder gives an equal share, as far as it has text: files whose names end as text does, packed ones too, without those
that are not UTF-8 and those that were read before. They come in the order of their hashes, so that languages alternate. The text of 2026-11-23 was made of ~/.cargo/registry/src
and of Debian's packages debian-handbook, bible-kjv-text, developers-reference-ja, manpages and manpages-de, -es, -fr, -ja,
-ko, -ru and -zh, unpacked with `dpkg -x`.
"""

import gzip
import hashlib
import re
import sys
from pathlib import Path

TEXT = {".rs", ".md", ".txt", ".html", ".py", ".c", ".h", ".toml"}


def read(path):
    """The file's text; None if it has none. Marks of HTML and of manuals would be most of such a page: they go."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    if path.suffix == ".html":
        text = re.sub(r"<[^>]*>", "", text)
    if path.suffix == ".gz":
        text = re.sub(r"(?m)^[.'].{0,3}\s?|\\f.", "", text)
    return re.sub(r"\n{3,}", "\n\n", text)


def main():
    out, *folders = sys.argv[1:]
    size = int(folders.pop(0)) if folders[0].isdigit() else 100_000_000
    seen, chosen = set(), []
    texts_by_folder = [texts_of(folder, seen) for folder in folders]
    # The smallest folder first: what it lacks is shared by the others.
    texts_by_folder.sort(key=lambda texts: sum(len(data) for _, data in texts))
    for left, texts in zip(range(len(folders), 0, -1), texts_by_folder):
        share = (size - sum(len(data) for _, data in chosen)) // left
        for digest, data in sorted(texts):
            if share <= 0:
                break
            chosen.append((digest, data[:share].decode(errors="ignore").encode()))
            share -= len(data)
    with open(out, "wb") as file:
        for _, data in sorted(chosen):
            file.write(data)
    print(f"{sum(len(data) for _, data in chosen)} bytes of {len(chosen)} files")


def texts_of(folder, seen):
    """The folder's texts with their hashes, without those in `seen`, which gets them."""
    texts = []
    for path in Path(folder).rglob("*"):
        packed = path.suffix == ".gz" and "/man/" in str(path)
        # A generated table is no text.
        if path.is_symlink() or not path.is_file() or not (path.suffix in TEXT or packed) or path.stat().st_size > 1_000_000:
            continue
        data = (read(path) or "").encode()
        digest = hashlib.sha256(data).digest()
        if data and digest not in seen:
            seen.add(digest)
            texts.append((digest, data))
    return texts


if __name__ == "__main__":
    main()
