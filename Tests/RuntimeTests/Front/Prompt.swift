// Prompt: the contract of the feature that these tests show, and its view.

package import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTesting

@Crossing @MainActor
package protocol PromptPresentable: Presentable {
    func show(_ text: String) async
    func confirm(_ question: String) async throws -> Bool
}

@Crossing
package protocol PromptPresentableListener: PresentableListener {
    func press(_ number: Int) async throws -> Int
}

package enum Prompt: Feature {
    package static let id: FeatureID = "prompt"
    package typealias Presenting = PromptPresentableCrossing
    package typealias Listening = PromptPresentableListenerCrossing
}

@MainActor
final class PromptView: PromptPresentable {
    let listener: any PromptPresentableListener

    init(listener: any PromptPresentableListener) {
        self.listener = listener
    }

    func show(_ text: String) async {}

    /// Has a dialog for one question only.
    func confirm(_ question: String) async throws -> Bool {
        guard question == "known" else { throw LeftToSurface() }
        return true
    }

    /// Presses the button; the fault's code, if it fails.
    func press(_ number: Int) async -> RemoteFault.Code? {
        do {
            _ = try await listener.press(number)
            return nil
        } catch {
            return (error as? RemoteFault)?.code
        }
    }
}

/// A front of prompts, with what its surface was told.
@MainActor
final class Watcher: Surface {
    let front: Front
    let journal = Journal()
    private(set) var views: [PromptView] = []
    /// Before each new try.
    private(set) var delays: [Duration] = []
    /// Told of each view before it is shown.
    var whenMade: (PromptView) -> Void = { _ in }
    /// Told of the front when its connection is lost, before it tries again.
    var whenDisconnected: (Front) -> Void = { _ in }
    private let retryMax: Int

    /// - Parameter retryMax: the front detaches when so many tries have failed.
    init(_ place: Place, retryMax: Int = .max) {
        self.retryMax = retryMax
        let registry = ViewRegistry()
        front = Front(
            at: DaemonAddress(socket: place.socket),
            options: FrontOptions(app: "prompts", client: "watcher"), registry: registry)
        front.surface = self
        registry.register(Prompt.self) { [weak self] context in
            let view = PromptView(listener: context.listener)
            self?.views.append(view)
            self?.whenMade(view)
            return view
        }
    }

    func front(_ front: Front, attached: Attached) { journal.note("attached \(attached.epoch)") }

    func front(_ front: Front, applied changes: [TreeChange]) {
        journal.note("applied \(front.attached?.epoch ?? 0)")
    }

    func front(
        _ front: Front, asks id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload
    ) {
        journal.note("asks \(id)")
    }

    func front(_ front: Front, viewLeavesAsk id: UInt64) { journal.note("left \(id)") }

    func front(_ front: Front, eventTook duration: Duration) {
        journal.note(duration > .zero ? "took" : "took nothing")
    }

    func front(_ front: Front, counts fronts: Int) { journal.note("counts \(fronts)") }

    func front(_ front: Front, setAside fault: RemoteFault) {
        journal.note("set aside \(fault.receipt ?? 0)")
    }

    func front(_ front: Front, disconnected reason: String) {
        journal.note("disconnected")
        whenDisconnected(front)
    }

    func front(_ front: Front, retriesAfter delay: Duration, because error: FrontError) {
        delays.append(delay)
        if delays.count >= retryMax { front.detach() }
    }
}
