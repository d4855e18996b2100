"""The program `warpbook`: where it is, and its errors as exceptions."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path


class Error(Exception):
    """What is wrong with a kernel or its launch: the program's message, with the place and the hint."""

    __module__ = "warpbook"


def find() -> str:
    """The path of the program: beside this interpreter, or on PATH."""
    scripts = sysconfig.get_path("scripts")
    found = shutil.which("warpbook", path=scripts) or shutil.which("warpbook")
    if found is None:
        raise Error(
            f"the program `warpbook` is neither in {scripts} nor on PATH\n"
            f"  hint: run `{sys.executable} -m pip install .` in Warpbook's sources, or add its folder to PATH"
        )
    return found


def run(arguments: Sequence[str], folder: str) -> subprocess.CompletedProcess[str]:
    """Runs a command. In its messages, files of `folder` have their names alone."""
    environment = dict(os.environ)
    if Path(sysconfig.get_path("purelib"), "nvidia").is_dir():
        # The program looks there for pip's NVRTC. A notebook's kernel does not set it.
        environment["VIRTUAL_ENV"] = sys.prefix
    done = subprocess.run([find(), *arguments], env=environment, capture_output=True, text=True, encoding="utf-8")
    done.stderr = re.sub(r"still running after .*\n?", "", done.stderr.replace(folder + os.sep, "")).strip()
    return done


def run_json(arguments: Sequence[str], folder: str) -> subprocess.CompletedProcess[str]:
    """Runs a command that prints JSON. Exit code 1 is a result, too: a trace with findings, a failed condition."""
    __tracebackhide__ = True
    done = run(arguments, folder)
    if done.returncode not in (0, 1) or not done.stdout.strip():
        raise Error(in_python(done.stderr) or f"`warpbook {arguments[0]}` ended with exit code {done.returncode}")
    return done


def in_python(message: str) -> str:
    """A message of the program, with arguments of Python's in place of the options that it names."""
    message = re.sub(r"--(?:arg|buffer) (\w[\w.\[\]]*)=(?:VALUE|COUNT)\S*", r"`\1`", message)
    message = re.sub(r"--(grid|block|shared) (?:X(?:\[,Y\[,Z\]\])?|BYTES)", r"\1=…", message.replace("; or --warps N", ""))
    message = re.sub(r"--entry(?: NAME)?", "entry=…", message)
    message = re.sub(r"(\w+)\.npy holds (.*)", r"`\1` holds \2", message).replace("save it with", "pass it with")
    message = re.sub(r"--limit N", "limit=N", message)
    return re.sub(r"--(?:const|define) (\w+)=VALUE", r'constants={"\1": …}', message)
