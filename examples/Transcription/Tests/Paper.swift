// Paper: transcripts on a disk, and pipes that somebody writes into.

import Foundation

/// A directory of a test's own, removed with it.
final class Paper: Sendable {
    let directory: String

    init() throws {
        var template = Array("/tmp/nkt.XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else { throw CocoaError(.fileWriteUnknown) }
        directory = String(cString: path)
    }

    deinit {
        // What is left of it does not matter to the test, which is over.
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Writes a file; returns its path.
    func file(_ bytes: [UInt8]) throws -> String {
        let path = directory + "/t"
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    func file(_ text: String) throws -> String { try file(Array(text.utf8)) }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    /// Makes a pipe; returns its path.
    func pipe() throws -> String {
        let path = directory + "/p"
        guard mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        return path
    }
}
