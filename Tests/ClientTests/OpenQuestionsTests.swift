// OpenQuestionsTests: what answers a question, and what leaves it open.

import NapkinCoding
import NapkinCore
import Testing

@testable import NapkinClient

@Suite struct OpenQuestionsTests {
    private func open(_ result: String?) -> OpenQuestions {
        var questions = OpenQuestions()
        questions.asked(7, MethodSchema(key: "f()", delivery: .ask, result: result))
        return questions
    }

    /// The code of the mistake, if the JSON text is one.
    private func code(
        _ questions: inout OpenQuestions, _ json: String?, to id: UInt64 = 7
    ) throws -> String? {
        let value = try json.map { try JSONToCBOR.transcode(Array($0.utf8)) } ?? []
        do {
            try questions.answer(id, value)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: [
        ("Bool", "true", "1"), ("String", #""a""#, "1"), ("Int", "-3", "1.5"),
        ("UInt8", "255", "256"), ("UInt64", "0", "-1"), ("Double", "1.5", #""1.5""#),
        ("Bool?", "null", "0"), ("Bool?", "false", #""no""#), ("Bool", "true", "null"),
        ("Bool", "false", nil), ("MenuItem", #"{"name":"Ribs"}"#, nil),
    ])
    func `a value that is not what was asked for leaves the question open`(
        type: String, good: String, bad: String?
    ) throws {
        var questions = open(type)
        #expect(try code(&questions, bad) == "malformed")
        #expect(try code(&questions, good) == nil)
        #expect(try code(&questions, good) == "gone")
    }

    @Test func `a question without a result takes anything`() throws {
        for json in [nil, "null", "3"] {
            var questions = open(nil)
            #expect(try code(&questions, json) == nil)
        }
    }

    @Test func `what has ended, or was never asked, is gone`() throws {
        var questions = open("Bool")
        #expect(try code(&questions, "true", to: 8) == "gone")
        questions.ended(7)
        #expect(try code(&questions, "true") == "gone")
        questions.asked(9, nil)
        questions.removeAll()
        #expect(try code(&questions, "true", to: 9) == "gone")
    }
}
