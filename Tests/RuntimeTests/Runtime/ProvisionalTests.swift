// ProvisionalTests: what is provisional does not wait for the store, and comes in its place.

import Dispatch
import NapkinCoding
package import NapkinCore
import NapkinLedger
import NapkinProtocol
import Synchronization
import TestSupport
import Testing

@testable import NapkinRuntime

@Crossing @MainActor
package protocol GaugePresentable: Presentable {
    func present(total: Int) async
    @Provisional func present(level: Int) async
}

package enum Gauge: Feature {
    package static let id: FeatureID = "gauge"
    package typealias Presenting = GaugePresentableCrossing
}

@Durable
private final actor GaugeInteractor: PresentableInteractable {
    @Message fileprivate struct State: DurableState {
        var total: Int = 0
    }

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any GaugePresentable
    fileprivate var state = State()

    init(presenter: any GaugePresentable) { self.presenter = presenter }

    func didBecomeActive() async { await presenter.present(level: 0) }

    func add(_ amount: Int) async {
        state.total += amount
        await presenter.present(total: state.total)
    }

    func measure(_ level: Int) async { await presenter.present(level: level) }
}

/// Holds up the commits of a store.
final class Brake: Sendable {
    private let isHeld = Mutex(false)
    private let released = DispatchSemaphore(value: 0)

    func hold() { isHeld.withLock { $0 = true } }

    func release() {
        isHeld.withLock { $0 = false }
        released.signal()
    }

    func wait() {
        if isHeld.withLock({ $0 }) { released.wait() }
    }
}

/// A durable session whose store can be held.
@MainActor
private final class Boiler {
    let brake = Brake()
    let session: SessionHost
    let interactor: GaugeInteractor

    init() async throws {
        let store = MemoryStore { [brake] in brake.wait() }
        let journal = try Journal(durability: .machine, store)
        session = SessionHost(name: "boiler", app: "boiler", epoch: 7, features: [Gauge.self])
        session.keep(
            in: SessionLedger(journal: journal, name: "boiler", id: "boiler", epoch: 7))
        let view = RemoteView<Gauge>()
        interactor = GaugeInteractor(presenter: view.presenter)
        await session.launch(LaunchRouter(interactor: interactor, view: view, listener: ()))
        await journal.waitUntilDurable()
    }

    func connect() throws -> FramePeer {
        let peer = try FramePeer { _ = AttachReceiver(session, $0) }
        peer.send(FrameHeader(.hello), Hello(role: .front, client: "raw"))
        peer.send(FrameHeader(.attach), Attach())
        return peer
    }

    func end() async { await session.end(Refusal(.sessionEnded, "the test is over")) }
}

extension FramePeer {
    /// Returns the next frame, as its kind or, of a state, its method and value.
    fileprivate func nextLine() async throws -> String? {
        guard let frame = await next() else { return nil }
        guard frame.header.kind == .state else { return "\(frame.header.kind)" }
        let names = ["present(total:)", "present(level:)"]
        let name = names.first { MethodID(key: $0).rawValue == frame.header.method } ?? "?"
        return "\(name) \(try frame.decode(Int.self))"
    }
}

extension RuntimeTests {
    @Test func `U7: a provisional state is shown while what is durable waits`() async throws {
        let boiler = try await Boiler()
        let front = try boiler.connect()
        for kind in ["welcome", "attached", "transition"] {
            #expect(try await front.nextLine() == kind)
        }
        boiler.brake.hold()
        await boiler.interactor.add(5)
        await boiler.interactor.measure(1)
        #expect(try await front.nextLine() == "present(level:) 1")
        await boiler.interactor.measure(2)
        #expect(try await front.nextLine() == "present(level:) 2")
        boiler.brake.release()
        #expect(try await front.nextLine() == "present(total:) 5")
        await boiler.interactor.measure(3)
        #expect(try await front.nextLine() == "present(level:) 3")
        await boiler.end()
    }

    @Test func `a front that comes is shown the feature before what is provisional`() async throws {
        let boiler = try await Boiler()
        boiler.brake.hold()
        await boiler.interactor.add(5)
        let front = try boiler.connect()
        // Its snapshot waits for the store, and so does what comes after it.
        #expect(await settles { !boiler.session.fronts.isEmpty })
        await boiler.interactor.measure(1)
        await boiler.interactor.add(2)
        await boiler.interactor.measure(2)
        boiler.brake.release()
        // One write has all of it, from the handshake on.
        #expect(try await front.nextLine() == "welcome")
        #expect(try await front.nextLine() == "attached")
        #expect(try await front.nextLine() == "transition")
        var lines: [String] = []
        while lines.count(where: { $0.contains("level") }) == 0
            || !lines.contains("present(total:) 7")
        {
            lines.append(try await front.nextLine() ?? "end")
            if lines.last == "end" { break }
        }
        #expect(lines.last { $0.contains("level") } == "present(level:) 2", "\(lines)")
        await boiler.end()
    }
}
