// OpenQuestions: the questions put to a control front and a check of their answers.
//
// Invariant  a question is open from its `ask` line to its answer, its `askEnded` line, or the end
//            of the connection.
//
// The worker accepts the first answer as it is, so a script's answer is checked here, while the
// question can still stay open and the script can learn what is wrong.

import NapkinCore

struct OpenQuestions {
    /// The reason why a line does not answer a question; nothing was sent.
    struct Mistake: Error, Equatable {
        var code: String
        var message: String
    }

    /// The answer's type for each open question, as the contract spells it; `nil` if it has none.
    private var results: [UInt64: String?] = [:]

    mutating func asked(_ id: UInt64, _ method: MethodSchema?) {
        results.updateValue(method?.result, forKey: id)
    }

    mutating func ended(_ id: UInt64) { results.removeValue(forKey: id) }

    /// Forgets every question when the connection is lost: the worker asks open ones again.
    mutating func removeAll() { results = [:] }

    /// Closes the question that `value` answers, or throws the reason and leaves it open.
    mutating func answer(_ id: UInt64, _ value: [UInt8]) throws(Mistake) {
        guard let result = results[id] else {
            throw Mistake(
                code: RemoteFault.Code.gone.rawValue,
                message: "there is no open question \(id): it has been answered or has ended")
        }
        if let result {
            guard !value.isEmpty else {
                throw Self.malformed("value is missing; the answer to \(id) must be a \(result)")
            }
            // Only the modules that define other types than the standard library's know them.
            guard ValueCheck(types: []).mistake(in: value, of: result, at: "value") == nil else {
                throw Self.malformed("value is not what was asked for; it must be a \(result)")
            }
        }
        ended(id)
    }

    private static func malformed(_ message: String) -> Mistake {
        Mistake(code: ControlMistake.code, message: message)
    }
}
