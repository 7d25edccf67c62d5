"""Draws a terminal's screen as SVG.

Usage: screenshots.py COLUMNS TITLE < screen-with-control-sequences > picture.svg
"""

import io
import sys

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text


def main() -> int:
    columns, title = int(sys.argv[1]), sys.argv[2]
    console = Console(
        record=True, width=columns, file=io.StringIO(), force_terminal=True, legacy_windows=False
    )
    for line in sys.stdin.read().splitlines():
        console.print(Text.from_ansi(line), no_wrap=True, overflow="crop", crop=True)
    sys.stdout.write(console.export_svg(title=title, theme=MONOKAI, unique_id="napkin"))
    return 0


sys.exit(main())
