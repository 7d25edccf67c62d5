// MessageMeaning: what a payload means, in the words of the vectors.

import NapkinCoding
import NapkinProtocol
import TestSupport
import Testing

/// Decodes and checks payloads as their receivers do.
enum MessageMeaning {
    /// Throws `CBORError` for what is unreadable, `Refusal` for what is readable and wrong.
    static func of(_ kind: FrameKind, to query: String?, _ bytes: [UInt8]) throws -> JSONValue {
        switch kind {
        case .ping, .pong, .detach, .drain, .received, .cancelWorkflow,
            .cancelEvent:
            return .object([:])
        case .askEnded:
            // The question is over whatever the payload is.
            guard (try? value(AskEnded.self, bytes)) != nil else { return .object([:]) }
            return try value(AskEnded.self, bytes)
        case .state, .effect, .event, .reply, .ask, .askReply: return try arguments(bytes)
        case .log: return try log(bytes)
        case .transition: return try transition(bytes)
        case .hello: return try value(Hello.self, bytes) { $0.refusal }
        case .welcome: return try value(Welcome.self, bytes)
        case .refused, .goodbye: return try value(Refusal.self, bytes)
        case .query: return try value(Query.self, bytes) { $0.refusal }
        case .answer: return try answer(to: query, bytes)
        case .open: return try value(Open.self, bytes) { $0.refusal }
        case .redirect: return try value(Redirect.self, bytes)
        case .attach: return try value(Attach.self, bytes)
        case .attached: return try value(Attached.self, bytes)
        case .register: return try value(Register.self, bytes)
        case .admit: return try value(Admit.self, bytes)
        case .openURL: return try value(OpenURL.self, bytes)
        case .workflowStep: return try value(WorkflowStep.self, bytes)
        case .renamed: return try value(Renamed.self, bytes)
        case .measure: return try value(Measure.self, bytes)
        case .measured: return try value(Measured.self, bytes)
        case .workflowEnded: return try value(WorkflowEnded.self, bytes)
        case .skipped: return try value(Skipped.self, bytes)
        case .contractWanted: return try value([String].self, bytes)
        case .fault, .schema, .contract, .stateDelta:
            Issue.record("\(kind) has a group of its own")
            return .null
        }
    }

    private static func value<T: Codable>(
        _ type: T.Type, _ bytes: [UInt8], refusal: (T) -> Refusal? = { _ in nil }
    ) throws -> JSONValue {
        let value = try bytes.withUnsafeBytes { buffer in
            var reader = CBORReader(buffer)
            let value = try reader.read(type)
            try reader.expectEnd()
            return value
        }
        if let refusal = refusal(value) { throw refusal }
        var writer = CBORWriter()
        try writer.write(value)
        return try JSONValue(parsing: CBORToJSON.transcode(writer.copyBytes()))
    }

    private static func answer(to query: String?, _ bytes: [UInt8]) throws -> JSONValue {
        switch query {
        case "apps": return try value([AppInfo].self, bytes)
        case "status": return try value(DaemonStatus.self, bytes)
        case "logLevel": return try value(String.self, bytes)
        case "sessions": return try value([SessionInfo].self, bytes)
        case "tree": return try value([SessionTree].self, bytes)
        case "kill", "admit": return try value(Bool.self, bytes)
        case "detach", "release": return try value(Int.self, bytes)
        case "crashes": return try value([Receipt].self, bytes)
        case "rename": return try value(Renaming.self, bytes)
        case "watch": return try value(TreeSample.self, bytes)
        case "top": return try value(Figures.self, bytes)
        case "trace": return try value(TraceBatch.self, bytes)
        case "control": return try value(ControlOutcome.self, bytes)
        case "ledgerList": return try value([LedgerEntry].self, bytes)
        case "ledgerVerify": return try value(LedgerReport.self, bytes)
        case "ledgerShow": return try value(LedgerSession.self, bytes)
        case "ledgerRewind": return try value(LedgerRewind.self, bytes)
        default:
            Issue.record("an answer to \(query ?? "nothing")")
            return .null
        }
    }

    /// One item or none. What is in it is read by the contract; here it is only well-formed.
    private static func arguments(_ bytes: [UInt8]) throws -> JSONValue {
        guard !bytes.isEmpty else { return .object(["items": .array([])]) }
        try bytes.withUnsafeBytes { buffer in
            var reader = CBORReader(buffer)
            try reader.skip()
            try reader.expectEnd()
        }
        return .object(["items": .array([try JSONValue(parsing: CBORToJSON.transcode(bytes))])])
    }

    /// The number of the oldest item, then items, which are read as arguments are.
    private static func log(_ bytes: [UInt8]) throws -> JSONValue {
        try bytes.withUnsafeBytes { buffer in
            var reader = CBORReader(buffer)
            let count = try reader.readArrayHeader()
            guard count > 0 else { throw CBORError(.typeMismatch, "items without a number") }
            _ = try reader.read(UInt64.self)
            for _ in 1..<count { try reader.skip() }
            try reader.expectEnd()
        }
        return try JSONValue(parsing: CBORToJSON.transcode(bytes))
    }

    private static func transition(_ bytes: [UInt8]) throws -> JSONValue {
        let transition = try bytes.withUnsafeBytes { buffer in
            var reader = CBORReader(buffer)
            let transition = try reader.read(Transition.self)
            try reader.expectEnd()
            return transition
        }
        return .object(["operations": .array(transition.operations.map(operation))])
    }

    private static func operation(_ operation: Transition.Operation) -> JSONValue {
        switch operation {
        case .unmount(let node):
            return .object(["unmount": .integer(Int64(node))])
        case .mount(let mount):
            return .object([
                "mount": .integer(Int64(mount.node)), "parent": .integer(Int64(mount.parent)),
                "slot": .text(mount.slot), "presentation": .text(mount.presentation),
                "feature": .text(mount.feature), "arguments": hex(mount.arguments),
                "states": .array(
                    mount.states.map {
                        .array([.integer(Int64($0.method)), hex($0.payload)])
                    }),
            ])
        }
    }

    private static func hex(_ bytes: [UInt8]) -> JSONValue {
        .text(
            bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())
    }
}
