// Router: owns an interactor and its children; the class that features subclass, and what a parent,
// an interactor and the runtime may ask of any router.
//
// Ownership  owns its interactor, its children and, with a view, the view's node.

/// The base class of headless features' routers.
@MainActor
open class Router<InteractorType>: Routing {
    public let interactor: InteractorType
    public let core: RouterCore

    public var interactable: any Interactable { core.interactable }
    public final var children: [any Routing] { core.children.map(\.router) }

    /// `interactor` must be an `Interactable`.
    public init(interactor: InteractorType) {
        self.interactor = interactor
        core = RouterCore(interactable: Self.interactable(interactor), node: nil)
        core.belong(to: self)
    }

    fileprivate init(interactor: InteractorType, node: FeatureNode) {
        self.interactor = interactor
        core = RouterCore(interactable: Self.interactable(interactor), node: node)
        core.belong(to: self)
    }

    private static func interactable(_ interactor: InteractorType) -> any Interactable {
        guard let interactable = interactor as? any Interactable else {
            preconditionFailure("\(InteractorType.self) must conform to Interactable")
        }
        return interactable
    }

    public final func load() async { await core.load { await self.didLoad() } }
    public final func loaded() async { await core.loaded() }

    /// Called once, after the first activation: attach permanent children here.
    open func didLoad() async {}

    /// A front asks that a child's view be dismissed, by its own back gesture on a view that is
    /// pushed or modal. The router decides.
    ///
    /// By default such a child is detached, with everything above it in a `ChildStack`; any other
    /// child is refused. Override it to let the interactor decide, or to refuse by throwing a
    /// `.refused` fault with the reason. If the request crosses with a detach, the child may be
    /// gone.
    open func childWantsDismissal(_ child: any Routing) async throws(RemoteFault) {
        try await core.dismiss(child)
    }

    /// A front asks for one of the tabs, by the name of its slot. By default the tab is selected;
    /// override it to let the interactor decide, or to refuse by throwing a `.refused` fault.
    open func tabWantsSelection(_ name: String) async throws(RemoteFault) {
        try await core.selectTab(name)
    }

    /// Attaches the router that `build` returns, unless the slot is occupied.
    ///
    /// The child is appended, activated, loaded and mounted, in this order. Waits for other routing
    /// of this router. A router that is already attached elsewhere is refused and reported
    /// (`Anomaly.attachRefused`): it stays where it is, and the slot stays free.
    public final func attach<F: Feature>(
        _ slot: ChildSlot<F>, _ build: () async -> any Routing
    ) async {
        await core.attach(slot, build)
    }

    /// Detaches the slot's child, if there is one: it is unmounted, deactivated and removed. Waits
    /// for other routing of this router, and therefore undoes an attach that is under way.
    public final func detach<F: Feature>(_ slot: ChildSlot<F>) async {
        await core.transition { await core.vacate(slot) }
    }

    /// Applies everything that `body` attaches and detaches as one batch for the fronts.
    public final func transition(_ body: () async -> Void) async {
        await core.transition(isBatch: true, body)
    }

    public final func attachChild(_ child: any Routing) async throws(RoutingError) {
        var failure: RoutingError?
        await core.transition {
            let attachment = RouterCore.Attachment(
                feature: child.core.node?.feature ?? FeatureID(rawValue: "\(type(of: child))"),
                slot: "", presentation: .embed)
            do throws(RoutingError) {
                try await core.attach(child, as: attachment)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    public final func detachChild(_ child: any Routing) async {
        await core.transition { await core.detach(child) }
    }
}

/// The base class of routers whose feature has a view.
@MainActor
open class ViewableRouter<InteractorType, F: Feature>: Router<InteractorType>, ViewableRouting {
    public let view: RemoteView<F>

    package var node: FeatureNode { view.node }

    /// - Parameters:
    ///   - interactor: the feature's interactor, an `Interactable`.
    ///   - view: the handle of the view to which the interactor presents.
    ///   - listener: receives the view's events. It is the interactor once more, typed as the
    ///     contract requires, so that the compiler checks its conformance.
    public init(interactor: InteractorType, view: RemoteView<F>, listener: F.Listening.Target) {
        self.view = view
        super.init(interactor: interactor, node: view.node)
        view.listen(with: listener)
    }

    /// The router of a child that runs elsewhere.
    init(interactor: InteractorType, view: RemoteView<F>, receiver: CrossingReceiver) {
        self.view = view
        super.init(interactor: interactor, node: view.node)
        view.receive(with: receiver)
    }
}

/// The base class of the router of a session's root feature.
@MainActor
open class LaunchRouter<InteractorType, F: Feature>: ViewableRouter<InteractorType, F>,
    LaunchRouting
{}

/// The logical half of routing: children, their order, and their lifecycle.
@MainActor
public protocol Routing: AnyObject, Sendable {
    var interactable: any Interactable { get }

    /// The children, in the order of attachment.
    var children: [any Routing] { get }

    /// The mechanics behind the router.
    var core: RouterCore { get }

    /// Calls `didLoad`, once in the router's life.
    func load() async

    /// Returns after `didLoad` has returned.
    func loaded() async

    /// Attaches a router without a slot; its parent shows it embedded.
    func attachChild(_ child: any Routing) async throws(RoutingError)

    /// Detaches a child and everything below it; only warns if the router is not a child of this
    /// one.
    func detachChild(_ child: any Routing) async

    /// A front asks that a child's view be dismissed; see `Router`.
    func childWantsDismissal(_ child: any Routing) async throws(RemoteFault)

    /// A front asks for one of the tabs; see `Router`.
    func tabWantsSelection(_ name: String) async throws(RemoteFault)
}

/// A misuse of a router.
public struct RoutingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The mistake that was made.
    public enum Code: String, Sendable {
        /// The router already has a parent, or is a root.
        case alreadyAttached
        /// The arguments of the router's feature are too large, or cannot be encoded.
        case unsendableArguments
    }

    public var code: Code
    /// The router's type.
    public var router: String
    /// The defect of the feature's arguments, if they are the reason.
    public var detail = ""

    public var description: String {
        switch code {
        case .alreadyAttached:
            "\(router) is attached already; detach it first, or build another one"
        case .unsendableArguments:
            "\(router) cannot be attached: \(detail); present what is large as a state"
        }
    }
}

/// A router whose feature has a view.
@MainActor
public protocol ViewableRouting: Routing {}

/// The router of a session's root feature: a `LaunchRouter`.
@MainActor
public protocol LaunchRouting: ViewableRouting {}

extension LaunchRouting {
    /// Activates, loads and mounts the whole tree on `stage`.
    package func launch(on stage: any Stage) async {
        core.becomeRoot()
        core.enter(stage.treeRecorder, under: nil)
        await core.transition {
            await core.restore()
            await core.activateTree()
            await load()
            await core.openPages(on: stage.pages)
            core.mountTree(on: stage, under: nil)
        }
    }

    /// Unmounts and deactivates the whole tree.
    public func shutDown() async {
        await core.transition {
            core.unmountTree()
            await core.deactivateTree()
            core.closePages()
            core.leaveInventory()
        }
    }
}
