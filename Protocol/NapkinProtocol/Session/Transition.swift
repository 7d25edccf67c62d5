// Transition: one atomic batch of mounts and unmounts.
//
// Layer      sans-I/O core.
// Isolation  value.
// Spec       Protocol/SPEC.md, section 6 (Messages)

public import NapkinCoding

/// One node to show, with the newest state of each of its methods.
public struct Mount: Equatable, Sendable {
    public var node: UInt32
    /// 0 for the root.
    public var parent: UInt32
    public var slot: String
    public var presentation: String
    public var feature: String
    /// The feature's arguments: one encoded item.
    public var arguments: [UInt8]
    /// Method number and encoded payload, in the order in which each was first presented.
    public var states: [State]

    /// The newest value of one state method.
    public struct State: Equatable, Sendable {
        public var method: UInt32
        public var payload: [UInt8]

        public init(method: UInt32, payload: [UInt8]) {
            self.method = method
            self.payload = payload
        }
    }

    public init(
        node: UInt32, parent: UInt32, slot: String, presentation: String, feature: String,
        arguments: [UInt8], states: [State]
    ) {
        self.node = node
        self.parent = parent
        self.slot = slot
        self.presentation = presentation
        self.feature = feature
        self.arguments = arguments
        self.states = states
    }
}

/// A batch, applied as a whole.
public struct Transition: Equatable, Sendable {
    /// One change of the tree.
    public enum Operation: Equatable, Sendable {
        case mount(Mount)
        /// The node and everything below it.
        case unmount(UInt32)
    }

    public var operations: [Operation]

    public init(_ operations: [Operation]) {
        self.operations = operations
    }

    /// The header flag that says: forget every node first, this is the whole tree.
    public static let snapshotFlag: UInt8 = 1
    /// The header flag that says: this is not all of it, another part follows.
    public static let moreFlag: UInt8 = 2
}

extension Transition: DirectlyCodable {
    public func encode(into writer: inout CBORWriter) throws(CBORError) {
        writer.writeArrayHeader(operations.count)
        for operation in operations {
            switch operation {
            case .mount(let mount): try mount.encode(into: &writer)
            case .unmount(let node):
                writer.writeMapHeader(1)
                writer.writeKey("unmount")
                try writer.write(node)
            }
        }
    }

    public init(from reader: inout CBORReader) throws(CBORError) {
        let count = try reader.readArrayHeader()
        operations = []
        operations.reserveCapacity(min(count, 64))
        for _ in 0..<count { operations.append(try Self.operation(from: &reader)) }
    }

    private static func operation(from reader: inout CBORReader) throws(CBORError) -> Operation {
        let start = reader.offset
        let fields = try OperationFields(from: &reader)
        switch (fields.unmount, fields.mount) {
        case (let node?, nil):
            return .unmount(node)
        case (nil, let node?):
            guard let feature = fields.feature else {
                throw CBORError(.missingField, at: start, "a mount without its feature")
            }
            return .mount(
                Mount(
                    node: node, parent: fields.parent, slot: fields.slot,
                    presentation: fields.presentation, feature: feature,
                    arguments: fields.arguments, states: fields.states))
        case (nil, nil):
            throw CBORError(.missingField, at: start, "neither a mount nor an unmount")
        case (_?, _?):
            throw CBORError(.unknownCase, at: start, "a mount and an unmount in one operation")
        }
    }
}

extension Mount {
    func encode(into writer: inout CBORWriter) throws(CBORError) {
        writer.writeMapHeader(arguments.isEmpty ? 6 : 7)
        writer.writeKey("mount")
        try writer.write(node)
        writer.writeKey("parent")
        try writer.write(parent)
        writer.writeKey("slot")
        try writer.write(slot)
        writer.writeKey("presentation")
        try writer.write(presentation)
        writer.writeKey("feature")
        try writer.write(feature)
        if !arguments.isEmpty {
            writer.writeKey("arguments")
            writer.append(arguments)
        }
        writer.writeKey("states")
        writer.writeArrayHeader(states.count)
        for state in states {
            writer.writeArrayHeader(state.payload.isEmpty ? 1 : 2)
            try writer.write(state.method)
            writer.append(state.payload)
        }
    }
}
