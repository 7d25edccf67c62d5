// Front+Waits: what a front waits for, as its surface is told.

public import NapkinCore
public import NapkinRuntime

extension Front {
    /// Events that have been sent and not answered.
    public var outstandingEvents: Int { session.outstandingEvents }

    /// Whether the surface learns how long an event takes until its reply. Set it before `run()`.
    public var timesEvents: Bool {
        get { session.timesEvents }
        set { session.timesEvents = newValue }
    }

    /// Whether the surface learns what the front waits for. Set it before `run()`.
    public var watchesWorker: Bool {
        get { session.watchesWorker }
        set { session.watchesWorker = newValue }
    }

    /// What the front waits for until it is attached.
    public var awaited: String {
        route.hasReachedDaemon ? FrontWait.worker(of: options.app) : "napkind"
    }

    public func session(_ session: FrontSession, waits wait: FrontWait?) {
        surface?.front(self, waits: wait)
    }
}
