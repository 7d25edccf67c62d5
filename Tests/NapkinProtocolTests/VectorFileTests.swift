// VectorFileTests: every golden vector is read, and has somebody who runs it.

import Foundation
import NapkinProtocol
import TestSupport
import Testing

struct VectorFileTests {
    @Test func `every vector of every file is read`() throws {
        let files = try VectorFile.all()
        for file in files {
            #expect(file.vectors.count == file.linesOfVectors, "\(file.path)")
            #expect(Set(file.vectors.map(\.name)).count == file.vectors.count, "\(file.path)")
        }
        let vectors = files.flatMap(\.vectors)
        #expect(vectors.count >= 300)
        #expect(vectors.count { $0.error != nil } >= 100)
        print(
            "golden vectors: \(vectors.count), of which must fail:",
            vectors.count { $0.error != nil })
    }

    /// An implementation of version 1.0 leaves out those that it cannot know, and only those.
    @Test func `what is new in a version says so`() throws {
        let vectors = VectorGroup.allCases.flatMap { Vector.all($0) }
        let newer = vectors.filter { $0.since != nil }
        #expect(
            newer.allSatisfy { [[1, 1], [1, 2], [1, 3], [1, 4], [1, 5]].contains($0.since) })
        let current = ProtocolVersion.current
        #expect([UInt64(current.major), UInt64(current.minor)] == [1, 5])
        let counts = [
            ("contractWanted", 11), ("contract", 11), ("received", 2), ("openURL", 7),
            ("workflowStep", 7), ("workflowEnded", 9), ("cancelWorkflow", 3), ("stateDelta", 1),
            ("skipped", 5), ("renamed", 5), ("measure", 4), ("measured", 5),
        ]
        for (kind, countMin) in counts {
            let number = try #require(FrameKind.allCases.first { "\($0)" == kind }).rawValue
            let about = vectors.filter { vector in
                let frames = vector.means?.object?["frames"]?.array ?? []
                return vector["kind"] == .text(kind)
                    || frames.contains { $0.object?["kind"]?.unsigned == UInt64(number) }
            }
            #expect(about.count >= countMin)
            #expect(about.allSatisfy { $0.since != nil })
        }
    }

    @Test(arguments: VectorGroup.allCases)
    func `every group has vectors and a runner`(_ group: VectorGroup) throws {
        #expect(!Vector.all(group).isEmpty)
        let tests = VectorFile.root + "/Tests"
        let walk = try #require(FileManager.default.enumerator(atPath: tests))
        let runners = walk.compactMap { $0 as? String }.filter { path in
            path.hasSuffix("VectorTests.swift")
                && FileManager.default.contents(atPath: tests + "/" + path).map {
                    String(decoding: $0, as: UTF8.self).contains("Vector.all(.\(group)))")
                } == true
        }
        #expect(runners.count == 1, "who runs \(group)?")
    }
}
