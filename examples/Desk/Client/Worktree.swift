// Worktree: a directory of a git repository that a run has for itself.

import NapkinClient
import NapkinSystem

/// The worktree of a branch, beside the repository's: `app-fix` for the branch `fix` of `app`.
struct Worktree {
    let branch: String
    /// A directory in the repository.
    let directory: String

    /// Creates the worktree, and the branch if there is none of that name; one that is there is
    /// used as it is.
    ///
    /// - Returns: the directory in it that is `directory` in the repository.
    /// - Throws: what git says, as a `ValidationError`.
    func path() async throws -> String {
        let places = try await git("rev-parse", "--show-toplevel", "--show-prefix")
        let repository = places.first ?? directory
        let path = "\(repository)-\(branch.replacing("/", with: "-"))"
        let known = try await git("worktree", "list", "--porcelain")
        if !known.contains("worktree \(path)") {
            let heads = try await git("for-each-ref", "--format=%(refname)", "refs/heads/")
            let isNew = !heads.contains("refs/heads/\(branch)")
            let which = isNew ? ["-b", branch, path] : [path, branch]
            _ = try await git(["worktree", "add"] + which)
        }
        let below = places.count > 1 ? places[1] : ""
        return below.isEmpty ? path : "\(path)/\(below)"
    }

    private func git(_ arguments: String...) async throws -> [String] { try await git(arguments) }

    private func git(_ arguments: [String]) async throws -> [String] {
        var lines: [String] = []
        let end = try await runProgram("git", arguments, in: directory) { output in
            for try await line in output { lines.append(line) }
        }
        guard end == .exited(0) else {
            throw ValidationError("--worktree: " + (lines.last ?? "git says nothing, but failed"))
        }
        return lines
    }
}
