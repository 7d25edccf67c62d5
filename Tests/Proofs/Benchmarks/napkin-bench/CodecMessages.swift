// CodecMessages: what the codec workload codes, as messages and as plain Codable values.
//
//
// The two spellings of a type have the same fields, and so the same bytes.

import NapkinCore

/// The five-field message of `CartItem`, without `@Message`.
struct PlainItem: Codable, Equatable, Sendable {
    var id: Int64
    var name: String
    var quantity: Int32
    var price: Double
    var tags: [String]

    init(_ item: CartItem) {
        id = item.id
        name = item.name
        quantity = item.quantity
        price = item.price
        tags = item.tags
    }
}

/// A state as a screen has one: nested structures, enumerations, optionals, dictionaries, arrays.
@Message
struct BenchState: Equatable {
    var title: String
    var revision: Int
    var selection: Int?
    var mode: BenchMode
    var sections: [BenchSection]
    var totals: [String: Double]
}

@Message
enum BenchMode: Equatable {
    case browsing
    case searching(text: String, scope: Int?)
    case editing(id: Int64)
}

@Message
struct BenchSection: Equatable {
    var name: String
    var isExpanded: Bool
    var rows: [BenchRow]
}

@Message
struct BenchRow: Equatable {
    var id: Int64
    var name: String
    var note: String?
    var level: Float
    var mode: BenchMode
    var tags: [String]
}

struct PlainState: Codable, Equatable, Sendable {
    var title: String
    var revision: Int
    var selection: Int?
    var mode: PlainMode
    var sections: [PlainSection]
    var totals: [String: Double]
}

enum PlainMode: Codable, Equatable, Sendable {
    case browsing
    case searching(text: String, scope: Int?)
    case editing(id: Int64)
}

struct PlainSection: Codable, Equatable, Sendable {
    var name: String
    var isExpanded: Bool
    var rows: [PlainRow]
}

struct PlainRow: Codable, Equatable, Sendable {
    var id: Int64
    var name: String
    var note: String?
    var level: Float
    var mode: PlainMode
    var tags: [String]
}

extension BenchState {
    /// About 2 KiB of CBOR: four sections of five rows.
    static func standard() -> BenchState {
        let sections = (0..<4).map { section in
            BenchSection(
                name: "section number \(section)", isExpanded: section != 2,
                rows: (0..<5).map { BenchRow.standard($0, in: section) })
        }
        let totals = ["smoking": 12.5, "resting": 3.25, "served": 118, "lighting": 0.5]
        return BenchState(
            title: "Live from the pit", revision: 48_213, selection: 7,
            mode: .searching(text: "brisket", scope: 2), sections: sections, totals: totals)
    }
}

extension BenchRow {
    fileprivate static func standard(_ row: Int, in section: Int) -> BenchRow {
        BenchRow(
            id: Int64(section * 1000 + row), name: "row number \(row), sliced",
            note: row.isMultiple(of: 2) ? nil : "no sauce", level: Float(row) / 4,
            mode: row == 3 ? .editing(id: 3) : .browsing, tags: ["smokebox", "takeaway"])
    }
}

extension PlainState {
    init(_ state: BenchState) {
        title = state.title
        revision = state.revision
        selection = state.selection
        mode = PlainMode(state.mode)
        sections = state.sections.map(PlainSection.init)
        totals = state.totals
    }
}

extension PlainMode {
    init(_ mode: BenchMode) {
        switch mode {
        case .browsing: self = .browsing
        case .searching(let text, let scope): self = .searching(text: text, scope: scope)
        case .editing(let id): self = .editing(id: id)
        }
    }
}

extension PlainSection {
    init(_ section: BenchSection) {
        name = section.name
        isExpanded = section.isExpanded
        rows = section.rows.map(PlainRow.init)
    }
}

extension PlainRow {
    init(_ row: BenchRow) {
        id = row.id
        name = row.name
        note = row.note
        level = row.level
        mode = PlainMode(row.mode)
        tags = row.tags
    }
}
