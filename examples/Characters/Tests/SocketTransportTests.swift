// SocketTransportTests: the real transport, against sockets that answer, hang up and say nothing.

import Foundation
import NapkinTesting
import Testing

@testable import CharactersNetworking

/// A listening socket of this machine; each connection is told `answer` and closed.
private final class Listener: Sendable {
    private let descriptor: Int32
    let port: UInt16

    /// - Parameter answer: `nil` takes no connection: they wait.
    init(_ answer: String?) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                    ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard descriptor >= 0, status == 0 else { throw CocoaError(.fileReadUnknown) }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        guard let answer else { return }
        Thread.detachNewThread {
            while true {
                let peer = accept(descriptor, nil, nil)
                guard peer >= 0 else { return }
                // Closed before the question was read, it would be reset.
                var question = [UInt8](repeating: 0, count: 65536)
                _ = recv(peer, &question, question.count, 0)
                let bytes = Array(answer.utf8)
                _ = send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                close(peer)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct SocketTransportTests {
    private func outcome(
        of request: HTTPRequest = .get("/"), at port: UInt16
    ) async throws -> Result<HTTPResponse, LoadError> {
        let transport = SocketTransport(to: try ServerAddress("127.0.0.1:\(port)"))
        do throws(LoadError) {
            return .success(try await transport.send(request))
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: [
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nash",
            HTTPResponse(status: 200, body: [97, 115, 104])
        ),
        ("HTTP/1.1 404 Not Found\r\n\r\n", HTTPResponse(status: 404, body: [])),
    ])
    func `an answer comes as it was sent`(answer: String, response: HTTPResponse) async throws {
        let listener = try Listener(answer)
        #expect(try await outcome(at: listener.port) == .success(response))
    }

    @Test(arguments: [
        ("smoke", "it ends in the middle"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nash", "middle"),
        ("no\r\n\r\n", "status line"),
    ])
    func `an answer that is none is bad data`(answer: String, words: String) async throws {
        let listener = try Listener(answer)
        guard case .failure(.badData(let reason)) = try await outcome(at: listener.port) else {
            Issue.record("not refused: \(answer)")
            return
        }
        #expect(reason.contains(words), "\(reason)")
    }

    @Test func `who hangs up without a word, and who is not there, is offline`() async throws {
        let listener = try Listener("")
        let address = "127.0.0.1:\(listener.port)"
        #expect(try await outcome(at: listener.port) == .failure(.offline(address)))
        #expect(try await outcome(at: 1) == .failure(.offline("127.0.0.1:1")))
    }

    @Test func `a request that is larger than a socket's buffer is sent whole`() async throws {
        let listener = try Listener("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let body = [UInt8](repeating: 32, count: 60_000)
        let outcome = try await outcome(of: .post("/", body), at: listener.port)
        #expect(outcome == .success(HTTPResponse(status: 200, body: [])))
    }

    @Test func `one that is cancelled ends at once, and leaves no descriptor behind`() async throws
    {
        let listener = try Listener(nil)
        let transport = SocketTransport(to: try ServerAddress("127.0.0.1:\(listener.port)"))
        let clock = ManualClock()
        for _ in 1...50 {
            async let outcome = clock.within(.seconds(3)) {
                do throws(LoadError) {
                    return .success(try await transport.send(.get("/")))
                } catch {
                    return .failure(error)
                }
            }
            await clock.pass(.seconds(3))
            #expect(await outcome == .failure(.timeout(.seconds(3))))
        }
        #expect(try connections(to: listener.port) == 0)
    }

    /// How many sockets of this process have that port at their other end.
    private func connections(to port: UInt16) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
            guard let descriptor = Int32(name) else { return false }
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(descriptor, $0, &length)
                }
            }
            return status == 0 && address.sin_family == sa_family_t(AF_INET)
                && UInt16(bigEndian: address.sin_port) == port
        }
    }
}
