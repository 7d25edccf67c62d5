// StandardOutputTests: a slow reader gets everything in order, one that is gone ends it.

import Glibc
import NapkinTransport
import Testing

@testable import NapkinClient

@MainActor
@Suite struct StandardOutputTests {
    private let readEnd: Int32
    private let writeEnd: Int32

    init() {
        // A pipe with a name: pipe(2) cannot make both ends close-on-exec at once, and a process
        // that another test starts in between would keep them open.
        let path = "/tmp/napkin-pipe.\(UInt64.random(in: 0 ... .max))"
        #expect(mkfifo(path, 0o600) == 0)
        readEnd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        writeEnd = open(path, O_WRONLY | O_CLOEXEC)
        #expect(readEnd >= 0 && writeEnd >= 0)
        unlink(path)
    }

    /// What is in the pipe now; never waits.
    private func read() -> [UInt8] {
        var readiness = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        guard poll(&readiness, 1, 0) == 1 else { return [] }
        var buffer = [UInt8](repeating: 0, count: 1_000_000)
        let count = Glibc.read(readEnd, &buffer, buffer.count)
        return Array(buffer[..<max(0, count)])
    }

    @Test func `more than a pipe holds waits for the reader, and stays in order`() {
        let output = StandardOutput(StandardStream(descriptor: writeEnd))
        let text = PrintableText(lines: (0..<50_000).map(String.init))
        output.write(text)
        var received: [UInt8] = []
        for _ in 0..<1000 where received.count < text.bytes.count {
            output.flush()
            received += read()
        }
        #expect(received == text.bytes)
        close(readEnd)
        close(writeEnd)
    }

    @Test func `a reader that has gone is reported once`() {
        // What the loop does in the program.
        signal(SIGPIPE, SIG_IGN)
        var reasons: [String] = []
        // A process that another test is just starting may have the reader's end for a moment, so
        // that closing ours is not enough: a socket can be shut for all who have it.
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let output = StandardOutput(StandardStream(descriptor: ends[1])) {
            reasons.append($0.message)
        }
        shutdown(ends[0], Int32(SHUT_RD))
        output.write("one\n")
        output.flush()
        output.write("two\n")
        #expect(throws: ClientFailure(74, "standard output was closed")) { try output.finish() }
        #expect(reasons == ["standard output was closed"])
        for end in ends + [readEnd, writeEnd] { close(end) }
    }

    @Test func `a reader that takes nothing until the end is a failure, too`() {
        let output = StandardOutput(StandardStream(descriptor: writeEnd))
        output.write(PrintableText(lines: (0..<50_000).map(String.init)))
        #expect(throws: ClientFailure.self) { try output.finish() }
        for end in [readEnd, writeEnd] { close(end) }
    }

    @Test func `a reader that pauses gets everything before the end`() {
        let output = StandardOutput(StandardStream(descriptor: writeEnd))
        let text = PrintableText(lines: (0..<50_000).map(String.init))
        output.write(text)
        var isEmpty = false
        output.whenEmpty { isEmpty = true }
        for _ in 0..<3 {
            output.flush()
            #expect(!isEmpty)
        }
        var received: [UInt8] = []
        for _ in 0..<1000 where !isEmpty {
            received += read()
            output.flush()
        }
        received += read()
        #expect(isEmpty && received == text.bytes)
        for end in [readEnd, writeEnd] { close(end) }
    }

    @Test func `a disk that is full is no reader that has gone`() {
        var reasons: [String] = []
        let full = open("/dev/full", O_WRONLY)
        let output = StandardOutput(StandardStream(descriptor: full)) { reasons.append($0.message) }
        output.write("one\n")
        let reason = "standard output cannot be written: no space left on device"
        #expect(throws: ClientFailure(74, reason)) { try output.finish() }
        #expect(reasons == [reason])
        for end in [full, readEnd, writeEnd] { close(end) }
    }
}
