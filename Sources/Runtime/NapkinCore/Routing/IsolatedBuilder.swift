// IsolatedBuilder: builds a child that may run in its own process, and describes its crashes.
//
// Spec       Protocol/CHILD.md

/// Where a child's interactor runs.
public enum ChildIsolation: Sendable {
    /// In the worker, as its parent.
    case worker
    /// In a process of its own, which ends with the child and with the worker: a crash or a hang of
    /// the child costs nobody else.
    ///
    /// For code that is likely to crash: decoders, plug-ins, C libraries. The state of a `@Durable`
    /// child is kept like that of any other interactor; it can have neither timers nor jobs.
    case process
}

/// Builds a child without its parent's router, so that another process can build it as well.
///
/// ```swift
/// enum DecoderBuilder: IsolatedBuilder {
///     typealias Listener = DecoderListenerCrossing
///
///     static func build(
///         view: RemoteView<Decoder>, listener: any DecoderListener
///     ) async -> any DecoderPresentableListener {
///         DecoderInteractor(presenter: view.presenter, listener: listener)
///     }
/// }
/// ```
///
/// The child has no router, and so no children. Everything that it needs is in its arguments, or
/// its parent has it. One that presents nothing, listens to nothing and has no arguments has no
/// view. List the builder in ``App/isolatedChildren``, and name it in a ``ChildRoute``.
public protocol IsolatedBuilder: Sendable {
    associatedtype F: Feature
    /// The crossing of the child's calls to its parent: a `@Crossing` protocol that inherits
    /// `PresentableListener` and that the parent's interactor conforms to.
    associatedtype Listener: ListenerCrossing = ListensToNothing
    /// The state of the child's interactor, if that is `@Durable`.
    associatedtype State: DurableState = NoState

    /// Returns the child's interactor.
    ///
    /// - Parameters:
    ///   - view: the child's view, with the arguments.
    ///   - listener: the parent's interactor, or its sender. An interactor need not retain it.
    @MainActor
    static func build(view: RemoteView<F>, listener: Listener.Target) async -> F.Listening.Target

    /// Returns the state with which a `@Durable` child begins; its process gets it, in place of the
    /// one that its interactor has been created with. Other children need none.
    static func initialState(_ arguments: F.Arguments) -> State
}

/// The state of a child whose interactor is not `@Durable`.
@Message
public struct NoState: DurableState {
    public init() {}
}

extension IsolatedBuilder where State == NoState {
    public static func initialState(_ arguments: F.Arguments) -> NoState { NoState() }
}

/// The end of a child's process that its parent has not asked for.
public struct ChildCrash: Sendable, Equatable, CustomStringConvertible {
    /// How the process ended: `.exited(CODE)`, `.signalled(SIGNAL)`, `.hung` or `.refused(WHY)`.
    public typealias Cause = ChildEnd

    public var feature: FeatureID
    public var cause: Cause
    /// The methods of the child's events that had not returned.
    public var calls: [String]

    public init(feature: FeatureID, cause: Cause, calls: [String] = []) {
        (self.feature, self.cause, self.calls) = (feature, cause, calls)
    }

    public var description: String {
        let end =
            switch cause {
            case .exited(let code): "exited with \(code)"
            case .signalled(let signal): "was ended by signal \(signal)"
            case .hung: "did not answer, and was killed"
            case .refused(let reason): "was not served: \(reason)"
            }
        let calls = calls.isEmpty ? "" : " in \(calls.joined(separator: ", "))"
        return "the process of \(feature) \(end)\(calls)"
    }
}

/// What becomes of a child whose process has crashed.
public enum AfterCrash: Sendable {
    /// Another process runs the child, from the same arguments: at once, then after 50, 200 and
    /// 1000 ms. Fronts keep showing its view with what it presented last.
    case restart
    /// The child is detached.
    case giveUp
}

/// An interactor that decides what becomes of its children whose processes crash.
///
/// Without it, such a child is detached.
public protocol SupervisingInteractable: Interactable {
    /// A child's process has ended unasked; called once for each process. The child's calls to this
    /// interactor that are running go on; their answers are dropped.
    ///
    /// To replace the child, return `.giveUp` and attach another.
    func childDidCrash(_ crash: ChildCrash) async -> AfterCrash
}

extension RouterCore {
    /// The features from the root to this router, with slashes in between.
    package var path: String { (parent.map { "\($0.path)/" } ?? "") + "\(feature)" }

    /// Asks the parent's interactor what becomes of this child.
    package func childCrashed(_ crash: ChildCrash) async -> AfterCrash {
        guard let parent = parent?.interactable as? any SupervisingInteractable else {
            return .giveUp
        }
        return await parent.childDidCrash(crash)
    }

    /// Detaches this child, unless somebody else does.
    package func leaveParent() async {
        guard let parent, let router else { return }
        await parent.transition {
            if self.parent === parent { await parent.detach(router) }
        }
    }
}

extension IsolatedBuilder {
    package static var feature: FeatureID { F.id }

    /// Why the interactor's state cannot be kept in its worker; `nil` if it can, or is not durable.
    package static func defect(of durable: (any DurableInteractable)?) -> String? {
        let type: any DurableState.Type = durable?.stateType ?? NoState.self
        return type == State.self
            ? nil : "its builder must return an initialState of its type, \(type)"
    }

    /// Builds the child as the root of its process. Keep the listener as long as the root.
    @MainActor
    package static func makeRoot(
        _ arguments: Payload, calling port: any EventPort
    ) async throws(CBORError) -> (root: any LaunchRouting, listener: any Sendable) {
        let view: RemoteView<F>
        if let none = NoArguments() as? F.Arguments {
            view = RemoteView(arguments: none)
        } else {
            view = RemoteView(arguments: try arguments.decode())
        }
        let listener = Listener.sender(to: port)
        let interactor = await build(view: view, listener: listener)
        return (LaunchRouter(interactor: interactor, view: view, listener: interactor), listener)
    }

    /// Whether the child is without a view: nothing leads to one.
    private static var isHeadless: Bool {
        F.Presenting.self == PresentsNothing.self && F.Listening.self == ListensToNothing.self
            && F.Arguments.self == NoArguments.self
    }

    /// Builds the child beside its parent.
    @MainActor
    static func makeRouter(
        _ arguments: F.Arguments, _ listener: Listener.Target
    ) async -> any Routing {
        guard isHeadless else {
            return await leaf(arguments) { await build(view: $0, listener: listener) }
        }
        return Router(
            interactor: await build(view: RemoteView(arguments: arguments), listener: listener))
    }

    /// Builds the parent's half of a child that runs in a process of its own.
    @MainActor
    static func makeRouter(
        _ arguments: F.Arguments, _ listener: Listener.Target,
        _ run: (ProcessChild.Parts) -> any ChildRunner
    ) -> any Routing {
        let view = RemoteView<F>(arguments: arguments)
        let runner = run(
            ProcessChild.Parts(
                node: view.node, presenting: F.Presenting.receiver(for: view.presenter),
                listening: Listener.receiver(for: listener)))
        let child = ProcessInteractor(runner, beginningWith: initialState(arguments))
        let router: any Routing =
            isHeadless
            ? Router(interactor: child)
            : ViewableRouter(
                interactor: child, view: view, receiver: ForwardingReceiver<F>(runner))
        router.core.isInProcess = true
        runner.core = router.core
        return router
    }
}
