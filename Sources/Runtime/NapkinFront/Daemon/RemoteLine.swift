// RemoteLine: one ssh process, and the stream through it to another host's napkind and workers.
//
// Ownership  owns the stream until `close()`, beside the channels that it has given. ssh ends when
//            the last of them is closed; the loop holds the line until then.
// Invariant  keeps at most `errorBytesMax` bytes of what ssh says, and writes none of it over a
//            screen.
// Spec       Protocol/SPEC.md, section 4 (Connection set-up)

import Glibc
import NapkinCoding
import NapkinProtocol
import NapkinTransport

/// A way to another host.
@MainActor
final class RemoteLine {
    /// How long ssh may take, and longer if somebody may have to type a password: as long as sshd
    /// waits for one by default. Chosen.
    private static let arrivalTime = Duration.seconds(30)
    private static let loginTime = Duration.seconds(120)
    /// How long ssh may take to end, and its last words to arrive after that. Chosen.
    private static let endTime = Duration.seconds(2)
    private static let wordsTime = Duration.milliseconds(200)
    /// How long what ssh says is kept back, as its last words will be in an error. Chosen.
    private static let noticeTime = Duration.milliseconds(300)
    /// Chosen: some screens of a banner.
    private static let errorBytesMax = 16 * 1024

    private let host: RemoteHost
    private let stream: Channel
    private let errors: Channel
    private let asks = RemoteHost.mayAsk()
    private var process: ChildProcess?
    private var status: ChildProcess.ExitStatus?
    /// What has come before the first frame, at most what is echoed.
    private var greeting: [UInt8] = []
    private var isAtEnd = false
    /// What ssh has said, and how much of it has been shown.
    private var words: [UInt8] = []
    private var shownBytes = 0
    private var areWordsComplete = false
    private var isLate = false
    private var waiter: CheckedContinuation<Void, Never>?
    private var notice: LoopTimer?

    /// Starts ssh, and returns when the relay at the other end has its connection to napkind.
    static func open(to host: RemoteHost) async throws(FrontError) -> RemoteLine {
        let line: RemoteLine
        do throws(TransportError) {
            line = try RemoteLine(host)
        } catch {
            throw FrontError(.spawnFailed, "cannot start ssh to \(host): \(error)")
        }
        await line.wait(line.asks ? loginTime : arrivalTime) {
            $0.isAtEnd || !LineRelay.greeting.starts(with: $0.greeting) || $0.hasArrived
        }
        line.notice?.cancel()
        guard line.hasArrived else { throw await line.notArrived() }
        line.stream.stopReading()
        line.show()
        (line.words, line.shownBytes) = ([], 0)
        return line
    }

    private init(_ host: RemoteHost) throws(TransportError) {
        self.host = host
        let (stream, far) = try Channel.pair()
        defer { Glibc.close(far) }
        let (errors, farErrors) = try Channel.pair()
        defer { Glibc.close(farErrors) }
        (self.stream, self.errors) = (stream, errors)
        let configuration = ChildProcess.Configuration(
            executable: "ssh", arguments: host.arguments(asks: asks),
            descriptors: [0: far, 1: far, 2: farErrors])
        do throws(TransportError) {
            process = try ChildProcess(configuration) { [self] in
                status = $0
                changed()
                // A shared master connection may keep them open.
                _ = LoopTimer(after: Self.wordsTime) { self.errors.close() }
            }
        } catch {
            stream.close()
            errors.close()
            throw error
        }
        for channel in [stream, errors] {
            channel.delegate = self
            channel.startReading()
        }
    }

    /// Returns a channel on the stream. The one before it must be closed first.
    func channel() throws(FrontError) -> Channel {
        do throws(TransportError) {
            return try stream.duplicate()
        } catch {
            throw FrontError(.disconnected, "the line to \(host) cannot be used: \(error)")
        }
    }

    /// Gives up the line, beside the channels that it has given.
    func close() { stream.close() }

    private var hasArrived: Bool { greeting == LineRelay.greeting }

    // MARK: - Failures

    private func notArrived() async -> FrontError {
        defer {
            close()
            process?.kill(SIGTERM)
        }
        let error: FrontError
        if !LineRelay.greeting.starts(with: greeting) {
            let text = PrintableText.escaped(String(decoding: greeting, as: UTF8.self))
            error = FrontError(
                .notNapkind,
                "the shell of \(host) writes '\(text)' to standard output before it runs a "
                    + "command: its start-up files must be silent without a terminal")
        } else if isLate {
            error = FrontError(.silent, "\(host) has not answered: check it with `ssh`")
        } else {
            error = FrontError(.noDaemon, "cannot reach \(host): ssh ended without a word")
        }
        return isAtEnd ? await failure(orElse: error) : error
    }

    /// Returns why the line has ended, in ssh's words if it has said any, otherwise `error`.
    func failure(orElse error: FrontError) async -> FrontError {
        await wait(Self.endTime) { $0.status != nil && $0.areWordsComplete }
        guard let status, status != .exited(0), let last = lines.last(where: { !$0.isEmpty }) else {
            return error
        }
        show(butLast: true)
        return ConnectFailure.remote(host.text, status, last.shortened(to: Limits.refusalBytesMax))
    }

    private var lines: [String] {
        words.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Passes on what ssh has said, such as a banner, or that a key wants to be touched.
    private func show(butLast: Bool = false) {
        var end = words.count
        if butLast { end = words.dropLast().lastIndex(of: 0x0A).map { $0 + 1 } ?? 0 }
        guard RemoteHost.mayAsk(), end > shownBytes else { return }
        let text = String(decoding: words[shownBytes..<end], as: UTF8.self)
        shownBytes = end
        // If standard error is closed, there is nobody to tell.
        try? StandardStream.error.write(PrintableText(text: text))
    }

    // MARK: - Waiting

    private func wait(_ time: Duration, until isOver: (RemoteLine) -> Bool) async {
        isLate = false
        let deadline = LoopTimer(deadline: time) { [self] in
            isLate = true
            changed()
        }
        defer { deadline.cancel() }
        while !isOver(self), !isLate {
            await withCheckedContinuation { waiter = $0 }
        }
    }

    private func changed() {
        let waiter = waiter.take()
        Loop.keepingResumesOnLoop { waiter?.resume() }
    }
}

extension RemoteLine: ChannelDelegate {
    func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer) {
        defer { changed() }
        guard channel === errors else {
            greeting += bytes.prefix(Limits.echoBytesMax - greeting.count)
            return
        }
        words += bytes
        let excess = max(0, words.count - Self.errorBytesMax)
        words.removeFirst(excess)
        shownBytes = max(0, shownBytes - excess)
        guard asks, !hasArrived, notice == nil else { return }
        notice = LoopTimer(after: Self.noticeTime, repeating: Self.noticeTime) { [weak self] in
            self?.show()
        }
    }

    func channelDidReachEnd(_ channel: Channel) {
        if channel === errors { channel.close() } else { isAtEnd = true }
        changed()
    }

    func channelDidDrain(_ channel: Channel) {}

    func channel(_ channel: Channel, didFailWith error: TransportError) {}

    func channelDidClose(_ channel: Channel) {
        if channel === errors { areWordsComplete = true } else { isAtEnd = true }
        changed()
    }
}
