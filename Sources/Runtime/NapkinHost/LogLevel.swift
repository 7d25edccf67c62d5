// LogLevel: the lowest level that this process logs, which can be changed while it runs.
//
// Isolation  value; the level is one number for the process, which any thread reads.

package import Logging
import NapkinCoding
package import NapkinProtocol
import Synchronization

/// The level of all loggers without a separate level.
package enum LogLevel {
    private static let number = Atomic(index(of: .notice))

    package static var current: Logger.Level {
        get { Logger.Level.allCases[number.load(ordering: .relaxed)] }
        set { number.store(index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int {
        Logger.Level.allCases.firstIndex(of: level) ?? 0
    }

    /// Changes the level, and returns the former one.
    package static func change(to word: String) throws(Refusal) -> String {
        guard let level = Logger.Level(rawValue: word) else {
            throw Refusal(.badRequest, objection(to: word) ?? word)
        }
        defer { current = level }
        return current.rawValue
    }

    /// Returns the objection to a word that names no level; `nil` if it names one.
    package static func objection(to word: String) -> String? {
        guard Logger.Level(rawValue: word) == nil else { return nil }
        return "'\(word.shortened(to: 32))' is not a log level: use "
            + Logger.Level.allCases.dropLast().map(\.rawValue).joined(separator: ", ")
            + " or \(Logger.Level.allCases.last?.rawValue ?? "")"
    }
}

/// Writes log lines to a stream, at the process's level.
package struct ProcessLog: LogHandler {
    private var lines: StreamLogHandler
    /// The level that the logger's owner has set.
    private var own: Logger.Level?

    package init(label: String, stream: LogStream) {
        lines = StreamLogHandler(label: label, stream: stream)
    }

    package var logLevel: Logger.Level {
        get { own ?? LogLevel.current }
        set { own = newValue }
    }

    package var metadata: Logger.Metadata {
        get { lines.metadata }
        set { lines.metadata = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { lines[metadataKey: key] }
        set { lines[metadataKey: key] = newValue }
    }

    package func log(event: LogEvent) { lines.log(event: event) }
}
