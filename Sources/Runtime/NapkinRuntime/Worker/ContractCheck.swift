// ContractCheck: decides at attach whether a front's contract fits the worker's.
//
// Layer      runtime: decides by ContractComparison; the code that admits fronts performs it.
// Spec       Protocol/SPEC.md, section 14 (Evolution)

package import NapkinCore
package import NapkinProtocol

/// Decides what a worker does about a front's contracts.
package struct ContractCheck: Sendable {
    /// What to do with the front.
    package enum Verdict: Equatable, Sendable {
        case admit
        /// Ask for the front's schemas of these features, whose hashes differ.
        case ask([String])
        case refuse(Refusal)
    }

    /// The number of differences that a refusal names; it counts the others. Chosen: a refusal is a
    /// few lines.
    static let differencesNamed = 5

    private let app: String
    private let features: [String: FeatureSchema]
    private let hashes: [String: UInt64]

    @MainActor
    package init(app: String, features: [any Feature.Type]) {
        self.init(app: app, schemas: features.map { $0.schema })
    }

    init(app: String, schemas: [FeatureSchema]) {
        self.app = app
        features = Dictionary(
            schemas.map { ($0.feature, $0) }, uniquingKeysWith: { first, _ in first })
        hashes = features.mapValues(\.hash)
    }

    /// Compares hashes: a front whose hashes are equal is admitted at once. A feature that only one
    /// side knows does not count.
    package func verdict(on attach: Attach) -> Verdict {
        let differing = attach.contracts.filter { feature, hash in
            hashes[feature].map { $0 != hash } ?? false
        }
        return differing.isEmpty ? .admit : .ask(differing.keys.sorted())
    }

    /// Compares the schemas that the front was asked for. Every front is treated as one with an
    /// older contract.
    package func verdict(on schemas: [FeatureSchema], asked: [String]) -> Verdict {
        var breaking: [ContractChange] = []
        for name in asked {
            guard let own = features[name] else { continue }
            guard let theirs = schemas.first(where: { $0.feature == name }) else {
                return .refuse(
                    Refusal(.badRequest, "the front did not describe its contract of \(name)"))
            }
            for change in ContractComparison.changes(from: theirs, to: own)
            where change.breaksOlderFronts && !breaking.contains(change) {
                breaking.append(change)
            }
        }
        guard !breaking.isEmpty else { return .admit }
        let named = breaking.prefix(Self.differencesNamed).map { change in
            let reasons = change.breakages.filter { $0.front == .older }.map(\.reason)
            return "\(change.summary) (\(reasons.joined(separator: "; ")))"
        }
        let more = breaking.count - named.count
        return refusal(
            named.joined(separator: "; ") + (more > 0 ? "; and \(more) more" : ""))
    }

    private func refusal(_ differences: String) -> Verdict {
        .refuse(
            Refusal(
                .contractMismatch,
                "the front's contract does not fit that of the running \(app) worker: "
                    + "\(differences): if the worker is the older one, `napkin-client upgrade "
                    + "\(app)`; if the front is, leave it and attach again"))
    }
}
