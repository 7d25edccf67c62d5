// FormerDaemon: the start-up of a napkind that is about to end, for its successor.
//
// Source     proc(5)

import Glibc

/// The options of a daemon, where it works, and what it has around it.
struct FormerDaemon: Equatable {
    /// The name of its program's file.
    let program: String?
    let arguments: [String]
    let environment: [String: String]
    let directory: String

    /// Looks at a process of this user; `nil` if it cannot be looked at.
    init?(_ pid: Int32) {
        // A process that has ended, or is another's, has nothing to say.
        guard let line = try? FileText.read("/proc/\(pid)/cmdline"),
            // The same.
            let variables = try? FileText.read("/proc/\(pid)/environ"),
            let path = realpath("/proc/\(pid)/cwd", nil)
        else { return nil }
        defer { free(path) }
        self.init(
            commandLine: line, environment: variables, directory: String(cString: path))
    }

    /// - Parameters:
    ///   - line: the program's words, each with a zero byte after it.
    ///   - variables: `NAME=VALUE` in the same form.
    init(commandLine line: String, environment variables: String, directory: String) {
        let words = line.split(separator: "\0", omittingEmptySubsequences: false).dropLast()
        program = words.first?.split(separator: "/").last.map(String.init)
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
        environment = variables.split(separator: "\0").reduce(into: [:]) { found, variable in
            guard let equals = variable.firstIndex(of: "=") else { return }
            found[String(variable[..<equals])] = String(variable[equals...].dropFirst())
        }
    }
}
