// FaultCaseTests: each promise of section S (sessions and faults) has a test that bears its number.

import Foundation
import Testing

/// The promises of section S. The tests are where the fault can be made: most start processes.
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
    ]

    /// The numbers with which names of tests begin, and the files that have them.
    static func borne(in files: [SourceFile]) -> [String: Set<String>] {
        var borne: [String: Set<String>] = [:]
        for file in files where file.path.hasPrefix("Tests/") && file.isSwift {
            let text = String(decoding: file.bytes, as: UTF8.self)
            for match in text.matches(of: #/func `(S\d+): /#) {
                borne[String(match.1), default: []].insert(file.path)
            }
        }
        return borne
    }
}

@Suite
struct FaultCaseTests {
    private let borne = FaultCases.borne(in: SourceTree.files)

    @Test func `each case of section S has a test of its number`() {
        for (id, what) in FaultCases.all {
            #expect(borne[id] != nil, "\(what): no test's name begins with \(id)")
        }
    }

    @Test func `no test bears a number that section S does not have`() {
        let known = Set(FaultCases.all.map(\.key))
        #expect(known.count == FaultCases.all.count)
        #expect(borne.keys.filter { !known.contains($0) } == [])
    }
}
