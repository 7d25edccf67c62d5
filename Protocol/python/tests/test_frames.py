"""Frames: every cut, every limit, every kind of broken header."""

from __future__ import annotations

import random
import unittest

from napkin_front.connection import LENGTH_MAX, LENGTH_MAX_HANDSHAKE, LENGTH_MIN, Frame, Kind
from napkin_front.errors import Unreadable

from .worker import Decoder

FRAMES = [
    Frame(Kind.PING, sequence=1),
    Frame(Kind.STATE, b"\x01", 2, 3, method=4),
    Frame(Kind.TRANSITION, bytes(range(64)), epoch=2**32 - 1, flags=1),
    Frame(Kind.EVENT, b"x" * 300, 2**32 - 1, 7, 2**64 - 1, 2**32 - 1),
]
STREAM = b"".join(frame.encode() for frame in FRAMES)


def decoded(decoder: Decoder) -> list[Frame]:
    frames = []
    while (frame := decoder.next_frame()) is not None:
        frames.append(frame)
    return frames


def header(length: int, kind: int = 4, reserved: int = 0) -> bytes:
    rest = bytes(20)
    return length.to_bytes(4, "little") + bytes([kind, 0]) + reserved.to_bytes(2, "little") + rest


class FrameTests(unittest.TestCase):
    def test_every_field_has_its_place(self) -> None:
        frame = Frame(Kind.EVENT, b"\xf5", 0x01020304, 0x05060708, 0x1122334455667788, 0x99AABBCC)
        self.assertEqual(
            frame.encode().hex(" ", -4),
            "19000000 25000000 04030201 08070605 88776655 44332211 ccbbaa99 f5",
        )

    def test_a_stream_may_be_cut_at_every_byte(self) -> None:
        for cut in range(len(STREAM) + 1):
            decoder = Decoder()
            decoder.feed(STREAM[:cut])
            frames = decoded(decoder)
            decoder.feed(STREAM[cut:])
            self.assertEqual(frames + decoded(decoder), FRAMES, f"cut at {cut}")
            self.assertEqual(decoder.rest, 0)

    def test_a_stream_may_come_byte_by_byte(self) -> None:
        decoder, frames = Decoder(), []
        for byte in STREAM:
            decoder.feed(bytes([byte]))
            frames += decoded(decoder)
        self.assertEqual(frames, FRAMES)

    def test_a_length_at_the_limit_is_accepted_and_one_above_is_not(self) -> None:
        for limit in (LENGTH_MIN + 8, LENGTH_MAX_HANDSHAKE, LENGTH_MAX):
            for length, fits in ((limit - 1, True), (limit, True), (limit + 1, False)):
                with self.subTest(limit=limit, length=length):
                    decoder = Decoder(limit)
                    # A wrong length is refused without waiting for what it announces.
                    decoder.feed(header(length) + (bytes(length - 24) if fits else b""))
                    if fits:
                        frame = decoder.next_frame()
                        assert frame is not None
                        self.assertEqual(len(frame.payload), length - LENGTH_MIN)
                    else:
                        self.assert_broken(decoder, "tooLong")

    def test_a_length_below_the_header_is_refused(self) -> None:
        for length in (0, 1, LENGTH_MIN - 1):
            decoder = Decoder()
            decoder.feed(header(length)[:4])
            self.assert_broken(decoder, "tooShort")

    def test_unknown_kinds_and_reserved_bits_are_refused(self) -> None:
        for kind in set(range(256)) - set(map(int, Kind)):
            decoder = Decoder()
            decoder.feed(header(24, kind))
            self.assert_broken(decoder, "unknownKind")
        for bit in range(16):
            decoder = Decoder()
            decoder.feed(header(24, reserved=1 << bit))
            self.assert_broken(decoder, "reservedBitsSet")

    def test_frames_before_a_broken_one_come_out_and_none_after_it(self) -> None:
        decoder = Decoder()
        decoder.feed(FRAMES[0].encode() + header(3) + FRAMES[1].encode())
        self.assertEqual(decoder.next_frame(), FRAMES[0])
        self.assert_broken(decoder, "tooShort")
        decoder.feed(FRAMES[2].encode())
        self.assert_broken(decoder, "tooShort")

    def test_the_limit_may_be_raised_between_two_frames_of_one_read(self) -> None:
        large = Frame(Kind.STATE, bytes(LENGTH_MAX_HANDSHAKE))
        decoder = Decoder(LENGTH_MAX_HANDSHAKE)
        decoder.feed(FRAMES[0].encode() + large.encode())
        self.assertEqual(decoder.next_frame(), FRAMES[0])
        decoder.limit = LENGTH_MAX
        self.assertEqual(decoder.next_frame(), large)

    def test_random_bytes_do_nothing_but_raise_unreadable(self) -> None:
        source = random.Random(1)
        for _ in range(2000):
            decoder = Decoder(LENGTH_MAX_HANDSHAKE)
            decoder.feed(source.randbytes(source.randrange(64)))
            try:
                decoded(decoder)
            except Unreadable as error:
                self.assertIn(error.name, ("tooShort", "tooLong", "unknownKind", "reservedBitsSet"))

    def assert_broken(self, decoder: Decoder, name: str) -> None:
        with self.assertRaises(Unreadable) as caught:
            decoder.next_frame()
        self.assertEqual(caught.exception.name, name)
