// Routing: the requests that a parent, an interactor and the runtime may make of any router.

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

extension Routing {
    public func childWantsDismissal(_ child: any Routing) async throws(RemoteFault) {
        try await core.dismiss(child)
    }

    public func tabWantsSelection(_ name: String) async throws(RemoteFault) {
        try await core.selectTab(name)
    }
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
