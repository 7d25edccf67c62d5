// Service: answers requests.
//
// Isolation  any thread: each request is a separate task.

import FlyingFox
import FlyingSocks
import Foundation

/// The server.
struct Service: Sendable {
    static let portStandard: UInt16 = 4110
    /// Seconds after which FlyingFox gives up an answer. It is above any delay: FlyingFox
    /// identifies waiters by the descriptor's number, and a cancelled wait may end when another
    /// connection has that number; a wait that ends by itself is removed from its pool before it
    /// continues.
    private static let handlerSeconds = Conduct.delayMax + 60
    /// Seconds that a busy machine may take to begin.
    private static let listenSeconds = 60.0
    /// Bytes of a question. Chosen: a hundred of ours.
    private static let questionBytesMax = 65536

    private let behaviour: Behaviour

    init(conduct: Conduct) {
        behaviour = Behaviour(conduct)
    }

    /// Serves until the process ends. Prints its address on a separate line once it listens.
    func run(port: UInt16) async throws {
        let server = HTTPServer(
            config: .init(
                address: try .inet(ip4: "127.0.0.1", port: port), timeout: Self.handlerSeconds,
                logger: .disabled))
        await server.appendRoute("POST /graphql") { try await answer($0) }
        await server.appendRoute("GET /portraits/*") { try await portrait($0) }
        await server.appendRoute("POST /control") { try await control($0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await server.run()
                } catch SocketError.failed(_, _, let reason) {
                    throw ServerFailure(
                        "cannot listen at 127.0.0.1:\(port) (\(reason)): choose another --port")
                }
            }
            group.addTask {
                try await server.waitUntilListening(timeout: Self.listenSeconds)
                guard case .ip4(_, let port)? = await server.listeningAddress else { return }
                FileHandle.standardOutput.write(Data("listening at 127.0.0.1:\(port)\n".utf8))
            }
            // The task that prints the address runs to its end; a failure of the other one ends
            // both.
            for try await _ in group {}
        }
    }

    // MARK: - Requests

    private struct Question: Decodable {
        let query: String
        let variables: [String: JSONScalar]?
    }

    private func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await misbehaving {
            let body = try await request.bodyData
            // There is no better reason for a body that cannot be read.
            let question = try? JSONDecoder().decode(Question.self, from: body)
            guard body.count <= Self.questionBytesMax, let question else {
                return json([
                    "errors": [["message": "the body is no {\"query\": …, \"variables\": …}"]]
                ])
            }
            do throws(QueryError) {
                let query = try Query(question.query)
                let data = try Smokehouse.answer(query, question.variables ?? [:])
                return json(["data": data])
            } catch {
                var problem: [String: Any] = ["message": error.message]
                if let code = error.code { problem["extensions"] = ["code": code] }
                return json(["data": NSNull(), "errors": [problem]])
            }
        }
    }

    private func portrait(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await misbehaving {
            let name = request.path.split(separator: "/").last ?? ""
            guard name.hasSuffix(".pgm"),
                let character = Smokehouse.character(String(name.dropLast(4)))
            else { return HTTPResponse(statusCode: .notFound) }
            return HTTPResponse(
                statusCode: .ok, headers: [.contentType: "image/x-portable-graymap"],
                body: Data(Drawing(of: character).graymap))
        }
    }

    /// Is itself never slow or garbage: otherwise nobody could end that.
    private func control(_ request: HTTPRequest) async throws -> HTTPResponse {
        let body = try await request.bodyData
        // See above.
        let conduct = try? JSONDecoder().decode(Conduct.self, from: body)
        guard let conduct, (0...Conduct.delayMax).contains(conduct.delay) else {
            return HTTPResponse(
                statusCode: .badRequest, body: Data(#"{"delay": seconds, "isGarbage": …}"#.utf8))
        }
        behaviour.now = conduct
        return HTTPResponse(statusCode: .ok, body: Data("\(conduct)\n".utf8))
    }

    private func misbehaving(
        _ answer: () async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        let conduct = behaviour.now
        if conduct.delay > 0 { try await Task.sleep(for: .seconds(conduct.delay)) }
        guard !conduct.isGarbage else {
            return HTTPResponse(statusCode: .ok, body: Data("{\"data\": smoke and ash".utf8))
        }
        return try await answer()
    }

    private func json(_ object: [String: Any]) -> HTTPResponse {
        // It consists only of texts, numbers and lists: it can always be written.
        let body = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        return HTTPResponse(
            statusCode: body == nil ? .internalServerError : .ok,
            headers: [.contentType: "application/json"], body: body ?? Data())
    }
}
