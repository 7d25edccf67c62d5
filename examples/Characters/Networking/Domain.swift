// Domain: characters, pages and pictures as the app knows them, whatever their source.

/// A character in a list.
package nonisolated struct CharacterSummary: Hashable, Sendable, Identifiable {
    package var id: String
    package var name: String
    package var role: String

    package init(id: String, name: String, role: String) {
        self.id = id
        self.name = name
        self.role = role
    }
}

/// A part of the list.
package nonisolated struct CharacterPage: Hashable, Sendable {
    /// The page's number; the first is 1.
    package var number: Int
    /// How many pages there are.
    package var pageCount: Int
    /// How many characters there are on all of them.
    package var total: Int
    package var characters: [CharacterSummary]

    package init(number: Int, pageCount: Int, total: Int, characters: [CharacterSummary]) {
        self.number = number
        self.pageCount = pageCount
        self.total = total
        self.characters = characters
    }
}

/// The profile of a character.
package nonisolated struct CharacterProfile: Hashable, Sendable, Identifiable {
    package var id: String
    package var name: String
    package var role: String
    package var home: String
    package var motto: String
    package var story: String
    package var dishes: [String]
    /// The path of the portrait on the server.
    package var portrait: String
}
