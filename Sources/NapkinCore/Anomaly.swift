// Anomaly: something that should not happen, survived, and worth a line in the log.
//
// Layer      core; it never logs itself, the host installs the reporter.
// Isolation  any thread (Mutex).

import Synchronization

/// What the core noticed and survived. The host logs it.
public enum Anomaly: Sendable, Equatable {
    /// Bound tasks had not ended when the drain deadline was over; they stay cancelled.
    case boundTasksOverdue(count: Int)
    /// `detachChild` was called with a router that is not a child.
    case detachOfStranger(String)
    /// A builder returned a router that is attached already; it was left where it is.
    case attachRefused(RoutingError)
    /// A state or an effect could not be encoded and was dropped.
    case unencodable(feature: FeatureID, method: MethodID, CBORError)
    /// A front could not read the arguments of a feature; it shows the generic view.
    case unreadableArguments(feature: FeatureID, CBORError)
    /// A front's view could not take what was presented.
    case unpresentable(feature: FeatureID, String)
    /// An event whose method reports nothing failed.
    case eventFailed(feature: FeatureID, method: MethodID, RemoteFault)

    /// A link of the app opens nothing, as it is declared; everything else works.
    case unusableRoute(String)

    private static let reporter = Mutex<@Sendable (Anomaly) -> Void>({ _ in })

    /// Installs the function that is told of each anomaly from now on; returns the one that was
    /// told before, for whoever listens only for a while.
    @discardableResult
    public static func onReport(
        _ report: @escaping @Sendable (Anomaly) -> Void
    ) -> @Sendable (Anomaly) -> Void {
        reporter.withLock { current in
            let former = current
            current = report
            return former
        }
    }

    package static func report(_ anomaly: Anomaly) {
        reporter.withLock { $0 }(anomaly)
    }
}
