// Front+Waits: a front's waits, as reported to its surface.

package import NapkinCore
package import NapkinRuntime

extension Front {
    /// Events that have been sent and not answered.
    package var outstandingEvents: Int { session.outstandingEvents }

    /// Whether the surface learns each event's round-trip time. Set it before `run()`.
    package var timesEvents: Bool {
        get { session.timesEvents }
        set { session.timesEvents = newValue }
    }

    /// Whether the surface learns what the front waits for. Set it before `run()`.
    package var watchesWorker: Bool {
        get { session.watchesWorker }
        set { session.watchesWorker = newValue }
    }

    /// The front's next step until it is attached, in words.
    package var awaited: String {
        route.hasReachedDaemon ? FrontWait.worker(of: options.app) : "napkind"
    }

    package func session(_ session: FrontSession, waits wait: FrontWait?) {
        surface?.front(self, waits: wait)
    }
}
