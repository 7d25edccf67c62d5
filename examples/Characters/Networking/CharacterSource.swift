// CharacterSource: the server's answers, as values of the domain.
//
// Layer      networking.
// Isolation  any thread: decoding is `@concurrent`, so that it never runs on a worker's loop.

import FoundationEssentials

/// Asks the server; keeps nothing.
package struct CharacterSource: Sendable {
    /// How long a server may take for an answer. Chosen: as long as a person waits without
    /// wondering.
    package static let answerWithin = Duration.seconds(3)

    private let transport: any Transport
    private let clock: any Clock<Duration>
    private let limit: Duration

    package init(
        transport: any Transport, clock: any Clock<Duration>, limit: Duration = Self.answerWithin
    ) {
        self.transport = transport
        self.clock = clock
        self.limit = limit
    }

    package func page(_ number: Int) async -> Result<CharacterPage, LoadError> {
        await ask(Query.page, Variables(page: number), "page \(number)") {
            (answer: PageAnswerDTO) throws(MappingError) in
            try CharacterPage(answer.characters, number: number)
        }
    }

    package func character(_ id: String) async -> Result<CharacterProfile, LoadError> {
        await ask(Query.character, Variables(id: id), "character called \(id)") {
            (answer: CharacterAnswerDTO) throws(MappingError) in
            // GraphQL says in this way that there is none.
            guard let character = answer.character else { return nil }
            return try CharacterProfile(character, of: id)
        }
    }

    /// Returns the bytes of a picture that can be shown.
    package func image(_ path: String) async -> Result<[UInt8], LoadError> {
        let answer = await clock.within(limit) { [transport] in
            await Self.send(.get(path), by: transport)
        }
        return await Self.checked(answer, path)
    }

    // MARK: - Asking

    private enum Query {
        static let page = """
            query Page($page: Int!) { characters(page: $page) { \
            info { count pages } results { id name role } } }
            """
        static let character = """
            query Character($id: ID!) { character(id: $id) { \
            id name role home motto story dishes portrait } }
            """
    }

    private struct Variables: Encodable {
        var page: Int?
        var id: String?
    }

    private struct Question: Encodable {
        let query: String
        let variables: Variables
    }

    /// - Parameters:
    ///   - name: the requested thing, in words.
    ///   - map: returns `nil` if the server does not have it.
    private func ask<DTO: Decodable & Sendable, Value: Sendable>(
        _ query: String, _ variables: Variables, _ name: String,
        _ map: @escaping @Sendable (DTO) throws(MappingError) -> Value?
    ) async -> Result<Value, LoadError> {
        let body: Data
        do {
            body = try JSONEncoder().encode(Question(query: query, variables: variables))
        } catch {
            return .failure(.badData("the question cannot be written: \(error)"))
        }
        let answer = await clock.within(limit) { [transport] in
            await Self.send(.post("/graphql", Array(body)), by: transport)
        }
        return await Self.decoded(answer, name, map)
    }

    @concurrent
    private static func send(
        _ request: HTTPRequest, by transport: any Transport
    ) async -> Result<HTTPResponse, LoadError> {
        do throws(LoadError) {
            return .success(try await transport.send(request))
        } catch {
            return .failure(error)
        }
    }

    @concurrent
    private static func decoded<DTO: Decodable & Sendable, Value: Sendable>(
        _ answer: Result<HTTPResponse, LoadError>, _ name: String,
        _ map: @Sendable (DTO) throws(MappingError) -> Value?
    ) async -> Result<Value, LoadError> {
        answer.flatMap { response in
            guard response.status == 200 else { return .failure(refusal(response, name)) }
            let dto: AnswerDTO<DTO>
            do {
                dto = try JSONDecoder().decode(AnswerDTO<DTO>.self, from: Data(response.body))
            } catch {
                return .failure(.badData("it is not the JSON that was asked for"))
            }
            if let problem = dto.errors?.first {
                let isMissing = problem.extensions?.code == "NOT_FOUND"
                let words = problem.message ?? "an error without words"
                return .failure(isMissing ? .notFound(name) : .badData(words))
            }
            guard let data = dto.data else { return .failure(.badData("it has no data")) }
            do throws(MappingError) {
                guard let value = try map(data) else { return .failure(.notFound(name)) }
                return .success(value)
            } catch {
                return .failure(.badData(error.description))
            }
        }
    }

    @concurrent
    private static func checked(
        _ answer: Result<HTTPResponse, LoadError>, _ path: String
    ) async -> Result<[UInt8], LoadError> {
        answer.flatMap { response in
            guard response.status == 200 else { return .failure(refusal(response, path)) }
            do throws(Picture.Malformed) {
                _ = try Picture(graymap: response.body)
                return .success(response.body)
            } catch {
                return .failure(.badData("\(path) is no picture: \(error)"))
            }
        }
    }

    private static func refusal(_ response: HTTPResponse, _ name: String) -> LoadError {
        response.status == 404 ? .notFound(name) : .badData("it has the status \(response.status)")
    }
}
