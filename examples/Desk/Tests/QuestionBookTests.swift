// QuestionBookTests: the first answer counts, and time answers as well.

import DeskContract
import Testing

@testable import DeskFeature

@Suite struct QuestionBookTests {
    private static let now = 1_000_000.0

    @Test func `the first answer counts, and says whose it is`() throws {
        var book = QuestionBook()
        let asked = try book.ask(Question(text: "Deploy?"), at: Self.now)
        #expect(throws: DeskError.self) {
            try book.answer(asked.id, "perhaps", by: "me", at: Self.now)
        }
        try book.answer(asked.id, "no", by: "you", at: Self.now + 1)
        let answered = try book.question(asked.id)
        #expect(answered.answer == Question.Answer(choice: "no", by: "you", at: Self.now + 1))
        #expect(throws: DeskError.answered(answered)) {
            try book.answer(asked.id, "yes", by: "me", at: Self.now + 2)
        }
    }

    @Test func `a question ends at its time, with its default if it has one`() throws {
        var book = QuestionBook()
        _ = try book.ask(
            Question(text: "a?", fallback: "no", within: "10m"), at: Self.now)
        _ = try book.ask(Question(text: "b?", within: "1h"), at: Self.now)
        _ = try book.ask(Question(text: "c?"), at: Self.now)
        #expect(book.due == Self.now + 600)
        book.pass(to: Self.now + 599)
        #expect(book.shown.map(\.text) == ["a?", "b?", "c?"])
        book.pass(to: Self.now + 600)
        #expect(book.shown.map(\.text) == ["b?", "c?", "a?"])
        #expect(try book.question(1).answer?.choice == "no" && book.due == Self.now + 3600)
        book.pass(to: Self.now + 3600)
        #expect(try book.question(2).answer?.by == "nobody in time" && book.due == nil)
        #expect(try book.question(2).answer?.choice == nil)
    }

    @Test func `a question has choices, and a place in a book that does not grow`() throws {
        var book = QuestionBook()
        let wrong = [
            Question(text: ""), Question(text: "a", choices: []),
            Question(text: "a", choices: ["b", "b"]),
            Question(text: "a", fallback: "maybe"), Question(text: "a", within: "soon"),
        ]
        for question in wrong {
            #expect(throws: DeskError.self) { try book.ask(question, at: Self.now) }
        }
        for _ in 1...QuestionBook.openMax {
            _ = try book.ask(Question(text: "a"), at: Self.now)
        }
        #expect(throws: DeskError.self) { try book.ask(Question(text: "a"), at: Self.now) }
        for _ in 1...QuestionBook.questionsMax {
            let open = book.shown[0].id
            try book.answer(open, "yes", by: "me", at: Self.now)
            _ = try book.ask(Question(text: "a"), at: Self.now)
        }
        #expect(book.questions.count == QuestionBook.questionsMax)
    }
}
