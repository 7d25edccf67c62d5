// PoisonResult: what one poison ended as, and the table of all.

import NapkinProtocol
import ProofSupport

@MainActor
struct PoisonResult {
    /// Milliseconds that an event may wait while another process dies. Chosen: others run, too.
    private static let apartMax = 1500

    let death: Death
    let app: String
    let session: String
    /// The number of the last receipt before.
    private let former: UInt64
    /// What the sender was told, each time.
    var told: [String] = []
    /// When a harmless event had been answered after that, in milliseconds since 1970.
    var servedAt: [Int64] = []
    private(set) var outcomes: [Receipt.Outcome] = []
    /// The receipt of the death that set the input aside.
    private(set) var setAside: Receipt?
    /// How often it was replayed, and how often that was the same death.
    var replays = 0
    var sameDeaths = 0
    /// The kinds of the inputs that the receipts name.
    private var inputs: [String] = []
    /// Milliseconds from the death at which the input was set aside, or the last one, until then.
    private(set) var served: Int?
    /// Milliseconds that the innocent session's events waited.
    var waits: [Int] = []
    /// Events of the innocent session that were told that they may have run.
    var unknown = 0
    /// What is not as it is to be.
    var wrong: [String] = []

    init(death: Death, app: String, session: String, newerThan former: UInt64) {
        (self.death, self.app, self.session, self.former) = (death, app, session, former)
    }

    private var isDurable: Bool { app.hasPrefix(PoisonProof.kinds[0]) }
    var expected: [String] { death.told(isDurable: isDurable) }
    var deaths: Int { death.deaths(isDurable: isDurable) }

    func newer(_ receipts: [Receipt]) -> [Receipt] { receipts.filter { $0.number > former } }

    mutating func take(_ all: [Receipt]) {
        let receipts = newer(all)
        outcomes = receipts.map(\.outcome)
        setAside = receipts.last { $0.outcome == .setAside }
        inputs = receipts.compactMap(\.input?.kind.rawValue)
        for input in receipts.compactMap(\.input) where input.session != session {
            wrong.append("a receipt names an input of \(input.session)")
        }
        if !death.isSlow {
            wrong += receipts.map(\.cause).filter { $0.contains("did not answer") }
        }
        guard let last = (receipts.first { $0.outcome == .setAside } ?? receipts.last)?.at else {
            return
        }
        served = servedAt.first { $0 >= last }.map { Int($0 - last) }
    }

    mutating func check() {
        if told != expected { wrong.append("was told \(told), not \(expected)") }
        if outcomes.count != deaths { wrong.append("\(outcomes.count) deaths, not \(deaths)") }
        if !death.isUnnamed, inputs.count < min(2, deaths) {
            wrong.append("\(inputs.count) receipts name an input")
        }
        // An event that was under way at three deaths is not sent again; section 9.3.
        if isDurable, unknown > 0, outcomes.count < 3 {
            wrong.append("\(unknown) innocent events are told that they may have run")
        }
        let longest = waits.max() ?? 0
        if app.hasSuffix(PoisonProof.isolations[2]), longest > Self.apartMax {
            wrong.append("a session that shares no process waited \(longest) ms")
        }
    }

    /// For whoever looks into it.
    var complaint: String { "  \(death), \(app): \(wrong.joined(separator: "; ")) \(receipts)" }

    private var receipts: String {
        let outcomes = outcomes.map(\.rawValue).joined(separator: ", ")
        return inputs.isEmpty ? outcomes : "\(outcomes): \(inputs.joined(separator: ", "))"
    }

    private var replay: String {
        replays == 0 ? "–" : sameDeaths == replays ? "the same death" : "another end"
    }

    /// In Markdown: a row for each death and kind of session, with a figure for each isolation.
    static func table(_ results: [PoisonResult]) -> String {
        var rows = [
            "| death | session | its sender is told | receipts | replayed | served after, ms | "
                + "longest wait of others, ms |",
            "| --- | --- | --- | --- | --- | --- | --- |",
        ]
        for death in Death.allCases {
            for kind in PoisonProof.kinds {
                let results = results.filter { $0.death == death && $0.app.hasPrefix(kind) }
                if results.isEmpty { continue }
                func text(_ value: (PoisonResult) -> String) -> String {
                    let values = results.map(value)
                    return Set(values).count == 1 ? values[0] : values.joined(separator: " / ")
                }
                let figures = [
                    results.map { $0.served.map(String.init) ?? "–" },
                    results.map { $0.waits.max().map(String.init) ?? "–" },
                ].map { $0.joined(separator: " / ") }
                rows.append(
                    "| \(death) | \(kind) | \(text { $0.told.joined(separator: ", ") }) | "
                        + "\(text(\.receipts)) | \(text(\.replay)) | \(figures[0]) | "
                        + "\(figures[1]) |")
            }
        }
        return rows.joined(separator: "\n")
    }
}

/// The median, the 99th percentile and the longest of some times.
struct PoisonFigures: CustomStringConvertible {
    private let sorted: [Int]

    init(_ milliseconds: [Int]) { sorted = milliseconds.sorted() }

    var p99: Int { sorted.isEmpty ? 0 : sorted[(sorted.count - 1) * 99 / 100] }

    var description: String {
        guard let most = sorted.last else { return "none" }
        return "median \(sorted[sorted.count / 2]) ms, p99 \(p99) ms, longest \(most) ms, "
            + "of \(sorted.count)"
    }
}
