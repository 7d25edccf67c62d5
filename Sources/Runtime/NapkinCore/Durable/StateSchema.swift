// StateSchema: a durable state described as data, and whether another type reads what it wrote.
//
// Layer      core. Pure.
// Spec       Protocol/LEDGER.md, Descriptions

/// The type of a durable state, with the types in it: it is stored beside the states, so that a
/// later version of the app knows what they are.
@Message
package struct StateSchema: Hashable {
    /// The name of the state's type among `types`.
    package var state: String
    package var types: [TypeSchema]

    package init(of state: (some DurableState).Type) {
        var catalog = TypeCatalog()
        self.state = catalog.name(of: state)
        types = catalog.types
    }

    package init(state: String, types: [TypeSchema]) {
        self.state = state
        self.types = types
    }

    /// The fields of the state itself, but not of what is in it.
    var fields: [FieldSchema] { types.first { $0.name == state }?.fields ?? [] }

    /// Returns what differs in a newer description, in the words of contracts. Names of types do
    /// not count.
    package func changes(to newer: StateSchema) -> [ContractChange] {
        var comparison = TypeComparison(types, newer.types)
        comparison.compare(state, newer.state, at: newer.state, .toWorker)
        return comparison.changes
    }

    /// Returns those changes with which a state that was stored would be refused or lose something.
    ///
    /// - Parameter isFilled: whether a new field of the state itself begins with the value that the
    ///   interactor gives it.
    package func obstacles(to newer: StateSchema, isFilled: Bool) -> [ContractChange] {
        changes(to: newer).filter { change in
            switch change.kind {
            // It would be read, and be gone with the next change.
            case .fieldRemoved: true
            case .fieldAdded
            where isFilled && newer.fields.contains { change.place == "\(state).\($0.key)" }:
                false
            default: change.breaksOlderFronts
            }
        }
    }
}
