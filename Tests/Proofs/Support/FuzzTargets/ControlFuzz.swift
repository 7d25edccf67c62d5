// ControlFuzz: the payloads that are read before a feature's contract is asked.
//
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinCore
import NapkinProtocol

enum ControlFuzz {
    /// The first byte is the kind of the frame, the rest its payload.
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first, let kind = FrameKind(rawValue: first) else { return }
        let payload = Array(bytes.dropFirst())
        for type in types(of: kind) { check(type, payload) }
        if kind == .openURL { openLink(payload) }
    }

    /// What a payload of that kind may be read as.
    static func types(of kind: FrameKind) -> [any Codable.Type] {
        switch kind {
        case .hello: [Hello.self]
        case .welcome: [Welcome.self]
        case .refused, .goodbye: [Refusal.self]
        case .query: [Query.self]
        case .answer:
            [
                [AppInfo].self, [SessionInfo].self, [SessionTree].self, Renaming.self,
                TreeSample.self, Figures.self, TraceBatch.self, AppSchema.self,
            ]
        case .open: [Open.self]
        case .redirect: [Redirect.self]
        case .attach: [Attach.self]
        case .attached: [Attached.self]
        case .fault: [Fault.self]
        case .schema, .contract: [[FeatureSchema].self]
        case .contractWanted: [[String].self]
        case .register: [Register.self]
        case .admit: [Admit.self]
        case .skipped: [Skipped.self]
        case .renamed: [Renamed.self]
        case .measure: [Measure.self]
        case .measured: [Measured.self]
        case .openURL: [OpenURL.self]
        case .workflowStep: [WorkflowStep.self]
        case .workflowEnded: [WorkflowEnded.self]
        default: []
        }
    }

    /// What the core reads of a front's text, whatever that is.
    private static func openLink(_ payload: [UInt8]) {
        do {
            let link = try DeepLink(try decode(OpenURL.self, payload).url)
            precondition(!link.path.isEmpty && !link.path.contains(""), "a link without a place")
        } catch {
            // Refused, in words.
            precondition(!"\(error)".isEmpty)
        }
    }

    /// What can be read can be written, and is read from that again.
    private static func check<T: Codable>(_ type: T.Type, _ bytes: [UInt8]) {
        do {
            let value = try decode(type, bytes)
            let written = try encode(value)
            let again = try encode(try decode(type, written))
            precondition(
                again == written || again.count == written.count,
                "\(type) changes on its way through CBOR")
        } catch let error as CBORError {
            precondition((-1...bytes.count).contains(error.offset), "an error out of place")
        } catch {
            preconditionFailure("reading \(type) ends with \(error)")
        }
    }

    static func decode<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) throws -> T {
        try bytes.withUnsafeBytes { buffer in
            var reader = CBORReader(buffer)
            let value = try reader.read(type)
            try reader.expectEnd()
            return value
        }
    }

    private static func encode<T: Encodable>(_ value: T) throws -> [UInt8] {
        var writer = CBORWriter()
        try writer.write(value)
        return writer.copyBytes()
    }
}
