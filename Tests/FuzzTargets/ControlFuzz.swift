// ControlFuzz: the payloads that are read before a feature's contract is asked.
//
// Layer      test support.
// Isolation  value.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinCore
import NapkinProtocol

enum ControlFuzz {
    /// The first byte is the kind of the frame, the rest its payload.
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first, let kind = FrameKind(rawValue: first) else { return }
        let payload = Array(bytes.dropFirst())
        switch kind {
        case .hello: check(Hello.self, payload)
        case .welcome: check(Welcome.self, payload)
        case .refused, .goodbye: check(Refusal.self, payload)
        case .query: check(Query.self, payload)
        case .answer:
            check([AppInfo].self, payload)
            check([SessionInfo].self, payload)
            check([SessionTree].self, payload)
            check(Renaming.self, payload)
        case .open: check(Open.self, payload)
        case .redirect: check(Redirect.self, payload)
        case .attach: check(Attach.self, payload)
        case .attached: check(Attached.self, payload)
        case .fault: check(Fault.self, payload)
        case .schema, .contract: check([FeatureSchema].self, payload)
        case .register: check(Register.self, payload)
        case .admit: check(Admit.self, payload)
        case .renamed: check(Renamed.self, payload)
        case .measure: check(Measure.self, payload)
        case .measured: check(Measured.self, payload)
        case .openURL: openURL(payload)
        case .workflowStep: check(WorkflowStep.self, payload)
        case .workflowEnded: check(WorkflowEnded.self, payload)
        default: break
        }
    }

    /// What the core reads of a front's text, whatever that is.
    private static func openURL(_ payload: [UInt8]) {
        check(OpenURL.self, payload)
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

    private static func decode<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) throws -> T {
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
