// PythonFront: the programs of Protocol/python, run with the Python that scripts/setup.sh prepares.

import Foundation
import ProofSupport

enum Python {
    static func path() throws -> String {
        let path = Repository.root + "/.build/python/bin/python"
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw Failure("\(path) is not there; run `scripts/setup.sh --tests` first")
        }
        return path
    }

    /// The first block of Python in Protocol/python/README.md.
    static func example() throws -> String {
        let path = Repository.root + "/Protocol/python/README.md"
        let readme = try String(contentsOfFile: path, encoding: .utf8)
        let parts = readme.components(separatedBy: "```python\n")
        guard parts.count == 2, let code = parts[1].components(separatedBy: "```\n").first
        else { throw Failure("the README has not exactly one block of Python") }
        return code
    }
}

extension Workplace {
    /// Runs a program of the Python package with the workplace's socket, or another.
    func python(_ module: String, _ arguments: [String], socket: String? = nil) throws -> Child {
        try Child(
            Python.path(),
            ["-m", "napkin_front.\(module)"] + arguments + ["--socket", socket ?? self.socket],
            environment: environment)
    }

    /// Attaches the Python front that speaks the lines of `--control`.
    func pythonFront(_ app: String = "rib-house", _ arguments: [String] = []) async throws
        -> ControlFront
    {
        let front = ControlFront(try python("control", [app] + arguments))
        try await front.reads { $0.type == "welcome" }
        return front
    }
}
