// Directory: what lies in a directory, and its end.
//
// Isolation  none of its own; blocks.
// Source     readdir(3)

import Glibc

enum Directory {
    /// What is in it but itself and its parent; nothing where it cannot be read.
    static func entries(of path: String) -> [(name: String, isDirectory: Bool)] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var entries: [(name: String, isDirectory: Bool)] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != ".." else { continue }
            entries.append((name, entry.pointee.d_type == DT_DIR))
        }
        return entries
    }

    /// Removes it with everything in it.
    static func remove(_ path: String) {
        for entry in entries(of: path) {
            if entry.isDirectory {
                remove(path + "/" + entry.name)
            } else {
                unlink(path + "/" + entry.name)
            }
        }
        rmdir(path)
    }
}
