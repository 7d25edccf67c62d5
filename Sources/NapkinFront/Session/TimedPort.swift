// TimedPort: the way from a view to its interactor, which says how long its events take.
//
// Layer      front.
// Isolation  @MainActor.
// Ownership  held by the view's sender; holds the port that sends.
// Invariant  who waits for an event goes on right behind the one who has looked at the clock.
//
// In place of the runtime's own port only where a surface shows the time: the event has an object
// and a task more, a microsecond for each.

internal import NapkinCore
internal import NapkinRuntime

/// A port that measures.
@MainActor
final class TimedPort: EventPort {
    private let port: NodePort
    private let took: (Duration) -> Void

    init(_ port: NodePort, took: @escaping (Duration) -> Void) {
        self.port = port
        self.took = took
    }

    func begin(
        _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        let start = ContinuousClock.now
        let sent = try port.begin(method, encode)
        let event = PendingEvent()
        Task.immediate { [took] in
            do throws(RemoteFault) {
                if sent.isPending { await sent.gate.pass() }
                let payload = try sent.payload()
                took(start.duration(to: .now))
                event.succeed(with: payload)
            } catch {
                event.fail(error)
            }
        }
        return event
    }

    func failed(_ method: MethodID, _ fault: RemoteFault) { port.failed(method, fault) }
}
