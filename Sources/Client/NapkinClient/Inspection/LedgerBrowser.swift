// LedgerBrowser: a stored session at one of its records, and the changes of that record.
//
// Invariant  everything shown is as of one record: the selected one, otherwise the newest.

import NapkinCoding
import NapkinProtocol
import NapkinTransport
import Observation

@MainActor
@Observable
final class LedgerBrowser {
    typealias Ask = (LedgerRequest) async throws(ClientFailure) -> LedgerSession

    /// The time between two queries for the newest state. Chosen: each reads the session's records.
    private static let interval = Duration.seconds(2)

    /// The session's newest stored state; `nil` if nothing of it is known.
    private(set) var session: LedgerSession? {
        didSet { records = Self.grouped(session?.records ?? []) }
    }
    /// Its records. Records with one number are merged, since no state exists between them.
    private(set) var records: [LedgerRecord] = []
    /// The selected record; `nil` follows the newest.
    var record: UInt64?
    /// The session as of a record, and that record; they stay until the selected ones arrive.
    private(set) var lines: [LedgerLine] = []
    private(set) var shownRecord: UInt64?
    /// The reason why nothing is shown.
    private(set) var problem: String?

    /// The inputs of a record's state.
    struct Moment: Equatable {
        var session: String?
        var record: UInt64?
    }

    var moment: Moment {
        Moment(session: session?.entry.id, record: record ?? records.last?.record)
    }

    /// The index of the shown record.
    var index: Int? {
        get { records.firstIndex { $0.record == moment.record } }
        set {
            // Selecting the newest record means following the newest.
            record = newValue.flatMap { $0 == records.count - 1 ? nil : records[$0].record }
        }
    }

    private static func grouped(_ records: [LedgerRecord]) -> [LedgerRecord] {
        records.reduce(into: []) { groups, record in
            guard let last = groups.indices.last, groups[last].record == record.record else {
                return groups.append(record)
            }
            groups[last].bytes += record.bytes
            groups[last].changes += record.changes
        }
    }

    /// Keeps the records current, until the task is cancelled.
    func watch(_ ask: Ask) async {
        (session, record, lines, problem) = (nil, nil, [], nil)
        while !Task.isCancelled {
            do throws(ClientFailure) {
                let now = try await ask(.show())
                guard !Task.isCancelled else { return }
                if now != session { session = now }
                problem = nil
            } catch {
                if Task.isCancelled { return }
                (session, lines, problem) = (nil, [], error.message)
            }
            await LoopTimer.wait(Self.interval)
        }
    }

    /// Fetches the record to show, and the one before it.
    func load(_ ask: Ask) async {
        guard let session, let record = moment.record else {
            (lines, shownRecord) = ([], nil)
            return
        }
        let before = records.last { $0.record < record }?.record ?? session.oldest
        do throws(ClientFailure) {
            let old = try await ask(.show(record: before))
            let new = try await ask(.show(record: record))
            guard !Task.isCancelled else { return }
            (lines, shownRecord) = (LedgerLine.lines(of: new, after: old), record)
        } catch {
            // Its records have been moved into the image meanwhile: others can be selected.
            guard !Task.isCancelled else { return }
            (lines, shownRecord, problem) = ([], nil, error.message)
        }
    }
}

/// One line of a session's stored state.
struct LedgerLine: Equatable {
    /// Unique in the session.
    let id: String
    var text: String
    var isChanged = false

    /// Returns the lines of a session and its removed lines. Lines that differ from the former
    /// session are marked, with their former values.
    static func lines(of session: LedgerSession, after former: LedgerSession) -> [LedgerLine] {
        let (new, old) = (values(of: session), values(of: former))
        let before = Dictionary(old.map { ($0.id, $0.value) }) { first, _ in first }
        let there = Set(new.map(\.id))
        let lines = new.map { line in
            guard before[line.id] != line.value else {
                return LedgerLine(id: line.id, text: line.label + line.value)
            }
            let was = before[line.id].map { $0.isEmpty ? "" : "   was \($0)" } ?? "   new"
            return LedgerLine(
                id: line.id, text: line.label + line.value + was, isChanged: true)
        }
        let gone = old.filter { !there.contains($0.id) }.map { line in
            LedgerLine(id: line.id, text: "\(line.label)\(line.value)   gone", isChanged: true)
        }
        return lines + gone
    }

    private typealias Value = (id: String, label: String, value: String)

    private static func values(of session: LedgerSession) -> [Value] {
        nodes(of: session)
            + LedgerDrawing.agenda(of: session).map { line in
                let end = line.firstRange(of: ": ")?.upperBound ?? line.endIndex
                return (String(line[..<end]), String(line[..<end]), String(line[end...]))
            }
    }

    private static func nodes(of session: LedgerSession) -> [Value] {
        LedgerDrawing.outline(of: session, indent: 0) { node, space in
            let id = "\(node.number)"
            var values: [Value] = [(id, space + LedgerDrawing.name(of: node), "")]
            if !node.arguments.isEmpty {
                values.append(
                    ("\(id) with", space + "  with ", LedgerDrawing.text(node.arguments)))
            }
            for (name, value) in members(of: node.state) {
                let label = name.isEmpty ? "  state " : "  \(name): "
                values.append(("\(id) state \(name)", space + label, value))
            }
            return values
        }
    }

    /// Returns the fields of a state; a state without fields becomes one with an empty name.
    private static func members(of state: [UInt8]?) -> [(name: String, value: String)] {
        guard let state else { return [] }
        guard let items = state.encodedItems(of: .map), !items.isEmpty else {
            return [("", LedgerDrawing.text(state))]
        }
        return stride(from: 0, to: items.count, by: 2).map { index in
            let name = LedgerDrawing.text(items[index])
            return (
                name.hasPrefix("\"") ? String(name.dropFirst().dropLast()) : name,
                LedgerDrawing.text(items[index + 1])
            )
        }
    }
}
