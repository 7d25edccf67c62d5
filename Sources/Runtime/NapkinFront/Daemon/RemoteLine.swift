// RemoteLine: one ssh process, and the stream through it to another host's napkind and workers.
//
// Ownership  owns the stream until `close()`, shared with the channels that it returned. ssh ends
//            when the last of them closes; the loop holds the line until then.
// Invariant  keeps at most `errorBytesMax` bytes of ssh's standard error, and never writes over a
//            screen. No part of a host's name can become an option of ssh, or more than one word of
//            a shell.
// Spec       Protocol/SPEC.md, section 4 (Connection set-up); ssh(1), ssh_config(5)

import Glibc
import NapkinCoding
import NapkinProtocol
import NapkinTransport

@MainActor
final class RemoteLine {
    /// How long ssh may take. Chosen: a slow network needs seconds. If somebody may have to type a
    /// password, the limit is sshd's default login time.
    private static let arrivalTime = Duration.seconds(30)
    private static let loginTime = Duration.seconds(120)
    /// How long ssh may take to end, and then its last words to arrive. Chosen: a pipe is fast.
    private static let endTime = Duration.seconds(2)
    private static let wordsTime = Duration.milliseconds(200)
    /// How long ssh's output is held back, in case an error will quote it. Chosen: hardly a wait.
    private static let noticeTime = Duration.milliseconds(300)
    /// Bytes of ssh's standard error. Chosen: some screens of a banner.
    private static let errorBytesMax = 16 * 1024

    private let host: RemoteHost
    private let stream: Channel
    private let errors: Channel
    private let asks = RemoteHost.mayAsk()
    private var process: ChildProcess?
    private var status: ChildProcess.ExitStatus?
    /// The bytes before the first frame, at most as many as are echoed.
    private var greeting: [UInt8] = []
    private var isAtEnd = false
    /// ssh's standard error, and the number of bytes that have been shown.
    private var words: [UInt8] = []
    private var shownBytes = 0
    private var areWordsComplete = false
    private var isLate = false
    private var waiter: CheckedContinuation<Void, Never>?
    private var notice: LoopTimer?

    /// Starts ssh, and returns when the relay at the other end is connected to napkind.
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
                // A shared master connection may keep the descriptors open.
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

    /// Returns a channel on the stream. The previous channel must be closed first.
    func channel() throws(FrontError) -> Channel {
        do throws(TransportError) {
            return try stream.duplicate()
        } catch {
            throw FrontError(.disconnected, "the line to \(host) cannot be used: \(error)")
        }
    }

    /// Closes the line; channels that it returned stay open.
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

    /// Returns the reason for the line's end, in ssh's words if there are any, otherwise `error`.
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

    /// Prints ssh's messages, such as a banner or a request to touch a security key.
    private func show(butLast: Bool = false) {
        var end = words.count
        if butLast { end = words.dropLast().lastIndex(of: 0x0A).map { $0 + 1 } ?? 0 }
        guard RemoteHost.mayAsk(), end > shownBytes else { return }
        let text = String(decoding: words[shownBytes..<end], as: UTF8.self)
        shownBytes = end
        // With standard error closed there is nobody to tell.
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
        while !isOver(self), !isLate { await withCheckedContinuation { waiter = $0 } }
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

/// A host that ssh reaches, and the command to run there.
package struct RemoteHost: Sendable, CustomStringConvertible {
    /// Bytes of a URL. Chosen: a host's name has at most 253, and a user's 32.
    package static let bytesMax = 512

    /// Whether ssh may prompt the user and write to standard error now; false while a screen is up.
    @MainActor package static var mayAsk: () -> Bool = { true }

    /// The URL: `ssh://[user@]host[:port]`.
    package let text: String
    /// Whether it is one of a cluster's machines: if it does not answer soon, another may be asked.
    var isMachine = false
    private let port: Substring?
    /// `[user@]host`, for ssh's configuration to interpret.
    private let destination: String
    /// The remote command, quoted for a shell.
    private let command: String

    package var description: String { text }

    /// Returns `nil` if the text is no such URL. Names consist of ASCII letters, digits and `.`,
    /// `_`, `-` or, for users, `+`, and do not begin with a `-`: ssh substitutes them into commands
    /// of the user's configuration (`ProxyCommand`), which a shell runs.
    package init?(_ text: String, command: [String]) {
        let pattern =
            #/
            ssh:// ([A-Za-z0-9_.+][A-Za-z0-9_.+-]*@)?
            (?: ([A-Za-z0-9_.][A-Za-z0-9_.-]*) | \[([0-9A-Fa-f:.]+)\] ) (?: :([0-9]{1,5}) )?
            /#
        guard text.utf8.count <= Self.bytesMax,
            let match = text.wholeMatch(of: pattern), let host = match.2 ?? match.3,
            match.4.map({ UInt16($0) ?? 0 > 0 }) ?? true
        else { return nil }
        self.text = text
        port = match.4
        destination = String((match.1 ?? "") + host)
        self.command = command.map(Self.quoted).joined(separator: " ")
    }

    /// Returns ssh's arguments. Forwardings from the user's configuration are off, as with scp. ssh
    /// ends a line that has been dead for 15 s, which nothing else would notice.
    ///
    /// - Parameter asks: whether ssh may prompt the user, for example for a password.
    package func arguments(asks: Bool) -> [String] {
        var arguments = ["-T", "-x", "-oClearAllForwardings=yes", "-oRemoteCommand=none"]
        arguments +=
            isMachine
            ? ["-oConnectTimeout=5", "-oServerAliveInterval=2", "-oServerAliveCountMax=2"]
            : ["-oServerAliveInterval=5", "-oServerAliveCountMax=3"]
        if !asks { arguments.append("-oBatchMode=yes") }
        if let port { arguments += ["-p", String(port)] }
        return arguments + ["--", destination, command]
    }

    /// Returns the word in apostrophes, unless a shell takes it as it is.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.wholeMatch(of: #/[A-Za-z0-9/._+,:@%-]+/#) != nil
        return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}
