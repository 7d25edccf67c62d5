// StoredSessions: a journal's sessions by name, and which of them would survive a death.
//
// Invariant  a session's number is given once, and its name is unique.

import NapkinCore

/// The stored sessions, and those whose first group is not durable yet.
package struct StoredSessions {
    private struct Entry {
        let session: SessionNumber
        let id: String
    }

    private var entries: [String: Entry] = [:]
    /// The names of the sessions that are not durable yet.
    private var unkept: [SessionNumber: String] = [:]
    private var newest: SessionNumber = 0

    init() {}

    /// - Parameter group: the newest group, which may belong to a session that has ended.
    init(_ sessions: [StoredSession], after group: GroupNumber) {
        newest = max(group, sessions.last?.session ?? 0)
        for session in sessions {
            entries[session.name] = Entry(session: session.session, id: session.id)
        }
    }

    /// The number of the session with this name; `nil` if none is stored.
    subscript(name: String) -> SessionNumber? { entries[name]?.session }

    package var isEmpty: Bool { entries.isEmpty }

    /// The names, in order.
    package var names: [String] { entries.keys.sorted() }

    package var ids: Set<String> { Set(entries.values.map(\.id)) }

    /// The names, in order, with their sessions' ids.
    package var titles: [(name: String, id: String)] {
        entries.map { ($0.key, $0.value.id) }.sorted { $0.name < $1.name }
    }

    package func holds(_ name: String) -> Bool { entries[name] != nil }

    /// Whether the session would survive a death.
    package func keeps(_ name: String) -> Bool { self[name].map { unkept[$0] == nil } ?? false }

    /// Returns a number that no session has had.
    mutating func makeNumber() -> SessionNumber {
        newest += 1
        return newest
    }

    /// Adds a session, which is not durable yet.
    mutating func begin(_ title: SessionTitle, as session: SessionNumber) {
        entries[title.name] = Entry(session: session, id: title.id)
        unkept[session] = title.name
    }

    mutating func rename(_ name: String, to newName: String) {
        guard let entry = entries.removeValue(forKey: name) else { return }
        entries[newName] = entry
        if unkept[entry.session] != nil { unkept[entry.session] = newName }
    }

    /// A group with the session's image is durable. Returns the session's name the first time.
    mutating func stored(_ session: SessionNumber) -> String? {
        unkept.removeValue(forKey: session)
    }

    /// Removes a session that has ended.
    mutating func end(_ name: String) -> (session: SessionNumber, id: String)? {
        guard let entry = entries.removeValue(forKey: name) else { return nil }
        unkept[entry.session] = nil
        return (entry.session, entry.id)
    }
}
