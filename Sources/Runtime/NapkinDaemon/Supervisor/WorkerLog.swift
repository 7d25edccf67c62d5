// WorkerLog: where an app's workers print, and what napkind notes there of their lives.
//
// Ownership  owned by the app's supervisor; keeps no descriptor: the worker does.

import Glibc
import Logging
import NapkinCoding
import NapkinHost
import NapkinProtocol
import NapkinTransport

/// The log of one app.
@MainActor
final class WorkerLog {
    /// Bytes at the end of the log in which a dead worker's last words are looked for. Chosen: a
    /// backtrace is shorter.
    private static let endBytesMax = 64 * 1024
    /// Bytes of last words. Chosen: they fit into a refusal, with what else it says.
    private static let wordsBytesMax = 512
    /// What the Swift runtime says before it ends a process. Source: AssertCommon.swift
    private static let lastWords = ["Fatal error", "Precondition failed", "Assertion failed"]
    private static let start: StaticString = "worker starts"
    private static let end: StaticString = "worker died"

    private let file: LogFile
    private let logger: Logger
    /// The last complaint, which is logged again only when it changes.
    private var complaint = ""

    init(of app: String, in stateDirectory: String, _ logger: Logger) {
        file = LogFile(of: app, in: stateDirectory)
        self.logger = logger
    }

    /// The path of the newest file; `nil` if workers print where we do.
    var path: String? { JournalStream.isOurs || !complaint.isEmpty ? nil : file.path }

    /// Keeps the log small as long as the result lives; `nil` if there is no file.
    func watch() -> LogWatch? { path == nil ? nil : LogWatch(file) }

    /// Returns a descriptor for a worker's output, which the caller closes: our standard error if
    /// that is the journal, or if there can be no file.
    func open() -> Int32 { openFile() ?? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }

    private func openFile() -> Int32? {
        if JournalStream.isOurs { return nil }
        do throws(StartError) {
            var descriptor = try file.open()
            // A worker that dies at its start has no time for it.
            if file.rotateIfLarge(descriptor) {
                close(descriptor)
                descriptor = try file.open()
            }
            complaint = ""
            return descriptor
        } catch {
            if error.message != complaint {
                complaint = error.message
                logger.warning(
                    "the worker's output goes here", metadata: ["reason": "\(complaint)"])
            }
            return nil
        }
    }

    /// A worker is about to be started, and has printed nothing yet.
    func workerStarts(_ worker: WorkerID) { note(Self.start, name(worker)) }

    /// The next one runs a new program beside what runs, and no session.
    func programTried() { note("the new program is tried") }

    /// The worker has ended, as it was told.
    func workerEnded(_ pid: Int32) { note("worker ended", ["worker.pid": "\(pid)"]) }

    /// The worker has died, or did not start.
    func workerDied(_ worker: WorkerID, _ cause: String) {
        note(Self.end, ["cause": "\(cause)"].merging(name(worker)) { $1 })
    }

    /// What tells it from other workers of its app.
    private func name(_ worker: WorkerID) -> Logger.Metadata {
        worker.number == 0 ? [:] : ["worker": "\(worker)"]
    }

    /// A front was refused.
    func limitReached(_ reason: String) { note("limit reached", ["reason": "\(reason)"]) }

    /// Writes a line with the time between those of the workers.
    private func note(_ message: StaticString, _ metadata: Logger.Metadata = [:]) {
        guard let descriptor = openFile() else { return }
        defer { close(descriptor) }
        let stream = LogStream(stream: StandardStream(descriptor: descriptor))
        var log = Logger(label: Daemon.name) { label in
            ProcessLog(label: label, stream: stream)
        }
        // Whatever napkind's own level is.
        log.logLevel = .notice
        log.notice("\(message)", metadata: metadata)
    }

    /// Returns the message of the Swift runtime with which a worker's newest process has ended.
    ///
    /// - Parameter orLine: whether, without one, its last line counts that is no log's.
    func lastWords(of worker: WorkerID, orLine: Bool) -> String? {
        guard !JournalStream.isOurs else { return nil }
        return Self.lastWords(
            in: file.end(bytesMax: Self.endBytesMax), of: worker, orLine: orLine)
    }

    static func lastWords(
        in lines: [Substring], of worker: WorkerID, orLine: Bool
    ) -> String? {
        let name = " worker=\(worker) "
        var last: String?
        var others: [Substring] = []
        for line in lines.reversed() {
            if line.hasSuffix("] \(end)") {
                others.append(line)
            } else if Self.lastWords.contains(where: line.contains) {
                let words = String(line).shortened(to: wordsBytesMax)
                // Where its death is told already, it was another worker's.
                if !others.contains(where: { $0.contains(words) }) { return words }
            } else if line.hasSuffix("] \(start)") {
                if worker.number == 0 ? !line.contains(" worker=") : line.contains(name) { break }
            } else if last == nil, line.first?.isNumber == false {
                // A log's line begins with its time.
                last = String(line).shortened(to: wordsBytesMax)
            }
        }
        return orLine ? last : nil
    }
}
