// ServerTransportTests: the real transport, against sockets that answer, hang up and say nothing.

import Foundation
import NapkinTesting
import Testing

@testable import CharactersNetworking

/// A listening socket of this machine; each connection is told `answer` and closed.
private final class Listener: Sendable {
    private let descriptor: Int32
    let port: UInt16
    /// A line for each connection that the other end has closed.
    let journal = Journal()

    /// - Parameter answer: `nil` takes connections and says nothing.
    init(_ answer: String?) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    ? getsockname(descriptor, $0, &length) : -1
            }
        }
        guard descriptor >= 0, status == 0 else { throw CocoaError(.fileReadUnknown) }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [journal] in
            while true {
                let peer = accept(descriptor, nil, nil)
                guard peer >= 0 else { return }
                // Closed before the question was read, it would be reset.
                var question = [UInt8](repeating: 0, count: 65536)
                _ = recv(peer, &question, question.count, 0)
                if let answer {
                    let bytes = Array(answer.utf8)
                    _ = send(peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                } else {
                    while recv(peer, &question, question.count, 0) > 0 {}
                    journal.note("gone")
                }
                close(peer)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct ServerTransportTests {
    private static let head = "HTTP/1.1 200 OK\r\n"

    private func outcome(
        of request: HTTPRequest = .get("/"), at port: UInt16
    ) async throws -> Result<HTTPResponse, LoadError> {
        let transport = ServerTransport(to: try ServerAddress("127.0.0.1:\(port)"))
        return await Result { () async throws(LoadError) in try await transport.send(request) }
    }

    @Test(arguments: [
        ("\(head)Content-Length: 3\r\n\r\nash", 200, "ash"),
        ("\(head)\r\nash", 200, "ash"),
        ("\(head)Transfer-Encoding: chunked\r\n\r\n3\r\nash\r\n0\r\n\r\n", 200, "ash"),
        ("HTTP/1.1 404 Not Found\r\n\r\n", 404, ""),
        ("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", 302, ""),
    ])
    func `an answer comes as it was sent`(answer: String, status: Int, body: String) async throws {
        let listener = try Listener(answer)
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        #expect(try await outcome(at: listener.port) == .success(response))
    }

    @Test(arguments: [
        ("smoke", "it is not HTTP"),
        ("no\r\n\r\n", "it is not HTTP"),
        ("\(head)no colon\r\n\r\n", "it is not HTTP"),
        ("\(head)Content-Length: much\r\n\r\n", "it is not HTTP"),
        ("\(head)Content-Length: 9\r\n\r\nash", "it ends in the middle"),
        ("\(head)Content-Length: 262145\r\n\r\n", "over 262144"),
    ])
    func `an answer that is none is bad data`(answer: String, words: String) async throws {
        let listener = try Listener(answer)
        guard case .failure(.badData(let reason)) = try await outcome(at: listener.port) else {
            Issue.record("not refused: \(answer)")
            return
        }
        #expect(reason.contains(words), "\(reason)")
    }

    @Test(arguments: [0, 1])
    func `a body has a limit, also without a length`(excess: Int) async throws {
        let count = ServerTransport.bodyBytesMax + excess
        let listener = try Listener("\(Self.head)\r\n\(String(repeating: "a", count: count))")
        switch try await outcome(at: listener.port) {
        case .success(let response): #expect(excess == 0 && response.body.count == count)
        case .failure(let error): #expect(excess == 1 && "\(error)".contains("over 262144"))
        }
    }

    @Test func `who hangs up without a word, and who is not there, is offline`() async throws {
        let listener = try Listener("")
        let address = "127.0.0.1:\(listener.port)"
        #expect(try await outcome(at: listener.port) == .failure(.offline(address)))
        #expect(try await outcome(at: 1) == .failure(.offline("127.0.0.1:1")))
    }

    @Test func `a request that is larger than a socket's buffer is sent whole`() async throws {
        let listener = try Listener("\(Self.head)Content-Length: 0\r\n\r\n")
        let body = [UInt8](repeating: 32, count: 60_000)
        let outcome = try await outcome(of: .post("/", body), at: listener.port)
        #expect(outcome == .success(HTTPResponse(status: 200, body: [])))
    }

    @Test func `one that is cancelled ends at once, and its connection with it`() async throws {
        let listener = try Listener(nil)
        let transport = ServerTransport(to: try ServerAddress("127.0.0.1:\(listener.port)"))
        let clock = ManualClock()
        for count in 1...50 {
            async let outcome = Result { () async throws(LoadError) in
                try await clock.within(.seconds(3)) { () throws(LoadError) in
                    try await transport.send(.get("/"))
                }
            }
            await clock.pass(.seconds(3))
            #expect(await outcome == .failure(.timeout(.seconds(3))))
            await listener.journal.wait { $0.count == count }
        }
    }
}
