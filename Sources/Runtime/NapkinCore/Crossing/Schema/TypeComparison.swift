// TypeComparison: checks, type by type, whether each side can read the other's values.
//
// Layer      core vocabulary. Pure: schemas from a peer can never trap here.
// Invariant  each pair of types is compared once for each direction, so that recursive types
//            come to an end.
// Spec       Protocol/SPEC.md, section 14 (Evolution)

struct TypeComparison {
    /// The direction in which a value crosses.
    enum Flow: Hashable {
        case toFront, toWorker
        /// To the front, with a text for a front that cannot read the error.
        case asError

        var back: Flow { self == .toFront ? .toWorker : .toFront }
    }

    /// The readers that fail: the older contract's reader of the newer one's output, or the
    /// reverse.
    struct Readers: OptionSet, Hashable {
        let rawValue: UInt8
        static let old = Readers(rawValue: 1)
        static let new = Readers(rawValue: 2)
        static let both: Readers = [.old, .new]
    }

    private struct Pair: Hashable {
        var old: String
        var new: String
        var flow: Flow
    }

    private struct ChangeKey: Hashable {
        var place: String
        var kind: ContractChange.Kind
    }

    /// The arguments of a feature that has none: an empty map.
    static let noArguments = "NoArguments"

    private let old: [String: TypeSchema]
    private let new: [String: TypeSchema]
    private var compared: Set<Pair> = []
    /// Pairs yet to be compared: a list, since a peer's schema could make recursion deep.
    private var pending: [Pair] = []
    private var found: [ChangeKey: Int] = [:]
    private(set) var changes: [ContractChange] = []

    init(_ old: [TypeSchema], _ new: [TypeSchema]) {
        func table(_ types: [TypeSchema]) -> [String: TypeSchema] {
            let empty = TypeSchema(name: Self.noArguments, kind: .structure, fields: [])
            return Dictionary(
                ([empty] + types).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        }
        self.old = table(old)
        self.new = table(new)
    }

    /// Compares the types at `place`, and everything inside them.
    mutating func compare(_ old: String, _ new: String, at place: String, _ flow: Flow) {
        note(old, new, at: place, flow)
        while let pair = pending.popLast() { compareParts(pair) }
    }

    private mutating func note(_ old: String, _ new: String, at place: String, _ flow: Flow) {
        let readers = readers(TypeReference(old), TypeReference(new), flow)
        guard !readers.isEmpty else { return }
        add(place, .typeChanged(from: old, to: new), readers, flow)
    }

    /// Adds a change. The same change in both directions is one change with everything that it
    /// breaks.
    private mutating func add(
        _ place: String, _ kind: ContractChange.Kind, _ readers: Readers, _ flow: Flow
    ) {
        let breakages = Self.breakages(readers, flow)
        let key = ChangeKey(place: place, kind: kind)
        guard let index = found[key] else {
            found[key] = changes.count
            changes.append(ContractChange(place, kind, breakages))
            return
        }
        let all = Set(changes[index].breakages).union(breakages)
        changes[index].breakages = all.sorted()
    }

    private static func breakages(_ readers: Readers, _ flow: Flow) -> [ContractChange.Breakage] {
        var breakages: [ContractChange.Breakage] = []
        func add(_ front: ContractChange.Breakage.Front, _ reason: String) {
            breakages.append(ContractChange.Breakage(front: front, reason: reason))
        }
        switch flow {
        case .asError: break
        case .toFront:
            if readers.contains(.old) {
                add(.older, "an older front cannot read what a newer worker sends")
            }
            if readers.contains(.new) {
                add(.newer, "a newer front cannot read what an older worker sends")
            }
        case .toWorker:
            if readers.contains(.new) {
                add(.older, "a newer worker cannot read what an older front sends")
            }
            if readers.contains(.old) {
                add(.newer, "an older worker cannot read what a newer front sends")
            }
        }
        return breakages
    }

    // MARK: - References

    /// Returns the readers that fail at this reference; failures in named types are found later.
    private mutating func readers(
        _ old: TypeReference, _ new: TypeReference, _ flow: Flow
    ) -> Readers {
        switch (old, new) {
        case (.optional(let old), .optional(let new)): readers(old, new, flow)
        case (.optional(let old), let new): readers(old, new, flow).union(.new)
        case (let old, .optional(let new)): readers(old, new, flow).union(.old)
        case (.array(let old), .array(let new)): readers(old, new, flow)
        case (.dictionary(let oldKey, let old), .dictionary(let newKey, let new)):
            readers(oldKey, newKey, flow).union(readers(old, new, flow))
        case (.bytes, .bytes): []
        case (.named(let old), .named(let new)): readers(named: old, new, flow)
        default: .both
        }
    }

    private mutating func readers(named old: String, _ new: String, _ flow: Flow) -> Readers {
        let before = Self.type(old, in: self.old)
        let after = Self.type(new, in: self.new)
        switch (before.kind, after.kind) {
        case (.structure, .structure), (.choice, .choice), (.raw, .raw): break
        default:
            // Nobody can see inside an opaque type: the same name has to do.
            let isSeen = before.isSeen && after.isSeen
            return !isSeen && old == new ? [] : .both
        }
        if before.isScalar, after.isScalar { return Self.readers(scalar: old, new) }
        let pair = Pair(old: old, new: new, flow: flow)
        if compared.insert(pair).inserted { pending.append(pair) }
        return []
    }

    private mutating func compareParts(_ pair: Pair) {
        let before = Self.type(pair.old, in: old)
        let after = Self.type(pair.new, in: new)
        switch before.kind {
        case .structure:
            compare(fields: before.fields ?? [], after.fields ?? [], of: pair.old, pair.flow)
        case .choice: compare(cases: before.cases ?? [], after.cases ?? [], of: pair.old, pair.flow)
        default: compare(raw: before, after, pair.flow)
        }
    }

    /// A scalar counts as a type that is its raw value, whichever that is.
    private static func type(_ name: String, in types: [String: TypeSchema]) -> TypeSchema {
        if let type = types[name] { return type }
        guard TypeSchema.scalars.contains(name) else {
            return TypeSchema(name: name, kind: .opaque)
        }
        return TypeSchema(name: name, kind: .raw)
    }

    private static func readers(scalar old: String, _ new: String) -> Readers {
        if old == new { return [] }
        var readers: Readers = []
        if !TypeReference.holds(old, everyNumberOf: new) { readers.insert(.old) }
        if !TypeReference.holds(new, everyNumberOf: old) { readers.insert(.new) }
        return readers
    }

    // MARK: - Parts

    private mutating func compare(
        fields old: [FieldSchema], _ new: [FieldSchema], of place: String, _ flow: Flow
    ) {
        let removed = old.filter { field in !new.contains { $0.key == field.key } }
        let added = new.filter { field in !old.contains { $0.key == field.key } }
        // One field gone and one added, of the same type: perhaps it was renamed.
        let isRenamed = removed.count == 1 && added.count == 1 && removed[0].type == added[0].type
        for field in old {
            guard let after = new.first(where: { $0.key == field.key }) else {
                let readers: Readers = field.mayBeMissing ? [] : .old
                let successor = isRenamed ? added[0].key : nil
                add(
                    "\(place).\(field.key)", .fieldRemoved(field.type, renamed: successor),
                    readers, flow)
                continue
            }
            note(field.type, after.type, at: "\(place).\(field.key)", flow)
            let isOptional = [field, after].contains { TypeReference($0.type).isOptional }
            if !isOptional, field.mayBeMissing != after.mayBeMissing {
                let isNew = after.mayBeMissing
                // Fronts may leave the field out; workers do not.
                let readers: Readers = flow != .toWorker ? [] : isNew ? .old : .new
                add(
                    "\(place).\(field.key)", isNew ? .defaultAdded : .defaultRemoved, readers,
                    flow)
            }
        }
        for field in added {
            let readers: Readers = field.mayBeMissing ? [] : .new
            add("\(place).\(field.key)", .fieldAdded(field.type), readers, flow)
        }
    }

    private mutating func compare(
        cases old: [CaseSchema], _ new: [CaseSchema], of place: String, _ flow: Flow
    ) {
        for before in old {
            guard let after = new.first(where: { $0.key == before.key }) else {
                add("\(place).\(before.key)", .caseRemoved, .new, flow)
                continue
            }
            compare(
                fields: before.fields ?? [], after.fields ?? [], of: "\(place).\(before.key)",
                flow)
        }
        for after in new where !old.contains(where: { $0.key == after.key }) {
            add("\(place).\(after.key)", .caseAdded, .old, flow)
        }
    }

    private mutating func compare(raw old: TypeSchema, _ new: TypeSchema, _ flow: Flow) {
        note(old.raw ?? old.name, new.raw ?? new.name, at: old.name, flow)
        guard let before = old.cases, let after = new.cases else {
            if old.cases != nil { add(old.name, .valuesOpened, .old, flow) }
            if new.cases != nil { add(old.name, .valuesClosed, .new, flow) }
            return
        }
        for value in before where !after.contains(where: { $0.value == value.value }) {
            let place = "\(old.name).\(value.key)"
            if let other = after.first(where: { $0.key == value.key }) {
                let kind = ContractChange.Kind.valueChanged(
                    from: value.value ?? "", to: other.value ?? "")
                add(place, kind, .both, flow)
            } else {
                add(place, .caseRemoved, .new, flow)
            }
        }
        for value in after
        where !before.contains(where: {
            $0.value == value.value || $0.key == value.key
        }) {
            add("\(old.name).\(value.key)", .caseAdded, .old, flow)
        }
    }
}

extension TypeSchema {
    fileprivate var isSeen: Bool { [.structure, .choice, .raw].contains(kind) }
    /// Whether it was created here for a scalar: a described raw type knows its raw type.
    fileprivate var isScalar: Bool { kind == .raw && raw == nil }
}
