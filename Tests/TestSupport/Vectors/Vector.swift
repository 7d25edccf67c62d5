// Vector: one golden vector of Protocol/vectors: what is given, and what must come of it.
//
// Spec       Protocol/vectors/README.md

import Foundation

/// What vectors are about; each group has a runner, which calls `Vector.all(.group)`.
package enum VectorGroup: String, CaseIterable, Sendable {
    case frames, items, messages, faults, schemas, values, transitions, methods, contracts
    case changes, deltas, handshakes, conversations, limits

    /// What a vector may have besides `name`, `about`, and `means` or `error`.
    var fields: (required: Set<String>, optional: Set<String>) {
        switch self {
        case .frames: (["bytes", "limit"], ["before"])
        case .items: (["bytes"], [])
        case .messages, .faults, .schemas: (["bytes", "kind"], ["to"])
        case .values: (["bytes", "type"], ["encoded"])
        case .transitions: (["bytes", "before", "flags"], [])
        case .methods: (["bytes", "key"], [])
        case .contracts: (["schema"], [])
        case .changes: (["before", "after"], [])
        case .deltas: (["bytes", "before"], [])
        case .handshakes: (["role", "supported", "steps"], ["hello"])
        case .conversations: (["steps"], [])
        case .limits: (["bytes", "check"], ["limit", "kind"])
        }
    }
}

/// One golden vector.
package struct Vector: Sendable, CustomStringConvertible {
    /// What must come of it.
    package enum Outcome: Equatable, Sendable {
        case means(JSONValue)
        /// A name of section 10 (Errors) of the specification.
        case error(String)
    }

    package let group: VectorGroup
    package let name: String
    package let outcome: Outcome
    private let given: [String: JSONValue]

    package var description: String { "\(group.rawValue): \(name)" }

    init(_ value: JSONValue, in group: VectorGroup) throws {
        guard var fields = value.object, let name = fields.removeValue(forKey: "name")?.text,
            fields.removeValue(forKey: "about")?.text?.hasSuffix(".") == true
        else { throw VectorError("a vector of \(group) without name or sentence") }
        switch (fields.removeValue(forKey: "means"), fields.removeValue(forKey: "error")) {
        case (let means?, nil): outcome = .means(means)
        case (nil, .text(let error)?): outcome = .error(error)
        default: throw VectorError("\(name) has not one of `means` and `error`")
        }
        let keys = Set(fields.keys)
        let (required, optional) = group.fields
        guard keys.isSuperset(of: required), keys.subtracting(required).isSubset(of: optional)
        else { throw VectorError("\(name) has the fields \(keys.sorted()): nobody runs that") }
        self.group = group
        self.name = name
        given = fields
    }

    package subscript(_ field: String) -> JSONValue? { given[field] }

    /// The error that it must end in; `nil` when it must succeed.
    package var error: String? {
        if case .error(let name) = outcome { name } else { nil }
    }

    /// What it must mean; `nil` when it must fail.
    package var means: JSONValue? {
        if case .means(let value) = outcome { value } else { nil }
    }

    /// The field `bytes`, put together from its runs where it is made of those.
    package var bytes: [UInt8] {
        get throws { try given["bytes"].map(Self.bytes) ?? [] }
    }

    /// A field in hex.
    package func bytes(of field: String) throws -> [UInt8] {
        guard let value = given[field] else { throw VectorError("\(self) has no \(field)") }
        return try Self.bytes(value)
    }

    /// Hexadecimal text, or runs.
    package static func bytes(_ value: JSONValue) throws -> [UInt8] {
        if let text = value.text { return try hex(text) }
        guard let runs = value.array else { throw VectorError("neither hex nor runs") }
        var bytes: [UInt8] = []
        for run in runs { bytes += try Self.run(run) }
        return bytes
    }

    private static func run(_ run: JSONValue) throws -> [UInt8] {
        if let pair = run.array, pair.count == 2, let text = pair[0].text,
            let count = pair[1].unsigned
        {
            return repeated(try hex(text), count: Int(count))
        }
        guard let fields = run.object, let count = fields["count"]?.unsigned,
            let before = try fields["before"].map(bytes),
            let after = try fields["after"].map(bytes)
        else { throw VectorError("a run of an unknown shape") }
        var made: [UInt8] = []
        for index in 0..<count {
            let digits = String(index, radix: 16)
            made += before
            made += String(repeating: "0", count: 8 - digits.count).utf8
            made += digits.utf8
            made += after
        }
        return made
    }

    private static func repeated(_ piece: [UInt8], count: Int) -> [UInt8] {
        if piece.count == 1 { return [UInt8](repeating: piece[0], count: count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(piece.count * count)
        for _ in 0..<count { bytes += piece }
        return bytes
    }

    private static func hex(_ text: String) throws -> [UInt8] {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count.isMultiple(of: 2), !digits.contains(nil) else {
            throw VectorError("\(text.prefix(20)) is not hexadecimal")
        }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0))
        }
    }
}

/// A vector that nobody can run.
package struct VectorError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
