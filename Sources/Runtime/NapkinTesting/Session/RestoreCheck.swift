// RestoreCheck: restores the session under test into a second tree after each stretch and compares.
//
// Ownership  owns the journal of the session under test; each restored tree lives for one check.
// Invariant  checks run one after another, in the order of their stretches.

import NapkinCoding
import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinRuntime

/// Keeps a session's durable states in memory, and checks which of them a restore recovers.
@MainActor
final class RestoreCheck {
    /// How long a restored tree may take to present what the session presented. Chosen: it needs
    /// milliseconds, and a failed check waits for all of it.
    private static let patience = Duration.seconds(1)
    /// The length of a value in a line. Chosen: two of them can still be compared.
    private static let valueLength = 200

    private let store = MemoryStore()
    private let journal: NapkinLedger.Journal
    private let timeOfDay: @MainActor () -> Int64
    private let makeRoot: () async -> any LaunchRouting
    /// The differences that are expected, by their subjects.
    private let expected: [String: RestoreDifference]
    private var ledger: SessionLedger?
    private weak var host: SessionHost?
    private var root: () -> (any LaunchRouting)? = { nil }
    /// The stretches that were recorded so far.
    private var stretches = 0
    private var newest: Task<Void, Never>?
    /// The states that a restore did not recover, one line each.
    private(set) var differences: [String] = []
    /// The handlers that changed a durable state and then waited, each once.
    private(set) var waited: [String] = []

    init(
        losing expected: Set<RestoreDifference>, in directories: TestDirectories,
        _ makeRoot: @escaping () async -> any LaunchRouting
    ) {
        let wall = directories.wall
        timeOfDay = { Int64(wall.unixTime * 1000) }
        self.expected = Dictionary(expected.map { ($0.subject, $0) }) { _, newer in newer }
        self.makeRoot = makeRoot
        do {
            journal = try NapkinLedger.Journal(durability: .process, store)
        } catch {
            preconditionFailure("a new store in memory cannot be opened: \(error)")
        }
        journal.scheduler.clock = timeOfDay
        directories.clock.whenMoved { [weak self] in
            Task { @MainActor in self?.runDue() }
        }
        journal.onFailure = { preconditionFailure("a store in memory has failed: \($0)") }
    }

    /// Keeps a session from now on, or continues with the states of the previous one.
    ///
    /// - Parameter root: returns the session's tree while it has one.
    func keep(_ host: SessionHost, root: @escaping () -> (any LaunchRouting)?) {
        let former = ledger
        let ledger =
            if let former, !former.isDormant {
                SessionLedger(journal: journal, restoring: former.image)
            } else {
                SessionLedger(journal: journal, name: host.name, id: host.name, epoch: host.epoch)
            }
        ledger.onRecord = { [weak self] in self?.recorded($0, waits: $1) }
        host.keep(in: ledger)
        (self.ledger, self.host, self.root) = (ledger, host, root)
    }

    /// Time has passed, or was set: runs what is due.
    func runDue() { journal.scheduler.runDue() }

    /// Makes the first session continue with an exported one.
    func restore(_ export: [UInt8], as name: String) async throws {
        var (file, image) = try await SessionExport.read(export)
        image.title.name = name
        try await journal.tools.adopt(image, file.schemas)
        let stored = try await journal.image(named: name)
        ledger = stored.map { SessionLedger(journal: journal, restoring: $0) }
    }

    /// Drops the session's states: its tree is about to end.
    func close() async {
        await waitForChecks()
        ledger?.close()
    }

    /// Returns when every stretch so far has been checked.
    func waitForChecks() async {
        while let task = newest {
            await task.value
            if newest == task { newest = nil }
        }
    }

    private func recorded(_ handler: String?, waits: Bool) {
        stretches += 1
        if waits, let handler, !waited.contains(handler) { waited.append(handler) }
        // A waiting handler, or an answered question, will present more.
        guard !waits, let host, host.runningHandlers == 0, host.openQuestions == 0, let ledger
        else { return }
        let (image, shown) = (ledger.image, Screen(root()))
        let (number, former) = (stretches, newest)
        newest = Task {
            await former?.value
            await check(image, shown, number, after: handler)
        }
    }

    /// Restores the image into a second tree, and notes the states that it does not present.
    private func check(
        _ image: SessionImage, _ shown: Screen, _ number: Int, after handler: String?
    ) async {
        guard let host else { return }
        let place = handler.map { "after \($0)" } ?? "after stretch \(number)"
        await journal.waitUntilDurable()
        let beside = SessionHost(
            name: host.name, app: host.app, epoch: host.epoch, features: host.features)
        do {
            beside.keep(in: try await restored(image))
        } catch {
            differences.append("\(place), what is kept cannot be read: \(error)")
            return
        }
        let fresh = await makeRoot()
        await beside.launch(fresh)
        if let defect = beside.ledger?.defect {
            differences.append("\(place), \(defect)")
        } else {
            await compare(fresh, with: shown, number, place, isEvent: handler != nil)
        }
        await beside.end(Refusal(.sessionEnded, "it was compared"))
    }

    /// Returns the ledger of a store that contains only this image, encoded.
    private func restored(_ image: SessionImage) async throws -> SessionLedger {
        let copy = MemoryStore()
        var commit = JournalCommit()
        commit.schemas = try store.schemas()
        commit.images = [
            StoredImage(
                session: image.session, name: image.title.name, base: 0,
                bytes: try image.encoded())
        ]
        try copy.commit(commit)
        let journal = try NapkinLedger.Journal(durability: .process, copy)
        journal.scheduler.clock = timeOfDay
        let stored = try await journal.image(named: image.title.name)
        precondition(stored != nil, "a store has lost what it was just given")
        return SessionLedger(journal: journal, restoring: stored ?? image)
    }

    private func compare(
        _ fresh: any LaunchRouting, with shown: Screen, _ number: Int, _ place: String,
        isEvent: Bool
    ) async {
        let clock = ContinuousClock()
        let end = clock.now + Self.patience
        var found: [String] = []
        repeat {
            await fresh.core.waitForRouting()
            found = Screen(fresh).differences(from: shown, but: expected)
            if found.isEmpty { return }
            // States that a task presents after its stretch belong to it until another follows.
            if number == stretches {
                let now = Screen(fresh).differences(from: Screen(root()), but: expected)
                if now.isEmpty { return }
            }
            await Task.yield()
        } while clock.now < end
        // A task that was still at work has presented more than its stretch.
        if isEvent || number == stretches { differences += found.map { "\(place), \($0)" } }
    }

    /// The states that a tree presents to all fronts.
    @MainActor
    private struct Screen {
        private struct Shown {
            let path: String
            let feature: String
            let arguments: Payload
            /// The states, by their methods' names.
            var states: [String: Payload] = [:]
        }

        private var features: [Shown] = []

        init(_ root: (any LaunchRouting)?) {
            if let root { add(root.core, "") }
        }

        private mutating func add(_ core: RouterCore, _ path: String) {
            // A front's pages are attached when it arrives, so they are left out.
            guard core.ownFront == nil else { return }
            let path = path + "/" + (core.slot.isEmpty ? core.feature.rawValue : core.slot)
            var shown = Shown(path: path, feature: core.feature.rawValue, arguments: core.arguments)
            for state in core.node?.states ?? []
            where core.node?.isProvisional(state.method) == false {
                guard state.payload.bytes != [0xF6] else { continue }
                shown.states[core.node?.name(of: state.method) ?? "\(state.method)"] = state.payload
            }
            features.append(shown)
            for child in core.childCores { add(child, path) }
        }

        /// Returns the differences from another screen, in words; a `nil` state counts as not
        /// presented.
        func differences(
            from other: Screen, but expected: [String: RestoreDifference]
        ) -> [String] {
            let remaining = other.features(but: expected)
            let paths = features.map { "\($0.path) \($0.arguments)" }
            let others = remaining.map { "\($0.path) \($0.arguments)" }
            guard paths.sorted() == others.sorted() else {
                let (old, new) = (remaining.map(\.path), features.map(\.path))
                return ["the features \(old) come back as \(new)"]
            }
            return remaining.flatMap { before -> [String] in
                guard
                    let after = features.first(where: {
                        $0.path == before.path && $0.arguments == before.arguments
                    })
                else { return [] }
                let names = Set(before.states.keys).union(after.states.keys)
                return names.sorted().compactMap { name in
                    let (old, new) = (before.states[name], after.states[name])
                    let method = "\(before.feature) \(name)"
                    guard old != new else { return nil }
                    guard let expected = expected[method] else {
                        return "\(method) comes back as \(words(new)) instead of \(words(old))"
                    }
                    guard expected.isExact, new != expected.value else { return nil }
                    return "\(method) comes back as \(words(new)), and was expected as "
                        + words(expected.value)
                }
            }
        }

        /// Returns the features, without those that do not come back and everything below them.
        private func features(but expected: [String: RestoreDifference]) -> [Shown] {
            let lost = features.filter { expected[$0.feature] != nil }.map(\.path)
            return features.filter { shown in
                !lost.contains { shown.path == $0 || shown.path.hasPrefix($0 + "/") }
            }
        }

        private func words(_ payload: Payload?) -> String {
            guard let payload else { return "nothing" }
            let text = CBORDiagnostic.describe(payload.bytes)
            return text.count > valueLength ? text.prefix(valueLength) + "…" : text
        }
    }
}

extension FeatureNode {
    /// The name of a method that the feature presents.
    fileprivate func name(of method: MethodID) -> String? {
        presentedMethods.first { $0.id == method }?.key
    }
}
