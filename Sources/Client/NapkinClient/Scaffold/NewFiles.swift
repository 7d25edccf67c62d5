// NewFiles: creates and changes several files together or not at all.
//
// Invariant  never replaces an existing file with a new one.

import Glibc

struct NewFiles {
    let directory: String
    private(set) var files: [(path: String, text: String)] = []
    private(set) var changes: [(path: String, old: String, new: String)] = []

    init(in directory: String) { self.directory = directory }

    mutating func add(_ path: String, _ text: String) {
        files.append((path, text))
    }

    mutating func change(_ path: String, from old: String, to new: String) {
        changes.append((path, old, new))
    }

    /// Creates the files with their directories, then makes the changes.
    ///
    /// Throws before creating anything if one of them exists, whatever its type. If a later step
    /// fails, undoes the earlier ones, then throws.
    func write() throws(ClientFailure) {
        for file in files {
            var status = stat()
            guard lstat(place(of: file.path), &status) != 0 else {
                throw .cannotCreate(
                    "\(place(of: file.path)) already exists; nothing was changed: choose another "
                        + "name, or move it away")
            }
        }
        var made: [String] = []
        var changed: [(path: String, old: String)] = []
        do throws(ClientFailure) {
            for file in files {
                try makeDirectories(above: place(of: file.path), &made)
                try make(place(of: file.path), file.text)
                made.append(place(of: file.path))
            }
            for file in changes {
                try FileText.write(file.new, to: place(of: file.path))
                changed.append((place(of: file.path), file.old))
            }
        } catch {
            // The first failure is the one to report.
            for (path, old) in changed { try? FileText.write(old, to: path) }
            // Only empty directories can be removed, so other people's files stay.
            for path in made.reversed() { _ = remove(path) }
            throw error
        }
    }

    private func place(of path: String) -> String { "\(directory)/\(path)" }

    private func makeDirectories(
        above path: String, _ made: inout [String]
    ) throws(ClientFailure) {
        for (index, letter) in zip(path.indices, path)
        where letter == "/" && index > path.startIndex {
            let parent = String(path[..<index])
            if mkdir(parent, 0o777) == 0 {
                made.append(parent)
            } else if errno != EEXIST {
                throw Self.failure(parent)
            }
        }
    }

    /// Creates a file; fails even if another one appears at this moment.
    private func make(_ path: String, _ text: String) throws(ClientFailure) {
        guard FileText.put(Array(text.utf8), at: path, mode: 0o666) else {
            throw Self.failure(path)
        }
    }

    private static func failure(_ path: String) -> ClientFailure {
        ClientFailure(
            errno == EACCES || errno == EPERM ? ExitTable.noPermission : ExitTable.cannotCreate,
            "cannot create \(path): \(String(cString: strerror(errno))); nothing was changed")
    }
}
