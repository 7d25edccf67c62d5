// GraphQLClient: asks the server a question and decodes its answer.
//
// Isolation  any thread: its methods are `@concurrent`, so that neither requests nor JSON ever run
//            on a worker's loop.

import FoundationEssentials

/// Questions in GraphQL, and files beside them.
nonisolated struct GraphQLClient: Sendable {
    let transport: any Transport
    let clock: any Clock<Duration>
    /// How long the server may take for an answer.
    let limit: Duration

    nonisolated struct Variables: Encodable, Sendable {
        var page: Int?
        var id: String?
    }

    private nonisolated struct Question: Encodable {
        let query: String
        let variables: Variables
    }

    /// Returns the `data` of the answer.
    @concurrent
    func ask<DTO: Decodable & Sendable>(
        _ query: String, _ variables: Variables, _ errors: ErrorMapper
    ) async throws(LoadError) -> DTO {
        let body: Data
        do {
            body = try JSONEncoder().encode(Question(query: query, variables: variables))
        } catch {
            throw .badData("the question cannot be written: \(error)")
        }
        let bytes = try await send(.post("/graphql", Array(body)), errors)
        let dto: AnswerDTO<DTO>
        do {
            dto = try JSONDecoder().decode(AnswerDTO<DTO>.self, from: Data(bytes))
        } catch {
            throw .badData("it is not the JSON that was asked for")
        }
        if let problem = dto.errors?.first { throw errors.error(of: problem) }
        guard let data = dto.data else { throw .badData("it has no data") }
        return data
    }

    /// Returns the body of the response.
    @concurrent
    func send(
        _ request: HTTPRequest, _ errors: ErrorMapper
    ) async throws(LoadError) -> [UInt8] {
        let response = try await clock.within(limit) { [transport] () throws(LoadError) in
            try await transport.send(request)
        }
        guard response.status == 200 else { throw errors.error(ofStatus: response.status) }
        return response.body
    }
}
