// ContractComparison: finds the changes from one contract to another, and the sides they break.
//
// Layer      core vocabulary. Pure: schemas from a peer can never trap here.
// Invariant  the only place that decides what is compatible: the check of a lock file and a
//            worker at attach both use it.
// Spec       Protocol/SPEC.md, section 14 (Evolution)

package struct ContractComparison {
    private var types: TypeComparison
    private var changes: [ContractChange] = []

    private init(_ old: [TypeSchema], _ new: [TypeSchema]) { types = TypeComparison(old, new) }

    /// Returns all differences, in the order of the newer contract's features.
    ///
    /// The names of types and parameters do not cross, nor does any order: such a difference is
    /// either no change or a change that breaks nobody.
    package static func changes(from old: AppSchema, to new: AppSchema) -> [ContractChange] {
        var comparison = Self(old.types, new.types)
        for feature in new.features {
            guard let before = old.features.first(where: { $0.feature == feature.feature })
            else {
                comparison.add(feature.feature, .featureAdded)
                continue
            }
            comparison.compare(before, feature)
        }
        for feature in old.features
        where !new.features.contains(where: { $0.feature == feature.feature }) {
            comparison.add(feature.feature, .featureRemoved)
        }
        return comparison.all + new.changesOfStates(since: old)
    }

    /// Returns the differences of one feature.
    package static func changes(
        from old: FeatureSchema, to new: FeatureSchema
    ) -> [ContractChange] {
        var comparison = Self(old.types ?? [], new.types ?? [])
        comparison.compare(old, new)
        return comparison.all
    }

    private var all: [ContractChange] { changes + types.changes }

    private mutating func add(
        _ place: String, _ kind: ContractChange.Kind,
        older: String? = nil, newer: String? = nil
    ) {
        let breakages = [
            older.map { ContractChange.Breakage(front: .older, reason: $0) },
            newer.map { ContractChange.Breakage(front: .newer, reason: $0) },
        ]
        changes.append(ContractChange(place, kind, breakages.compactMap(\.self)))
    }

    // MARK: - Features and methods

    private mutating func compare(_ old: FeatureSchema, _ new: FeatureSchema) {
        types.compare(
            old.arguments ?? TypeComparison.noArguments,
            new.arguments ?? TypeComparison.noArguments,
            at: "\(new.feature) arguments", .toFront)
        compare(old.presents, new.presents, of: new.feature)
        compare(old.listens, new.listens, of: new.feature)
    }

    private mutating func compare(
        _ old: [MethodSchema], _ new: [MethodSchema], of feature: String
    ) {
        for method in new {
            let place = "\(feature) \(method.key)"
            guard let before = old.first(where: { $0.key == method.key }) else {
                changed(method.delivery, isAdded: true, place)
                continue
            }
            compare(before, method, at: place)
        }
        for method in old where !new.contains(where: { $0.key == method.key }) {
            changed(method.delivery, isAdded: false, "\(feature) \(method.key)")
        }
    }

    /// Adds a method that only one contract has. A front that has it misses a state or a handler;
    /// one that lacks it cannot answer a question.
    private mutating func changed(_ delivery: DeliveryClass, isAdded: Bool, _ place: String) {
        let (having, lacking) = isAdded ? ("a newer", "an older") : ("an older", "a newer")
        let reason =
            switch delivery {
            case .state, .effect, .log:
                "\(having) front shows it, and \(lacking) worker never presents it"
            case .event: "\(having) front sends it, and \(lacking) worker does not know it"
            case .ask: "\(lacking) front is asked by \(having) worker and cannot answer"
            }
        let breaksNewer = isAdded == (delivery != .ask)
        add(
            place, isAdded ? .methodAdded(delivery) : .methodRemoved(delivery),
            older: breaksNewer ? nil : reason, newer: breaksNewer ? reason : nil)
    }

    private mutating func compare(_ old: MethodSchema, _ new: MethodSchema, at place: String) {
        if old.delivery != new.delivery {
            add(
                place, .deliveryChanged(from: old.delivery, to: new.delivery),
                older: "an older front is sent what it does not expect: a state is replayed and "
                    + "merged, an effect is not",
                newer: "a newer front is sent by an older worker what it does not expect")
        }
        let toArguments: TypeComparison.Flow = old.delivery == .event ? .toWorker : .toFront
        for (before, after) in zip(old.parameters, new.parameters) {
            if before.name != after.name {
                add(place, .parameterRenamed(from: before.name, to: after.name))
            }
            types.compare(before.type, after.type, at: "\(place) \(after.name)", toArguments)
        }
        compareResults(old, new, at: place, toArguments.back)
        if old.isThrowing != new.isThrowing {
            let isNew = new.isThrowing
            add(
                place, isNew ? .throwsAdded : .throwsRemoved,
                older: isNew ? "an older front does not notice that it failed" : nil,
                newer: isNew
                    ? nil : "a newer front does not notice that it failed at an older worker")
        }
        if let before = old.error, let after = new.error {
            types.compare(before, after, at: "\(place) throws", .asError)
        } else if old.isThrowing, new.isThrowing, old.error != new.error {
            add(place, .errorChanged(from: old.error, to: new.error))
        }
    }

    private mutating func compareResults(
        _ old: MethodSchema, _ new: MethodSchema, at place: String, _ flow: TypeComparison.Flow
    ) {
        switch (old.result, new.result) {
        case (nil, nil): break
        case (let before?, let after?): types.compare(before, after, at: "\(place) result", flow)
        case (nil, let type?):
            add(
                place, .resultAdded(type),
                newer: "a newer front waits for a result that an older worker does not send")
        case (let type?, nil):
            add(
                place, .resultRemoved(type),
                older: "an older front waits for a result that a newer worker does not send")
        }
    }
}
