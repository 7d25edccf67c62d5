// Leaf: attaches features that have neither children nor their own router and builder.
//
// Each way of attaching takes, in place of a router, a closure that gets the handle of the view and
// returns the interactor. The closure's result is what the feature's contract calls the view's
// listener, so the compiler refuses an interactor that does not conform to it.

extension Router {
    /// Attaches a feature without a view, unless the slot is occupied; see `attach(_:_:)`.
    ///
    /// ```swift
    /// await attach(announcements) { AnnouncementsInteractor(listener: interactor, pit: pit) }
    /// ```
    public final func attach<F: Feature>(
        _ slot: ChildSlot<F>, _ build: () async -> any Interactable
    ) async {
        await attach(slot) { () async -> any Routing in
            Router<any Interactable>(interactor: await build())
        }
    }

    /// Attaches a feature that needs no router, unless the slot is occupied; see `attach(_:_:)`.
    ///
    /// ```swift
    /// await attach(pitBoard) { view in
    ///     PitBoardInteractor(presenter: view.presenter, listener: interactor, pit: pit)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - slot: the position of the child.
    ///   - arguments: the view's arguments, which cross once, with the mount.
    ///   - build: returns the interactor, which receives the view's events.
    public final func attach<F: Feature>(
        _ slot: ChildSlot<F>, arguments: F.Arguments,
        _ build: (RemoteView<F>) async -> F.Listening.Target
    ) async {
        await attach(slot) { await leaf(arguments, build) }
    }

    /// Attaches a feature that needs no arguments and no router; see `attach(_:arguments:_:)`.
    public final func attach<F: Feature>(
        _ slot: ChildSlot<F>, _ build: (RemoteView<F>) async -> F.Listening.Target
    ) async where F.Arguments == NoArguments {
        await attach(slot, arguments: NoArguments(), build)
    }

    /// Attaches a feature that needs no router on top; see `push(_:on:_:)`.
    public final func push<F: Feature>(
        _ slot: ChildSlot<F>, arguments: F.Arguments, on stack: ChildStack,
        _ build: (RemoteView<F>) async -> F.Listening.Target
    ) async {
        await push(slot, on: stack) { await leaf(arguments, build) }
    }

    /// Attaches a feature that needs no arguments and no router on top; see `push(_:on:_:)`.
    public final func push<F: Feature>(
        _ slot: ChildSlot<F>, on stack: ChildStack,
        _ build: (RemoteView<F>) async -> F.Listening.Target
    ) async where F.Arguments == NoArguments {
        await push(slot, arguments: NoArguments(), on: stack, build)
    }

    /// Detaches the top and attaches in its place a feature that needs no router; see
    /// `replaceTop(of:with:_:)`.
    public final func replaceTop<F: Feature>(
        of stack: ChildStack, with slot: ChildSlot<F>, arguments: F.Arguments,
        _ build: (RemoteView<F>) async -> F.Listening.Target
    ) async {
        await replaceTop(of: stack, with: slot) { await leaf(arguments, build) }
    }

    /// Detaches the top and attaches in its place a feature that needs no arguments and no
    /// router; see `replaceTop(of:with:_:)`.
    public final func replaceTop<F: Feature>(
        of stack: ChildStack, with slot: ChildSlot<F>,
        _ build: (RemoteView<F>) async -> F.Listening.Target
    ) async where F.Arguments == NoArguments {
        await replaceTop(of: stack, with: slot, arguments: NoArguments(), build)
    }

    /// Detaches the switch's child and attaches a feature that needs no router; see
    /// `swap(_:to:_:)`.
    public final func swap<F: Feature>(
        _ children: ChildSwitch, to slot: ChildSlot<F>, arguments: F.Arguments,
        _ build: (RemoteView<F>) async -> F.Listening.Target
    ) async {
        await swap(children, to: slot) { await leaf(arguments, build) }
    }

    /// Detaches the switch's child and attaches a feature that needs no arguments and no router;
    /// see `swap(_:to:_:)`.
    public final func swap<F: Feature>(
        _ children: ChildSwitch, to slot: ChildSlot<F>,
        _ build: (RemoteView<F>) async -> F.Listening.Target
    ) async where F.Arguments == NoArguments {
        await swap(children, to: slot, arguments: NoArguments(), build)
    }
}

extension LaunchRouter where InteractorType == F.Listening.Target {
    /// The router of a root that has no children.
    ///
    /// ```swift
    /// LaunchRouter(Cart.self) { view in CartInteractor(presenter: view.presenter) }
    /// ```
    public convenience init(
        _ feature: F.Type, arguments: F.Arguments, _ build: (RemoteView<F>) -> F.Listening.Target
    ) {
        let view = RemoteView<F>(arguments: arguments)
        let interactor = build(view)
        self.init(interactor: interactor, view: view, listener: interactor)
    }

    /// The router of a root that has no children and needs no arguments.
    public convenience init(
        _ feature: F.Type, _ build: (RemoteView<F>) -> F.Listening.Target
    ) where F.Arguments == NoArguments {
        self.init(feature, arguments: NoArguments(), build)
    }
}

extension Tab {
    /// A tab whose feature needs no router.
    ///
    /// - Parameters:
    ///   - slot: the slot of the tab's child; its name is the tab's.
    ///   - arguments: the arguments that the child's view receives once.
    ///   - attaching: when the child is built.
    ///   - build: receives the router, which it should not capture, and the child's view; returns
    ///     the child's interactor.
    public init<F: Feature>(
        _ slot: ChildSlot<F>, arguments: F.Arguments, attaching: Attaching = .onSelection,
        _ build: @escaping @MainActor (Owner, RemoteView<F>) async -> F.Listening.Target
    ) {
        self.init(slot, attaching: attaching) { owner in
            await leaf(arguments) { await build(owner, $0) }
        }
    }

    /// A tab whose feature needs no arguments and no router.
    public init<F: Feature>(
        _ slot: ChildSlot<F>, attaching: Attaching = .onSelection,
        _ build: @escaping @MainActor (Owner, RemoteView<F>) async -> F.Listening.Target
    ) where F.Arguments == NoArguments {
        self.init(slot, arguments: NoArguments(), attaching: attaching, build)
    }
}

/// Builds the router of a feature that declares none.
@MainActor
func leaf<F: Feature>(
    _ arguments: F.Arguments, _ build: (RemoteView<F>) async -> F.Listening.Target
) async -> any Routing {
    let view = RemoteView<F>(arguments: arguments)
    let interactor = await build(view)
    return ViewableRouter<F.Listening.Target, F>(
        interactor: interactor, view: view, listener: interactor)
}
