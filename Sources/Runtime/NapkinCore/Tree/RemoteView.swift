// RemoteView: the worker's handle of a view that lives in the fronts.
//
// Ownership  owned by its router; keeps the interactor through the receiver of its events.

/// A builder creates one instead of a view controller, and gives its presenter to the interactor.
///
/// ```swift
/// let view = RemoteView<PitBoard>()
/// let interactor = PitBoardInteractor(presenter: view.presenter, pit: component.pit)
/// return PitBoardRouter(interactor: interactor, view: view, listener: interactor)
/// ```
@MainActor
public final class RemoteView<F: Feature> {
    package let node: FeatureNode
    /// The arguments, which the view receives once.
    public let arguments: F.Arguments
    /// Presents to every attached front, or to a view of this process if one was given.
    public let presenter: F.Presenting.Target

    private let wiring = NodeWiring()

    /// - Parameters:
    ///   - arguments: the view's arguments; they cross once, at mount.
    ///   - presenter: a presenter of this process, instead of the fronts.
    public init(arguments: F.Arguments, presenter: F.Presenting.Target? = nil) {
        self.arguments = arguments
        node = FeatureNode(feature: F.self, arguments: arguments, wiring: wiring)
        self.presenter = presenter ?? F.Presenting.sender(to: node)
        node.hasSender = presenter == nil
    }

    /// Sends the view's events to `listener`.
    func listen(with listener: F.Listening.Target) {
        receive(with: F.Listening.receiver(for: listener))
    }

    func receive(with receiver: CrossingReceiver) { wiring.receiver = receiver }
}

extension RemoteView where F.Arguments == NoArguments {
    public convenience init(presenter: F.Presenting.Target? = nil) {
        self.init(arguments: NoArguments(), presenter: presenter)
    }
}
