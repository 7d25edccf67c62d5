// Anomaly: a defect that the process survives and reports.
//
// Layer      core; the core never logs: the host installs the reporter.
// Isolation  any thread (Mutex).

import Synchronization

/// A defect that the core noticed and survived. The host logs it.
public enum Anomaly: Sendable, Equatable {
    /// Bound tasks had not ended by the drain deadline; they stay cancelled.
    case boundTasksOverdue(count: Int)
    /// A bound task was not started, because it has ended its worker twice.
    case taskSetAside(String, receipt: UInt64)
    /// `detachChild` was called with a router that is not a child.
    case detachOfStranger(String)
    /// A builder returned a router that is already attached; it stays where it is.
    case attachRefused(RoutingError)
    /// A state or an effect could not be encoded and was dropped.
    case unencodable(feature: FeatureID, method: MethodID, CBORError)
    /// A durable state could not be encoded and was reset to its value before the change.
    case unwritableState(feature: FeatureID, CBORError)
    /// A front could not read a feature's arguments; it shows the generic view.
    case unreadableArguments(feature: FeatureID, CBORError)
    /// A front's view could not handle a presented message.
    case unpresentable(feature: FeatureID, String)
    /// An event failed, and its method cannot report a failure.
    case eventFailed(feature: FeatureID, method: MethodID, RemoteFault)
    /// The handler of a timer or of a job's result threw; its changes were rolled back.
    case inputFailed(feature: FeatureID, String, RemoteFault)
    /// A child that the session had when its worker died has not been reattached by this version of
    /// the app. The child is kept, with its subtree.
    case childNotAttached(feature: FeatureID, slot: String, number: UInt32)
    /// A timer or a job that this version of the app cannot handle; it is kept.
    case inputNotTaken(feature: FeatureID, String, reason: String)
    /// A job or a timer was given up after its last attempt; it is kept, and not retried.
    case inputGivenUp(feature: FeatureID, String, JobFailure)
    /// An event's handler ran for this long without a suspension and held up the whole process. At
    /// most one a second is reported, with the number of the others.
    case handlerSlow(feature: String, method: String, Duration, others: Int)
    /// A front sent more than this many events in a second, the app's limit; the excess was
    /// refused. At most one a second is reported, with the number of the others.
    case eventsRefused(session: String, front: UInt64, most: Int, others: Int)
    /// A shown feature is not listed by the app: its contract is not compared with the fronts', and
    /// tools do not know its methods.
    case unlistedFeature(UnlistedFeature)

    /// A child's process has ended unasked, and the parent has decided what becomes of the child.
    case childCrashed(ChildCrash)

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

    package static func report(_ anomaly: Anomaly) { reporter.withLock { $0 }(anomaly) }
}
