"""Random changes of a text: of characters, lines, tokens and numbers, the same for the same generator."""

import re

TOKEN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|[0-9][0-9A-Za-z_.]*|\s+|.", re.DOTALL)

NUMBERS = [
    "0", "1", "2", "3", "31", "32", "33", "1024", "65535", "65536", "2147483647", "2147483648", "4294967295", "4294967296",
    "18446744073709551616", "-1", "-2147483648", "0.5", "-0.0", "1e38", "1e-45", "1e999", "0xffffffffu", "4294967295u", "3.5f", "1h",
]
STRANGE = ["\0", "\x1b[31m", "\ufeff", "\u202e", "\u2028", "é", "💥", "\r", "\t", "\"", "'", "`", "\\", "/*", "*/", "//", "{", "}", "(", ")", "[", "]",
           "<", ">", "$", "{{", "}}", "&", "%", "@", "#", ";", ",", ":", "..", "="]


def tokens(text):
    return TOKEN.findall(text)


def changed(text, random, times=None):
    """The text with one to three changes, or so many."""
    for _ in range(times or random.choice([1, 1, 1, 2, 3])):
        text = random.choice(WAYS)(text, random)
    return text


def _a_token(text, random):
    parts = tokens(text)
    if not parts:
        return random.choice(STRANGE)
    at = random.randrange(len(parts))
    other = random.choice(parts)
    way = random.randrange(5)
    if way == 0:
        del parts[at]
    elif way == 1:
        parts[at] = other
    elif way == 2:
        parts.insert(at, other)
    elif way == 3:
        parts.insert(at, parts[at])
    else:
        other = random.randrange(len(parts))
        parts[at], parts[other] = parts[other], parts[at]
    return "".join(parts)


def _a_number(text, random):
    places = list(re.finditer(r"\b[0-9][0-9A-Za-z_.]*", text))
    if not places:
        return _a_token(text, random)
    place = random.choice(places)
    return text[: place.start()] + random.choice(NUMBERS) + text[place.end() :]


def _a_name(text, random):
    """One name for another, everywhere."""
    names = sorted(set(re.findall(r"\b[A-Za-z_][A-Za-z_0-9]*\b", text)))
    if len(names) < 2:
        return _a_token(text, random)
    one, other = random.sample(names, 2)
    return re.sub(rf"\b{one}\b", other, text)


def _a_line(text, random):
    lines = text.splitlines(keepends=True)
    if not lines:
        return text
    at = random.randrange(len(lines))
    way = random.randrange(4)
    if way == 0:
        del lines[at]
    elif way == 1:
        lines.insert(at, random.choice(lines))
    elif way == 2:
        lines[at:] = []
    else:
        end = min(len(lines), at + random.randrange(1, 20))
        lines[at:end] = []
    return "".join(lines)


def _a_character(text, random):
    at = random.randrange(len(text) + 1)
    way = random.randrange(3)
    if way == 0:
        return text[:at] + text[at + 1 :]
    if way == 1:
        return text[:at] + random.choice(STRANGE) + text[at:]
    return text[:at] + chr(random.randrange(32, 127)) + text[at + 1 :]


def _a_repeat(text, random):
    """A short stretch, many times."""
    parts = tokens(text)
    if not parts:
        return text
    at = random.randrange(len(parts))
    stretch = "".join(parts[at : at + random.randrange(1, 8)])
    return "".join(parts[:at]) + stretch * random.choice([2, 10, 300]) + "".join(parts[at:])


WAYS = [_a_token, _a_token, _a_token, _a_number, _a_number, _a_name, _a_line, _a_line, _a_character, _a_repeat]
