// PoisonFront: a front that sends what ends its worker, and says what it is told.

import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTesting
import ProofSupport

@MainActor
final class PoisonFront {
    let front: TestFront
    private var listener: (any PoisonPresentableListener)?
    private var child: (any PoisonChildPresentableListener)?

    init(of app: String, session: String, at address: DaemonAddress) {
        let registry = ViewRegistry()
        front = TestFront(
            by: DaemonRoute(address),
            options: FrontOptions(app: app, session: session, client: "poison-front"),
            registry: registry)
        front.front.delays = Backoff(milliseconds: [0, 5, 20])
        registry.register(Poison.self) { [unowned self] context in
            (listener, child) = (context.listener, nil)
            return PoisonView()
        }
        registry.register(PoisonChild.self) { [unowned self] context in
            child = context.listener
            return PoisonChildView()
        }
    }

    /// Sends the event; returns `value`, or the code of its fault.
    func told(_ death: Death) async throws -> String {
        try await sends {
            guard death.isOfChild else { return try await self.open.dies(death) }
            if self.child == nil { try await self.open.opens() }
            while self.child == nil { try await Task.sleep(for: .milliseconds(1)) }
            try await self.child?.dies(death)
        }
    }

    /// Returns the process id of the worker, when one answers.
    func serves() async throws -> Int32 {
        var pid = 0
        let told = try await sends { pid = try await self.open.serves() }
        try Failure.unless(told == "value", "a harmless event was told \(told)")
        return Int32(pid)
    }

    private var open: any PoisonPresentableListener {
        get throws {
            guard let listener else { throw Failure("the front has no view") }
            return listener
        }
    }

    /// Does it again for as long as there is no connection to send by.
    private func sends(_ body: @MainActor () async throws -> Void) async throws -> String {
        while true {
            do {
                try await body()
                return "value"
            } catch let fault as RemoteFault {
                if fault.code != .notExecuted && fault.code != .gone { return "\(fault.code)" }
                if case .failed(let error) = front.end { throw error }
                try await Task.sleep(for: .milliseconds(1))
            }
        }
    }
}

@MainActor
private final class PoisonView: PoisonPresentable {
    func present(flask: Flask) async {}
    func flash(_ flask: Flask) async {}
}

@MainActor
private final class PoisonChildView: PoisonChildPresentable {
    func present(title: String) async {}
}
