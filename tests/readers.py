#!/usr/bin/env python3
"""Opens notes in the programs that they are for, and says what each of them makes of it.

    cargo build && python3 tests/readers.py [--program PATH] [LESSON ...]

It needs the Python packages pyyaml, nbformat, nbclient, ipykernel, anki and playwright, and the programs jekyll, hugo, pandoc, pdftoppm and
chromium. One that is missing is named, and makes the command fail, too. The learner's state is the one that Warpbook finds, as in any other export.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
options.add_argument("--program", default=str(pathlib.Path(__file__).resolve().parent.parent / "target/debug/warpbook"))
options.add_argument("lessons", nargs="*", default=["one_loop", "coalescing"])
options = options.parse_args()


def run(*args, cwd=None):
    done = subprocess.run(args, cwd=cwd, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{' '.join(map(str, args))}: {done.stderr.strip()[-2000:]}"
    return done.stdout


def export(reader, lesson, folder):
    files = run(options.program, "export", lesson, "--for", reader, "--backend", "simt", "-o", folder).split("\n")
    return pathlib.Path(files[-2])


def front(text):
    import yaml
    assert text.startswith("---\n"), "no front matter"
    return yaml.safe_load(text[4:].split("\n---\n", 1)[0])


def pictures(note, text):
    """Every picture and table of a note is there."""
    links = re.findall(r"(?:!\[[^\n]*?\]|\[CSV\])\(([^)\s]+)\)", text)
    assert links, "no picture"
    for link in links:
        assert (note.parent / link).is_file(), f"{link} is missing"
    return len(links)


def obsidian(lesson, folder):
    note = export("obsidian", lesson, folder)
    text = note.read_text()
    keys = front(text)
    for key, value in keys.items():
        assert not isinstance(value, dict), f"{key} is nested"
    assert isinstance(keys["tags"], list) and isinstance(keys["aliases"], list)
    assert str(keys["date"])[:2] == "20" and "<details>" not in text
    return f"{pictures(note, text)} links, {len(keys)} properties"


def jekyll(lesson, folder):
    note = export("jekyll", lesson, folder)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d-[a-z0-9_-]+\.md", note.name), note.name
    site = pathlib.Path(folder)
    (site / "_config.yml").write_text("markdown: kramdown\npermalink: /:title/\nbaseurl: /base\nkramdown: {math_engine: mathjax}\n")
    (site / "_layouts").mkdir(exist_ok=True)
    (site / "_layouts/post.html").write_text("<title>{{ page.title }}</title>\n{{ content }}")
    run("jekyll", "build", "--quiet", cwd=site)
    page = (site / "_site" / note.stem[11:] / "index.html").read_text()
    shown = re.findall(r'<img src="/base([^"]+)"', page)
    assert shown and all((site / "_site" / link.lstrip("/")).is_file() for link in shown), shown
    prose = re.sub(r"<(pre|code)[^>]*>.*?</\1>|\\\(.*?\\\)|\\\[.*?\\\]|<svg.*?</svg>", "", page, flags=re.S)
    assert not re.search(r"\$[^$<\n]+\$", prose), re.search(r".{40}\$[^$<\n]+\$", prose)
    assert not any(text in prose for text in ["relative_url", "{%", "```", "&lt;details"])
    return f"{len(shown)} pictures, {len(re.findall(chr(92) * 2 + '[(]', page))} formulas in lines"


def hugo(lesson, folder):
    site = pathlib.Path(folder)
    note = export("hugo", lesson, site / "content/posts")
    (site / "layouts/_default").mkdir(parents=True, exist_ok=True)
    (site / "layouts/_default/single.html").write_text("<title>{{ .Title }}</title>{{ .Content }}")
    (site / "hugo.toml").write_text('baseURL = "https://example.org/"\n[markup.goldmark.renderer]\nunsafe = true\n')
    run("hugo", "--quiet", "--config", "hugo.toml", cwd=site)
    page = site / "public/posts" / note.parent.name / "index.html"
    shown = re.findall(r'<img src="([^"]+)"', page.read_text())
    assert shown and all((page.parent / link).is_file() for link in shown), shown
    return f"{len(shown)} pictures"


def pandoc(note, reader, *options):
    command = ["pandoc", "-f", reader, "-t", "html", "--mathml", *options, note.name]
    done = subprocess.run(command, cwd=note.parent, capture_output=True, text=True)
    assert done.returncode == 0 and not done.stderr.strip(), done.stderr[-2000:]
    return done.stdout


def quarto(lesson, folder):
    note = export("quarto", lesson, folder)
    text = note.read_text()
    assert front(text)["title"]
    page = pandoc(note, "markdown", "-s")
    assert page.count("callout-note") == text.count("::: {.callout-note"), "a callout is not closed"
    assert ":::" not in re.sub(r"<(pre|code).*?</\1>", "", page, flags=re.S)
    return f"{pictures(note, text)} links, {page.count('callout-note')} callouts, {page.count('<math')} formulas"


def github(lesson, folder):
    note = export("github", lesson, folder)
    text = note.read_text()
    page = pandoc(note, "gfm")
    assert page.count("<details>") == page.count("</details>") == text.count("<details>")
    return f"{pictures(note, text)} links, {page.count('<math')} formulas"


def jupyter(lesson, folder):
    import nbclient
    import nbformat
    note = export("jupyter", lesson, folder)
    book = nbformat.read(note, as_version=4)
    nbformat.validate(book)
    os.environ["PATH"] = f"{pathlib.Path(options.program).resolve().parent}:{os.environ['PATH']}"
    nbclient.NotebookClient(book, timeout=300, resources={"metadata": {"path": str(note.parent)}}).execute()
    outputs = sum(len(cell.get("outputs", [])) for cell in book.cells)
    return f"{len(book.cells)} cells, {outputs} outputs after running all"


def anki(lesson, folder):
    from anki.collection import Collection, ImportCsvRequest
    note = export("anki", lesson, folder)
    rows = sum(not line.startswith("#") for line in note.read_text().splitlines())
    collection = Collection(str(pathlib.Path(folder) / "test.anki2"))
    try:
        for expected in [rows, 0]:
            metadata = collection.get_csv_metadata(str(note), None)
            log = collection.import_csv(ImportCsvRequest(path=str(note), metadata=metadata)).log
            assert len(log.new) == expected, (len(log.new), expected, log.found_notes)
        cards = [collection.get_note(id) for id in collection.find_notes("")]
        assert all(card.fields[0] and card.fields[1] for card in cards)
        decks = {name.name for name in collection.decks.all_names_and_ids()}
        tags = set(collection.tags.all())
    finally:
        collection.close()
    assert any(name.startswith("Warpbook::") for name in decks) and "warpbook" in tags, (decks, tags)
    return f"{rows} cards, the same again are none"


def html(lesson, folder):
    """A picture plays, is stepped and pointed at, a kernel that does not end is stopped, and an edited kernel has the program's counts."""
    import json
    from playwright.sync_api import sync_playwright
    run(options.program, "export", lesson, "--format", "html", "--backend", "simt", "-o", folder)
    note = pathlib.Path(folder) / f"{lesson}.html"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda request: request.url.startswith(("file:", "blob:null/")) or errors.append(request.url))
        page.goto(note.as_uri())
        figure = page.locator("figure[data-plays]").first
        figure.locator("button.begin").click()
        figure.locator(".stage svg").wait_for(timeout=60_000)
        where = figure.locator(".where").inner_text()
        figure.locator("button[title='One back']").click()
        back = figure.locator(".where").inner_text()
        figure.get_by_text("Play", exact=True).click()
        page.wait_for_timeout(500)
        room = figure.locator(".stage").bounding_box()
        page.mouse.move(room["x"] + room["width"] / 2, room["y"] + room["height"] / 2)
        figure.locator("summary").click()
        code = figure.locator("textarea").input_value()
        figure.locator("textarea").fill(code.replace("fn main", "fn mein"))
        figure.get_by_text("Trace it again").click()
        broken = figure.locator(".problem").inner_text()
        figure.locator("textarea").fill(code.replace(") {\n", ") {\n    var spin = 1u; while (spin > 0u) { spin = spin | 1u; }\n", 1))
        figure.get_by_text("Trace it again").click()
        figure.get_by_text("Stop", exact=True).click()
        figure.get_by_text("Stopped.").wait_for()
        edited = code.replace(") {\n", ") {\n    // edited\n", 1)
        assert edited != code
        figure.locator("textarea").fill(edited)
        figure.get_by_text("Trace it again").click()
        figure.locator("table").wait_for()
        rows = [row.split("\t") for row in figure.locator("table").inner_text().splitlines()[1:]]
        plays = json.loads(figure.get_attribute("data-plays"))
        browser.close()
    assert not errors, errors
    assert broken and rows and all(before == now for _, before, now in rows), (broken, rows)
    size = note.stat().st_size
    return f"{where}, then {back}; {len(rows)} counts of {plays['step']}; {size} bytes"


def pdf(lesson, folder):
    note = export("pdf", lesson, folder)
    run("pdftoppm", "-r", "40", "-png", str(note), str(pathlib.Path(folder) / "page"))
    pages = sorted(pathlib.Path(folder).glob("page*.png"))
    assert pages and all(page.stat().st_size > 1000 for page in pages)
    return f"{len(pages)} pages"


failed = 0
for check in [obsidian, jekyll, hugo, quarto, github, jupyter, anki, pdf, html]:
    for lesson in options.lessons:
        folder = tempfile.mkdtemp()
        try:
            print(f"{check.__name__} {lesson}: {check(lesson, folder)}", flush=True)
            shutil.rmtree(folder)
        except Exception as problem:  # A check that fails says so, and the others go on.
            failed += 1
            print(f"{check.__name__} {lesson}: FAILED, {type(problem).__name__}: {problem} (in {folder})", flush=True)
sys.exit(bool(failed))
