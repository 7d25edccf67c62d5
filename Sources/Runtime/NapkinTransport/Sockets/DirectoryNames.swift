// DirectoryNames: lists the entries of a directory.
//
// Layer      transport, sockets. Plain system calls, no libuv.

internal import Glibc

package enum DirectoryNames {
    /// Returns the names with the given suffix, without it, in directory order; hidden entries are
    /// left out. `nil` if the directory cannot be read; `errno` has the reason.
    ///
    /// - Parameter max: the most names to return.
    package static func of(
        _ path: String, ending suffix: String = "", max: Int = .max
    ) -> [String]? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < max, let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                    String(cString: $0)
                }
            }
            if name.hasSuffix(suffix), !name.hasPrefix(".") {
                names.append(String(name.dropLast(suffix.count)))
            }
        }
        return names
    }
}
