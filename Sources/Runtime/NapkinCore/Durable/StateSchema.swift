// StateSchema: a durable state described as data, whether another type can read it, and its place
// in an app's schema.
//
// Spec       Protocol/LEDGER.md, Descriptions; Protocol/SPEC.md, sections 13 (Schema) and
//            14 (Evolution)

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
    /// count, nor do defaults: a state is stored with all of its fields.
    package func changes(to newer: StateSchema) -> [ContractChange] {
        var comparison = TypeComparison(types, newer.types)
        comparison.compare(state, newer.state, at: newer.state, .toWorker)
        return comparison.changes.filter { ![.defaultAdded, .defaultRemoved].contains($0.kind) }
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

/// A durable state, and the earlier types that can be migrated to it.
@Message
package struct DurableSchema: Hashable, MandatoryFields {
    /// The name of the state's type.
    package var state: String
    /// The names of the types that can be migrated to it, directly or through others.
    package var migratesFrom: [String] = []
}

extension DurableSchema {
    init(of type: (some DurableState).Type, in types: inout TypeCatalog) {
        state = types.name(of: type)
        migratesFrom = type.sources(in: &types, [])
    }
}

extension AppSchema {
    /// Returns the changes of durable states since an older schema, and for each whether it keeps
    /// stored sessions from being restored.
    func changesOfStates(since old: AppSchema) -> [ContractChange] {
        let (before, after) = (old.states ?? [], states ?? [])
        var changes = after.filter { state in !before.contains { $0.state == state.state } }
            .map { ContractChange($0.state, .stateAdded) }
        for state in before {
            guard let newer = after.first(where: { $0.state == state.state }) else {
                changes.append(ContractChange(state.state, .stateRemoved))
                continue
            }
            changes += self.changes(of: newer, since: old)
        }
        return changes
    }

    private func changes(of state: DurableSchema, since old: AppSchema) -> [ContractChange] {
        let stored = StateSchema(state: state.state, types: old.types)
        func reads(_ name: String, isFilled: Bool) -> [ContractChange] {
            stored.obstacles(to: StateSchema(state: name, types: types), isFilled: isFilled)
        }
        let obstacles = reads(state.state, isFilled: true)
        let isMigrated = state.migratesFrom.contains { reads($0, isFilled: false).isEmpty }
        let all = stored.changes(to: StateSchema(state: state.state, types: types))
        return all.map { change in
            let isObstacle = !isMigrated && obstacles.contains { $0.place == change.place }
            return ContractChange(change.place, change.kind, isStored: true, isObstacle)
        }
    }
}

extension ContractChange {
    /// A change of the stored state, and whether it makes stored states unreadable.
    fileprivate init(_ place: String, _ kind: Kind, isStored: Bool, _ isObstacle: Bool) {
        let breakage = Breakage(
            front: .older,
            reason: "what an older worker has stored is not restored: add a Migration")
        self.init(place, kind, isObstacle ? [breakage] : [])
        self.isStored = isStored
    }
}
