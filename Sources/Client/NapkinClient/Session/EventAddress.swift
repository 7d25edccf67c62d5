// EventAddress: turns an event in words into a node, a number and a payload.
//
// Isolation  @MainActor: it reads the front's tree.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct EventAddress {
    var node: UInt32
    var method: MethodID
    var payload: Payload

    /// Finds the node and the method by their names.
    ///
    /// Errors: `.gone` if the feature or node is not mounted, `.unimplemented` if the app has no
    /// such feature or method, or the method takes another number of arguments. The worker itself
    /// would answer with the same codes.
    @MainActor
    init(
        _ event: ControlEvent, in tree: FrontTree, _ schemas: [FeatureSchema]
    ) throws(RemoteFault) {
        let node = try Self.node(event.target, in: tree, schemas)
        let feature = node.feature.rawValue
        let methods = schemas.first { $0.feature == feature }?.listens ?? []
        let common = Self.ofEveryNode.first { $0.method.key == event.method }
        let own = methods.first { $0.key == event.method }
        guard let method = own ?? common?.method else {
            let keys = methods.map(\.key)
            let known = keys.isEmpty ? "none" : keys.joined(separator: ", ")
            throw RemoteFault(
                .unimplemented,
                "\(feature) has no event \(event.method)"
                    + Suggestion.hint(for: event.method, among: keys) + "; it has \(known)")
        }
        let types = schemas.first { $0.feature == feature }?.types ?? []
        if let mistake = Self.mistake(in: event.arguments, of: method, types) {
            throw RemoteFault(.unimplemented, mistake)
        }
        self.node = node.id
        self.method = own == nil ? common?.id ?? method.id : method.id
        let isReadingLog = self.method == .readLog
        payload = Self.payload(
            isReadingLog ? try Self.numbered(event.arguments) : event.arguments)
    }

    /// Returns the arguments of `read(log:before:count:)`, with the log's number for its name.
    private static func numbered(_ arguments: [[UInt8]]) throws(RemoteFault) -> [[UInt8]] {
        do throws(CBORError) {
            var writer = CBORWriter()
            try writer.write(MethodID(key: try Payload(arguments[0]).decode(String.self)).rawValue)
            return [writer.copyBytes()] + arguments.dropFirst()
        } catch {
            throw RemoteFault(.unimplemented, "the name of a log cannot be read: \(error)")
        }
    }

    /// Returns `1 argument (code: String)`.
    private static func wanted(by method: MethodSchema) -> String {
        let names = method.parameters.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
        let count = method.parameters.count.counted("argument")
        return names.isEmpty ? count : "\(count) (\(names))"
    }

    /// Returns the mistake in the arguments, by the contract's types; `nil` if they are right.
    static func mistake(
        in arguments: [[UInt8]], of method: MethodSchema, _ types: [TypeSchema]
    ) -> String? {
        guard arguments.count == method.parameters.count else {
            return "\(method.key) takes \(wanted(by: method)), not \(arguments.count)"
        }
        let check = ValueCheck(types: types)
        for (argument, parameter) in zip(arguments, method.parameters) {
            let mistake = check.mistake(in: argument, of: parameter.type, at: parameter.name)
            if let mistake { return "\(method.key) was not sent: \(mistake)" }
        }
        return nil
    }

    /// Returns the mistake in an event in words; `nil` if there is none, or no such event.
    static func mistake(in event: ControlEvent, _ schemas: [FeatureSchema]) -> String? {
        guard case .feature(let name) = event.target,
            let schema = schemas.first(where: { $0.feature == name }),
            let method = (schema.listens + ofEveryNode.map(\.method))
                .first(where: { $0.key == event.method })
        else { return nil }
        return mistake(in: event.arguments, of: method, schema.types ?? [])
    }

    /// The events that any node takes, unless its feature has an event with the same name.
    private static let ofEveryNode: [(id: MethodID, method: MethodSchema)] = [
        (.dismiss, event("dismiss()")), (.selectTab, event("select(tab:)", ("tab", "String"))),
        (
            .readLog,
            event(
                "read(log:before:count:)", ("log", "String"), ("before", "UInt64"),
                ("count", "Int"))
        ),
    ]

    private static func event(
        _ key: String, _ parameters: (name: String, type: String)...
    ) -> MethodSchema {
        MethodSchema(
            key: key, delivery: .event,
            parameters: parameters.map {
                ParameterSchema(label: $0.name, name: $0.name, type: $0.type)
            })
    }

    @MainActor
    private static func node(
        _ target: ControlEvent.Target, in tree: FrontTree, _ schemas: [FeatureSchema]
    ) throws(RemoteFault) -> FrontNode {
        switch target {
        case .node(let id):
            guard let node = tree.node(id) else {
                throw RemoteFault(.gone, "there is no node \(id)")
            }
            return node
        case .feature(let name):
            if let node = tree.node(of: FeatureID(rawValue: name)) { return node }
            if schemas.isEmpty || schemas.contains(where: { $0.feature == name }) {
                throw RemoteFault(.gone, "\(name) is not mounted")
            }
            let ids = schemas.map(\.feature)
            throw RemoteFault(
                .unimplemented,
                "the app has no feature \(name)" + Suggestion.hint(for: name, among: ids)
                    + "; it has " + ids.joined(separator: ", "))
        }
    }

    /// Returns nothing for no argument, the value for one, an array for several.
    static func payload(_ arguments: [[UInt8]]) -> Payload {
        guard arguments.count > 1 else { return Payload(arguments.first ?? []) }
        var writer = CBORWriter()
        writer.writeArrayHeader(arguments.count)
        for argument in arguments { writer.append(argument) }
        return Payload(writer.copyBytes())
    }
}

extension Front {
    func send(_ address: EventAddress) async throws(RemoteFault) -> Payload {
        try await send(to: address.node, address.method) { (writer) throws(CBORError) in
            writer.append(address.payload.bytes)
        }
    }
}
