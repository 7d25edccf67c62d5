// FaultCaseTests: each promise of sections S (sessions and faults) and U (durable state) has a test
// that bears its number.

import Foundation
import Testing

/// The promises of sections S and U. The tests are where the fault can be made: most start
/// processes.
enum FaultCases {
    /// What is done to a session; what must come of it each test says in its name.
    static let all: KeyValuePairs = [
        "S1": "a front killed in the middle of a transition",
        "S2": "a worker killed",
        "S3": "a daemon killed",
        "S4": "both at once",
        "S5": "half a frame, and one that never ends",
        "S6": "an oversized frame",
        "S7": "bad UTF-8",
        "S8": "an unknown kind",
        "S9": "an unknown method",
        "S10": "a wrong version",
        "S11": "a stale ticket",
        "S12": "a ticket used twice",
        "S13": "another user's process",
        "S14": "two fronts, one screen",
        "S15": "a front that stops reading",
        "S16": "a session killed while attached",
        "S17": "a worker that stops answering",
        "S18": "names, texts and states at the limits",
        "U1": "what was shown after a worker's death",
        "U2": "a handler that throws",
        "U3": "a death in a handler's only stretch",
        "U4": "a death after a change, while a handler waits",
        "U5": "a change in child, parent and sibling",
        "U6": "handlers that interleave",
        "U7": "what is shown before it is durable",
        "U8": "what is shown during a wait",
        "U9": "recorded and derived slots",
        "U10": "a feature that is unknown after an upgrade",
        "U11": "a timer over a death, and after a long sleep",
        "U12": "a job over a death",
        "U13": "a session that has left the memory",
        "U14": "what is shown and not stored",
        "U15": "a full disk",
        "U16": "a volatile session",
    ]

    /// The numbers with which names of tests begin, and the files that have them.
    static func borne(in files: [SourceFile]) -> [String: Set<String>] {
        var borne: [String: Set<String>] = [:]
        for file in files where file.path.hasPrefix("Tests/") && file.isSwift {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for match in text.matches(of: #/func `([SU]\d+(?:, [SU]\d+)*): /#) {
                for id in match.1.split(separator: ", ") {
                    borne[String(id), default: []].insert(file.path)
                }
            }
        }
        return borne
    }
}

@Suite
struct FaultCaseTests {
    private let borne = FaultCases.borne(in: SourceTree.files)

    @Test func `each case of sections S and U has a test of its number`() {
        for (id, what) in FaultCases.all {
            #expect(borne[id] != nil, "\(what): no test's name begins with \(id)")
        }
    }

    @Test func `no test bears a number that sections S and U do not have`() {
        let known = Set(FaultCases.all.map(\.key))
        #expect(known.count == FaultCases.all.count)
        #expect(borne.keys.filter { !known.contains($0) } == [])
    }
}
