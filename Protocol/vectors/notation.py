"""CBOR diagnostic notation (RFC 8949, section 8) to items, and items to bytes.

Independent of both implementations of the protocol, and of any CBOR library: what they are
compared with must not come from them.

Encoding indicators are understood: `1_0` to `1_3` say that the argument has 1, 2, 4 or 8 bytes,
`1.5_1`, `1.5_2` and `1.5_3` that the float has 2, 4 or 8, `"a"_1` and `[_1 …]` the same for the
length of a string, an array or a map, and `[_ …]`, `{_ …}` and `(_ "a", "b")` that it is
indefinite. Without one, an argument is as short as it can be and a float has 8 bytes: that is
what an encoder of this protocol writes.
"""

from __future__ import annotations

import math
import re
import struct
from dataclasses import dataclass, field

FALSE, TRUE, NULL, UNDEFINED = 20, 21, 22, 23


@dataclass
class Item:
    """One CBOR item. `width` is the encoding indicator, None for the shortest."""

    major: str  # integer, bytes, text, array, map, tag, simple, float
    value: object = None
    children: list = field(default_factory=list)
    width: int | None = None
    indefinite: bool = False

    def is_null(self) -> bool:
        return self.major == "simple" and self.value == NULL

    def pairs(self) -> dict:
        """A map's values by their text keys."""
        return {key.value: value for key, value in self.children}


class NotationError(ValueError):
    """The text is not diagnostic notation."""


TOKEN = re.compile(
    r"""\s*(?:
    (?P<bytes>h'[0-9a-fA-F\s]*')|(?P<text>"(?:[^"\\]|\\.)*")
    |(?P<number>-?(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|Infinity)|NaN)
    |(?P<word>[a-z]+)|(?P<mark>[][(){}:,])|(?P<width>_[0-3]?)
    )""",
    re.VERBOSE,
)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}
WORDS = {"false": FALSE, "true": TRUE, "null": NULL, "undefined": UNDEFINED}


class Parser:
    def __init__(self, text: str):
        self.tokens = []
        position = 0
        text = text.rstrip()
        while position < len(text):
            match = TOKEN.match(text, position)
            if not match:
                raise NotationError(f"cannot read {text[position:position + 20]!r}")
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            position = match.end()
        self.next = 0

    def peek(self) -> tuple:
        return self.tokens[self.next] if self.next < len(self.tokens) else (None, "")

    def take(self) -> tuple:
        token = self.peek()
        self.next += 1
        return token

    def expect(self, mark: str) -> None:
        if self.take()[1] != mark:
            raise NotationError(f"a {mark} is missing")

    def accepts(self, mark: str) -> bool:
        if self.peek() != ("mark", mark):
            return False
        self.next += 1
        return True

    def indicator(self) -> tuple:
        """The encoding indicator that comes next, if one does: its width, and indefinite."""
        kind, text = self.peek()
        if kind != "width":
            return None, False
        self.next += 1
        return (int(text[1]), False) if len(text) == 2 else (None, True)

    def sequence(self) -> list:
        items = [self.item()]
        while self.accepts(","):
            items.append(self.item())
        if self.next != len(self.tokens):
            raise NotationError(f"{self.peek()[1]!r} follows the item")
        return items

    def item(self) -> Item:
        kind, text = self.take()
        if kind == "number":
            return self.number(text)
        if kind == "bytes":
            return Item("bytes", bytes.fromhex(text[2:-1]), width=self.indicator()[0])
        if kind == "text":
            return Item("text", unquoted(text), width=self.indicator()[0])
        if kind == "word" and text in WORDS:
            return Item("simple", WORDS[text])
        if kind == "word" and text == "simple":
            self.expect("(")
            number = int(self.take()[1])
            self.expect(")")
            return Item("simple", number)
        if text in ("[", "(", "{"):
            return self.container(text)
        raise NotationError(f"{text!r} begins no item")

    def number(self, text: str) -> Item:
        width, _ = self.indicator()
        if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", text):
            value = int(text, 0)
            if self.accepts("("):
                inside = self.item()
                self.expect(")")
                return Item("tag", value, [inside], width)
            return Item("integer", value, width=width)
        value = float(text.replace("Infinity", "inf"))
        return Item("float", value, width=3 if width is None else width)

    def container(self, mark: str) -> Item:
        width, indefinite = self.indicator()
        if mark == "(":
            chunks = self.items(")")
            return Item(chunks[0].major, None, chunks, None, True)
        if mark == "[":
            return Item("array", None, self.items("]"), width, indefinite)
        pairs = []
        while not self.accepts("}"):
            key = self.item()
            self.expect(":")
            pairs.append((key, self.item()))
            if self.peek() != ("mark", "}"):
                self.expect(",")
        return Item("map", None, pairs, width, indefinite)

    def items(self, end: str) -> list:
        items = []
        while not self.accepts(end):
            items.append(self.item())
            if self.peek() != ("mark", end):
                self.expect(",")
        return items


def unquoted(text: str) -> str:
    def replaced(match: re.Match) -> str:
        code = match.group(1)
        return chr(int(code[1:], 16)) if code[0] == "u" else ESCAPES[code]

    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", replaced, text[1:-1])


def parse(text: str) -> list:
    """The items of a sequence; most often one."""
    return Parser(text).sequence() if text.strip() else []


def head(major: int, argument: int, width: int | None = None) -> bytes:
    if width is None:
        if argument < 24:
            return bytes([major << 5 | argument])
        width = next(w for w in range(4) if argument < 1 << (8 << w))
    return bytes([major << 5 | 24 + width]) + argument.to_bytes(1 << width, "big")


def encode(item: Item) -> bytes:
    major, value = item.major, item.value
    if major == "integer":
        return head(0, value, item.width) if value >= 0 else head(1, -1 - value, item.width)
    if major in ("bytes", "text"):
        number = 2 if major == "bytes" else 3
        if item.indefinite:
            return bytes([number << 5 | 31]) + b"".join(map(encode, item.children)) + b"\xff"
        data = value if major == "bytes" else value.encode()
        return head(number, len(data), item.width) + data
    if major in ("array", "map"):
        number = 4 if major == "array" else 5
        inside = [encode(x) for x in item.children] if number == 4 else [
            encode(key) + encode(value) for key, value in item.children]
        if item.indefinite:
            return bytes([number << 5 | 31]) + b"".join(inside) + b"\xff"
        return head(number, len(inside), item.width) + b"".join(inside)
    if major == "tag":
        return head(6, value, item.width) + encode(item.children[0])
    if major == "simple":
        return bytes([0xE0 | value]) if value < 24 else bytes([0xF8, value])
    return bytes([0xF8 + item.width]) + struct.pack(">" + " efd"[item.width], value)


def is_written(item: Item) -> bool:
    """Whether an encoder of this protocol writes the item so."""
    if item.indefinite or item.major == "tag":
        return False
    if item.major == "integer" and item.value < -(1 << 63):
        return False  # no type of the protocol holds it
    if item.major == "simple":
        return item.value in (FALSE, TRUE, NULL)
    if item.major == "float":
        return item.width in (2, 3)
    if item.major == "array":
        inside = item.children
    elif item.major == "map":
        inside = [one for pair in item.children for one in pair]
        if any(key.major != "text" for key, _ in item.children):
            return False
    else:
        inside = []
    return item.width is None and all(map(is_written, inside))


def diagnostic(item: Item) -> str:
    """The notation without indicators; floats with the fewest digits that tell them apart."""
    major, value = item.major, item.value
    if major == "integer":
        return str(value)
    if major == "bytes":
        return f"h'{value.hex()}'"
    if major == "text":
        return quoted(value)
    if major == "array":
        return "[" + ", ".join(map(diagnostic, item.children)) + "]"
    if major == "map":
        return "{" + ", ".join(
            f"{diagnostic(key)}: {diagnostic(value)}" for key, value in item.children) + "}"
    if major == "tag":
        return f"{value}({diagnostic(item.children[0])})"
    if major == "simple":
        words = {number: word for word, number in WORDS.items()}
        return words.get(value, f"simple({value})")
    return float_text(value)


def float_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "-Infinity" if value < 0 else "Infinity"
    return repr(value)


def quoted(text: str) -> str:
    marks = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(
        marks.get(c) or (f"\\u{ord(c):04x}" if c < " " or c == "\x7f" else c) for c in text) + '"'


def data(item: Item) -> object:
    """The item as JSON that keeps what JSON alone would lose; the README has the table."""
    major, value = item.major, item.value
    if major == "integer":
        return value if abs(value) < 1 << 53 else {"integer": str(value)}
    if major == "text":
        return value
    if major == "bytes":
        return {"bytes": value.hex()}
    if major == "array":
        return [data(child) for child in item.children]
    if major == "map":
        return {"map": [[data(key), data(value)] for key, value in item.children]}
    if major == "tag":
        return {"tag": value, "of": data(item.children[0])}
    if major == "simple":
        return {FALSE: False, TRUE: True, NULL: None}.get(value, {"simple": value})
    return {"float": float_text(value)}


def plain(item: Item) -> object:
    """The item as plain JSON: bytes as base64, absent optionals left out."""
    major, value = item.major, item.value
    if major in ("integer", "text"):
        return value
    if major == "bytes":
        import base64
        return base64.b64encode(value).decode()
    if major == "array":
        return [plain(child) for child in item.children]
    if major == "map":
        return {key.value: plain(value) for key, value in item.children if not value.is_null()}
    if major == "simple":
        return {FALSE: False, TRUE: True, NULL: None}[value]
    return value if math.isfinite(value) else None
