// RemoteView: the worker's handle of a view that lives in the fronts.
//
// Layer      core.
// Isolation  @MainActor.
// Ownership  owned by its router; keeps the interactor through the receiver of its events.

/// A builder creates one in place of a view controller, and gives its presenter to the interactor.
///
/// ```swift
/// let view = RemoteView<PitBoard>()
/// let interactor = PitBoardInteractor(presenter: view.presenter, pit: component.pit)
/// return PitBoardRouter(interactor: interactor, view: view)
/// ```
@MainActor
public final class RemoteView<F: Feature> {
    public let node: FeatureNode
    /// Presents to every attached front, or to a view of this process if one was given.
    public let presenter: F.Presenting.Target

    private let wiring = NodeWiring()

    /// - Parameters:
    ///   - arguments: what the view needs to know once; crosses at mount.
    ///   - presenter: a presenter of this process, instead of the fronts.
    public init(arguments: F.Arguments, presenter: F.Presenting.Target? = nil) {
        node = FeatureNode(feature: F.id, arguments: arguments, wiring: wiring)
        self.presenter = presenter ?? F.Presenting.sender(to: node)
        node.hasSender = presenter == nil
    }

    /// Sends the view's events to `interactor`.
    func listen<InteractorType>(with interactor: InteractorType) {
        guard let listener = interactor as? F.Listening.Target else {
            preconditionFailure("\(InteractorType.self) must conform to \(F.Listening.Target.self)")
        }
        wiring.receiver = F.Listening.receiver(for: listener)
    }
}

extension RemoteView where F.Arguments == NoArguments {
    public convenience init(presenter: F.Presenting.Target? = nil) {
        self.init(arguments: NoArguments(), presenter: presenter)
    }
}
