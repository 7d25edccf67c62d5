"""Draws terminals as SVG, in a font that the picture brings along.

Usage: screenshots.py picture COLUMNS LINES TITLE < screen-with-control-sequences > picture.svg
       screenshots.py recording COLUMNS LINES SHELL-LINES < frames > recording.svg

A frame of a recording is three parts: a line with the time in seconds, the newest picture of a page
and a caption, and the screens of the upper and the lower terminal, with so many lines each. The
picture shows in turn what was there when; the times are those of the run, and nothing but the
captions is added.
"""

import base64
import io
import re
import sys
from dataclasses import dataclass, replace
from html import escape

from fontTools import subset

FONTS = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono{}.ttf"
# The font's proportions: 1233 and 2384 of 2048 units. In this size a cell has whole pixels, and
# lines overlap by a third of one, so that frames are closed wherever the picture is scaled to.
SIZE, WIDTH, HEIGHT, ASCENT = 16.61, 10, 19, 15.4
PAD, BAR, GAP = 12, 30, 16
# A phone's page, as wide as this.
PAGE_WIDTH = 270
BACKGROUND, FOREGROUND, AROUND = "#16181d", "#d9d9d9", "#0b0c0f"
PALETTE = (
    "#1c1f26 #f4537a #98e024 #fd971f #8f7cf2 #f46bb0 #58d1eb #c4c5b5 "
    "#7a7a74 #f4537a #98e024 #e0d561 #a594ff #f46bb0 #58d1eb #f6f6ef"
).split()


@dataclass(frozen=True)
class Style:
    """How a cell is drawn."""

    fill: str | None = None
    back: str | None = None
    bold: bool = False
    dim: bool = False
    underline: bool = False
    reverse: bool = False

    @property
    def colours(self) -> tuple[str, str | None]:
        """Those of the text and of what is behind it."""
        fill, back = self.fill or FOREGROUND, self.back
        if self.reverse:
            fill, back = back or BACKGROUND, fill
        # Opaque: where lines overlap they are not brighter.
        return mixed(fill, back or BACKGROUND) if self.dim else fill, back


def mixed(colour: str, other: str) -> str:
    """Three parts of a colour with two of the other."""
    pairs = zip(bytes.fromhex(colour[1:]), bytes.fromhex(other[1:]), strict=True)
    return "#" + "".join(f"{(3 * one + 2 * two) // 5:02x}" for one, two in pairs)


def colour(codes: list[int]) -> str:
    """Takes `5;N` or `2;R;G;B` off the codes."""
    if codes.pop(0) == 2:
        red, green, blue = codes[:3]
        del codes[:3]
        return f"#{red:02x}{green:02x}{blue:02x}"
    number = codes.pop(0)
    if number < 16:
        return PALETTE[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    steps = [(number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6]
    return "#" + "".join(f"{55 + 40 * step if step else 0:02x}" for step in steps)


def changed(style: Style, codes: list[int]) -> Style:
    """The style after a sequence of SGR codes."""
    flags = {1: "bold", 2: "dim", 4: "underline", 7: "reverse", 24: "underline", 27: "reverse"}
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = Style()
        elif code == 22:
            style = replace(style, bold=False, dim=False)
        elif code in flags:
            style = replace(style, **{flags[code]: code < 20})
        elif code in (38, 48):
            style = replace(style, **{"fill" if code == 38 else "back": colour(codes)})
        elif code in (39, 49):
            style = replace(style, **{"fill" if code == 39 else "back": None})
        elif code // 10 in (3, 9):
            style = replace(style, fill=PALETTE[code % 10 + (8 if code >= 90 else 0)])
        elif code // 10 in (4, 10):
            style = replace(style, back=PALETTE[code % 10 + (8 if code >= 100 else 0)])
    return style


def cells(screen: list[str]) -> list[list[tuple[str, Style]]]:
    """Each line's cells; the font has no wide characters. Styles outlast lines."""
    style, lines = Style(), []
    for line in screen:
        row: list[tuple[str, Style]] = []
        for codes, character in re.findall(r"\x1b\[([\d;]*)m|(?:\x1b\][^\x1b]*\x1b\\)|(.)", line):
            if character:
                row.append((character, style))
            else:
                style = changed(style, [int(code or 0) for code in codes.split(";")])
        lines.append(row)
    return lines


class Picture:
    """A picture that grows; it knows which characters it needs."""

    def __init__(self) -> None:
        self.characters: dict[bool, set[str]] = {False: set(), True: set()}
        self.body: list[str] = []

    def text(self, x: float, y: float, text: str, style: Style, anchor: str = "") -> str:
        """A text whose cells have their exact places also in another font."""
        self.characters[style.bold] |= set(text)
        fill = style.colours[0]
        attributes = f' fill="{fill}"' if fill != FOREGROUND else ""
        attributes += ' class="b"' if style.bold else ""
        attributes += ' text-decoration="underline"' if style.underline else ""
        attributes += anchor or f' textLength="{WIDTH * len(text)}"'
        return f'<text x="{x:g}" y="{y:g}"{attributes}>{escape(text)}</text>'

    def row(self, line: list[tuple[str, Style]], x: float, y: float) -> str:
        """The line's backgrounds, then its texts; each is a run of cells of one style."""
        runs: list[tuple[int, list[str], Style]] = []
        for column, (character, style) in enumerate(line):
            if not runs or runs[-1][2] != style:
                runs.append((column, [], style))
            runs[-1][1].append(character)
        backs, texts = [], []
        for column, characters, style in runs:
            if back := style.colours[1]:
                backs.append(
                    f'<rect x="{x + WIDTH * column:g}" y="{y:g}" width="{WIDTH * len(characters)}"'
                    f' height="{HEIGHT}" fill="{back}"/>'
                )
            for part in re.finditer(r"[^ ]+(?: [^ ]+)*", "".join(characters)):
                place = x + WIDTH * (column + part.start())
                texts.append(self.text(place, y + ASCENT, part[0], style))
        return "".join(backs + texts)

    def window(self, x: float, y: float, columns: int, lines: int, title: str = "") -> float:
        """Draws an empty terminal; returns where its first line begins."""
        bar = BAR if title else 0
        width, height = WIDTH * columns + 2 * PAD, HEIGHT * lines + 2 * PAD - 4 + bar
        self.body.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width}" height="{height}" rx="8"'
            f' fill="{BACKGROUND}" stroke="#3a3f4b"/>'
        )
        if title:
            for index, fill in enumerate(("#ff5f57", "#febc2e", "#28c840")):
                self.body.append(
                    f'<circle cx="{x + 18 + 18 * index:g}" cy="{y + 17:g}" r="5" fill="{fill}"/>'
                )
            self.body.append(
                self.text(
                    x + width / 2, y + 22, title, Style(fill="#9aa0ab"), ' text-anchor="middle"'
                )
            )
        return y + bar + PAD - 2

    def font(self, is_bold: bool) -> str:
        """The rule for a font that has only the characters that are used."""
        options = subset.Options(flavor="woff2", hinting=False, layout_features=[])
        options.drop_tables += ["FFTM"]  # the editor's time stamps
        options.name_IDs = [0, 1, 2, 13, 14]  # the copyright and the licence stay in it
        font = subset.load_font(FONTS.format("-Bold" if is_bold else ""), options)
        subsetter = subset.Subsetter(options)
        subsetter.populate(text="".join(sorted(self.characters[is_bold])))
        subsetter.subset(font)
        file = io.BytesIO()
        subset.save_font(font, file, options)
        data = base64.b64encode(file.getvalue()).decode()
        return (
            f"@font-face{{font-family:D;font-weight:{700 if is_bold else 400};"
            f'src:url(data:font/woff2;base64,{data}) format("woff2")}}'
        )

    def write(self, width: float, height: float, title: str, rules: str = "") -> None:
        """Prints the picture."""
        fonts = "".join(self.font(bold) for bold, used in self.characters.items() if used)
        sys.stdout.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}"'
            f' fill="{FOREGROUND}">\n'
            f"<!-- by scripts/screenshots.sh; with a part of the font DejaVu Sans Mono -->\n"
            f"<title>{escape(title)}</title>\n<style>{fonts}"
            f"text{{font:{SIZE}px D,monospace;white-space:pre}}"
            f".b{{font-weight:700}}{rules}</style>\n" + "\n".join(self.body) + "\n</svg>\n"
        )


def draw_picture(columns: int, lines: int, title: str) -> None:
    """A terminal as it is."""
    picture = Picture()
    top = picture.window(1, 1, columns, lines, title)
    for number, line in enumerate(cells(sys.stdin.read().splitlines()[:lines])):
        if drawn := picture.row(line, 1 + PAD, top + HEIGHT * number):
            picture.body.append(drawn)
    picture.write(
        WIDTH * columns + 2 * PAD + 2, HEIGHT * lines + 2 * PAD + BAR - 2, f"A terminal: {title}"
    )


class Film:
    """What is to be seen from when to when: the same drawings share a rule."""

    def __init__(self, times: list[float], poster: float) -> None:
        self.times, self.poster = times, poster
        self.names: dict[tuple[tuple[float, float], ...], str] = {}

    def spans(self, indices: list[int]) -> tuple[tuple[float, float], ...]:
        """The times of frames, as parts of the whole; neighbours are one."""
        whole = self.times[-1]
        result: list[tuple[float, float]] = []
        for index in indices:
            start, end = self.times[index] / whole, self.times[index + 1] / whole
            if result and result[-1][1] == start:
                start = result.pop()[0]
            result.append((start, end))
        return tuple(result)

    def group(self, indices: list[int], drawn: str) -> str:
        """The drawing, seen in these frames only."""
        if len(indices) == len(self.times) - 1:
            return drawn
        name = self.names.setdefault(self.spans(indices), f"k{len(self.names)}")
        return f'<g class="{name}">{drawn}</g>'

    @property
    def rules(self) -> str:
        """Keyframes that switch and never fade. Without animation, there is the poster."""
        rules = ["@media(prefers-reduced-motion:reduce){g{animation:none!important}}"]
        for spans, name in self.names.items():
            steps = {0.0: 0}
            for start, end in spans:
                steps |= {start: 1, end: 0}
            frames = "".join(f"{100 * time:.2f}%{{opacity:{on}}}" for time, on in steps.items())
            is_on = any(start <= self.poster < end for start, end in spans)
            rules.append(
                f".{name}{{opacity:{int(is_on)};"
                f"animation:{name} {self.times[-1]:.2f}s step-end infinite}}"
                f"@keyframes {name}{{{frames}}}"
            )
        return "".join(rules)


def draw_recording(columns: int, lines: int, shell_lines: int) -> None:
    """A terminal and a page side by side, a shell below them, and what is happening, above."""
    size = 1 + lines + shell_lines
    text = sys.stdin.read().splitlines()
    frames = [text[start : start + size] for start in range(0, len(text), size)]
    heads = [frame[0].split(" ", 2) for frame in frames]
    # The last frame only says when it ends.
    times = [float(head[0]) - float(heads[0][0]) for head in heads]
    pages = [head[1] for head in heads[:-1]]
    captions = [head[2] for head in heads[:-1]]
    film = Film(times, times[captions.index(captions[-1])] / times[-1] + 0.01)

    picture = Picture()
    top = 46
    right = 1 + WIDTH * columns + 2 * PAD + GAP
    page_columns = PAGE_WIDTH // WIDTH
    width = right + WIDTH * page_columns + 2 * PAD - 1
    first = picture.window(1, top, columns, lines, "desk")
    picture.window(right, top, page_columns, lines, "desk web desk")
    below = first + HEIGHT * lines + PAD + GAP - 2
    shell = picture.window(1, below, (width - 2 * PAD) // WIDTH, shell_lines)
    height = shell + HEIGHT * shell_lines + PAD

    seen: dict[str, list[int]] = {}
    for index, caption in enumerate(captions):
        seen.setdefault(caption, []).append(index)
    for caption, indices in seen.items():
        style = Style(fill="#e0d561", bold=True)
        drawn = picture.text(width / 2, 28, caption, style, ' text-anchor="middle"')
        picture.body.append(film.group(indices, drawn))
    drawings: dict[tuple[int, ...], list[str]] = {}
    for begin, x, y, count in [(1, 1 + PAD, first, lines), (1 + lines, 1 + PAD, shell, shell_lines)]:
        screens = [cells(frame[begin : begin + count]) for frame in frames[:-1]]
        for number in range(count):
            found: dict[str, list[int]] = {}
            for index, screen in enumerate(screens):
                found.setdefault(picture.row(screen[number], x, y + HEIGHT * number), []).append(
                    index
                )
            for drawn, indices in found.items():
                if drawn:
                    drawings.setdefault(tuple(indices), []).append(drawn)
    for path in dict.fromkeys(pages):
        with open(path, "rb") as file:
            data = base64.b64encode(file.read()).decode()
        drawn = (
            f'<image x="{right + PAD}" y="{first}" width="{WIDTH * page_columns}"'
            f' height="{HEIGHT * lines}" preserveAspectRatio="xMidYMin"'
            f' href="data:image/webp;base64,{data}"/>'
        )
        indices = [index for index, page in enumerate(pages) if page == path]
        drawings.setdefault(tuple(indices), []).append(drawn)
    for indices, parts in drawings.items():
        picture.body.append(film.group(list(indices), "".join(parts)))
    picture.body.insert(
        0, f'<rect width="{width + 2}" height="{height:g}" rx="10" fill="{AROUND}"/>'
    )
    picture.write(width + 2, height, "A recording: " + " ".join(seen), film.rules)


def main() -> int:
    """Returns the exit status."""
    match sys.argv[1:]:
        case ["picture", columns, lines, title]:
            draw_picture(int(columns), int(lines), title)
        case ["recording", columns, lines, shell_lines]:
            draw_recording(int(columns), int(lines), int(shell_lines))
        case _:
            sys.stderr.write(__doc__ or "")
            return 64
    return 0


sys.exit(main())
