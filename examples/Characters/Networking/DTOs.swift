// DTOs: the server's answers in their JSON form, in which everything may be missing.
//
// Layer      networking.
// Isolation  value.

/// The answer to any query.
struct AnswerDTO<Payload: Decodable & Sendable>: Decodable, Sendable {
    let data: Payload?
    let errors: [ErrorDTO]?
}

struct ErrorDTO: Decodable, Sendable {
    struct Extensions: Decodable, Sendable {
        let code: String?
    }

    let message: String?
    let extensions: Extensions?
}

/// The answer to `characters(page:)`.
struct PageAnswerDTO: Decodable, Sendable {
    let characters: PageDTO?
}

struct PageDTO: Decodable, Sendable {
    struct Info: Decodable, Sendable {
        let count: Int?
        let pages: Int?
    }

    let info: Info?
    let results: [CharacterDTO]?
}

/// The answer to `character(id:)`.
struct CharacterAnswerDTO: Decodable, Sendable {
    let character: CharacterDTO?
}

struct CharacterDTO: Decodable, Sendable {
    var id: String?
    var name: String?
    var role: String?
    var home: String?
    var motto: String?
    var story: String?
    var dishes: [String]?
    var portrait: String?
}
