// BenchFront: a front process that is attached to the measured feature.

import NapkinCore
import NapkinFront
import NapkinTransport

/// Keeps the listener of the one view.
@MainActor
final class BenchView: Sendable {
    let listener: any BenchPresentableListener

    init(listener: any BenchPresentableListener) {
        self.listener = listener
    }
}

/// Attaches and waits for the view.
@MainActor
final class BenchFront: Surface {
    private let front: Front
    private var mounted: CheckedContinuation<Void, Never>?
    private(set) var view: BenchView?

    init(socket: String) {
        let registry = ViewRegistry()
        front = Front(
            at: DaemonAddress(socket: socket),
            options: FrontOptions(app: BenchApp.id, client: "napkin-bench"), registry: registry)
        registry.register(Bench.self) { [weak self] context in
            let view = BenchView(listener: context.listener)
            self?.view = view
            return view
        }
        front.surface = self
    }

    /// Returns the listener's sender when the session shows the feature.
    func attach() async throws -> any BenchPresentableListener {
        Task {
            if case .failed(let error) = await front.run() { fatalError("\(error)") }
        }
        await withCheckedContinuation { mounted = $0 }
        guard let view else { throw BenchError("the session shows no bench feature") }
        return view.listener
    }

    func detach() { front.detach() }

    func front(_ front: Front, applied changes: [TreeChange]) {
        let mounted = mounted.take()
        Loop.keepingResumesOnLoop { mounted?.resume() }
    }
}

/// Why a measurement is not possible.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
