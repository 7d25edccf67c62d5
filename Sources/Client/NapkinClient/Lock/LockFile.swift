// LockFile: the contract of the fronts in use, kept as text beside an app.
//
// Spec       Protocol/SPEC.md, section 14 (Evolution)

import NapkinCore
import NapkinTransport

struct LockFile {
    let path: String

    init(_ path: String) { self.path = path }

    /// Reports the changes since the file was written; fails if there are any.
    func check(_ schema: AppSchema) throws(ClientFailure) -> Int32 {
        guard let before = try read(for: schema.app) else {
            throw .noInput(
                "there is no lock file \(path); write it with `napkin-client schema \(schema.app) "
                    + "--lock \(path)`")
        }
        guard let report = try report(from: before, to: schema) else { return 0 }
        guard report.breakingCount == 0 else { throw breaking(report, "") }
        throw .dataError(
            "\(path) lacks these changes, which break no older front; accept them with --lock")
    }

    /// Writes the schema, unless that would hide a change that breaks older fronts.
    func update(
        to schema: AppSchema, acceptsBreaking: Bool
    ) throws(ClientFailure) -> Int32 {
        guard let before = try read(for: schema.app) else {
            try write(schema)
            try StandardOutput.put(line: "\(path): written for the first time")
            return 0
        }
        guard let report = try report(from: before, to: schema) else { return 0 }
        guard report.breakingCount == 0 || acceptsBreaking else {
            throw breaking(report, "; nothing was written")
        }
        try write(schema)
        try StandardOutput.put(line: "\(path): written")
        return 0
    }

    /// Prints the changes and returns them; `nil` if nothing has changed.
    private func report(
        from before: AppSchema, to schema: AppSchema
    ) throws(ClientFailure) -> ContractReport? {
        let report = ContractReport(ContractComparison.changes(from: before, to: schema))
        guard report.isEmpty, SchemaText.text(of: before) == SchemaText.text(of: schema) else {
            try StandardOutput.put(PrintableText(lines: report.lines))
            return report
        }
        try StandardOutput.put(line: "\(path): nothing has changed")
        return nil
    }

    private func breaking(_ report: ContractReport, _ ending: String) -> ClientFailure {
        let changes =
            report.breakingCount == 1 ? "1 change breaks" : "\(report.breakingCount) changes break"
        return ClientFailure.protocolError(
            "\(path): \(changes) \(report.broken); do what it says above instead, or accept it "
                + "with --lock and --accept-breaking\(ending)")
    }

    // MARK: - The file

    /// Returns the schema in the file; `nil` if there is no file.
    private func read(for app: String) throws(ClientFailure) -> AppSchema? {
        guard let text = try FileText.read(path) else { return nil }
        let schema: AppSchema
        do throws(SchemaTextError) {
            schema = try SchemaText.schema(from: text)
        } catch {
            throw .dataError(
                "\(path), \(error); restore the file, or remove it and write it with --lock")
        }
        guard schema.app == app else {
            throw .dataError("\(path) is the lock file of \(schema.app), not of \(app)")
        }
        return schema
    }

    private func write(_ schema: AppSchema) throws(ClientFailure) {
        let heading = """
            # What fronts of \(schema.app) in use were built with. Do not edit: it is written by
            # `napkin-client schema \(schema.app) --lock`, compared with the app by `--check`.


            """
        try FileText.write(heading + SchemaText.text(of: schema), to: path)
    }
}

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
            return ["names of types, an order, a state's defaults: none travels or breaks anybody"]
        }
        return changes.flatMap(Self.lines)
    }

    private static func lines(of change: ContractChange) -> [String] {
        var lines = [change.summary]
        for breakage in change.breakages {
            let label =
                change.isStored
                ? "breaks stored sessions"
                : breakage.front == .older ? "breaks older fronts" : "update the app's worker first"
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
