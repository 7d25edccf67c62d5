// ChildRoute: a declared position for one child, and the closure that builds that child.
//
// Ownership  a stored property of its router, whose other routes are found in the same way.
// Invariant  at most one child, as in any slot.

/// A slot that can build its child: a child that a session had when its worker died is reattached
/// automatically, in its place and with its arguments.
///
/// ```swift
/// private let pages = ChildStack()
/// private let order = ChildRoute<MenuRouter, Order>("order", on: \.pages) { router, view in
///     OrderInteractor(
///         presenter: view.presenter, listener: router.interactor, id: view.arguments.id)
/// }
///
/// func routeToOrder(id: Int) async { await attach(order, arguments: .init(id: id)) }
///
/// func routeFromOrder() async { await pop(order, off: pages) }
/// ```
///
/// The closure receives the router, which it should not capture. If it has to call an actor, for
/// example to pass a router to its interactor, let it call a method of the router that does so:
/// Swift accepts no call of an actor in the initial value of a property. In a session without
/// durable interactors, a route is a slot like any other.
///
/// ``Routing/replaceTop(with:arguments:)`` and, with `in:`, a ``ChildSwitch`` show one route's
/// child in place of another's; the next worker shows the newest. A slot without a closure, also
/// one of a ``ChildList``, is empty then.
///
/// Children that follow from their parent's state need no route. The interactor attaches them in
/// `didBecomeActive()`, or in ``DurableInteractable/didRestore()`` if the fronts should find them
/// at once.
@MainActor
public final class ChildRoute<Owner: Routing, F: Feature>: ChildSlot<F> {
    fileprivate let stack: KeyPath<Owner, ChildStack>?
    private let gate: KeyPath<Owner, ChildSwitch>?
    private let make: @MainActor (Owner, F.Arguments) async -> any Routing

    private init(
        _ name: String, _ presentation: Presentation, _ stack: KeyPath<Owner, ChildStack>?,
        _ gate: KeyPath<Owner, ChildSwitch>? = nil,
        _ make: @escaping @MainActor (Owner, F.Arguments) async -> any Routing
    ) {
        self.stack = stack
        self.gate = gate
        self.make = make
        super.init(name, presentation: presentation)
    }

    /// A route to a child with its own router.
    ///
    /// - Parameters:
    ///   - name: tells the fronts where the child's view goes.
    ///   - presentation: how fronts show the child, unless it is on a stack.
    ///   - stack: the stack on which the child is pushed.
    ///   - gate: the switch that shows the child in place of another one.
    ///   - make: receives the router and the child's view; returns the child's router.
    public convenience init(
        _ name: String, presentation: Presentation = .embed,
        on stack: KeyPath<Owner, ChildStack>? = nil,
        in gate: KeyPath<Owner, ChildSwitch>? = nil,
        _ make: @escaping @MainActor (Owner, RemoteView<F>) async -> any Routing
    ) {
        self.init(name, presentation, stack, gate) {
            await make($0, RemoteView(arguments: $1))
        }
    }

    /// A route to a child that needs no router.
    ///
    /// - Parameters:
    ///   - name: tells the fronts where the child's view goes.
    ///   - presentation: how fronts show the child, unless it is on a stack.
    ///   - stack: the stack on which the child is pushed.
    ///   - gate: the switch that shows the child in place of another one.
    ///   - make: receives the router and the child's view; returns the child's interactor.
    public convenience init(
        _ name: String, presentation: Presentation = .embed,
        on stack: KeyPath<Owner, ChildStack>? = nil,
        in gate: KeyPath<Owner, ChildSwitch>? = nil,
        _ make: @escaping @MainActor (Owner, RemoteView<F>) async -> F.Listening.Target
    ) {
        self.init(name, presentation, stack, gate) { owner, arguments in
            await leaf(arguments) { await make(owner, $0) }
        }
    }

    /// A route to a child without a view.
    ///
    /// - Parameters:
    ///   - name: the name of the position, for tools.
    ///   - make: receives the router; returns the child's interactor.
    public convenience init(
        _ name: String, _ make: @escaping @MainActor (Owner) async -> any Interactable
    ) where F.Arguments == NoArguments {
        self.init(name, .embed, nil) { owner, _ in
            Router<any Interactable>(interactor: await make(owner))
        }
    }

    /// A route to a child that may run in a process of its own.
    ///
    /// ```swift
    /// private let decoder = ChildRoute<MainRouter, Decoder>(
    ///     "decoder", DecoderBuilder.self, isolation: .process
    /// ) { router in router.interactor }
    /// ```
    ///
    /// - Parameters:
    ///   - name: tells the fronts where the child's view goes.
    ///   - builder: builds the child, in its process or in this one.
    ///   - isolation: where the child runs. Changing it changes nothing else.
    ///   - presentation: how fronts show the child, unless it is on a stack.
    ///   - stack: the stack on which the child is pushed.
    ///   - listener: receives the router; returns the interactor that the child calls.
    public convenience init<B: IsolatedBuilder>(
        _ name: String, _ builder: B.Type, isolation: ChildIsolation = .worker,
        presentation: Presentation = .embed, on stack: KeyPath<Owner, ChildStack>? = nil,
        listener: @escaping @MainActor (Owner) -> B.Listener.Target
    ) where B.F == F {
        self.init(name, presentation, stack) { owner, arguments in
            let listener = listener(owner)
            if isolation == .process, let run = ProcessChild.makeRunner {
                return B.makeRouter(arguments, listener, run)
            }
            return await B.makeRouter(arguments, listener)
        }
    }

    fileprivate func attach(to owner: Owner, _ arguments: F.Arguments) async {
        if let gate {
            await owner.core.swap(owner[keyPath: gate], to: self) { await make(owner, arguments) }
        } else if let stack {
            await owner.core.push(self, on: owner[keyPath: stack]) { await make(owner, arguments) }
        } else {
            await owner.core.attach(self) { await make(owner, arguments) }
        }
    }
}

extension Routing {
    /// Attaches the route's child at the route's position, unless it is attached already.
    ///
    /// Waits for other routing of this router, as `attach` of a slot does.
    public func attach<F: Feature>(_ route: ChildRoute<Self, F>, arguments: F.Arguments) async {
        precondition(
            core.routes.contains { $0 === route },
            "the route '\(route.name)' must be a stored property of \(type(of: self)), "
                + "or its child will not be found after a restart")
        await route.attach(to: self, arguments)
    }

    /// Attaches the route's child with other arguments. A child that is there, and everything above
    /// it on its stack, leaves in the same batch; the next worker finds the new one.
    public func reattach<F: Feature>(_ route: ChildRoute<Self, F>, arguments: F.Arguments) async {
        await core.transition(isBatch: true) {
            if let child = route.child {
                let entry = core.children.first { $0.router === child }
                let stack = entry?.slot?.container as? ChildStack
                for slot in stack?.covering(child) ?? [route] { await core.vacate(slot) }
            }
            await attach(route, arguments: arguments)
        }
    }

    /// Attaches the route's child in place of the top of its stack, in one batch. One that is there
    /// already leaves, and everything above it. The next worker finds the new one.
    public func replaceTop<F: Feature>(
        with route: ChildRoute<Self, F>, arguments: F.Arguments
    ) async {
        await core.transition(isBatch: true) {
            if route.child == nil, let top = route.stack.flatMap({ self[keyPath: $0].topSlot }) {
                await core.vacate(top)
            }
            await reattach(route, arguments: arguments)
        }
    }

    /// Attaches the child of a route whose feature needs no arguments; see `attach(_:arguments:)`.
    public func attach<F: Feature>(
        _ route: ChildRoute<Self, F>
    ) async where F.Arguments == NoArguments {
        await attach(route, arguments: NoArguments())
    }
}

/// The router's view of its routes, independent of their features.
@MainActor
protocol RestorableRoute: AnyObject {
    nonisolated var name: String { get }
    nonisolated var feature: FeatureID { get }

    /// Reattaches the child that was attached with these arguments. Does nothing if the type of the
    /// arguments has changed.
    func restore(_ arguments: Payload, in router: any Routing) async
}

extension ChildRoute: RestorableRoute {
    func restore(_ arguments: Payload, in router: any Routing) async {
        guard let owner = router as? Owner else { return }
        if let none = NoArguments() as? F.Arguments { return await attach(to: owner, none) }
        do throws(CBORError) {
            await attach(to: owner, try arguments.decode())
        } catch {
            // The child stays missing and is reported.
        }
    }
}

extension RouterCore {
    /// Reattaches recorded children that are missing, by their routes.
    func restoreChildren(_ missing: [MissingChild]) async {
        guard let router, !missing.isEmpty else { return }
        for child in missing {
            let route = routes.first { $0.name == child.slot && $0.feature == child.feature }
            await route?.restore(child.arguments, in: router)
        }
    }

    /// Returns the routes among a router's stored properties.
    static func routes(of router: any Routing) -> [any RestorableRoute] {
        var routes: [any RestorableRoute] = []
        var mirror: Mirror? = Mirror(reflecting: router)
        while let level = mirror {
            routes += level.children.compactMap { $0.value as? any RestorableRoute }
            mirror = level.superclassMirror
        }
        return routes
    }
}
