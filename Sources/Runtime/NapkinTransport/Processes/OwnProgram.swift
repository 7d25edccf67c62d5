// OwnProgram: the executable that this process runs, and its environment.
//
// Isolation  any thread; nothing in the process changes the environment.
// Source     proc(5), environ(7)

internal import Glibc

package enum OwnProgram {
    /// The path that starts this program again, even if its file has been replaced or removed.
    package static let link = "/proc/self/exe"

    /// The program's path as the kernel knows it; `nil` if the kernel does not say.
    package static var path: String? { ProcessStatus.program(of: getpid()) }

    package static var directory: String? {
        path.flatMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
    }

    /// Replaces this process's program (exec), with these words as arguments; the first is the
    /// program's name. A program without a slash is looked up in `PATH`.
    ///
    /// - Parameter failure: makes an error from the reason for the failure.
    package static func become<Failure: Error>(
        _ program: String, _ words: [String], _ failure: (String) -> Failure
    ) throws(Failure) -> Never {
        var arguments = words.map { strdup($0) } + [nil]
        _ = program.contains("/") ? execv(program, &arguments) : execvp(program, &arguments)
        let reason = String(cString: strerror(errno))
        for argument in arguments { free(argument) }
        throw failure(reason)
    }

    package static var environment: [String: String] {
        var result: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let equals = text.firstIndex(of: "=") {
                result[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            next += 1
        }
        return result
    }
}
