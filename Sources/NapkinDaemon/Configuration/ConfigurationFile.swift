// ConfigurationFile: a file of settings or a manifest, as text, and the places that errors name.
//
// Layer      daemon.
// Isolation  value.

import Glibc
import Yams

/// One file, which need not exist.
struct ConfigurationFile {
    /// Bytes of a file. Chosen: far more than a person writes.
    static let bytesMax = 64 * 1024

    let path: String
    /// Whether the file names programs: then it must be no link, and no group may write it.
    var startsPrograms = false

    /// Returns the text; `nil` if there is no such file.
    ///
    /// Errors: `EX_CONFIG` if it is no text, and those of `bytes()`.
    func text() throws(StartError) -> String? {
        guard let bytes = try bytes() else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw error(nil, "it is not text in UTF-8")
        }
        return text
    }

    /// Returns the contents; `nil` if there is no such file.
    ///
    /// Errors: `EX_CONFIG` if it is no file or too large, if it cannot be read, or if somebody else
    /// may have written it.
    func bytes() throws(StartError) -> [UInt8]? {
        // A pipe that nobody writes must not hold up the start.
        let descriptor = open(
            path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (startsPrograms ? O_NOFOLLOW : 0))
        guard descriptor >= 0 else {
            if errno == ELOOP, startsPrograms {
                throw error(nil, "it is a symbolic link: put the file itself here")
            }
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw systemError()
        }
        defer { close(descriptor) }
        try check(descriptor)
        var bytes = [UInt8](repeating: 0, count: Self.bytesMax + 1)
        var count = 0
        while count < bytes.count {
            let length = bytes.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            guard length >= 0 else { throw systemError() }
            guard length > 0 else { break }
            count += length
        }
        guard count <= Self.bytesMax else {
            throw error(nil, "it is larger than \(Self.bytesMax) bytes, which is the limit")
        }
        return Array(bytes[..<count])
    }

    private func check(_ descriptor: Int32) throws(StartError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw systemError() }
        guard status.st_mode & S_IFMT == S_IFREG else { throw error(nil, "it is not a file") }
        guard [0, geteuid()].contains(status.st_uid) else {
            throw error(nil, "it belongs to user \(status.st_uid), and not to you")
        }
        guard status.st_mode & 0o002 == 0 else {
            throw error(nil, "everybody may write it: chmod o-w it")
        }
        guard !startsPrograms || status.st_mode & 0o020 == 0 else {
            throw error(nil, "its group may write it: chmod g-w it")
        }
    }

    /// Returns the place for an error: `PATH:LINE`, or the path alone.
    func place(_ mark: Mark?) -> String { mark.map { "\(path):\($0.line)" } ?? path }

    func error(_ mark: Mark?, _ message: String) -> StartError {
        StartError(EX_CONFIG, "\(place(mark)): \(message)")
    }

    /// Returns what Yams found, without the lines that it quotes.
    func error(_ error: any Error) -> StartError {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.error(mark, problem)
        case .duplicatedKeysInMapping(let keys, let context):
            self.error(
                context.mark, "\(keys.sorted().joined(separator: ", ")) is there more than once")
        case .reader(let problem, _, _, _):
            self.error(nil, problem)
        default:
            self.error(nil, "it cannot be read: \(error)")
        }
    }

    private func systemError() -> StartError {
        error(nil, String(cString: strerror(errno)))
    }
}
