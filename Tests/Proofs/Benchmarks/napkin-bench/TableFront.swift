// TableFront: an attachment to a session that may be kept, which notes when it is resumed.

import NapkinCore
import NapkinFront
import NapkinTransport

@MainActor
private final class TableView: TablePresentable {
    func present(sum: Int64) async {}
}

/// Attaches to a session, and again whenever its worker has died.
@MainActor
final class TableFront: Surface {
    private let front: Front
    private(set) var listener: (any TablePresentableListener)?
    private var shown: CheckedContinuation<Void, Never>?
    private var run: Task<Void, Never>?
    /// How often the session was shown whole.
    private var snapshots = 0
    private var wanted: (snapshots: Int, continuation: CheckedContinuation<Void, Never>)?

    init(_ socket: String, app: String, session: String? = nil) {
        let registry = ViewRegistry()
        front = Front(
            at: DaemonAddress(socket: socket),
            options: FrontOptions(app: app, session: session ?? app, client: "napkin-bench"),
            registry: registry)
        registry.register(Table.self) { [unowned self] context in
            listener = context.listener
            snapshots += 1
            return TableView()
        }
        front.surface = self
    }

    func attach() async {
        let front = front
        run = Task {
            if case .failed(let error) = await front.run() { fatalError("\(error)") }
        }
        await shows(1)
    }

    func detach() async {
        front.detach()
        await run?.value
    }

    /// Returns when the session was shown so often.
    func shows(_ snapshots: Int) async {
        if self.snapshots < snapshots {
            await withCheckedContinuation { wanted = (snapshots, $0) }
        }
    }

    /// How often it was shown so far.
    var count: Int { snapshots }

    func front(_ front: Front, applied changes: [TreeChange]) {
        guard let wanted, snapshots >= wanted.snapshots else { return }
        self.wanted = nil
        wanted.continuation.resume()
    }
}
