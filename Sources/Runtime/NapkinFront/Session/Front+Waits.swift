// Front+Waits: what a front waits for, as its surface is told.

package import NapkinCore
package import NapkinRuntime

extension Front {
    /// Events that have been sent and not answered.
    package var outstandingEvents: Int { session.outstandingEvents }

    /// Whether the surface learns how long an event takes until its reply. Set it before `run()`.
    package var timesEvents: Bool {
        get { session.timesEvents }
        set { session.timesEvents = newValue }
    }

    /// Whether the surface learns what the front waits for. Set it before `run()`.
    package var watchesWorker: Bool {
        get { session.watchesWorker }
        set { session.watchesWorker = newValue }
    }

    /// What the front waits for until it is attached.
    package var awaited: String {
        route.hasReachedDaemon ? FrontWait.worker(of: options.app) : "napkind"
    }

    package func session(_ session: FrontSession, waits wait: FrontWait?) {
        surface?.front(self, waits: wait)
    }
}
