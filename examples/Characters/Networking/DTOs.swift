// DTOs: the server's answers in their JSON form, in which everything may be missing.

/// The answer to any query.
nonisolated struct AnswerDTO<Payload: Decodable & Sendable>: Decodable, Sendable {
    let data: Payload?
    let errors: [ErrorDTO]?
}

nonisolated struct ErrorDTO: Decodable, Sendable {
    nonisolated struct Extensions: Decodable, Sendable {
        let code: String?
    }

    let message: String?
    let extensions: Extensions?
}

/// The answer to `characters(page:)`.
nonisolated struct PageAnswerDTO: Decodable, Sendable {
    let characters: PageDTO?
}

nonisolated struct PageDTO: Decodable, Sendable {
    nonisolated struct Info: Decodable, Sendable {
        let count: Int?
        let pages: Int?
    }

    let info: Info?
    let results: [CharacterDTO]?
}

/// The answer to `character(id:)`.
nonisolated struct CharacterAnswerDTO: Decodable, Sendable {
    let character: CharacterDTO?
}

nonisolated struct CharacterDTO: Decodable, Sendable {
    var id: String?
    var name: String?
    var role: String?
    var home: String?
    var motto: String?
    var story: String?
    var dishes: [String]?
    var portrait: String?
}
