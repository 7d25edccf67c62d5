// Smokehouse: the characters, and the answers to queries about them.

import Foundation

/// The schema: `characters(page: Int!)`, a page of eight, and `character(id: ID!)`.
enum Smokehouse {
    static let pageSize = 8

    static func character(_ id: String) -> Character? { all.first { $0.id == id } }

    /// Returns the data of an answer: what was requested, and nothing else.
    static func answer(
        _ query: Query, _ variables: [String: JSONScalar]
    ) throws(QueryError) -> [String: Any] {
        var data: [String: Any] = [:]
        for field in query.fields {
            switch field.name {
            case "characters":
                guard case .number(let page) = try field.value(of: "page", variables) else {
                    throw QueryError(message: "page is an Int")
                }
                data[field.name] = try self.page(page, field)
            case "character":
                guard case .text(let id) = try field.value(of: "id", variables) else {
                    throw QueryError(message: "id is an ID")
                }
                guard let character = character(id) else {
                    throw QueryError(message: "there is no character \(id)", code: "NOT_FOUND")
                }
                data[field.name] = try character.selection(field)
            default: throw QueryError(message: "Query has no field \(field.name)")
            }
        }
        return data
    }

    private static func page(_ number: Int, _ field: Field) throws(QueryError) -> [String: Any] {
        let pages = (all.count + pageSize - 1) / pageSize
        guard (1...pages).contains(number) else {
            throw QueryError(message: "there is no page \(number)", code: "NOT_FOUND")
        }
        var data: [String: Any] = [:]
        for part in field.fields {
            switch part.name {
            case "info":
                var info: [String: Any] = [:]
                for wanted in part.fields {
                    switch wanted.name {
                    case "count": info["count"] = all.count
                    case "pages": info["pages"] = pages
                    default: throw QueryError(message: "Info has no field \(wanted.name)")
                    }
                }
                data["info"] = info
            case "results":
                let first = (number - 1) * pageSize
                let characters = all[first..<min(all.count, first + pageSize)]
                data["results"] = try characters.map { (character) throws(QueryError) in
                    try character.selection(part)
                }
            default: throw QueryError(message: "Characters has no field \(part.name)")
            }
        }
        return data
    }

    struct Character: Sendable {
        let id: String
        let name: String
        let role: String
        let home: String
        let motto: String
        let story: String
        let dishes: [String]

        init(
            _ name: String, _ role: String, of home: String, _ motto: String, _ dishes: String...,
            story: String
        ) {
            id = name.lowercased().split { !$0.isLetter }.joined(separator: "-")
            self.name = name
            self.role = role
            self.home = home
            self.motto = motto
            self.story = story
            self.dishes = dishes
        }

        fileprivate func selection(_ field: Field) throws(QueryError) -> [String: Any] {
            guard !field.fields.isEmpty else {
                throw QueryError(message: "\(field.name) needs a selection of fields")
            }
            var data: [String: Any] = [:]
            for wanted in field.fields {
                switch wanted.name {
                case "id": data["id"] = id
                case "name": data["name"] = name
                case "role": data["role"] = role
                case "home": data["home"] = home
                case "motto": data["motto"] = motto
                case "story": data["story"] = story
                case "dishes": data["dishes"] = dishes
                case "portrait": data["portrait"] = "/portraits/\(id).pgm"
                default: throw QueryError(message: "Character has no field \(wanted.name)")
                }
            }
            return data
        }
    }
}
