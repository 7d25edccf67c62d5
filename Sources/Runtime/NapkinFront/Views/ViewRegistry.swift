// ViewRegistry: which view a front shows for a feature.
//
// Ownership  a view is owned by its node, and by the receiver of the messages presented to it.

import NapkinCoding
public import NapkinCore

/// What a front gives to a new view.
@MainActor
public struct ViewContext<F: Feature> {
    /// The arguments from the feature's builder.
    public let arguments: F.Arguments
    /// Sends the view's events to its interactor.
    public let listener: F.Listening.Target
    /// The component from the composition root of this front.
    public let front: FrontComponent
    let port: any EventPort

    /// Asks the worker to dismiss this view, from its own back gesture on a view that is pushed or
    /// modal. The parent's router decides; see `EventPort.dismiss()` for the possible outcomes.
    public func dismiss() async throws(RemoteFault) { try await port.dismiss() }

    /// Asks the worker to select one of this view's tabs, by the name of its slot.
    public func select(tab name: String) async throws(RemoteFault) {
        try await port.select(tab: name)
    }
}

/// A view that was created for a node.
@MainActor
package struct MountedView {
    /// What is shown: a view, or the object that the registered closure returned.
    package let view: Any
    package let receiver: CrossingReceiver
    /// The presenter, if it wants to know what it was not given.
    package var follower: (any LogFollower)?
}

/// The views of a front, feature by feature; its composition root registers them.
@MainActor
public final class ViewRegistry {
    /// Creates a feature's view from its encoded arguments.
    private typealias Maker = (Payload, any EventPort) -> Result<MountedView, CBORError>

    /// What a feature's type says of itself.
    private final class Contract {
        let schema: FeatureSchema
        private(set) lazy var hash = schema.hash

        init(_ schema: FeatureSchema) {
            self.schema = schema
        }
    }

    private var makers: [FeatureID: Maker] = [:]
    /// The contracts of the registered features, which the worker checks at attach.
    private var contracts: [String: Contract] = [:]
    /// The same contracts, by the features' types: each is described once in a process, however
    /// many fronts it has.
    private static var known: [ObjectIdentifier: Contract] = [:]

    private let component: FrontComponent

    /// - Parameter component: given to views as `ViewContext.front`.
    public init(component: FrontComponent = FrontComponent()) {
        self.component = component
    }

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

    /// Registers the presenter of a feature, and what is shown.
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

    /// The contract of a registered feature.
    package func contract(of feature: String) -> FeatureSchema? { contracts[feature]?.schema }

    /// The contract hashes of the registered features.
    var hashes: [String: UInt64] { contracts.mapValues(\.hash) }

    /// Returns whether a view is registered; a feature without one is shown by its contract.
    package func hasView(for feature: FeatureID) -> Bool { makers[feature] != nil }

    /// Creates the view of a node; `nil` if none is registered or the arguments cannot be read.
    func makeView(for node: FrontNode, port: any EventPort) -> MountedView? {
        guard let maker = makers[node.feature] else { return nil }
        switch maker(node.arguments, port) {
        case .success(let view):
            return view
        case .failure(let error):
            Anomaly.report(.unreadableArguments(feature: node.feature, error))
            return nil
        }
    }
}
