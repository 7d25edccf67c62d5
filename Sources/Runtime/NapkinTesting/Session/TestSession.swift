// TestSession: a session with its fronts in one process.
//
// Ownership  owns the tree and the session that shows it.

import Foundation
import NapkinCoding
public import NapkinCore
public import NapkinFront
package import NapkinProtocol
import NapkinRuntime

/// A worker's runtime with a tree of features and the fronts attached to it, in one process.
/// Messages cross as frames, over local sockets.
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
    /// The context of the app's root; pass it also to another root, such as the next one after a
    /// `restart`. Its directories are temporary, and removed with the session.
    public let context: SessionContext
    /// The clock of ``context``, whose time passes only when the test moves it. Timers of durable
    /// interactors become due with it.
    public var clock: ManualClock { directories.clock }
    /// The time of day of ``context``, in seconds since 1970: at first the machine's; it then
    /// passes with ``clock``. Set it as people set a machine's clock.
    public var unixTime: Double {
        get { directories.wall.unixTime }
        set {
            directories.wall.set(newValue)
            check?.runDue()
        }
    }
    let app: String
    private let directories: TestDirectories
    /// The root; `nil` when the session has ended: references that then remain are somebody else's.
    private var tree: (any LaunchRouting)?
    private var host: SessionHost
    /// Keeps durable states and checks their restore; `nil` if not wanted.
    private let check: RestoreCheck?
    private var fronts: [TestFront] = []
    /// The inventories of all trees so far.
    private var inventories: [TreeInventory] = []

    private init(
        _ root: any LaunchRouting, app: String, features: [any Feature.Type],
        _ context: SessionContext, in directories: TestDirectories,
        check: RestoreCheck?
    ) {
        self.check = check
        tree = root
        self.app = app
        self.directories = directories
        self.context = context
        host = SessionHost(
            name: context.name, app: app, epoch: 1, features: features,
            presence: directories.presence)
    }

    deinit { directories.remove() }

    /// Builds an app's tree and launches it.
    ///
    /// - Parameters:
    ///   - app: the app under test.
    ///   - settings: values of the app's `settings`, as people write them; traps if one is invalid.
    ///   - isDurable: whether durable states are kept, in memory. Each finished stretch of a
    ///     handler is then checked: a second tree, restored from them, must present the same.
    ///     ``expectQuiescent()`` reports the differences. While a handler runs or a question is
    ///     open, nothing is checked, since more will be presented; the next stretch after that is
    ///     checked. ``handlersThatWaited`` lists the handlers that may be interrupted.
    ///   - differences: the states that may differ after a restore, as `cart.cart
    ///     present(notice:)`, and the features that do not come back: see ``RestoreDifference``. A
    ///     `nil`, and states marked `@Provisional`, may differ anyway.
    public static func launch<A: App>(
        _ app: A.Type, settings: [String: String] = [:], isDurable: Bool = false,
        losing differences: Set<RestoreDifference> = []
    ) async -> TestSession {
        let directories = TestDirectories()
        let context = directories.context(of: A.id, configuration(settings, of: app))
        let root = await A.makeRoot(context)
        let check =
            isDurable
            ? RestoreCheck(losing: differences, in: directories) { await A.makeRoot(context) } : nil
        return await launch(root, A.features, A.id, context, in: directories, check)
    }

    /// Builds an app's tree and runs a receipt's input in it again: in a durable session, as it was
    /// before the input; in any other, after the events since its launch. The test's process dies
    /// where the worker did, until the cause is mended; then the event ends as its handler does.
    ///
    /// ```swift
    /// let session = try await TestSession.replaying("Tests/till-12.receipt", of: Till.self)
    /// ```
    ///
    /// - Parameters:
    ///   - file: the file that `napkin-client crash export` has written.
    ///   - app: the app of the receipt.
    ///   - settings: values of the app's `settings`, as people write them; traps if one is invalid.
    ///
    /// Errors: those of reading the file; the reason why the receipt is incomplete; the front's, if
    /// it cannot attach to the session; and the event's.
    public static func replaying<A: App>(
        _ file: String, of app: A.Type, settings: [String: String] = [:]
    ) async throws -> TestSession {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        let receipt: Receipt = try Payload(Array(bytes)).decode()
        let events = try receipt.replay()
        let directories = TestDirectories()
        let context = directories.context(of: A.id, configuration(settings, of: app))
        var check: RestoreCheck?
        if let image = receipt.image {
            check = RestoreCheck(losing: [], in: directories) { await A.makeRoot(context) }
            try await check?.restore(image, as: context.name)
        }
        let session = await launch(
            A.makeRoot(context), A.features, A.id, context, in: directories, check)
        let front = try await session.attach(ViewRegistry())
        // The receipt does not tell which of them failed in the worker either.
        for event in events.dropLast() { try? await front.front.replay(event) }
        if let last = events.last { try await front.front.replay(last) }
        return session
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

    /// Launches a tree.
    ///
    /// - Parameters:
    ///   - root: the tree's root router.
    ///   - features: the features that fronts may see.
    ///   - app: the app's id.
    ///   - differences: the states that may differ after a restore.
    ///   - makeAnother: builds an equal tree with separate services. Durable states are then kept
    ///     and checked, as by ``launch(_:settings:isDurable:losing:)``.
    public static func launch(
        _ root: any LaunchRouting, features: [any Feature.Type], app: String = "test",
        losing differences: Set<RestoreDifference> = [],
        restoring makeAnother: (@MainActor () async -> any LaunchRouting)? = nil
    ) async -> TestSession {
        let directories = TestDirectories()
        let context = directories.context(of: app, Configuration())
        let check = makeAnother.map { RestoreCheck(losing: differences, in: directories, $0) }
        return await launch(root, features, app, context, in: directories, check)
    }

    private static func launch(
        _ root: any LaunchRouting, _ features: [any Feature.Type], _ app: String,
        _ context: SessionContext, in directories: TestDirectories,
        _ check: RestoreCheck?
    ) async -> TestSession {
        let session = TestSession(
            root, app: app, features: features, context, in: directories, check: check)
        await session.launchRoot()
        return session
    }

    private func launchRoot() async {
        check?.keep(host) { [weak self] in self?.tree }
        await host.launch(root)
        if let inventory = root.core.inventory { inventories.append(inventory) }
    }

    /// Replaces this tree with another one, as a worker's death and restart do: fronts lose their
    /// connection, events without a reply end as `unknown`, and the fronts that were connected
    /// return. Returns when they show the new tree.
    ///
    /// - Parameter makeRoot: builds the new tree, after the old one has been released.
    public func restart(_ makeRoot: () async -> any LaunchRouting) async {
        let connected = fronts.filter(\.isConnected)
        for front in connected { await front.disconnect() }
        await check?.close()
        await host.end(Refusal(.sessionEnded, "the session is started again"))
        tree = nil
        host = SessionHost(
            name: host.name, app: host.app, epoch: host.epoch + 1, features: host.features,
            presence: directories.presence)
        tree = await makeRoot()
        await launchRoot()
        for front in connected { await front.reconnect() }
    }

    // MARK: - Fronts

    /// Attaches a front whose views record into their journal.
    public func attach(
        _ views: RecordingViews, isReadOnly: Bool = false, named name: String? = nil,
        mirroring mirrored: TestFront? = nil
    ) async throws(FrontError) -> TestFront {
        try await attach(
            views.registry, journal: views.journal, isReadOnly: isReadOnly, named: name,
            mirroring: mirrored)
    }

    /// Attaches a front; returns when it shows the session.
    ///
    /// - Parameters:
    ///   - registry: the front's views.
    ///   - journal: receives a line for each event at the front.
    ///   - isReadOnly: whether its events are refused, except on its own pages.
    ///   - name: the name that it gives for its person or device.
    ///   - mirrored: the front whose pages it shows in place of its own.
    public func attach(
        _ registry: ViewRegistry, journal: Journal = Journal(), isReadOnly: Bool = false,
        named name: String? = nil, mirroring mirrored: TestFront? = nil
    ) async throws(FrontError) -> TestFront {
        try await attach(
            registry, journal: journal, isReadOnly: isReadOnly, named: name, mirroring: mirrored,
            through: Wire())
    }

    /// Attaches a front through `wire`.
    package func attach(
        _ registry: ViewRegistry, journal: Journal, isReadOnly: Bool = false,
        named name: String? = nil, mirroring mirrored: TestFront? = nil, through wire: Wire
    ) async throws(FrontError) -> TestFront {
        // Fronts that have left no longer matter.
        fronts.removeAll { $0.end != nil }
        var options = FrontOptions(app: app, isReadOnly: isReadOnly, client: "test")
        options.mirrors = mirrored?.number
        options.name = name
        let front = TestFront(
            by: LoopbackRoute { [unowned self] in host }, options: options, registry: registry,
            journal: journal, wire: wire)
        fronts.append(front)
        try await front.attach()
        return front
    }

    // MARK: - The end

    /// Detaches every front, ends the tree and releases it. Does nothing if the session has ended.
    ///
    /// Then call `expectQuiescent()` to check that nothing of the session is left.
    public func end() async {
        guard tree != nil else { return }
        for front in fronts { await front.detach() }
        await check?.close()
        await host.end(Refusal(.sessionEnded, "the test is over"))
        tree = nil
        directories.remove()
    }

    /// The work under way: running handlers, unanswered questions, events without a reply; the
    /// states that differed after a restore; and the features that were shown but that the app does
    /// not list.
    public var unfinished: [String] {
        var lines: [String] = []
        func add(_ count: Int, _ what: String) {
            if count > 0 { lines.append("\(count) \(what)") }
        }
        add(host.runningHandlers, "running handlers")
        add(host.openQuestions, "questions without an answer")
        add(fronts.reduce(0) { $0 + $1.outstandingEvents }, "events without a reply")
        return lines + (check?.differences ?? []) + host.unlisted.map(\.description)
    }

    /// The handlers that changed a durable state and then waited for something outside, each once,
    /// as `cart.cart empty()`. If the worker dies while one waits, its event ends as `interrupted`,
    /// and its changes stay. Empty if durable states are not kept.
    public var handlersThatWaited: [String] { check?.waited ?? [] }

    /// The session's queues, as a worker reports them to tools.
    package var queues: SessionQueues? { host.tree(withInventory: false).queues }

    /// The remaining objects of detached features: `launch/loggedIn: task "poll" started at
    /// App/LoggedInInteractor.swift:34`. After `end()` all features are detached, and the session
    /// itself keeps none of their objects.
    public var remnants: [String] {
        inventories.flatMap { $0.report().remnants }.map { "left of \($0)" }
    }

    /// Waits for requested routing, and for detached features to be released; throws if anything
    /// else is under way, or something still remains after a second.
    public func expectQuiescent() async throws(NotQuiescent) {
        await tree?.core.waitForRouting()
        await check?.waitForChecks()
        let clock = ContinuousClock()
        let patience = clock.now + .seconds(1)
        // Cancelled tasks end at their next step, each in a separate turn.
        while !remnants.isEmpty, clock.now < patience { await Task.yield() }
        let lines = unfinished + remnants
        if !lines.isEmpty { throw NotQuiescent(unfinished: lines) }
    }
}

/// A session that was expected to be at rest has work under way, or remnants.
public struct NotQuiescent: Error, CustomStringConvertible {
    /// The work under way and the remnants, a line each.
    public let unfinished: [String]

    public var description: String {
        "the session is not at rest: \(unfinished.joined(separator: ", "))"
    }
}
