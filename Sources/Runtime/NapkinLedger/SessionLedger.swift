// SessionLedger: records one session's changes, stretch by stretch, and restores them.
//
// Ownership  owned by its session; its tree's routers keep it while they are attached.
// Invariant  `image` is the recorded session, in memory: after a stretch has ended, it holds each
//            durable state as the interactor does. It drops confirmed answers and assigns numbers
//            of inputs before a record says so.
// Spec       Protocol/LEDGER.md

package import NapkinCoding
package import NapkinCore
import NapkinTransport

/// The ledger of one session.
///
/// It is dormant, and costs nothing, until a router with a durable interactor is attached.
@MainActor
package final class SessionLedger {
    /// An input that changes a session, while its handler runs.
    enum Input {
        case event(BegunEvent)
        case scheduled(ScheduledInput)

        var node: UInt32 {
            switch self {
            case .event(let event): event.node
            case .scheduled(let input): input.node
            }
        }
    }

    package let journal: Journal
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
    // access spans a call of an interactor, a node or the session.
    @exclusivity(unchecked) package weak var session: (any RecordedSession)?
    /// Called when a stretch has been recorded. If the stretch belongs to a handler, it receives
    /// the handler's feature and method, and whether the handler waits now.
    package var onRecord: (@MainActor (_ handler: String?, _ waits: Bool) -> Void)?
    @exclusivity(unchecked) package var image: SessionImage
    /// Whether no durable router has been attached so far.
    @exclusivity(unchecked) package internal(set) var isDormant: Bool
    /// The durable routers that are attached.
    @exclusivity(unchecked) var members: [UInt32: Member] = [:]
    /// The reason why the session cannot be restored, if there is one.
    private(set) package var defect: RestoreDefect?
    /// Called when a defect is found after the tree has been launched.
    package var onDefect: (@MainActor (RestoreDefect) -> Void)?
    @exclusivity(unchecked) var stretch: Stretch?
    /// The logs that have grown in the collecting group and have not been recorded yet.
    var grownLogs: [LogOffset] = []
    /// Whether the end of the running job will end the stretch.
    var awaitsJobEnd = false
    let loop = Loop.shared
    /// The input whose handler is being started.
    @exclusivity(unchecked) var started: Input?
    /// The routers of the session's tree.
    private(set) package lazy var tree = LedgerTree(of: self)
    /// The session's timers and jobs.
    private(set) package lazy var inputs = ScheduledInputs(of: self)
    /// Whether recording has stopped, because the tree is being shut down.
    @exclusivity(unchecked) package private(set) var isClosed = false
    /// The number of records made.
    @exclusivity(unchecked) package internal(set) var recordCount: UInt64 = 0
    /// Counts of the changes that handlers have made since the worker began.
    @exclusivity(unchecked) var counts = HandlerCounts()
    /// The approximate size of the image in the store, in bytes.
    private(set) var imageBytes = 0

    /// Creates the ledger of a new session.
    package init(journal: Journal, name: String, id: String, epoch: UInt32) {
        self.journal = journal
        image = SessionImage(session: 0, title: SessionTitle(name: name, id: id, epoch: epoch))
        isDormant = true
    }

    /// Creates the ledger of a stored session.
    package init(journal: Journal, restoring image: SessionImage) {
        self.journal = journal
        self.image = image
        isDormant = false
        tree = LedgerTree(of: self)
    }

    /// Whether changes are recorded.
    var isRecording: Bool { !isDormant && !isClosed }

    /// Whether the changes of a router with this number are recorded.
    func records(_ number: UInt32) -> Bool { !isClosed && members[number] != nil }

    /// Whether messages are held back until the stretch has ended.
    package var isInStretch: Bool { stretch != nil }

    /// Returns a number that no router of the session has had.
    package func makeNumber() -> UInt32 {
        image.newestNode += 1
        return image.newestNode
    }

    // MARK: - Events

    /// Whether an event's answer must be recorded, because the event has changed something.
    package func mustRecord(_ front: UInt64, _ sequence: UInt64) -> Bool {
        guard isRecording else { return false }
        if let stretch, stretch.isNews { return true }
        let known = image.fronts.first { $0.front == front }
        return known?.begun.contains { $0.sequence == sequence } == true
    }

    /// Ends a handler that has returned. Throws `CBORError` if a state that it has changed cannot
    /// be recorded: the handler has then failed.
    package func handlerSucceeded() throws(CBORError) {
        guard let stretch else { return }
        for member in stretch.changed where member.encoded == nil {
            member.encoded = try member.state()
            // A later change replaces the encoded state.
            member.durable.durability.listen()
        }
    }

    /// Records the frame that has answered an event whose answer must be recorded.
    package func answered(_ front: UInt64, _ sequence: UInt64, _ frame: [UInt8]) {
        record { $0.answers.add([EventAnswer(front: front, sequence: sequence, frame: frame)]) }
        // A handler that never waited has nothing more to do: its output may be sent.
        if case .event? = started, stretch != nil {
            started = nil
            endStretch()
        }
    }

    /// Adds a change to the open stretch's record; without a stretch, makes it a separate record.
    private func record(_ change: (inout Record) -> Void) {
        if let stretch { return change(&stretch.record) }
        commitAlone(change)
    }

    /// Commits a change as a separate record, outside any stretch.
    func commitAlone(_ change: (inout Record) -> Void) {
        var record = Record(session: image.session)
        change(&record)
        commit(record)
    }

    // MARK: - Fronts and the session's end

    /// - Parameter traceparent: the trace in which it acts.
    package func frontJoined(_ front: UInt64, in traceparent: String? = nil) {
        guard isRecording else { return }
        let change = FrontChange(front: front, started: 0, traceparent: traceparent)
        record { $0.fronts.add([change]) }
    }

    package func frontForgotten(_ front: UInt64) {
        let isJoining = stretch?.record.fronts?.contains { $0.front == front } == true
        guard isRecording, isJoining || image.fronts.contains(where: { $0.front == front })
        else { return }
        record {
            $0.fronts.add([FrontChange(front: front)])
            // Children attached so far are not in the image yet.
            $0.detached.add(tree.missingPages(of: front))
        }
    }

    /// Records a front's confirmation of answers: it may request only the remaining ones again.
    ///
    /// - Parameters:
    ///   - forgotten: answers up to this event may be missing although nobody has confirmed them.
    ///   - oldest: the first event whose answer is kept; `nil` if none is.
    package func confirmed(by front: UInt64, forgotten: UInt64, keepingFrom oldest: UInt64?) {
        guard let index = image.fronts.firstIndex(where: { $0.front == front }) else { return }
        image.fronts[index].confirm(forgotten: forgotten, keepingFrom: oldest ?? .max)
    }

    package func renamed(to name: String) {
        let former = image.title.name
        image.title.name = name
        guard !isDormant else { return }
        journal.rename(former, to: name)
        commitAlone { $0.title = image.title }
    }

    /// Stops recording: the session resumes in its next worker as it is recorded now.
    package func close() {
        endStretch()
        recordLogs()
        isClosed = true
        journal.scheduler.closed(self)
        // The journal may keep the ledger for longer than the tree exists.
        members = [:]
    }

    /// Closes the ledger of a session that leaves memory.
    package func passivate() {
        close()
        journal.writeImage(of: self)
    }

    /// Stops recording and drops the open stretch, because the session cannot be restored.
    func abandon(_ defect: RestoreDefect) {
        self.defect = self.defect ?? defect
        stretch.take()?.end()
        recordLogs()
        isClosed = true
        journal.scheduler.closed(self)
        onDefect?(defect)
    }

    /// Returns the image as of a group; `nil` if it cannot be encoded.
    func storedImage(at group: GroupNumber) -> StoredImage? {
        do throws(CBORError) {
            let stored = try image.stored(as: group)
            imageBytes = stored.bytes.count
            return stored
        } catch {
            Anomaly.report(.unwritableState(feature: "the session's image", error))
            return nil
        }
    }
}

/// The reason why a session cannot be restored. Its stored data is kept.
package struct RestoreDefect: Error, Equatable, Sendable, CustomStringConvertible {
    package var feature: FeatureID
    package var reason: String

    package var description: String {
        "the recorded state of \(feature) cannot be read by this version of the app: \(reason)"
    }
}
