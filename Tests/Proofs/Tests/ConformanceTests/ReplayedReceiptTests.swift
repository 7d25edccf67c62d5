// ReplayedReceiptTests: a receipt in a test of its app.

import Foundation
import NapkinCoding
package import NapkinCore
import NapkinProtocol
import NapkinTesting
import Testing

/// Takes at most three pages.
package enum Notepad: Feature {
    package static let id: FeatureID = "notes.pad"
    package typealias Presenting = NotepadPresentableCrossing
    package typealias Listening = NotepadPresentableListenerCrossing
}

@Crossing @MainActor
package protocol NotepadPresentable: Presentable {
    func present(pages: Int) async
}

@Crossing
package protocol NotepadPresentableListener: PresentableListener {
    func add(_ pages: Int) async
}

private final actor NotepadInteractor: PresentableInteractable, NotepadPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any NotepadPresentable
    private var pages = 0

    init(presenter: any NotepadPresentable) { self.presenter = presenter }

    func add(_ pages: Int) async {
        self.pages += pages
        precondition(self.pages < 4, "the pad is full")
        await presenter.present(pages: self.pages)
    }
}

private enum NotepadApp: App {
    static let id = "notes"
    static let features: [any Feature.Type] = [Notepad.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        LaunchRouter(Notepad.self) { NotepadInteractor(presenter: $0.presenter) }
    }
}

@MainActor
struct ReplayedReceiptTests {
    /// The receipt of a worker that died at the last of these events.
    nonisolated private static func receipt(of pages: [Int]) throws -> Receipt {
        var inputs = [FlightInput(.launch, session: "pad")]
        for (index, count) in pages.enumerated() {
            var event = FlightInput(
                .event, session: "pad", node: 1,
                feature: MethodID(key: Notepad.id.rawValue).rawValue,
                method: MethodID(key: "add(_:)").rawValue, front: 2, sequence: UInt64(index) + 1)
            event.arguments = try Payload { (writer) throws(CBORError) in
                try writer.write(count)
            }.bytes
            inputs.append(event)
        }
        var receipt = Receipt(
            number: 1, app: "notes", worker: "notes", pid: 1, at: 0, cause: "", program: "/notes",
            build: nil, FlightRecording([]), .suspect)
        receipt.input = inputs.popLast()
        receipt.former = inputs
        return receipt
    }

    nonisolated private static func replay(_ pages: [Int]) async throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(UUID().uuidString).receipt")
        let receipt = try Self.receipt(of: pages)
        let payload = try Payload { (writer) throws(CBORError) in try writer.write(receipt) }
        try Data(payload.bytes).write(to: file)
        // It is in a directory for temporary files.
        defer { try? FileManager.default.removeItem(at: file) }
        let session = try await TestSession.replaying(file.path, of: NotepadApp.self)
        await session.end()
    }

    @Test func `all inputs since the launch run again, and a mended handler passes`() async throws {
        try await Self.replay([1, 2])
    }

    @Test func `a test ends where the worker has`() async {
        let output = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            try await Self.replay([1, 2, 1])
        }
        let text = String(decoding: output?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("the pad is full"), "\(text)")
    }
}
