// AnswerBookTests: rests of long answers, taken once, for a while, and not too many of them.

import NapkinProtocol
import Testing

struct AnswerBookTests {
    private static let life = UInt64(Limits.answerSeconds) * 1000

    @Test func `a rest is taken once, by its own cursor`() {
        var book = AnswerBook<String>()
        let (one, two) = (book.keep("one", bytes: 1, at: 0), book.keep("two", bytes: 1, at: 0))
        #expect(one != 0 && two != 0 && one != two)
        #expect(book.take(two, at: 0) == "two")
        #expect(book.take(two, at: 0) == nil)
        #expect(book.take(0, at: 0) == nil)
        #expect(book.take(one, at: 0) == "one")
        #expect(book.isEmpty)
    }

    @Test(arguments: [-1, 0, 1]) func `a rest is kept for its time exactly`(offset: Int) {
        var book = AnswerBook<String>()
        let cursor = book.keep("rest", bytes: 1, at: 500)
        let rest = book.take(cursor, at: (500 + Self.life).advanced(by: offset))
        #expect(rest == (offset < 0 ? "rest" : nil))
        #expect(book.isEmpty)
    }

    @Test(arguments: [-1, 0, 1]) func `rests are limited exactly: the oldest is forgotten`(
        offset: Int
    ) {
        var book = AnswerBook<Int>()
        let cursors = (0..<(Limits.answersUnfetchedMax + offset)).map {
            book.keep($0, bytes: 1, at: 0)
        }
        #expect(book.take(cursors[0], at: 0) == (offset > 0 ? nil : 0))
        #expect(book.take(cursors[1], at: 0) == 1)
    }

    @Test(arguments: [-1, 0, 1]) func `their bytes are limited exactly, all together`(
        offset: Int
    ) {
        var book = AnswerBook<Int>()
        let half = Limits.answersUnfetchedBytesMax / 2
        let cursors = [0, 1].map { book.keep($0, bytes: half + ($0 == 1 ? offset : 0), at: 0) }
        #expect(book.take(cursors[0], at: 0) == (offset > 0 ? nil : 0))
        #expect(book.take(cursors[1], at: 0) == 1)
    }
}
