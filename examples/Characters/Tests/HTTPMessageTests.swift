// HTTPMessageTests: responses as they come, in pieces, too long, and wrong; and addresses.

import Testing

@testable import CharactersNetworking

@Suite struct HTTPMessageTests {
    private static let whole =
        "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nCONTENT-LENGTH: 5\r\n\r\nsmoke"

    @Test func `a response split at any byte is the same response`() throws {
        let bytes = Array(Self.whole.utf8)
        for cut in 0...bytes.count {
            var parser = HTTPResponseParser()
            var response = try parser.received(Array(bytes[..<cut]))
            if response == nil { response = try parser.received(Array(bytes[cut...])) }
            #expect(response == HTTPResponse(status: 200, body: Array("smoke".utf8)), "\(cut)")
        }
    }

    @Test func `a body without a length ends with its connection`() throws {
        var parser = HTTPResponseParser()
        #expect(parser.isEmpty)
        #expect(try parser.received(Array("HTTP/1.0 404 Gone\r\n\r\nas".utf8)) == nil)
        #expect(!parser.isEmpty)
        #expect(try parser.received(Array("h".utf8)) == nil)
        #expect(try parser.ended() == HTTPResponse(status: 404, body: Array("ash".utf8)))
    }

    @Test(arguments: [
        ("smoke and ash\r\n\r\n", "status line"),
        ("HTTP/2 200 OK\r\n\r\n", "status line"),
        ("HTTP/1.1 99 OK\r\n\r\n", "status line"),
        ("HTTP/1.1 600 OK\r\n\r\n", "status line"),
        ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "without a colon"),
        ("HTTP/1.1 200 OK\r\nContent-Length: much\r\n\r\n", "no number"),
        ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "no number"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "no number"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 262145\r\n\r\n", "over 262144"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "chunks"),
    ])
    func `what is no response is refused in words`(text: String, words: String) {
        let error = #expect(throws: HTTPResponseParser.Malformed.self) {
            var parser = HTTPResponseParser()
            _ = try parser.received(Array(text.utf8))
        }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `what ends in the middle is refused`() {
        for text in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na"] {
            #expect(throws: HTTPResponseParser.Malformed(description: "it ends in the middle")) {
                var parser = HTTPResponseParser()
                _ = try parser.received(Array(text.utf8))
                _ = try parser.ended()
            }
        }
    }

    @Test(arguments: [-1, 0, 1])
    func `head and body have limits`(excess: Int) {
        let line = "HTTP/1.1 200 OK\r\nA: "
        let space = HTTPResponseParser.headBytesMax + excess - line.utf8.count
        let head = line + String(repeating: "a", count: space)
        var parser = HTTPResponseParser()
        #expect(isRefused(excess) { _ = try parser.received(Array(head.utf8)) })

        let body = [UInt8](repeating: 0, count: HTTPResponseParser.bodyBytesMax + excess)
        var other = HTTPResponseParser()
        #expect(
            isRefused(excess) {
                _ = try other.received(Array("HTTP/1.1 200 OK\r\n\r\n".utf8) + body)
            })
    }

    /// Whether it is refused exactly when it is above the limit.
    private func isRefused(_ excess: Int, _ body: () throws -> Void) -> Bool {
        do {
            try body()
            return excess <= 0
        } catch {
            return excess > 0
        }
    }

    @Test func `a request says what it is, how long, and that it is the only one`() {
        let bytes = HTTPRequest.post("/graphql", Array("{}".utf8)).bytes(for: "127.0.0.1:80")
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("POST /graphql HTTP/1.1\r\nHost: 127.0.0.1:80\r\n"))
        #expect(text.contains("Connection: close\r\n"))
        #expect(text.hasSuffix("Content-Length: 2\r\n\r\n{}"))
    }

    @Test(arguments: [
        ("127.0.0.1:4110", "127.0.0.1:4110"), ("localhost:80", "127.0.0.1:80"),
        ("http://10.0.0.1:8080/", "10.0.0.1:8080"),
    ])
    func `an address is read`(text: String, address: String) throws {
        #expect(try ServerAddress(text).description == address)
    }

    @Test(arguments: [
        "", "localhost", "localhost:", "localhost:0", "localhost:65536", "a.example:80",
        "127.0.0.1:80:90", "https://127.0.0.1:80", "256.0.0.1:80",
    ])
    func `what is no address is refused by its name`(text: String) {
        #expect(throws: ServerAddress.Malformed(text: text)) { try ServerAddress(text) }
    }
}
