// LiveTextTests: what a terminal is sent when something has changed.

import NapkinTransport
import Testing

@testable import NapkinClient

struct LiveTextTests {
    private func picture(
        _ lines: [String], _ changed: Set<Int>, columns: Int, rows: Int
    ) -> String {
        let picture = LiveText.picture(lines, changed, columns: columns, rows: rows)
        return String(decoding: picture.bytes, as: UTF8.self)
    }

    @Test func `lines that are new are set off, those that moved are not`() {
        let changed = LiveText.changes(from: ["a", "b", "c"], to: ["a", "x", "b", "c2"])
        #expect(changed == [1, 3])
        #expect(LiveText.changes(from: ["a"], to: ["a"]).isEmpty)
    }

    @Test func `each line is written over what was there, and the rest erased`() {
        let picture = self.picture(["one", "two"], [1], columns: 80, rows: 24)
        #expect(
            picture == "\u{1B}[Hone\u{1B}[K\r\n\u{1B}[7mtwo\u{1B}[0m\u{1B}[K\u{1B}[J")
    }

    @Test func `a line cannot draw outside of its place`() {
        let picture = self.picture(["a\u{1B}[2Jb\nc"], [], columns: 80, rows: 24)
        #expect(picture == "\u{1B}[Ha\\u{1B}[2Jb\\nc\u{1B}[K\u{1B}[J")
    }

    @Test func `what is cut is cut by its cells`() {
        let lines = ["肉の炭火焼き", "Cafe\u{301} noir", "肉焼き"]
        let picture = self.picture(lines, [], columns: 8, rows: 3)
        // A wide character is not halved; an accent takes no cell.
        #expect(picture.contains("肉の炭…\u{1B}[K"))
        #expect(picture.contains("Cafe\u{301} no…\u{1B}[K"))
        #expect(picture.contains("肉焼き\u{1B}[K"))
    }

    @Test func `a line that is too long goes on below, as far in as it began`() {
        let lines = [" │ └ one two three four five six", "seven"]
        let picture = self.picture(lines, [0], columns: 28, rows: 3)
        #expect(
            picture == "\u{1B}[H\u{1B}[7m │ └ one two three four\u{1B}[0m\u{1B}[K\r\n"
                + "\u{1B}[7m       five six\u{1B}[0m\u{1B}[K\r\nseven\u{1B}[K\u{1B}[J")
        #expect(self.picture(lines, [0], columns: 28, rows: 2).contains("… 2 more lines"))
    }

    @Test func `what does not fit is cut, and said to be`() {
        let lines = (1...5).map { "line \($0) is long" }
        let picture = self.picture(lines, [], columns: 8, rows: 3)
        let shown = picture.split(separator: "\r\n").map {
            $0.replacing("\u{1B}[H", with: "").replacing("\u{1B}[K", with: "")
                .replacing("\u{1B}[J", with: "")
        }
        #expect(shown == ["line 1 …", "line 2 …", "… 3 more"])
        #expect(shown.allSatisfy { $0.count <= 8 })
        // Smaller than anything: no trap.
        _ = self.picture(lines, [0], columns: 0, rows: 0)
        #expect(self.picture(lines, [], columns: 80, rows: 1).contains("5 more lines"))
    }
}
