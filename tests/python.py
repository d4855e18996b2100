#!/usr/bin/env python3
"""Runs the lessons' snippets of Python, each by itself, and says which fail.

    python3 tests/python.py [LESSON ...]

Some need NumPy, some PyTorch; a snippet whose library is missing is listed, and makes the command fail, too.
"""
import pathlib
import subprocess
import sys
import time

root = pathlib.Path(__file__).resolve().parent.parent / "lessons"
wanted = sys.argv[1:]
failed = 0
snippets = sorted(path for path in root.glob("*/python/*.py") if not wanted or path.parts[-3] in wanted)
for path in snippets:
    began = time.monotonic()
    try:
        run = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=60)
        problem = run.stderr.strip().splitlines()[-1] if run.returncode and run.stderr.strip() else ""
        ok = run.returncode == 0
    except subprocess.TimeoutExpired:
        ok, problem = False, "did not end within 60 s"
    if not ok:
        failed += 1
        print(f"{path.relative_to(root.parent)}: {problem}")
    elif time.monotonic() - began > 20:
        print(f"{path.relative_to(root.parent)}: ok, but took {time.monotonic() - began:.0f} s")
print(f"{len(snippets) - failed} of {len(snippets)} snippets ran")
sys.exit(bool(failed))
