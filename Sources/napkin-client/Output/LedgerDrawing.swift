// LedgerDrawing: a tree's leak ledger as lines.
//
// Layer      executable, output.
// Isolation  value.

import NapkinProtocol

/// Draws ledgers.
enum LedgerDrawing {
    /// Returns a table of the counts, and one line for each owner of what is left.
    static func lines(of ledger: SessionLedger?) -> [String] {
        guard let ledger else { return ["  no ledger yet: the tree is being built"] }
        var table = Table("LEDGER", "CREATED", "RELEASED", "IN USE", "LEFT")
        for count in ledger.counts {
            let inUse = count.created - count.released - count.left
            table.add(
                count.kind, "\(count.created)", "\(count.released)", "\(inUse)", "\(count.left)")
        }
        return (table.lines + remnants(of: ledger)).map { "  " + $0 }
    }

    private static func remnants(of ledger: SessionLedger) -> [String] {
        let left = ledger.counts.reduce(0) { $0 + $1.left }
        guard left > 0 else { return ["nothing is left of what has been detached"] }
        let named = ledger.remnants.reduce(0) { $0 + $1.count }
        let lines = ledger.remnants.map { remnant in
            let times = remnant.count == 1 ? "" : " (\(remnant.count) times)"
            return "left: \(remnant.owner): \(remnant.what)\(times)"
        }
        return named < left ? lines + ["left: \(left - named) more"] : lines
    }
}
