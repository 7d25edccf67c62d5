// Query: the part of GraphQL that an app of two screens uses: one operation, its fields, arguments.
//
// Spec       GraphQL, sections 2.3 (Operations), 2.4 (Selection Sets), 2.6 (Arguments)

/// An error of a query, in GraphQL's form.
struct QueryError: Error, Equatable {
    let message: String
    /// A code for programs: `NOT_FOUND`.
    var code: String?
}

/// A scalar of a query or of its variables.
enum JSONScalar: Decodable, Equatable, Sendable {
    case number(Int)
    case text(String)

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // If it is not a number, it must be a text, and the error says so if it is not.
        if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }
}

/// A requested field, with the fields below it.
struct Field: Equatable, Sendable {
    /// A scalar, or the name of a variable.
    enum Argument: Equatable, Sendable {
        case scalar(JSONScalar)
        case variable(String)
    }

    let name: String
    let arguments: [String: Argument]
    let fields: [Field]

    /// Returns the value of an argument.
    func value(
        of argument: String, _ variables: [String: JSONScalar]
    ) throws(QueryError) -> JSONScalar {
        switch arguments[argument] {
        case .scalar(let scalar): return scalar
        case .variable(let name):
            guard let scalar = variables[name] else {
                throw QueryError(message: "there is no variable $\(name)")
            }
            return scalar
        case nil:
            throw QueryError(message: "\(name) takes the argument \(argument)")
        }
    }
}

/// A parsed query.
struct Query: Equatable, Sendable {
    /// Levels of fields. Chosen: twice as many as there are.
    private static let depthMax = 8

    let fields: [Field]

    init(_ text: String) throws(QueryError) {
        var reader = Reader(text)
        if reader.peek == "query" {
            reader.skip()
            // The operation's name, and the types of its variables, which the server knows anyway.
            if let name = reader.peek, Reader.isName(name) { reader.skip() }
            if reader.peek == "(" {
                while let token = reader.next(), token != ")" {}
            }
        }
        fields = try Self.fields(&reader, depth: 0)
        if let rest = reader.peek { throw QueryError(message: "'\(rest)' is too much") }
    }

    private static func fields(
        _ reader: inout Reader, depth: Int
    ) throws(QueryError) -> [Field] {
        guard depth < depthMax else { throw QueryError(message: "fields are too deep") }
        try reader.take("{")
        var fields: [Field] = []
        while reader.peek != "}" {
            guard let name = reader.next(), Reader.isName(name) else {
                throw QueryError(message: "a field or } is missing")
            }
            let arguments = reader.peek == "(" ? try arguments(&reader) : [:]
            let below = reader.peek == "{" ? try Self.fields(&reader, depth: depth + 1) : []
            fields.append(Field(name: name, arguments: arguments, fields: below))
        }
        try reader.take("}")
        return fields
    }

    private static func arguments(
        _ reader: inout Reader
    ) throws(QueryError) -> [String: Field.Argument] {
        var arguments: [String: Field.Argument] = [:]
        try reader.take("(")
        while reader.peek != ")" {
            guard let name = reader.next(), Reader.isName(name) else {
                throw QueryError(message: "an argument or ) is missing")
            }
            try reader.take(":")
            arguments[name] = try value(&reader)
        }
        try reader.take(")")
        return arguments
    }

    private static func value(_ reader: inout Reader) throws(QueryError) -> Field.Argument {
        guard let token = reader.next() else { throw QueryError(message: "a value is missing") }
        if token == "$", let name = reader.next(), Reader.isName(name) { return .variable(name) }
        if token.hasPrefix("\"") { return .scalar(.text(String(token.dropFirst()))) }
        guard let number = Int(token) else {
            throw QueryError(message: "'\(token)' is not a value that this server reads")
        }
        return .scalar(.number(number))
    }
}

/// The tokens of a query.
private struct Reader {
    private var tokens: ArraySlice<String>

    init(_ text: String) {
        var tokens: [String] = []
        var rest = text[...]
        while let first = rest.first {
            if first.isWhitespace || first == "," {
                rest = rest.dropFirst()
            } else if Self.isWord(first) || first == "-" {
                tokens.append(String(rest.prefix { Self.isWord($0) || $0 == "-" }))
                rest = rest.dropFirst(tokens.last?.count ?? 0)
            } else if first == "\"" {
                // It keeps its first quote, which distinguishes it from a name.
                let text = rest.dropFirst().prefix { $0 != "\"" }
                tokens.append("\"" + text)
                rest = rest.dropFirst(text.count + 2)
            } else {
                tokens.append(String(first))
                rest = rest.dropFirst()
            }
        }
        self.tokens = tokens[...]
    }

    var peek: String? { tokens.first }

    mutating func next() -> String? { tokens.popFirst() }

    mutating func skip() { tokens = tokens.dropFirst() }

    mutating func take(_ token: String) throws(QueryError) {
        guard let next = tokens.popFirst(), next == token else {
            throw QueryError(message: "'\(token)' is missing")
        }
    }

    static func isWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }

    static func isName(_ token: String) -> Bool {
        token.first.map { $0.isLetter || $0 == "_" } ?? false
    }
}
