// EventTests: events from a front to a handler, and how they are answered.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

/// The fault that `body` throws; `nil` when it throws none.
@MainActor
func fault<T>(of body: @MainActor () async throws -> T) async -> RemoteFault? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? RemoteFault
    }
}

extension RuntimeTests {
    @Test func `S9: what the feature does not know, or cannot read, is unimplemented`()
        async throws
    {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let port = viewer.port(1)
        let unknown = await fault {
            try await port.call(MethodID(rawValue: 0xABC)) { (_) throws(CBORError) in }
        }
        #expect(unknown?.code == .unimplemented)
        let unreadable = await fault {
            try await port.call(MethodID(key: "double(_:)")) { (writer) throws(CBORError) in
                try writer.write("two")
            }
        }
        #expect(unreadable?.code == .unimplemented)
        let unwritable = await fault {
            try await port.call(MethodID(key: "double(_:)")) { (_) throws(CBORError) in
                throw CBORError(.typeMismatch, "not today")
            }
        }
        #expect(unwritable?.code == .unimplemented)
        // None of them has cost a credit.
        #expect(try await viewer.panel(1).double(1) == 2)
        #expect(viewer.front.outstandingEvents == 0)
        await setup.end()
    }
}
