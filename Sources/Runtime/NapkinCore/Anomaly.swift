// Anomaly: something that should not happen, but that the process survives and reports.
//
// Layer      core; the core never logs: the host installs the reporter.
// Isolation  any thread (Mutex).

import Synchronization

/// A defect that the core noticed and survived. The host logs it.
public enum Anomaly: Sendable, Equatable {
    /// Bound tasks had not ended by the drain deadline; they stay cancelled.
    case boundTasksOverdue(count: Int)
    /// `detachChild` was called with a router that is not a child.
    case detachOfStranger(String)
    /// A builder returned a router that is already attached; it stays where it is.
    case attachRefused(RoutingError)
    /// A state or an effect could not be encoded and was dropped.
    case unencodable(feature: FeatureID, method: MethodID, CBORError)
    /// A durable state could not be encoded: it is again what it was before the change.
    case unwritableState(feature: FeatureID, CBORError)
    /// A front could not read a feature's arguments; it shows the generic view.
    case unreadableArguments(feature: FeatureID, CBORError)
    /// A front's view could not take a presented message.
    case unpresentable(feature: FeatureID, String)
    /// An event failed whose method cannot report a failure.
    case eventFailed(feature: FeatureID, method: MethodID, RemoteFault)
    /// A handler of a timer or of a job's result has thrown: it has changed nothing.
    case inputFailed(feature: FeatureID, String, RemoteFault)
    /// A child that the session had when its worker died, and that this version of the app has not
    /// attached again. It is kept, with all below it.
    case childNotAttached(feature: FeatureID, slot: String, number: UInt32)
    /// A timer or a job that this version of the app cannot take; it is kept.
    case inputNotTaken(feature: FeatureID, String, reason: String)
    /// A job or a timer was given up after its last attempt; it is kept, and done no more.
    case inputGivenUp(feature: FeatureID, String, JobFailure)
    /// An event's handler ran for so long without a suspension, and held up whatever the process
    /// serves. At most one a second is reported; so many others were not.
    case handlerSlow(feature: String, method: String, Duration, others: Int)
    /// A front has sent more than so many events in a second, which is the app's limit; they were
    /// refused. At most one a second is reported; so many others were not.
    case eventsRefused(session: String, front: UInt64, most: Int, others: Int)
    /// A feature was shown that the app does not list: its contract is not compared with the
    /// fronts', and tools do not know its methods.
    case unlistedFeature(UnlistedFeature)

    /// A deep link of the app is declared wrongly and opens nothing; everything else works.
    case unusableRoute(String)

    private static let reporter = Mutex<@Sendable (Anomaly) -> Void>({ _ in })

    /// Installs the function that receives each anomaly from now on. Returns the previous one, so
    /// that a temporary observer can restore it.
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
