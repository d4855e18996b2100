"""Words that would be code in a note: in HTML, Markdown, CSV and SVG, from every place of a lesson that a note quotes."""

import base64
import csv
import hashlib
import html.parser
import re

from commands import small_pack

PAYLOADS = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "</title><svg onload=alert(1)>", "\"><iframe src=//evil></iframe>", "<!--", "]]><script>x</script>",
    "[a](javascript:alert(1))", "![a](javascript:alert(1))", "<javascript:alert(1)>", "`</code><script>x</script>`", "=HYPERLINK(\"http://evil\")",
    "+cmd|' /C calc'!A0", "-1+1|cmd", "@SUM(1)", "\t=1+1", "\x1b]0;title\x07\x1b[31m", "a\0b", "\u202eevil", "---\\n- x: !!python/object",
    "&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;script&#62;", "$\\text{<script>alert(1)</script>}$", "$\\href{javascript:alert(1)}{x}$", "<a href=\"data:text/html,x\">x</a>",
    "<style>*{background:url(//evil)}</style>",
]

# Where a payload goes: the file, the words there, and what becomes of them. %s is the payload, quoted for its language.
PLACES = [
    ("lesson.ron", 'title: "One"', "title: %s"), ("lesson.ron", 'title: "Copy"', "title: %s"), ("lesson.ron", 'title: "Speed by size"', "title: %s"),
    ("lesson.ron", 'label: "elements"', "label: %s"), ("lesson.ron", 'label: "bytes moved"', "label: %s"), ("lesson.ron", 'help: "How many elements are copied."', "help: %s"),
    ("lesson.ron", '("as long", 1)', "(%s, 1)"), ("lesson.ron", 'question: "Twice the elements: how much longer does the copy take?"', "question: %s"),
    ("lesson.ron", 'because: "A large copy is bound by bytes, and it has twice as many."', "because: %s"),
    ("lesson.ron", 'summary: "What the reader will know afterwards, in a sentence."', "summary: %s"),
    ("text.md", "## Copy", "## %s"), ("text.md", "The kernel copies", "%s"), ("text.md", "written once.", "written **%s** once."), ("copy.wgsl", "override", "// %s\noverride"),
]

# Elements and attributes that are never part of a note. Its own figures are SVG; its formulas MathML or SVG.
DEAD = {"script", "iframe", "object", "embed", "form", "base", "link", "foreignobject"}


class Reader(html.parser.HTMLParser):
    """What in a page or a figure would be live."""

    def __init__(self):
        super().__init__()
        self.found, self.policy, self.script = [], "", None

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        if named.get("http-equiv") == "Content-Security-Policy":
            self.policy = named["content"]
        if tag == "script" and named.get("type") != "application/gzip":
            self.script = ""
        elif tag in DEAD and tag != "script":
            self.found.append(f"<{tag}>")
        for name, value in attributes:
            value = re.sub(r"[\x00-\x20]", "", value or "").lower()
            if name.startswith("on") or (name in ("href", "src", "xlink:href") and value.startswith(("javascript:", "vbscript:", "data:text", "//"))):
                self.found.append(f"<{tag} {name}={value[:40]}>")


    def handle_data(self, data):
        if self.script is not None:
            self.script += data

    def handle_endtag(self, tag):
        """The script that plays a page's pictures is the one that the page's policy names by its hash."""
        if tag == "script" and self.script is not None:
            mark = base64.b64encode(hashlib.sha256(self.script.encode()).digest()).decode()
            if f"'sha256-{mark}'" not in self.policy:
                self.found.append(f"<script>{self.script[:40]}")
            self.script = None


def live(name, text):
    """What in a file of a note would be code."""
    if name.endswith(".csv"):
        rows = csv.reader(text.splitlines())
        return [f"the cell {cell[:40]!r}" for row in rows for cell in row if re.match(r"[=+@\t]|-(?![\d.]+(e[-+]?\d+)?$)", cell)]
    if name.endswith(".md"):
        # Code and formulas stand as they are; a reader of Markdown does not take HTML out of code, but does out of formulas.
        text = re.sub(r"(?ms)^(> ?)*(```+|~~~+).*?^(> ?)*\2\s*$|(?<!`)(`+)(?!`).+?(?<!`)\4(?!`)", "", text)
        links = re.findall(r"(?<!\\)\]\(\s*<?\s*((?:javascript|vbscript|data):[^)]*)", text) + re.findall(r"(?<!\\)<((?:javascript|vbscript):[^>]*)>", text)
        text = re.sub(r"\\<", "&lt;", text)
        reader = Reader()
        reader.feed(text)
        return reader.found + [f"a link to {link[:40]}" for link in links]
    reader = Reader()
    reader.feed(text)
    return reader.found


def quoted(payload, file):
    if file.endswith(".ron"):
        return '"' + payload.replace("\\", "\\\\").replace('"', '\\"').replace("\0", "\\u{0}").replace("\\\\n", "\\n") + '"'
    return payload


def injected(program, count, random):
    """Every payload in some places, every place with some payloads: check, list, and a note in every format."""
    for index in range(max(count, len(PLACES) * 4)):
        file, words, to = PLACES[index % len(PLACES)]
        payload = PAYLOADS[(index * 7 + index // len(PLACES)) % len(PAYLOADS)]

        def case(folder, file=file, words=words, to=to, payload=payload):
            small_pack(program, folder)
            path = next((folder / "pack").rglob(file))
            text = path.read_text()
            assert text.count(words) == 1, words
            path.write_text(text.replace(words, to.replace("%s", quoted(payload, file))))
            found = []
            for args in (["list"], ["run", "one", "--backend", "simt"], ["export", "one", "--backend", "simt", "--format", "md,html,csv", "-o", "notes"]):
                found += program.run(["--pack", "pack", *args], folder).faults()
            for note in sorted(path for path in folder.glob("notes/**/*") if path.is_file()):
                text = note.read_text()
                found += [f"{note.name} has {what} of {payload!r} in {words!r}" for what in live(note.name, text)]
                if re.search("[\0\x1b]", text):
                    found.append(f"{note.name} has the control character of {payload!r} in {words!r}")
            return found

        yield f"{payload!a} for {words!a}", case
