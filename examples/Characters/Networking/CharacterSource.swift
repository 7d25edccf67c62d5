// CharacterSource: the server's answers, as values of the domain.
//
// Isolation  any thread: its methods are `@concurrent`, and values of the domain are made in them.

/// The remote data source: asks the server; keeps nothing.
package nonisolated protocol CharacterSource: Sendable {
    @concurrent func page(_ number: Int) async throws(LoadError) -> CharacterPage
    @concurrent func character(_ id: String) async throws(LoadError) -> CharacterProfile
    /// Returns the bytes of a picture that can be shown.
    @concurrent func image(_ path: String) async throws(LoadError) -> [UInt8]
}

/// A source that asks in GraphQL.
package nonisolated struct RemoteCharacterSource: CharacterSource {
    /// How long a server may take for an answer. Chosen: as long as a person waits without
    /// wondering.
    package static let answerWithin = Duration.seconds(3)

    private let client: GraphQLClient

    package init(
        transport: any Transport, clock: any Clock<Duration>, limit: Duration = Self.answerWithin
    ) {
        client = GraphQLClient(transport: transport, clock: clock, limit: limit)
    }

    private nonisolated enum Query {
        static let page = """
            query Page($page: Int!) { characters(page: $page) { \
            info { count pages } results { id name role } } }
            """
        static let character = """
            query Character($id: ID!) { character(id: $id) { \
            id name role home motto story dishes portrait } }
            """
    }

    @concurrent
    package func page(_ number: Int) async throws(LoadError) -> CharacterPage {
        let errors = ErrorMapper(name: "page \(number)")
        let answer: PageAnswerDTO = try await client.ask(Query.page, .init(page: number), errors)
        do throws(MappingError) {
            return try CharacterPage(answer.characters, number: number)
        } catch {
            throw errors.error(of: error)
        }
    }

    @concurrent
    package func character(_ id: String) async throws(LoadError) -> CharacterProfile {
        let errors = ErrorMapper(name: "character called \(id)")
        let answer: CharacterAnswerDTO = try await client.ask(
            Query.character, .init(id: id), errors)
        // GraphQL says in this way that there is none.
        guard let character = answer.character else { throw .notFound(errors.name) }
        do throws(MappingError) {
            return try CharacterProfile(character, of: id)
        } catch {
            throw errors.error(of: error)
        }
    }

    @concurrent
    package func image(_ path: String) async throws(LoadError) -> [UInt8] {
        let errors = ErrorMapper(name: path)
        let bytes = try await client.send(.get(path), errors)
        do throws(Picture.Malformed) {
            _ = try Picture(graymap: bytes)
            return bytes
        } catch {
            throw errors.error(of: error)
        }
    }
}
