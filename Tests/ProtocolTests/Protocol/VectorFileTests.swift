// VectorFileTests: every golden vector is read, and has somebody who runs it.

import Foundation
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

    @Test(arguments: VectorGroup.allCases)
    func `every group has vectors and a runner`(_ group: VectorGroup) throws {
        #expect(!Vector.all(group).isEmpty)
        let tests = Repository.root + "/Tests"
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
