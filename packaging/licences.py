#!/usr/bin/env python3
"""Prints the licences of all crates in the program: names, licences, and each text once with the crates that it is of.

packaging/licences.py TARGET
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

BEGINNINGS = ("license", "licence", "copying", "notice", "copyright")


def crates(target: str) -> list[dict]:
    """The packages that are linked into the program."""
    tree = ["cargo", "tree", "--locked", "--prefix", "none", "--edges", "normal", "--target", target, "--format", "{p}"]
    linked = {tuple(line.split()[:2]) for line in subprocess.check_output(tree, text=True).splitlines()}
    metadata = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    packages = json.loads(subprocess.check_output(metadata, text=True))["packages"]
    others = [each for each in packages if each["source"] and (each["name"], f"v{each['version']}") in linked]
    return sorted(others, key=lambda each: (each["name"], each["version"]))


def texts(package: dict) -> list[str]:
    """The texts of a package's licences, as its folder has them."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.name.lower().startswith(BEGINNINGS))
    return [file.read_text("utf-8", "replace").strip() for file in files]


def main() -> None:
    of = defaultdict(list)
    print("Crates in this program, each with its licence; the texts are below.\n")
    for package in crates(sys.argv[1]):
        name = f"{package['name']} {package['version']}"
        authors = f" ({', '.join(package['authors'])})" if package["authors"] else ""
        print(f"{name}: {package['license'] or package['license_file']}{authors}")
        for text in texts(package):
            of[text].append(name)
    for text, names in of.items():
        print(f"\n{'=' * 100}\n{', '.join(names)}\n\n{text}")


main()
