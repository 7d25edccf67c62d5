// ViewRegistry: the views that a front shows, by feature.
//
// Ownership  a node owns its view, and so does the receiver of messages presented to it.
// Spec       Protocol/SPEC.md, section 6 (Messages): event

import NapkinCoding
public import NapkinCore
import NapkinProtocol
import NapkinRuntime

/// A new view's arguments, listener and dependencies.
@MainActor
public struct ViewContext<F: Feature> {
    /// The arguments from the feature's builder.
    public let arguments: F.Arguments
    /// Sends the view's events to its interactor.
    public let listener: F.Listening.Target
    /// The component from the composition root of this front.
    public let front: FrontComponent
    let port: any EventPort

    /// Asks the worker to dismiss this view, after a back gesture on a pushed or modal view. The
    /// parent's router decides; see `EventPort.dismiss()` for the possible outcomes.
    public func dismiss() async throws(RemoteFault) { try await port.dismiss() }

    /// Asks the worker to select one of this view's tabs, by the name of its slot.
    public func select(tab name: String) async throws(RemoteFault) {
        try await port.select(tab: name)
    }
}

/// A view created for a node.
@MainActor
package struct MountedView {
    /// The view, or the object that the registered closure returned.
    package let view: Any
    package let receiver: CrossingReceiver
    /// The presenter, if it wants to learn of gaps in its logs.
    package var follower: (any LogFollower)?

    /// Gives a new view the log items that the front already has.
    func show(_ logs: NodeLogs, _ call: IncomingCall) {
        for (method, log) in logs.entries {
            let before = LogGap(log: method, items: log.origin..<log.first, oldest: log.oldest)
            log.withItems(from: log.first) {
                show($0, of: method, after: log.first > log.origin ? before : nil, call)
            }
        }
    }

    /// Shows items that have arrived, and the gap before them.
    func show(_ items: LogItems, of method: MethodID, after gap: LogGap?, _ call: IncomingCall) {
        if items.beginsAnew { follower?.beginsAnew(method) }
        if let gap { follower?.skipped(gap) }
        for item in items.encoded { receiver.receive(method, item, call) }
    }
}

/// A front's views by feature, as registered by its composition root.
@MainActor
public final class ViewRegistry {
    /// Creates a feature's view from its encoded arguments.
    private typealias Maker = (Payload, any EventPort) -> Result<MountedView, CBORError>

    /// The contract that a feature's type describes.
    private final class Contract {
        let schema: FeatureSchema
        private(set) lazy var hash = schema.hash

        init(_ schema: FeatureSchema) { self.schema = schema }
    }

    private var makers: [FeatureID: Maker] = [:]
    /// The contracts of the registered features, which the worker checks at attach.
    private var contracts: [String: Contract] = [:]
    /// The same contracts by feature type: each is described once per process, however many fronts
    /// it has.
    private static var known: [ObjectIdentifier: Contract] = [:]

    private let component: FrontComponent

    /// - Parameter component: the views' `ViewContext.front`.
    public init(component: FrontComponent = FrontComponent()) { self.component = component }

    /// Registers the presenter of a feature, in a front without a screen. A later registration
    /// replaces an earlier one.
    @_disfavoredOverload  // A view is also a value that could be a presenter that presents nothing.
    public func register<F: Feature>(
        _ feature: F.Type, _ make: @escaping @MainActor (ViewContext<F>) -> F.Presenting.Target
    ) {
        register(
            feature,
            shown: { context in
                let presenter = make(context)
                return (presenter, presenter)
            })
    }

    /// Registers a feature's presenter and the view or object to show.
    package func register<F: Feature>(
        _ feature: F.Type,
        shown make: @escaping @MainActor (ViewContext<F>) -> (F.Presenting.Target, Any)
    ) {
        let contract = Self.known[ObjectIdentifier(feature)] ?? Contract(F.schema)
        Self.known[ObjectIdentifier(feature)] = contract
        contracts[F.id.rawValue] = contract
        makers[F.id] = { [component] payload, port in
            Result { () throws(CBORError) in try payload.decode(F.Arguments.self) }
                .map { Self.mount(make, $0, port, component) }
        }
    }

    private static func mount<F: Feature>(
        _ make: (ViewContext<F>) -> (F.Presenting.Target, Any), _ arguments: F.Arguments,
        _ port: any EventPort, _ component: FrontComponent
    ) -> MountedView {
        let listener = F.Listening.sender(to: port)
        let (presenter, view) = make(
            ViewContext<F>(
                arguments: arguments, listener: listener, front: component, port: port))
        return MountedView(
            view: view, receiver: F.Presenting.receiver(for: presenter),
            follower: presenter as? any LogFollower)
    }

    package func contract(of feature: String) -> FeatureSchema? { contracts[feature]?.schema }

    /// The contract hashes of the registered features.
    var hashes: [String: UInt64] { contracts.mapValues(\.hash) }

    /// Creates the view of a node; `nil` if none is registered or the arguments cannot be read.
    func makeView(for node: FrontNode, port: any EventPort) -> MountedView? {
        guard let maker = makers[node.feature] else { return nil }
        switch maker(node.arguments, port) {
        case .success(let view): return view
        case .failure(let error):
            Anomaly.report(.unreadableArguments(feature: node.feature, error))
            return nil
        }
    }
}

extension ViewContext {
    /// Reads the newest items of a gap: at most `count`, and at most as many as an attaching front
    /// receives.
    ///
    /// ```swift
    /// let (earlier, rest) = try await context.items(in: gap, last: 100)
    /// for case .output(let line) in earlier { … }
    /// ```
    ///
    /// Returns the items in order and the gap that remains before them, `nil` if there is none. The
    /// list is empty if the worker no longer keeps any items of the gap. Throws the faults of any
    /// event; a read-only front may read.
    public func items(
        in gap: LogGap, last count: Int = LogLimits.tail.items
    ) async throws(RemoteFault) -> (items: [F.Presenting.Message], before: LogGap?) {
        try await port.items(in: gap, last: count, as: F.Presenting.Message.self)
    }
}
