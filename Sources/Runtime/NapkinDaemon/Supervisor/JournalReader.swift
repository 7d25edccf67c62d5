// JournalReader: reads a dead worker's output from systemd's journal.
//
// Ownership  the loop retains it, by its deadline and its process, until it has reported.
// Source     journalctl(1)

import Glibc
import NapkinTransport

/// Reads the newest lines of one process, which may reach the journal only after its death.
@MainActor
final class JournalReader {
    /// How long to wait for last words, since there may be none. Chosen: the journal has them
    /// within some 10 ms.
    private static let patience = Duration.seconds(1)
    /// The number of lines read. Chosen: the words come last.
    private static let linesMax = 200

    private let channel: Channel
    private let words: ([Substring], _ isOver: Bool) -> String?
    private let onEnd: (String?) -> Void
    private var process: ChildProcess?
    private var deadline: LoopTimer?
    private var bytes: [UInt8] = []

    /// Calls `onEnd` once, at the latest after a second, with the result of `words` for the lines
    /// read so far, the last of which may be cut off. Without journalctl, there are no lines.
    static func read(
        _ pid: Int32, for words: @escaping ([Substring], _ isOver: Bool) -> String?,
        onEnd: @escaping (String?) -> Void
    ) {
        do throws(TransportError) {
            try Channel.paired { (channel, far) throws(TransportError) in
                try JournalReader(channel, words, onEnd).start(pid, far)
            }
        } catch {
            onEnd(nil)
        }
    }

    private init(
        _ channel: Channel, _ words: @escaping ([Substring], Bool) -> String?,
        _ onEnd: @escaping (String?) -> Void
    ) {
        (self.channel, self.words, self.onEnd) = (channel, words, onEnd)
    }

    private func start(_ pid: Int32, _ output: Int32) throws(TransportError) {
        let configuration = ChildProcess.Configuration(
            executable: "journalctl",
            arguments: [
                "--quiet", "--no-pager", "--boot", "--output=cat", "--lines=\(Self.linesMax)",
                "--follow", "_PID=\(pid)", "_UID=\(getuid())",
            ], descriptors: [STDOUT_FILENO: output], inheritsStandardError: false)
        process = try ChildProcess(configuration) { _ in self.finish() }
        deadline = LoopTimer(deadline: Self.patience) { self.finish() }
        channel.delegate = self
        channel.startReading()
    }

    private var lines: [Substring] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    private func finish() {
        guard let process = process.take() else { return }
        process.kill(SIGTERM)
        deadline?.cancel()
        deadline = nil
        channel.close()
        onEnd(words(lines, true))
    }
}

extension JournalReader: ChannelDelegate {
    func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer) {
        self.bytes += bytes
        if words(lines, false) != nil { finish() }
    }

    func channelDidReachEnd(_ channel: Channel) {}
    func channelDidDrain(_ channel: Channel) {}
    func channel(_ channel: Channel, didFailWith error: TransportError) {}
    func channelDidClose(_ channel: Channel) {}
}
