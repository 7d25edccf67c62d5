// AcceptorTests: listening, connecting, and what connecting says when nobody is there.
//
// Isolation  @MainActor (main queue, loop embedded).

import Foundation
import NapkinTransport
import TestSupport
import Testing

extension TransportTests {
    @Test func `a connection is accepted and carries bytes both ways`() async throws {
        let directory = TemporaryDirectory()
        let acceptor = try Acceptor(bindingTo: directory("a.sock"))
        let accepted = Event<Channel>()
        acceptor.start { accepted.happen($0) }
        let client = try await Channel.connect(to: directory("a.sock"))
        let server = await accepted.wait()
        let clientRecorder = Recorder(client)
        let serverRecorder = Recorder(server)
        #expect(server.peer?.processID == getpid())
        server.startReading()
        client.startReading()
        client.write("ping")
        #expect(await serverRecorder.receive(4) == Array("ping".utf8))
        server.write("pong")
        #expect(await clientRecorder.receive(4) == Array("pong".utf8))
        server.close()
        await clientRecorder.ended.wait()
        client.close()
        acceptor.close()
        await clientRecorder.closed.wait()
        #expect(FileManager.default.fileExists(atPath: directory("a.sock")))
    }

    @Test func `who waits for a socket connects once it is there`() async throws {
        let directory = TemporaryDirectory()
        let client = Task.immediate {
            try await Channel.connect(to: directory("w.sock"), waitingForSocket: true)
        }
        // By now nobody was there.
        let acceptor = try Acceptor(bindingTo: directory("w.sock"))
        let accepted = Event<Channel>()
        acceptor.start { accepted.happen($0) }
        let channel = try await client.value
        await accepted.wait().close()
        channel.close()
        acceptor.close()
        await handlesClosed()
    }

    @Test func `a socket file can be used by its owner alone`() async throws {
        let directory = TemporaryDirectory()
        let acceptor = try Acceptor(bindingTo: directory("m.sock"))
        var status = stat()
        #expect(stat(directory("m.sock"), &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        acceptor.close()
        await handlesClosed()
    }

    @Test func `connections made to a held socket wait for the acceptor that adopts it`()
        async throws
    {
        let directory = TemporaryDirectory()
        let held = try Acceptor.listeningDescriptor(at: directory("h.sock"))
        let client = try await Channel.connect(to: directory("h.sock"))
        let recorder = Recorder(client)
        client.startReading()
        client.write("early")
        let acceptor = try Acceptor(adopting: held)
        let accepted = Event<Channel>()
        acceptor.start { accepted.happen($0) }
        let server = await accepted.wait()
        let serverRecorder = Recorder(server)
        server.startReading()
        #expect(await serverRecorder.receive(5) == Array("early".utf8))
        server.close()
        acceptor.close()
        await recorder.ended.wait()
        client.close()
        await recorder.closed.wait()
    }

    @Test func `a full backlog is waited for`() async throws {
        let directory = TemporaryDirectory()
        let held = try Acceptor.listeningDescriptor(at: directory("f.sock"), backlog: 0)
        let first = try await Channel.connect(to: directory("f.sock"))
        let second = Task { try await Channel.connect(to: directory("f.sock")) }
        await handlesClosed()
        let acceptor = try Acceptor(adopting: held)
        var accepted: [Channel] = []
        let both = Event<Void>()
        acceptor.start {
            accepted.append($0)
            if accepted.count == 2 { both.happen(()) }
        }
        try await second.value.close()
        await both.wait()
        first.close()
        for channel in accepted { channel.close() }
        acceptor.close()
        await handlesClosed()
    }

    @Test func `connecting says what is wrong and with what`() async throws {
        let directory = TemporaryDirectory()
        let absent = await connectError(directory("absent.sock"))
        #expect(absent?.code == "ENOENT")
        #expect(absent?.subject == directory("absent.sock"))
        close(try Acceptor.listeningDescriptor(at: directory("stale.sock")))
        #expect(await connectError(directory("stale.sock"))?.code == "ECONNREFUSED")
        let long = directory(String(repeating: "x", count: 120))
        #expect(await connectError(long)?.code == "ENAMETOOLONG")
    }

    private func connectError(_ path: String) async -> TransportError? {
        do {
            try await Channel.connect(to: path).close()
            return nil
        } catch {
            return error
        }
    }

    @Test func `binding to a path that is taken names the remedy`() throws {
        let directory = TemporaryDirectory()
        close(try Acceptor.listeningDescriptor(at: directory("t.sock")))
        #expect { try Acceptor(bindingTo: directory("t.sock")) } throws: {
            hasCode($0, "EADDRINUSE")
        }
    }

    @Test func `only a listening socket can be adopted by an acceptor`() async throws {
        let (channel, descriptor) = try Channel.pair()
        #expect { try Acceptor(adopting: descriptor) } throws: { hasCode($0, "EINVAL") }
        close(descriptor)
        channel.close()
        await handlesClosed()
    }

    @Test func `an acceptor needs a descriptor in reserve, and connections wait for one`() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let directory = TemporaryDirectory()
            let held = try Acceptor.listeningDescriptor(at: directory("r.sock"))
            let client = try await Channel.connect(to: directory("r.sock"))
            let limit = limitDescriptors(to: 3)
            #expect { try Acceptor(adopting: held) } throws: { hasCode($0, "EMFILE") }
            limitDescriptors(to: limit)
            let acceptor = try Acceptor(adopting: held)
            limitDescriptors(to: 3)
            let failed = Event<TransportError>()
            let accepted = Event<Channel>()
            acceptor.start(onFailure: failed.happen) { accepted.happen($0) }
            #expect(await failed.wait().code == "EMFILE")
            limitDescriptors(to: limit)
            await accepted.wait().close()
            client.close()
            acceptor.close()
        }
    }
}

/// Sets this process' limit; new descriptors are below it. Returns the former limit.
@discardableResult
private func limitDescriptors(to count: rlim_t) -> rlim_t {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(resource, &limit)
    defer {
        limit.rlim_cur = count
        setrlimit(resource, &limit)
    }
    return limit.rlim_cur
}
