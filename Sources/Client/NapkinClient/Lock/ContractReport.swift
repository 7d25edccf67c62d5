// ContractReport: the changes of a contract, for the person who made them.
//
// Spec       Protocol/SPEC.md, section 14 (Evolution)

import NapkinCore

struct ContractReport {
    private let changes: [ContractChange]

    /// Sorts the changes: those that break older fronts come first.
    init(_ changes: [ContractChange]) {
        self.changes =
            changes.filter(\.breaksOlderFronts) + changes.filter { !$0.breaksOlderFronts }
    }

    var isEmpty: Bool { changes.isEmpty }

    /// The number of changes that break fronts in use.
    var breakingCount: Int { changes.count(where: \.breaksOlderFronts) }

    var broken: String {
        let breaking = changes.filter(\.breaksOlderFronts)
        if breaking.allSatisfy(\.isStored) { return "stored sessions" }
        return breaking.contains(where: \.isStored)
            ? "older fronts and stored sessions" : "older fronts"
    }

    var lines: [String] {
        guard !isEmpty else {
            return ["names of types, or an order: neither travels, so it breaks nobody"]
        }
        return changes.flatMap(Self.lines)
    }

    private static func lines(of change: ContractChange) -> [String] {
        var lines = [change.summary]
        for breakage in change.breakages {
            let label =
                change.isStored
                ? "breaks stored sessions"
                : breakage.front == .older ? "breaks older fronts" : "update the daemon first"
            lines.append("  \(label): \(breakage.reason)")
        }
        if change.breakages.isEmpty { lines.append("  breaks nobody") }
        if change.breaksOlderFronts, let advice = change.advice {
            lines.append("  instead: \(advice)")
        } else if let advice = change.advice {
            lines.append("  or: \(advice)")
        }
        return lines
    }
}
