// ContractChange: one difference between an older and a newer contract, in words.
//
// Spec       Protocol/SPEC.md, section 14 (Evolution)

/// A change of a contract: its kind, the sides that it breaks, and the alternative.
package struct ContractChange: Hashable, Sendable {
    /// The kind of change at `place`.
    package enum Kind: Hashable, Sendable {
        case featureAdded
        case featureRemoved
        case methodAdded(DeliveryClass)
        case methodRemoved(DeliveryClass)
        case deliveryChanged(from: DeliveryClass, to: DeliveryClass)
        case parameterRenamed(from: String, to: String)
        case resultAdded(String)
        case resultRemoved(String)
        case throwsAdded
        case throwsRemoved
        /// The type of the errors; `nil` where only their texts cross.
        case errorChanged(from: String?, to: String?)
        case fieldAdded(String)
        /// A field was removed; `renamed` is the key of a new field that may be its successor.
        case fieldRemoved(String, renamed: String?)
        case typeChanged(from: String, to: String)
        /// The field may be missing now.
        case defaultAdded
        case defaultRemoved
        case caseAdded
        case caseRemoved
        case valueChanged(from: String, to: String)
        /// The type listed its values, and now any value may come.
        case valuesOpened
        case valuesClosed
        /// A durable state that the app lists.
        case stateAdded
        case stateRemoved
    }

    /// An incompatible combination of an older and a newer side, and the reason.
    package struct Breakage: Hashable, Sendable, Comparable {
        /// The front's age; its worker has the other contract.
        package enum Front: Int, Hashable, Sendable { case older, newer }

        package var front: Front
        package var reason: String

        package static func < (left: Self, right: Self) -> Bool {
            (left.front.rawValue, left.reason) < (right.front.rawValue, right.reason)
        }
    }

    /// The place of the change: `PitItem.stage`, `rib-house.pit-board didTapBack()`.
    package var place: String
    package var kind: Kind
    /// Empty if the change breaks nobody. Sorted, older fronts first.
    package internal(set) var breakages: [Breakage]
    /// Whether a durable state changed: the change breaks the restoring of sessions, not fronts.
    package internal(set) var isStored = false

    package init(_ place: String, _ kind: Kind, _ breakages: [Breakage] = []) {
        self.place = place
        self.kind = kind
        self.breakages = breakages.sorted()
    }

    /// Whether a front with the older contract fails at a worker with the newer one. A check
    /// refuses such a change. A worker refuses it at attach, where it treats every front as an
    /// older one.
    package var breaksOlderFronts: Bool { breakages.contains { $0.front == .older } }
}

extension ContractChange {
    /// The change in one line: `PitItem.stage: field removed`.
    package var summary: String { "\(place): \(what)" }

    private var what: String {
        switch kind {
        case .featureAdded: "feature added"
        case .featureRemoved: "feature removed"
        case .methodAdded(let delivery): "\(delivery.rawValue) added"
        case .methodRemoved(let delivery): "\(delivery.rawValue) removed"
        case .deliveryChanged(let old, let new):
            "delivery changed from \(old.rawValue) to \(new.rawValue)"
        case .parameterRenamed(let old, let new): "parameter '\(old)' is now called '\(new)'"
        case .resultAdded(let type): "result \(type) added"
        case .resultRemoved(let type): "result \(type) removed"
        case .throwsAdded: "may throw now"
        case .throwsRemoved: "does not throw any more"
        case .errorChanged(let old, let new):
            "error changed from \(old ?? "text") to \(new ?? "text")"
        case .fieldAdded(let type): "field added, \(type)"
        case .fieldRemoved(_, nil): "field removed"
        case .fieldRemoved(_, let successor?): "field removed, or renamed to '\(successor)'"
        case .typeChanged(let old, let new): "type changed from \(old) to \(new)"
        case .defaultAdded: "default added"
        case .defaultRemoved: "default removed"
        case .caseAdded: "case added"
        case .caseRemoved: "case removed"
        case .valueChanged(let old, let new): "raw value changed from \"\(old)\" to \"\(new)\""
        case .valuesOpened: "any raw value may come now"
        case .valuesClosed: "only some raw values are read now"
        case .stateAdded: "durable state added"
        case .stateRemoved: "durable state removed"
        }
    }

    /// The broken sides and the reason, without a full stop; empty if the change breaks nobody.
    package var consequence: String { breakages.map(\.reason).joined(separator: "; ") }

    /// The alternative; `nil` if nothing is better than updating the worker first.
    package var advice: String? {
        guard !breakages.isEmpty, !isStored else { return nil }
        switch kind {
        case .featureAdded, .featureRemoved, .parameterRenamed, .errorChanged, .stateAdded,
            .stateRemoved:
            return nil
        case .methodAdded(.ask):
            return "present a state and take an event: an older front ignores both"
        case .methodAdded, .methodRemoved(.ask), .defaultAdded: return nil
        case .methodRemoved: return "keep the method until no older front is in use"
        case .deliveryChanged, .resultAdded, .resultRemoved, .throwsAdded, .throwsRemoved:
            return "keep the method, and add one with another name"
        case .fieldAdded(let type): return "give it a default, or make it \(type)?"
        case .fieldRemoved(_, nil): return "keep the field until no older peer is in use"
        case .fieldRemoved(_, let successor?):
            return "keep the field; for another name in Swift alone, keep its key: "
                + "case \(successor) = \"\(lastPart)\" in CodingKeys"
        case .typeChanged(let old, let new) where new == old + "?":
            return "keep it mandatory, or add an optional field beside it"
        case .typeChanged(let old, let new) where old == new + "?": return "leave it optional"
        case .typeChanged: return "keep it, and add an optional field or a method with the new type"
        case .defaultRemoved: return "leave its initial value until no older front is in use"
        case .caseAdded:
            return "send it in a new optional field or by a new method, which older peers ignore"
        case .caseRemoved: return "keep the case, and stop sending it"
        case .valueChanged(let old, _):
            return "keep the raw value \"\(old)\": it travels, the case's name does not"
        case .valuesOpened, .valuesClosed:
            return "keep the type, and add an optional field with the new one"
        }
    }

    private var lastPart: Substring { place.split(separator: ".").last ?? "" }
}
