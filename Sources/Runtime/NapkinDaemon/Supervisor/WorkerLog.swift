// WorkerLog: the log that an app's workers print to, with napkind's notes about their lives.
//
// Ownership  owned by the app's supervisor; the worker holds the descriptor, not this.

import Glibc
import Logging
import NapkinCoding
import NapkinHost
import NapkinProtocol
import NapkinTransport

@MainActor
final class WorkerLog {
    /// Bytes at the end of the log that are searched for a dead worker's last words. Chosen: a
    /// backtrace is shorter.
    private static let endBytesMax = 64 * 1024
    /// Bytes of last words. Chosen: they fit into a refusal, beside its other text.
    private static let wordsBytesMax = 512
    /// The Swift runtime's messages before it ends a process. Source: AssertCommon.swift
    private static let lastWords = ["Fatal error", "Precondition failed", "Assertion failed"]
    private static let start: StaticString = "worker starts"
    private static let end: StaticString = "worker died"
    private static let childEnd: StaticString = "child died"

    private let file: LogFile
    private let logger: Logger
    /// The last complaint, which is logged again only when it changes.
    private var complaint = ""

    init(of app: String, in stateDirectory: String, _ logger: Logger) {
        file = LogFile(of: app, in: stateDirectory)
        self.logger = logger
    }

    /// The path of the newest file; `nil` if workers share our standard error.
    var path: String? { JournalStream.isOurs || !complaint.isEmpty ? nil : file.path }

    /// Keeps the log small for as long as the result lives; `nil` if there is no file.
    func watch() -> LogWatch? { path == nil ? nil : LogWatch(file) }

    /// Returns a descriptor for a worker's output, which the caller closes: the log file, or our
    /// standard error if that is the journal, or if there can be no file.
    func open() -> Int32 { openFile() ?? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) }

    private func openFile() -> Int32? {
        if JournalStream.isOurs { return nil }
        do throws(StartError) {
            var descriptor = try file.open()
            // A worker that dies at its start has no time to rotate the log.
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

    func workerStarts(_ worker: WorkerID) { note(Self.start, name(worker)) }

    /// Notes that the next worker tries a new program, and opens no session.
    func programTried() { note("the new program is tried") }

    func workerEnded(_ pid: Int32) { note("worker ended", ["worker.pid": "\(pid)"]) }

    /// Notes that the worker has died, or did not start.
    func workerDied(_ worker: WorkerID, _ cause: String) {
        note(Self.end, ["cause": "\(cause)"].merging(name(worker)) { $1 })
    }

    /// Notes that the process of one of the worker's children has died.
    func childDied(_ worker: WorkerID, _ cause: String) {
        note(Self.childEnd, ["cause": "\(cause)"].merging(name(worker)) { $1 })
    }

    /// Returns metadata that distinguishes the worker from others of its app.
    private func name(_ worker: WorkerID) -> Logger.Metadata {
        worker.number == 0 ? [:] : ["worker": "\(worker)"]
    }

    /// Notes that a limit was reached and a front was refused.
    func limitReached(_ reason: String) { note("limit reached", ["reason": "\(reason)"]) }

    /// Writes a line with the time among the workers' lines.
    private func note(_ message: StaticString, _ metadata: Logger.Metadata = [:]) {
        guard let descriptor = openFile() else { return }
        defer { close(descriptor) }
        let stream = LogStream(stream: StandardStream(descriptor: descriptor))
        var log = Logger(label: Daemon.name) { label in
            ProcessLog(label: label, stream: stream)
        }
        // Independent of napkind's own level.
        log.logLevel = .notice
        log.notice("\(message)", metadata: metadata)
    }

    /// Finds the words with which a worker's newest process has ended: at once in the log, or soon
    /// in systemd's journal.
    func findLastWords(
        _ kind: WorkerDeath.LastWords, of worker: WorkerID, pid: Int32?,
        _ found: @escaping (String) -> Void
    ) {
        guard kind != .none else { return }
        guard JournalStream.isOurs else {
            let lines = file.end(bytesMax: Self.endBytesMax)
            if let words = Self.lastWords(in: lines, of: worker, orLine: kind == .line) {
                found(words)
            }
            return
        }
        guard let pid else { return }
        JournalReader.read(pid) { lines, isOver in
            Self.lastWords(in: lines, of: worker, orLine: kind == .line && isOver)
        } onEnd: { words in
            if let words { found(words) }
        }
    }

    /// Returns the Swift runtime's message among a log's lines.
    ///
    /// - Parameter orLine: whether to fall back to the last line that is no log line.
    static func lastWords(
        in lines: [Substring], of worker: WorkerID, orLine: Bool
    ) -> String? {
        let name = " worker=\(worker) "
        var last: String?
        var others: [Substring] = []
        for line in lines.reversed() {
            if line.hasSuffix("] \(end)") || line.hasSuffix("] \(childEnd)") {
                others.append(line)
            } else if Self.lastWords.contains(where: line.contains) {
                let words = String(line).shortened(to: wordsBytesMax)
                // If its death has been noted already, the words were another worker's.
                if !others.contains(where: { $0.contains(words) }) { return words }
            } else if line.hasSuffix("] \(start)") {
                if worker.number == 0 ? !line.contains(" worker=") : line.contains(name) { break }
            } else if last == nil, line.first?.isNumber == false {
                // Log lines begin with their time.
                last = String(line).shortened(to: wordsBytesMax)
            }
        }
        return orLine ? last : nil
    }
}
