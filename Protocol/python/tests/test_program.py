"""Program: what peers say is printed without their controls."""

import unicodedata
import unittest

from napkin_front.program import printable


class PrintableTests(unittest.TestCase):
    def test_controls_become_escapes(self) -> None:
        text = "a\x1b[2J\n\x9b\u202e\u200f\u2028b肉\x7f"
        self.assertEqual(printable(text), r"a\x1b[2J\n\x9b\u202e\u200f\u2028b" + "肉" + r"\x7f")

    def test_no_control_is_left_and_nothing_else_is_changed(self) -> None:
        for code in (*range(0xD800), *range(0xE000, 0x110000)):
            character = chr(code)
            shown = printable(character)
            self.assertTrue(all(unicodedata.category(each) != "Cc" for each in shown))
            if unicodedata.category(character) not in ("Cc", "Zl", "Zp", "Cf"):
                self.assertEqual(shown, character)
