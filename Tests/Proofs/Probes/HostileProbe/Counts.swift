// Counts: how much was sent, and what became of it.

import NapkinProtocol

/// For the report at the end.
struct Counts {
    var sequences = 0
    var messages = 0
    var connections = 0
    /// Connections that the other side ended, as it had to.
    var ends = 0
    /// Events and requests that were answered, and how.
    var answers: [Outcome: Int] = [:]
    var asks = 0
    var sent = [Int](repeating: 0, count: 256)

    mutating func sent(_ kind: FrameKind) {
        messages += 1
        sent[Int(kind.rawValue)] += 1
    }

    var text: String {
        let kinds = FrameKind.allCases.compactMap { kind -> String? in
            let count = sent[Int(kind.rawValue)]
            return count > 0 ? "\(kind) \(count)" : nil
        }
        let answers = answers.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key) \($0.value)" }
        return """
            sent       \(kinds.joined(separator: ", "))
            answers    \(answers.joined(separator: ", "))
            ended      \(ends) of \(connections) connections, as they had to; \(asks) asks
            """
    }
}
