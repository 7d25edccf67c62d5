// DropFolderInteractor: reads the `.job` files of a directory, and submits them.
//
// Isolation  actor (loop executor); files are read off the loop.

import FoundationEssentials
import JobsContract
import NapkinCore
import NapkinSystem

/// A feature that has no view and is never mounted.
enum DropFolder: Feature {
    static let id: FeatureID = "jobs.drop-folder"
}

final actor DropFolderInteractor: Interactable {
    /// Bytes of a file. Chosen: a command and its keys.
    private static let fileBytesMax = 2 * JobTable.commandBytesMax

    nonisolated let lifecycle = InteractorLifecycle()
    private weak var listener: (any JobsPresentableListener)?
    private let session: SessionContext
    private nonisolated let directory: String

    init(listener: any JobsPresentableListener, session: SessionContext) {
        self.listener = listener
        self.session = session
        let chosen = session.configuration[JobsApp.dropFolder]
        directory = chosen.isEmpty ? "\(session.dataDirectory)/\(session.id).drop" : chosen
    }

    func didBecomeActive() async {
        task(name: "drop folder") {
            do {
                try FileManager.default.createDirectory(
                    atPath: self.directory, withIntermediateDirectories: true)
                for await change in try await DirectoryChanges(of: self.directory) {
                    for name in try await self.files(of: change) {
                        // While jobs cannot be kept, the next file would wait, too.
                        let clock = self.session.clock
                        for await _ in clock.every(.seconds(1), from: clock.now) {
                            if await self.take(name) { break }
                        }
                    }
                }
            } catch {
                self.session.logger.error("no drop folder", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Removes a file that it has submitted, and renames one that is refused. One whose job cannot
    /// be kept now stays, and the answer is no.
    private func take(_ name: String) async -> Bool {
        guard let listener else { return true }
        let file = "\(directory)/\(name)"
        do {
            _ = try await listener.submit(JobOrder(jobFile: try await read(file)))
        } catch JobError.notKept {
            return false
        } catch {
            session.logger.warning(
                "job file refused", metadata: ["file": "\(name)", "error": "\(error)"])
            // If it cannot be renamed either, it stays, and is refused again after a restart.
            try? FileManager.default.moveItem(atPath: file, toPath: file + ".refused")
            return true
        }
        do {
            try FileManager.default.removeItem(atPath: file)
        } catch {
            session.logger.error(
                "submitted job file stays, and is submitted again after a restart",
                metadata: ["file": "\(name)", "error": "\(error)"])
        }
        return true
    }

    @concurrent
    private nonisolated func files(of change: DirectoryChange) async throws -> [String] {
        let files = FileManager.default
        let names =
            change.isPartial ? try files.contentsOfDirectory(atPath: directory) : change.names
        // A name is reported when its file goes, too.
        return names.sorted()
            .filter { $0.hasSuffix(".job") && files.fileExists(atPath: "\(directory)/\($0)") }
    }

    @concurrent
    private nonisolated func read(_ file: String) async throws -> String {
        let facts = try FileManager.default.attributesOfItem(atPath: file)
        // A pipe would never end.
        guard facts[.type] as? FileAttributeType == .typeRegular,
            facts[.size] as? Int ?? .max <= Self.fileBytesMax
        else { throw JobError.order("a job file has at most \(Self.fileBytesMax) bytes") }
        return String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
    }
}

extension JobOrder {
    /// Reads lines `queue=night`, `after=3,4` and `in=/srv/www`, in any order; the first other line
    /// begins the command, which goes to the end.
    init(jobFile text: String) throws(JobError) {
        var rest = text[...]
        self.init(command: "")
        while let line = rest.prefixMatch(of: /(queue|after|in)=(.*)\n/) {
            switch line.1 {
            case "queue": queue = String(line.2)
            case "in": directory = String(line.2)
            default:
                for word in line.2.split(whereSeparator: { $0 == "," || $0 == " " }) {
                    guard let id = Int(word) else {
                        throw .order("after= takes numbers of jobs, such as 3,4")
                    }
                    after.append(id)
                }
            }
            rest = rest[line.range.upperBound...]
        }
        command = String(rest)
    }
}
