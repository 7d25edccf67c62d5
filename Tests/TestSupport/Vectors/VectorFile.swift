// VectorFile: the files of golden vectors, as they are checked in.

import Foundation

/// One file of `Protocol/vectors`.
package struct VectorFile: Sendable {
    package let path: String
    package let group: VectorGroup
    package let vectors: [Vector]
    /// Further fields of the file.
    package let top: [String: JSONValue]
    /// The file's lines that begin a vector, counted in the text.
    package let linesOfVectors: Int

    /// Every file there is; throws for one of an unknown group or shape.
    package static func all() throws -> [VectorFile] {
        let directory = Repository.root + "/Protocol/vectors"
        return try FileManager.default.contentsOfDirectory(atPath: directory)
            .filter { $0.hasSuffix(".json") }.sorted()
            .map { try VectorFile(directory + "/" + $0) }
    }

    private init(_ path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw VectorError("\(path) cannot be read")
        }
        let text = [UInt8](data)
        guard var top = try JSONValue(parsing: text).object,
            let name = top.removeValue(forKey: "group")?.text,
            let group = VectorGroup(rawValue: name),
            let vectors = top.removeValue(forKey: "vectors")?.array
        else { throw VectorError("\(path) is of no group that anybody runs") }
        self.path = path
        self.group = group
        self.top = top
        self.vectors = try vectors.map { try Vector($0, in: group) }
        linesOfVectors = text.split(separator: UInt8(ascii: "\n"))
            .count { $0.starts(with: #"    {"name": "#.utf8) }
    }
}

extension Vector {
    private static let files = Result { try VectorFile.all() }

    /// The vectors of a group, in order. None when the files cannot be read, which the test of all
    /// files reports.
    package static func all(_ group: VectorGroup) -> [Vector] {
        guard case .success(let files) = files else { return [] }
        return files.filter { $0.group == group }.flatMap(\.vectors)
    }
}
