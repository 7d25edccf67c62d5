// FormerDaemon: how a napkind that is about to end was started, for its successor.
//
// Source     proc(5)

struct FormerDaemon: Equatable {
    /// The file name of its program.
    let program: String?
    let arguments: [String]
    let environment: [String: String]
    let directory: String

    /// Reads a process of this user; `nil` if it cannot be read.
    init?(_ pid: Int32) {
        // A process that has ended, or belongs to another user, cannot be read.
        guard let line = try? FileText.read("/proc/\(pid)/cmdline"),
            // The process may have ended since.
            let variables = try? FileText.read("/proc/\(pid)/environ"),
            let directory = FileText.real("/proc/\(pid)/cwd")
        else { return nil }
        self.init(commandLine: line, environment: variables, directory: directory)
    }

    /// - Parameters:
    ///   - line: the program's arguments, each followed by a zero byte.
    ///   - variables: `NAME=VALUE` in the same form.
    init(commandLine line: String, environment variables: String, directory: String) {
        let words = line.split(separator: "\0", omittingEmptySubsequences: false).dropLast()
        program = words.first?.split(separator: "/").last.map(String.init)
        var arguments: [String] = []
        var isValue = false
        for word in words.dropFirst() {
            // Drops the descriptor on which the former napkind reported that it was ready.
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
