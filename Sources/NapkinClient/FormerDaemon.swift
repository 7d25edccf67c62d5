// FormerDaemon: how a napkind was started that is about to end, for its successor.
//
// Layer      executable.
// Isolation  value.
// Source     proc(5)

import Glibc

/// The options of a daemon, and where it works.
struct FormerDaemon: Equatable {
    let arguments: [String]
    let directory: String

    /// Looks at a process of this user; `nil` if it cannot be looked at.
    init?(_ pid: Int32) {
        // A process that has ended, or is another's, has nothing to say.
        guard let line = try? FileText.read("/proc/\(pid)/cmdline"),
            let path = realpath("/proc/\(pid)/cwd", nil)
        else { return nil }
        defer { free(path) }
        self.init(commandLine: line, directory: String(cString: path))
    }

    /// - Parameter line: the program's words, each with a zero byte after it.
    init(commandLine line: String, directory: String) {
        let words = line.split(separator: "\0", omittingEmptySubsequences: false).dropLast()
        var arguments: [String] = []
        var isValue = false
        for word in words.dropFirst() {
            // The descriptor that it was to tell when it was ready.
            if !isValue, word != "--ready-fd", !word.hasPrefix("--ready-fd=") {
                arguments.append(String(word))
            }
            isValue = word == "--ready-fd"
        }
        (self.arguments, self.directory) = (arguments, directory)
    }
}
