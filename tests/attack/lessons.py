"""The lessons of this repository with changes in their documents and texts, each in a pack of its own."""

import os
import pathlib
import shutil

from changes import changed

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Which commands read a changed lesson. `check` runs all of its kernels where nothing is wrong with it, so it has a smaller share.
COMMANDS = [["list", "--json"], ["list"], ["list"], ["check"]]


def alone(folder, lesson):
    """A pack of one lesson of this repository, whose shaders and figures are read where they are."""
    pack = folder / "pack"
    shutil.copytree(ROOT / "lessons" / lesson, pack / "lessons" / lesson)
    shutil.copytree(ROOT / "shaders" / lesson, pack / "shaders" / lesson)
    for part in ("profiles", "recordings"):
        # Copies, since a link out of a pack is refused; linked as files, since they are large.
        os.makedirs(pack / "assets" / part)
        for file in (ROOT / "assets" / part).iterdir():
            link_or_copy(file, pack / "assets" / part / file.name)
    (pack / "lessons/index.ron").write_text(f'(format_version: 1, order: ["{lesson}"])')
    return pack


def link_or_copy(file, to):
    try:
        os.link(file, to)
    except OSError:
        shutil.copy(file, to)


def mutated(program, count, random):
    """Changed documents and texts of every lesson in turn."""
    lessons = sorted(path.parent.name for path in (ROOT / "lessons").glob("*/lesson.ron"))
    for index in range(count):
        lesson = lessons[index % len(lessons)]
        name = ("lesson.ron", "lesson.ron", "text.md")[index // len(lessons) % 3]
        text = changed((ROOT / "lessons" / lesson / name).read_text(), random)
        command = COMMANDS[index // (3 * len(lessons)) % len(COMMANDS)]

        def case(folder, lesson=lesson, name=name, text=text, command=command):
            pack = alone(folder, lesson)
            (pack / "lessons" / lesson / name).write_text(text)
            return program.run(["--pack", "pack", *command], folder).faults()

        yield f"{lesson}/{name} changed, {command[0]}", case
