// WatcherTests: timers, signals, descriptors and children, on an embedded loop.
//
// Isolation  @MainActor (main queue, loop embedded).

import Foundation
import NapkinTransport
import Testing

/// Runs where the loop is, like every interactor of the runtime.
private actor Interactor {
    nonisolated var unownedExecutor: UnownedSerialExecutor { MainActor.sharedUnownedExecutor }

    func confirmOnMain() -> Bool {
        // SAFETY: this actor runs on the main actor's executor.
        MainActor.assumeIsolated { Loop.shared.liveHandles >= 0 }
    }
}

extension TransportTests {
    @Test func `timers fire in the order in which they are due`() async {
        var order: [Int] = []
        let done = Event<Void>()
        for (name, milliseconds) in [(3, 30), (1, 5), (2, 15), (0, 0)] {
            _ = LoopTimer(after: .milliseconds(milliseconds)) {
                order.append(name)
                if order.count == 4 { done.happen(()) }
            }
        }
        await done.wait()
        #expect(order == [0, 1, 2, 3])
    }

    @Test func `a timer is never early`() async {
        let start = ContinuousClock.now
        let fired = Event<Void>()
        _ = LoopTimer(after: .microseconds(10_500)) { fired.happen(()) }
        await fired.wait()
        #expect(ContinuousClock.now - start >= .milliseconds(10))
    }

    @Test func `a repeating timer fires until it is cancelled`() async {
        var fires = 0
        let third = Event<Void>()
        var timer: LoopTimer?
        timer = LoopTimer(after: .milliseconds(1), repeating: .milliseconds(1)) {
            fires += 1
            guard fires == 3 else { return }
            timer?.cancel()
            third.happen(())
        }
        await third.wait()
        await handlesClosed()
        await handlesClosed()
        #expect(fires == 3)
    }

    @Test func `checks share their turns, whenever they began`() async {
        var turns: [UInt64: Set<Int>] = [:]
        let fifth = Event<Void>()
        var timers: [LoopTimer] = []
        for check in 0..<3 {
            // Each begins in a millisecond of its own.
            usleep(3000)
            timers.append(
                LoopTimer(every: .milliseconds(25)) {
                    turns[Loop.shared.now, default: []].insert(check)
                    if turns.count == 5 { fifth.happen(()) }
                })
        }
        await fifth.wait()
        for timer in timers { timer.cancel() }
        // The first may be due before another has begun, and the last has not ended.
        let whole = turns.sorted { $0.key < $1.key }.dropFirst().prefix(3)
        #expect(whole.allSatisfy { $0.value.count == 3 })
    }

    @Test func `a deadline waits for what has come while the process stood still`() async throws {
        let connection = try Connection()
        var order: [String] = []
        let passed = Event<Void>()
        connection.farRecorder.onRead = { order.append("read") }
        _ = LoopTimer(deadline: .milliseconds(20)) {
            order.append("deadline")
            passed.happen(())
        }
        connection.near.write("in time")
        // Blocks the loop for longer than the deadline, as a stopped process or a starved one.
        usleep(300_000)
        await passed.wait()
        #expect(order == ["read", "deadline"])
        await connection.close()
    }

    @Test func `a deadline comes when nothing else does, and to a loop that is always late`()
        async
    {
        let start = ContinuousClock.now
        let passed = Event<Void>()
        _ = LoopTimer(deadline: .milliseconds(20)) { passed.happen(()) }
        await passed.wait()
        // libuv's clock has whole milliseconds.
        #expect(ContinuousClock.now - start >= .milliseconds(19))
        let late = Event<Void>()
        let blocker = LoopTimer(after: .zero, repeating: .milliseconds(1)) { usleep(110_000) }
        _ = LoopTimer(deadline: .zero) { late.happen(()) }
        await late.wait()
        blocker.cancel()
    }

    @Test func `a cancelled timer does not fire`() async {
        var fired = false
        let timer = LoopTimer(after: .zero) { fired = true }
        timer.cancel()
        timer.cancel()
        await handlesClosed()
        #expect(!fired)
    }

    @Test func `an object scheduled several times is flushed once, also when embedded`() async {
        final class Output: Flushable {
            var isFlushScheduled = false
            var flushes = 0
            let flushed = Event<Void>()
            func flush() {
                flushes += 1
                flushed.happen(())
            }
        }
        let outputs = (0..<3).map { _ in Output() }
        for index in [0, 0, 1, 2, 1, 0] { Loop.shared.scheduleFlush(outputs[index]) }
        for output in outputs { await output.flushed.wait() }
        await handlesClosed()
        #expect(outputs.map(\.flushes) == [1, 1, 1])
    }

    @Test func `an interactor runs where libuv calls back`() async {
        #expect(await Interactor().confirmOnMain())
        #expect(!Loop.shared.isInstalled)
    }

    @Test func `a signal is delivered to its watcher`() async throws {
        let delivered = Event<Void>()
        let watcher = try SignalWatcher(SIGUSR1) { delivered.happen(()) }
        kill(getpid(), SIGUSR1)
        await delivered.wait()
        watcher.cancel()
        #expect { try SignalWatcher(SIGKILL) {} } throws: { hasCode($0, "EINVAL") }
        await handlesClosed()
    }

    @Test func `a pipe, a file and a null device all become readable`() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let file = open("/proc/self/exe", O_RDONLY)
        defer { close(file) }
        let mode = fcntl(ends[0], F_GETFL)
        let silent = Event<Void>()
        let watcher = try DescriptorWatcher(ends[0]) { silent.happen(()) }
        #expect(fcntl(ends[0], F_GETFL) == mode)
        #expect { try DescriptorWatcher(ends[0]) {} } throws: { hasCode($0, "EEXIST") }
        try #require(write(ends[1], "x", 1) == 1)
        await silent.wait()
        watcher.cancel()
        let readable = Event<Void>()
        let fileWatcher = try DescriptorWatcher(file) { readable.happen(()) }
        await readable.wait()
        fileWatcher.cancel()
        fileWatcher.cancel()
        #expect { try DescriptorWatcher(9999) {} } throws: { hasCode($0, "EBADF") }
        await handlesClosed()
    }

    @Test func `a child's exit code and signal are reported`() async throws {
        #expect(await exitStatus("exit 42") == .exited(42))
        #expect(await exitStatus("kill -9 $$") == .signalled(SIGKILL))
        #expect { try ChildProcess(.init(executable: "/nonexistent/x")) { _ in } } throws: {
            hasCode($0, "ENOENT")
        }
        let bad = ChildProcess.Configuration(executable: "/bin/true", descriptors: [3: 9999])
        #expect { try ChildProcess(bad) { _ in } } throws: { hasCode($0, "EBADF") }
        await handlesClosed()
    }

    private func exitStatus(_ script: String) async -> ChildProcess.ExitStatus? {
        let ended = Event<ChildProcess.ExitStatus?>()
        do {
            _ = try ChildProcess(.init(executable: "/bin/sh", arguments: ["-c", script])) {
                ended.happen($0)
            }
        } catch {
            Issue.record(error)
            ended.happen(nil)
        }
        return await ended.wait()
    }

    @Test func `a child gets the descriptors, arguments and environment it was given`()
        async throws
    {
        let (channel, descriptor) = try Channel.pair()
        let recorder = Recorder(channel)
        channel.startReading()
        let ended = Event<ChildProcess.ExitStatus>()
        // The socket is there as 7, and not as what it is here (unless that is 7, too). Another
        // test's descriptor may well have that number.
        let script = """
            cat <&7 >&7
            own=$(readlink /proc/self/fd/7); old=$(readlink /proc/self/fd/$1)
            if test $1 = 7 || test "$own" != "$old"; then echo $COLOUR >&7; fi
            exit 0
            """
        _ = try ChildProcess(
            .init(
                executable: "/bin/sh",
                arguments: ["-c", script, "sh", "\(descriptor)"],
                environment: ["COLOUR": "green", "PATH": "/usr/bin:/bin"],
                descriptors: [7: descriptor], detached: true)
        ) { ended.happen($0) }
        close(descriptor)
        channel.write("echoed ")
        channel.shutdownOutput()
        await recorder.ended.wait()
        #expect(String(decoding: recorder.bytes, as: UTF8.self) == "echoed green\n")
        #expect(await ended.wait() == .exited(0))
        channel.close()
        await recorder.closed.wait()
    }

    @Test func `the death of a peer process is seen as the end of its channel`() async throws {
        let (channel, descriptor) = try Channel.pair()
        let recorder = Recorder(channel)
        channel.startReading()
        let ended = Event<ChildProcess.ExitStatus>()
        let child = try ChildProcess(
            .init(
                executable: "/bin/sh", arguments: ["-c", "echo up >&3; exec sleep 3600"],
                descriptors: [3: descriptor])
        ) { ended.happen($0) }
        close(descriptor)
        _ = await recorder.receive(3)
        child.kill(SIGKILL)
        await recorder.ended.wait()
        #expect(await ended.wait() == .signalled(SIGKILL))
        child.kill(SIGKILL)
        channel.close()
        await recorder.closed.wait()
    }
}
