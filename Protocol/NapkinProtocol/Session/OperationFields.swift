// OperationFields: decodes the map of one operation of a transition.
//
// Invariant  bit i of `seen`: the key of `Key(rawValue: i)` has been read.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding

/// The fields of a mount or an unmount, read in any order, with defaults for absent ones.
///
/// The transition's own levels of nesting are not counted: a state that fits into a separate frame
/// also fits into a snapshot.
struct OperationFields {
    private(set) var unmount: UInt32?
    private(set) var mount: UInt32?
    private(set) var parent: UInt32 = 0
    private(set) var slot = ""
    private(set) var presentation = "embed"
    private(set) var feature: String?
    private(set) var arguments: [UInt8] = []
    private(set) var states: [Mount.State] = []
    private var seen: UInt8 = 0

    private enum Key: UInt8 {
        case unmount, mount, parent, slot, presentation, feature, arguments, states
    }

    init(from reader: inout CBORReader) throws(CBORError) {
        let entries = try reader.readMapHeader()
        for _ in 0..<entries {
            let start = reader.offset
            guard let key = Self.key(from: &reader) else {
                _ = try reader.readKey()
                try reader.skip()
                continue
            }
            let bit: UInt8 = 1 << key.rawValue
            guard seen & bit == 0 else {
                throw CBORError(.duplicateKey, at: start, "\(key) twice in one operation")
            }
            seen |= bit
            try read(key, from: &reader)
        }
    }

    /// Consumes the next key if it is known; otherwise leaves the reader where it is. The keys are
    /// tried in the order in which they are written.
    private static func key(from reader: inout CBORReader) -> Key? {
        if reader.matchKey("mount") { return .mount }
        if reader.matchKey("parent") { return .parent }
        if reader.matchKey("slot") { return .slot }
        if reader.matchKey("presentation") { return .presentation }
        if reader.matchKey("feature") { return .feature }
        if reader.matchKey("arguments") { return .arguments }
        if reader.matchKey("states") { return .states }
        if reader.matchKey("unmount") { return .unmount }
        return nil
    }

    private mutating func read(_ key: Key, from reader: inout CBORReader) throws(CBORError) {
        // Null means that an optional field is absent; as arguments, it is an ordinary item.
        switch key {
        case .unmount: unmount = try Self.node(from: &reader)
        case .mount: mount = try Self.node(from: &reader)
        case .parent: parent = try reader.read(UInt32?.self) ?? 0
        case .slot: slot = try reader.read(String?.self) ?? ""
        case .presentation: presentation = try reader.read(String?.self) ?? "embed"
        case .feature: feature = try reader.read(String.self)
        case .arguments: arguments = Array(try reader.rawItem())
        case .states: states = reader.readNull() ? [] : try Self.states(from: &reader)
        }
    }

    private static func node(from reader: inout CBORReader) throws(CBORError) -> UInt32 {
        let start = reader.offset
        let node = try reader.read(UInt32.self)
        guard node != 0 else { throw CBORError(.outOfRange, at: start, "there is no node 0") }
        return node
    }

    private static func states(
        from reader: inout CBORReader
    ) throws(CBORError) -> [Mount.State] {
        let count = try reader.readArrayHeader()
        var states: [Mount.State] = []
        for _ in 0..<count {
            let start = reader.offset
            let parts = try reader.readArrayHeader()
            guard parts == 1 || parts == 2 else {
                throw CBORError(
                    .typeMismatch, at: start, "a state is [method] or [method, value]")
            }
            let method = try reader.read(UInt32.self)
            let payload = parts == 2 ? Array(try reader.rawItem()) : []
            states.append(Mount.State(method: method, payload: payload))
        }
        return states
    }
}
