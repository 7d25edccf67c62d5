// SpecificationTableTests: the tables of the specification say what the machines do.

import Foundation
import NapkinProtocol
import TestSupport
import Testing

/// One way that a frame may take.
private struct Way: Hashable {
    let from: Party
    let to: Party

    static let all = parties.flatMap { from in parties.map { Way(from: from, to: $0) } }
    /// Those of the tables; a child's process has one of its own.
    private static let parties = Party.allCases.filter { $0 != .child }

    /// Whether frames of this kind may take it, at any time after the handshake.
    func takes(_ kind: FrameKind) -> Bool {
        FrameKindSet.opening(from: from, to: to) == kind
            || FrameKindSet.preparation(from: from, to: to).contains(kind)
            || FrameKindSet.talk(from: from, to: to).contains(kind)
    }
}

struct SpecificationTableTests {
    /// The rows of the specification's tables, cell by cell, without marks of code.
    private func rows() throws -> [[String]] {
        try String(contentsOfFile: Repository.root + "/Protocol/SPEC.md", encoding: .utf8)
            .split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { row in
                row.split(separator: "|").map {
                    $0.replacing("`", with: "").trimmingCharacters(in: .whitespaces)
                }
            }
    }

    /// `tool, front → napkind → worker, before …` as its ways; none where no arrow is.
    private func ways(_ text: String) throws -> Set<Way> {
        let places = try text.split(separator: " → ").map { place in
            try place.split(separator: ", ").filter { !$0.hasPrefix("before") }
                .map { try #require(Party(rawValue: String($0)), "\($0)") }
        }
        return Set(
            zip(places, places.dropFirst()).flatMap { from, to in
                from.flatMap { from in to.map { Way(from: from, to: $0) } }
            })
    }

    @Test func `each kind of frame goes where the table of messages says`() throws {
        let rows = try rows()
        for kind in FrameKind.allCases {
            let row = try #require(rows.first { $0.count == 5 && $0[0] == "\(kind)" }, "\(kind)")
            guard row[2].contains(" → ") else { continue }
            #expect(try ways(row[2]) == Set(Way.all.filter { $0.takes(kind) }), "\(kind)")
        }
    }

    @Test func `a worker and a child send what their own table says`() throws {
        let path = Repository.root + "/Protocol/CHILD.md"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { row in
            row.split(separator: "|").prefix(2).map {
                $0.replacing("`", with: "").trimmingCharacters(in: .whitespaces)
            }
        }
        for kind in FrameKind.allCases {
            let senders = Set(rows.filter { $0[0] == "\(kind)" }.map { $0[1] })
            for (from, to) in [(Party.worker, Party.child), (.child, .worker)] {
                let isSaid = senders.contains(from.rawValue) || senders.contains("both")
                #expect(Way(from: from, to: to).takes(kind) == isSaid, "\(kind) from \(from)")
            }
        }
    }

    /// Section 6.3 says in words who refuses a request; the table has no arrow.
    @Test func `a request is refused by whom it was sent to, and not between front and worker`() {
        let refusing = Set(Way.all.filter { $0.takes(.refused) })
        let answering = Set(Way.all.filter { $0.takes(.answer) })
        #expect(refusing == answering)
        #expect(!refusing.contains(Way(from: .worker, to: .front)))
    }
}
