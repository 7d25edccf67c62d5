// Mapping: converts the server's data to values of the domain, or says why it cannot.
//
// Invariant  mapped values can be shown, and used as keys and as paths, as they are.

/// What is wrong with the server's data.
package nonisolated struct MappingError: Error, Equatable, CustomStringConvertible {
    package let description: String
}

/// The limits of data from a server.
nonisolated enum Mapping {
    /// Characters of one page. Chosen: ten times as many as our own server sends.
    static let pageMax = 80
    /// Characters in all: a screen counts them in 32 bits.
    static let totalMax = 1_000_000
    /// Bytes of a name, and of any other short text.
    static let wordsBytesMax = 120
    /// Bytes of a story. Chosen: a screen full.
    static let storyBytesMax = 2000
    static let dishesMax = 12
    static let pathBytesMax = 200

    static func words(
        _ text: String?, _ field: String, atMost limit: Int = wordsBytesMax
    ) throws(MappingError) -> String {
        guard let text else { throw MappingError(description: "\(field) is missing") }
        guard !text.isEmpty, text.utf8.count <= limit else {
            throw MappingError(
                description: "\(field) has \(text.utf8.count) bytes, not 1...\(limit)")
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw MappingError(description: "\(field) has control characters") }
        return text
    }

    /// Checks an id: `mesquite-mae`.
    static func id(_ text: String?, _ field: String) throws(MappingError) -> String {
        let text = try words(text, field)
        guard
            text.utf8.allSatisfy({
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || $0 == UInt8(ascii: "-")
            })
        else { throw MappingError(description: "\(field) is not made of a-z, 0-9 and -") }
        return text
    }

    /// Checks a path: `/portraits/mesquite-mae.pgm`.
    static func path(_ text: String?, _ field: String) throws(MappingError) -> String {
        let text = try words(text, field, atMost: pathBytesMax)
        guard text.hasPrefix("/"), !text.contains(".."),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw MappingError(description: "\(field) is no path of the server") }
        return text
    }

    static func count(
        _ number: Int?, _ field: String, _ range: ClosedRange<Int>
    ) throws(MappingError) -> Int {
        guard let number else { throw MappingError(description: "\(field) is missing") }
        guard range.contains(number) else {
            throw MappingError(description: "\(field) is \(number), not within \(range)")
        }
        return number
    }
}

nonisolated extension CharacterSummary {
    init(_ dto: CharacterDTO, _ place: String = "character") throws(MappingError) {
        self.init(
            id: try Mapping.id(dto.id, "\(place).id"),
            name: try Mapping.words(dto.name, "\(place).name"),
            role: try Mapping.words(dto.role, "\(place).role"))
    }
}

nonisolated extension CharacterPage {
    /// - Parameter number: the number of the requested page.
    init(_ dto: PageDTO?, number: Int) throws(MappingError) {
        guard let dto else { throw MappingError(description: "characters is missing") }
        let results = dto.results ?? []
        guard dto.results != nil, results.count <= Mapping.pageMax else {
            throw MappingError(description: "characters.results is missing, or too long")
        }
        var characters: [CharacterSummary] = []
        for (index, result) in results.enumerated() {
            let character = try CharacterSummary(result, "characters.results[\(index)]")
            guard !characters.contains(where: { $0.id == character.id }) else {
                throw MappingError(
                    description: "characters.results has \(character.id) more than once")
            }
            characters.append(character)
        }
        self.init(
            number: number,
            pageCount: try Mapping.count(
                dto.info?.pages, "characters.info.pages", 0...Mapping.totalMax),
            total: try Mapping.count(
                dto.info?.count, "characters.info.count", results.count...Mapping.totalMax),
            characters: characters)
    }
}

nonisolated extension CharacterProfile {
    /// - Parameter id: the id of the requested character.
    init(_ dto: CharacterDTO, of id: String) throws(MappingError) {
        let summary = try CharacterSummary(dto)
        guard summary.id == id else {
            throw MappingError(
                description: "character.id is \(summary.id), and \(id) was asked for")
        }
        let dishes = dto.dishes ?? []
        guard dto.dishes != nil, dishes.count <= Mapping.dishesMax else {
            throw MappingError(description: "character.dishes is missing, or too long")
        }
        self.init(
            id: summary.id, name: summary.name, role: summary.role,
            home: try Mapping.words(dto.home, "character.home"),
            motto: try Mapping.words(dto.motto, "character.motto"),
            story: try Mapping.words(
                dto.story, "character.story", atMost: Mapping.storyBytesMax),
            dishes: try dishes.map { (dish) throws(MappingError) in
                try Mapping.words(dish, "character.dishes")
            },
            portrait: try Mapping.path(dto.portrait, "character.portrait"))
    }
}
