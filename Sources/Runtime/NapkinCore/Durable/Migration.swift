// Migration: converts a durable state from an earlier version of the app.
//
// Invariant  a state is decoded only as a type that reads everything of the type that wrote it.

import NapkinCoding

/// A conversion from an earlier type of a durable state to the present one.
///
/// ```swift
/// @Message struct State: DurableState {
///     var cents: Int64 = 0
///     static let migrations = [Migration(from: EurosState.self) { State(cents: $0.euros * 100) }]
/// }
/// ```
///
/// Keep the earlier type as it was, as a `@Message` struct; its name does not count. It may have
/// migrations itself, so that each is written once: from the version before.
public struct Migration<State: DurableState>: Sendable {
    /// Reads a state of the earlier type, or of one before it; `nil` if it is of neither.
    let read:
        @Sendable (_ stored: StoredState, _ isExact: Bool, _ path: [ObjectIdentifier])
            throws(StateDefect) -> State?
    /// Describes the earlier type and those before it, and returns their names.
    let sources: @Sendable (inout TypeCatalog, _ path: [ObjectIdentifier]) -> [String]

    /// - Parameters:
    ///   - old: the earlier type.
    ///   - convert: makes a state of an earlier one. If it throws, the session is kept and not
    ///     restored.
    public init<Old: DurableState>(
        from old: Old.Type, _ convert: @escaping @Sendable (Old) throws -> State
    ) {
        read = { (stored, isExact, path) throws(StateDefect) in
            guard let old = try Old.read(stored, isExact: isExact, path) else { return nil }
            do {
                return try convert(old)
            } catch {
                throw StateDefect(reason: "the migration from \(Old.self) failed: \(error)")
            }
        }
        sources = { types, path in
            [types.name(of: Old.self)] + Old.sources(in: &types, path)
        }
    }
}

/// The reason why a stored state cannot be read.
package struct StateDefect: Error, Equatable, Sendable {
    package var reason: String

    package init(reason: String) { self.reason = reason }
}

/// A stored state.
struct StoredState: Sendable {
    var payload: Payload
    var schema: StateSchema
    /// The interactor's initial state, which supplies the fields that the stored one lacks.
    var initial: Payload?
}

extension DurableState {
    public static var migrations: [Migration<Self>] { [] }

    /// Returns the types that can be migrated to this one, directly or through others.
    static func sources(in types: inout TypeCatalog, _ path: [ObjectIdentifier]) -> [String] {
        guard !path.contains(ObjectIdentifier(Self.self)) else { return [] }
        var names: [String] = []
        for migration in migrations {
            names += migration.sources(&types, path + [ObjectIdentifier(Self.self)])
        }
        return names
    }

    /// Decodes a state that any version of the app has stored.
    ///
    /// Prefers the type that wrote it: a migration says more than a field that is filled.
    static func read(_ stored: StoredState) throws(StateDefect) -> Self {
        if let state = try read(stored, isExact: true, []) { return state }
        if let state = try read(stored, isExact: false, []) { return state }
        let obstacles = stored.schema.obstacles(to: StateSchema(of: Self.self), isFilled: true)
        throw StateDefect(reason: Self.words(obstacles))
    }

    /// - Parameters:
    ///   - isExact: whether only a type that is described as the stored one may read it.
    ///   - path: the types that were tried already.
    /// - Returns: `nil` if neither this type nor one of its migrations reads it.
    static func read(
        _ stored: StoredState, isExact: Bool, _ path: [ObjectIdentifier]
    ) throws(StateDefect) -> Self? {
        guard !path.contains(ObjectIdentifier(Self.self)) else { return nil }
        let own = StateSchema(of: Self.self)
        // The initial state has this type only, not that of a migration's source.
        let initial = path.isEmpty ? stored.initial : nil
        let changes =
            isExact
            ? stored.schema.changes(to: own)
            : stored.schema.obstacles(to: own, isFilled: initial != nil)
        if changes.isEmpty { return try decode(stored, from: initial) }
        for migration in migrations {
            let path = path + [ObjectIdentifier(Self.self)]
            if let state = try migration.read(stored, isExact, path) { return state }
        }
        return nil
    }

    private static func decode(
        _ stored: StoredState, from initial: Payload?
    ) throws(StateDefect) -> Self {
        do throws(CBORError) {
            guard let initial else { return try stored.payload.decode() }
            return try stored.payload.filled(from: initial, but: stored.schema.fields).decode()
        } catch {
            throw StateDefect(reason: error.detail)
        }
    }

    /// The number of obstacles that are named; others are counted. Chosen: few lines.
    private static var obstaclesNamed: Int { 5 }

    private static func words(_ obstacles: [ContractChange]) -> String {
        let named = obstacles.prefix(obstaclesNamed).map(\.summary).joined(separator: "; ")
        let more = obstacles.count - obstaclesNamed
        return named + (more > 0 ? "; and \(more) more" : "")
    }
}

extension Payload {
    /// Returns this map with the entries of another that it lacks.
    ///
    /// - Parameter fields: the fields that may be absent, because they have no value.
    fileprivate func filled(
        from other: Payload, but fields: [FieldSchema]
    ) throws(CBORError) -> Payload {
        let own = try entries()
        let known = Set(own.map(\.key) + fields.map(\.key))
        let all = own + (try other.entries()).filter { !known.contains($0.key) }
        guard all.count > own.count else { return self }
        return try Payload { (writer) throws(CBORError) in
            writer.writeMapHeader(all.count)
            for entry in all {
                writer.writeString(entry.key)
                writer.append(entry.value)
            }
        }
    }

    private func entries() throws(CBORError) -> [(key: String, value: [UInt8])] {
        try withReader { (reader) throws(CBORError) in
            var entries: [(key: String, value: [UInt8])] = []
            for _ in 0..<(try reader.readMapHeader()) {
                let key = try reader.readString()
                entries.append((key, Array(try reader.rawItem())))
            }
            return entries
        }
    }
}
