// DurableSchema: a durable state in an app's schema, and its changes since a lock file.
//
// Layer      core vocabulary. Pure: schemas from a file can never trap here.
// Spec       Protocol/SPEC.md, sections 13 (Schema) and 14 (Evolution)

/// A durable state, and the earlier types that can be migrated to it.
@Message
package struct DurableSchema: Hashable {
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
            stored.obstacles(
                to: StateSchema(state: name, types: types), isFilled: isFilled)
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
