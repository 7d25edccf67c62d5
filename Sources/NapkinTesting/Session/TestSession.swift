// TestSession: a session with its fronts in one process.
//
// Ownership  owns the tree and the stage that shows it.

public import NapkinCore
public import NapkinFront
package import NapkinProtocol
import NapkinRuntime

/// How the two sides of a session under test reach each other.
public enum TestLink: String, Sendable, CaseIterable {
    /// Messages cross as values: nothing is encoded.
    case direct
    /// Messages cross as frames, through the whole runtime and over a socket of this process.
    case loopback
}

/// A tree of features, as a worker would host it, and fronts on it.
///
/// ```swift
/// let session = await TestSession.launch(RibHouse.self)
/// let views = RecordingViews().record(LoggedOut.self).record(LoggedIn.self)
/// let front = try await session.attach(views)
/// await views.newest(LoggedOut.self)?.listener?.didTapLogin()
/// ```
@MainActor
public final class TestSession {
    /// The root of the tree, which does not exist after `end()`.
    public var root: any LaunchRouting {
        guard let tree else { preconditionFailure("the session has ended: it has no tree") }
        return tree
    }
    public let link: TestLink
    /// What the app's root was given: for another one, such as the next after a `restart`. Its
    /// directories are temporary, and removed with the session.
    public let context: SessionContext
    /// The clock of ``context``, whose time passes only when the test moves it.
    public let clock: ManualClock
    let app: String
    private let directories: TestDirectories
    /// The root; `nil` when the session has ended: whatever is left then is kept by somebody else.
    private var tree: (any LaunchRouting)?
    private var stage: DirectStage
    private var host: SessionHost
    /// Keeps durable states and tries to restore them; `nil` if that is not wanted.
    private let check: RestoreCheck?
    private var directFronts: [DirectFront] = []
    private var wireFronts: [WireFront] = []
    /// The inventories of all trees so far.
    private var inventories: [TreeInventory] = []

    private init(
        _ root: any LaunchRouting, app: String, features: [any Feature.Type],
        _ context: SessionContext, _ clock: ManualClock, in directories: TestDirectories,
        over link: TestLink, check: RestoreCheck? = nil
    ) {
        precondition(check == nil || link == .loopback, "what is kept is encoded: over a loopback")
        self.check = check
        tree = root
        self.app = app
        self.link = link
        self.directories = directories
        self.context = context
        self.clock = clock
        stage = DirectStage(
            FeatureList(features, of: app), presence: directories.presence)
        host = SessionHost(
            name: context.name, app: app, epoch: 1, features: features,
            presence: directories.presence)
    }

    deinit { directories.remove() }

    /// Builds an app's tree and puts it on stage.
    ///
    /// - Parameters:
    ///   - app: the app under test.
    ///   - settings: values of the app's `settings`, as people write them; traps if one is wrong.
    ///   - link: how fronts reach the session.
    ///   - isDurable: whether durable states are kept, in memory. Then each stretch of a handler
    ///     that has ended is tried: what was kept is restored into a second tree, which has to
    ///     present the same. ``expectQuiescent()`` says what does not. While a handler runs or
    ///     a question is open nothing is tried, for they will present more; the next stretch
    ///     after them is. ``handlersThatWaited`` says which handlers may be interrupted.
    ///   - states: what may differ after a restore, as `cart.cart present(notice:)`. A `nil`, and
    ///     what is marked `@Provisional`, may differ anyway.
    public static func launch<A: App>(
        _ app: A.Type, settings: [String: String] = [:], over link: TestLink = .loopback,
        isDurable: Bool = false, losing states: Set<String> = []
    ) async -> TestSession {
        let (directories, clock) = (TestDirectories(), ManualClock())
        let context = directories.context(
            of: A.id, configuration(settings, of: app), AnyClock(clock))
        let root = await A.makeRoot(context)
        let check = isDurable ? RestoreCheck(losing: states) { await A.makeRoot(context) } : nil
        return await launch(
            root, A.features, A.id, context, clock, in: directories, over: link, check)
    }

    private static func configuration<A: App>(
        _ texts: [String: String], of app: A.Type
    ) -> Configuration {
        do throws(ConfigurationMistake) {
            return try Configuration(texts, of: A.settings)
        } catch {
            preconditionFailure("'\(A.id)' cannot be tested so: \(error)")
        }
    }

    /// Puts a tree on stage.
    ///
    /// - Parameters:
    ///   - root: the tree's root router.
    ///   - features: the features that fronts may see.
    ///   - app: the app's id.
    ///   - link: how fronts reach the session.
    ///   - states: what may differ after a restore.
    ///   - makeAnother: builds a tree like it, with services of its own. Over a loopback durable
    ///     states are then kept, and tried as by ``launch(_:settings:over:isDurable:losing:)``.
    public static func launch(
        _ root: any LaunchRouting, features: [any Feature.Type], app: String = "test",
        over link: TestLink = .loopback, losing states: Set<String> = [],
        restoring makeAnother: (@MainActor () async -> any LaunchRouting)? = nil
    ) async -> TestSession {
        let (directories, clock) = (TestDirectories(), ManualClock())
        let context = directories.context(of: app, Configuration(), AnyClock(clock))
        let check =
            link == .loopback ? makeAnother.map { RestoreCheck(losing: states, $0) } : nil
        return await launch(
            root, features, app, context, clock, in: directories, over: link, check)
    }

    private static func launch(
        _ root: any LaunchRouting, _ features: [any Feature.Type], _ app: String,
        _ context: SessionContext, _ clock: ManualClock, in directories: TestDirectories,
        over link: TestLink, _ check: RestoreCheck? = nil
    ) async -> TestSession {
        let session = TestSession(
            root, app: app, features: features, context, clock, in: directories, over: link,
            check: check)
        await session.launchRoot()
        return session
    }

    private func launchRoot() async {
        switch link {
        case .direct:
            await root.launch(on: stage)
            await root.core.settle()
        case .loopback:
            check?.keep(host) { [weak self] in self?.tree }
            await host.launch(root)
        }
        if let inventory = root.core.inventory { inventories.append(inventory) }
    }

    /// Replaces this tree with another one, as when a worker dies and is restarted: fronts lose
    /// their connection, events without a reply end as `unknown`, and the fronts that were
    /// connected come back. Returns when they show the new tree.
    ///
    /// - Parameter makeRoot: builds the new tree, when the old one is gone.
    public func restart(_ makeRoot: () async -> any LaunchRouting) async {
        let direct = directFronts.filter(\.isConnected)
        let wired = wireFronts.filter(\.isConnected)
        for front in direct { await front.lose() }
        for front in wired { await front.disconnect() }
        await check?.close()
        switch link {
        case .direct: await root.shutDown()
        case .loopback: await host.end(Refusal(.sessionEnded, "the session is started again"))
        }
        tree = nil
        stage = DirectStage(
            FeatureList(host.features, of: app), presence: directories.presence)
        host = SessionHost(
            name: host.name, app: host.app, epoch: host.epoch + 1, features: host.features,
            presence: directories.presence)
        tree = await makeRoot()
        await launchRoot()
        for front in direct { await front.reconnect(to: stage) }
        for front in wired { await front.reconnect() }
    }

    // MARK: - Fronts

    /// Attaches a front whose views record into their journal.
    public func attach(
        _ views: RecordingViews, isReadOnly: Bool = false,
        mirroring mirrored: (any TestFront)? = nil, through wire: Wire = Wire()
    ) async throws(FrontError) -> any TestFront {
        try await attach(
            views.registry, journal: views.journal, isReadOnly: isReadOnly, mirroring: mirrored,
            through: wire)
    }

    /// Attaches a front; returns when it shows the session.
    ///
    /// - Parameters:
    ///   - registry: the front's views.
    ///   - journal: receives a line for each event at the front.
    ///   - isReadOnly: whether its events are refused, except those of its own pages.
    ///   - mirrored: the front whose pages it shows, if not its own.
    ///   - wire: the wire of a loopback link; a direct link has no bytes to carry.
    public func attach(
        _ registry: ViewRegistry, journal: Journal = Journal(), isReadOnly: Bool = false,
        mirroring mirrored: (any TestFront)? = nil, through wire: Wire = Wire()
    ) async throws(FrontError) -> any TestFront {
        // Fronts that have left no longer matter.
        directFronts.removeAll { $0.hasLeft }
        wireFronts.removeAll { $0.end != nil }
        switch link {
        case .direct:
            let front = DirectFront(
                stage, registry, journal, isReadOnly: isReadOnly, mirroring: mirrored?.number)
            directFronts.append(front)
            await front.attach()
            return front
        case .loopback:
            var options = FrontOptions(app: app, isReadOnly: isReadOnly, client: "test")
            options.mirrors = mirrored?.number
            let front = WireFront(
                by: LoopbackRoute { [unowned self] in host }, options: options, registry: registry,
                journal: journal,
                wire: wire)
            wireFronts.append(front)
            try await front.attach()
            return front
        }
    }

    // MARK: - The end

    /// Detaches every front, ends the tree and releases it. Does nothing if the session has ended.
    ///
    /// `expectQuiescent()` says afterwards whether anything is left of the session.
    public func end() async {
        guard tree != nil else { return }
        for front in directFronts { await front.detach() }
        for front in wireFronts { await front.detach() }
        await check?.close()
        switch link {
        case .direct: await tree?.shutDown()
        case .loopback: await host.end(Refusal(.sessionEnded, "the test is over"))
        }
        tree = nil
        directories.remove()
    }

    /// What is under way: running handlers, unanswered questions, events without a reply; what was
    /// not the same after a restore; and the features that were shown and that the app does not
    /// list.
    public var unfinished: [String] {
        var lines: [String] = []
        func add(_ count: Int, _ what: String) {
            if count > 0 { lines.append("\(count) \(what)") }
        }
        add(stage.runningHandlers + host.runningHandlers, "running handlers")
        add(stage.questionCount + host.openQuestions, "questions without an answer")
        add(
            directFronts.reduce(0) { $0 + $1.outstandingEvents }
                + wireFronts.reduce(0) { $0 + $1.outstandingEvents },
            "events without a reply")
        return lines + (check?.differences ?? [])
            + (stage.list.unlisted + host.list.unlisted).map(\.description)
    }

    /// The handlers so far that had changed a durable state and then waited for something outside,
    /// each once, as `cart.cart empty()`. If the worker dies while one waits, its event ends as
    /// `interrupted`, and what it has changed stays. Empty where durable states are not kept.
    public var handlersThatWaited: [String] { check?.waited ?? [] }

    /// What waits in the session, in the form in which a worker reports it to tools.
    package var queues: SessionQueues? {
        switch link {
        case .direct: stage.queues
        case .loopback: host.tree(withInventory: false).queues
        }
    }

    /// Things that belong to detached features and still exist:
    /// `launch/loggedIn: task "poll" started at App/LoggedInInteractor.swift:34`. After
    /// `end()` all features are detached, and the session itself keeps none of them.
    public var remnants: [String] {
        inventories.flatMap { $0.report().remnants }.map { "left of \($0)" }
    }

    /// Waits for the routing that has been requested, and for the release of what detached features
    /// have left; throws if anything else is under way, or something is still left after a second.
    public func expectQuiescent() async throws(NotQuiescent) {
        await tree?.core.settle()
        await check?.settle()
        let clock = ContinuousClock()
        let patience = clock.now + .seconds(1)
        // Cancelled tasks end at their next step, each in a separate turn.
        while !remnants.isEmpty, clock.now < patience { await Task.yield() }
        let lines = unfinished + remnants
        if !lines.isEmpty { throw NotQuiescent(unfinished: lines) }
    }
}

/// Something is under way, or left, in a session that was expected to be at rest.
public struct NotQuiescent: Error, CustomStringConvertible {
    /// What is under way and what is left, a line each.
    public let unfinished: [String]

    public var description: String {
        "the session is not at rest: \(unfinished.joined(separator: ", "))"
    }
}
