// StateSchema: a durable state described as data, and whether another type can read it.
//
// Spec       Protocol/LEDGER.md, Descriptions

/// The type of a durable state, with the types in it: it is stored with the states, so that a later
/// version of the app can compare it with its own.
@Message
package struct StateSchema: Hashable {
    /// The name of the state's type among `types`.
    package var state: String
    package var types: [TypeSchema]
}

extension StateSchema {
    package init(of state: (some DurableState).Type) {
        var catalog = TypeCatalog()
        self.state = catalog.name(of: state)
        types = catalog.types
    }

    /// The fields of the state itself, without nested ones.
    var fields: [FieldSchema] { types.first { $0.name == state }?.fields ?? [] }

    /// Returns the differences of a newer description, in the words of contracts. Type names do not
    /// count.
    package func changes(to newer: StateSchema) -> [ContractChange] {
        var comparison = TypeComparison(types, newer.types)
        comparison.compare(state, newer.state, at: newer.state, .toWorker)
        return comparison.changes
    }

    /// Returns those changes that would make a stored state unreadable or lose part of it.
    ///
    /// - Parameter isFilled: whether a new field of the state itself begins with the value that the
    ///   interactor gives it.
    package func obstacles(to newer: StateSchema, isFilled: Bool) -> [ContractChange] {
        changes(to: newer).filter { change in
            switch change.kind {
            // It would be readable, and gone with the next change.
            case .fieldRemoved: true
            case .fieldAdded
            where isFilled && newer.fields.contains { change.place == "\(state).\($0.key)" }:
                false
            default: change.breaksOlderFronts
            }
        }
    }
}
