// TreeRecorder: receives the changes of a session's tree, and returns the recorded tree.
//
// Layer      core. The recorder is the ledger's; the core knows no store.

/// A recorded child that has not been reattached.
package struct MissingChild: Sendable {
    var slot: String
    var feature: FeatureID
    var arguments: Payload

    package init(slot: String, feature: FeatureID, arguments: Payload) {
        self.slot = slot
        self.feature = feature
        self.arguments = arguments
    }
}

/// Records a tree: its routers, and the states, timers and jobs of its interactors.
@MainActor
package protocol TreeRecorder: AnyObject {
    var routers: any RouterRecorder { get }
    /// `nil` in a child's process, which has neither timers nor jobs.
    var outbox: (any Outbox)? { get }

    /// The state of the interactor with this number has changed: the first time in this stretch.
    func stateChanged(of number: UInt32)

    /// An item was appended to a node's log. Its number must not be reused. Returns whether the
    /// item may be taken back; otherwise, or once it may not, the log is trimmed.
    func logGrew(of node: FeatureNode, _ method: MethodID) -> Bool

    /// The router with this number is about to present: the first time in this stretch.
    func willPresent(from number: UInt32)
}

/// Records which routers a tree has.
@MainActor
package protocol RouterRecorder {
    /// A router was attached, or is the root. Returns its number, which fronts also use, and
    /// whether it was recorded: its interactor's state has then been restored.
    func entered(_ router: RouterCore, under parent: UInt32) -> (number: UInt32, isRestored: Bool)

    /// The router with this number was detached, with its subtree.
    func detached(_ number: UInt32)

    /// The children recorded below a router that have not been reattached.
    func missingChildren(of number: UInt32) -> [MissingChild]

    /// Another tab of the router with this number has been selected.
    func selected(_ tab: String, of number: UInt32)

    /// The name of the tab that was selected when the worker died; `nil` if none ever was.
    func selectedTab(of number: UInt32) -> String?

    /// The handlers of the router's interactor that the worker's death interrupted.
    func interrupted(of number: UInt32) -> [InterruptedEvent]

    /// Returns the handlers of the router's interactor that the worker's death interrupted. Their
    /// delivery is recorded together with the changes that the interactor makes before it suspends.
    func takeInterrupted(of number: UInt32) -> [InterruptedEvent]
}

/// Records the timers and jobs that interactors request.
@MainActor
package protocol Outbox {
    func schedule(_ timer: TimerRequest, of number: UInt32) throws(DurableError)
    func cancel(_ timer: String, of number: UInt32)
    /// Milliseconds since 1970.
    func nextFiring(_ timer: String, of number: UInt32) -> Int64?

    func post(
        _ job: Payload, _ attempts: JobAttempts?, of number: UInt32
    ) throws(DurableError) -> JobKey
    /// Returns whether there was such a job, and it will not be handled.
    func cancel(job key: JobKey, of number: UInt32) -> Bool
    func openJobs(of number: UInt32) -> [OpenJob]
    func deadTimers(of number: UInt32) -> [String: JobFailure]
    func deadLetters(of number: UInt32) -> [DeadLetter]

    /// A dead letter is retried, or forgotten. Returns whether one with that key exists.
    func takeUp(deadLetter key: JobKey, of number: UInt32, again: Bool) -> Bool
}

extension RouterCore {
    /// Registers this router, and the children that it already has, with the recorder.
    func enter(_ recorder: (any TreeRecorder)?, under parent: RouterCore?) {
        guard let recorder else { return }
        self.recorder = recorder
        (number, isRestored) = recorder.routers.entered(self, under: parent?.number ?? 0)
        if let durable {
            durable.durability.bind(to: recorder, as: number)
            node?.durability = durable.durability
        }
        for child in children { child.router.core.enter(recorder, under: self) }
    }

    /// Reports to the recorder that this router was detached, with its subtree.
    func leaveRecorder() {
        guard let recorder else { return }
        recorder.routers.detached(number)
        forgetRecorder()
    }

    private func forgetRecorder() {
        recorder = nil
        number = 0
        durable?.durability.unbind()
        for child in children { child.router.core.forgetRecorder() }
    }

    /// Notifies the interactors of this subtree that their states are restored, and reattaches the
    /// children that have routes.
    func restore() async {
        guard let recorder else { return }
        if isRestored {
            isRestored = false
            if let durable {
                await durable.didRestore()
                // A process takes them when its interactor has learned of them.
                let interrupted =
                    isInProcess
                    ? recorder.routers.interrupted(of: number)
                    : recorder.routers.takeInterrupted(of: number)
                if !interrupted.isEmpty { await durable.didRestore(interrupted: interrupted) }
            }
            await restoreChildren(recorder.routers.missingChildren(of: number))
        }
        // Children that were attached before this router was.
        for child in children { await child.router.core.restore() }
    }

    /// The parent's number, and the children, for a recorder that starts with an existing tree.
    package var parentCore: RouterCore? { parent }
    package var parentNumber: UInt32 { parent?.number ?? 0 }
    package var childCores: [RouterCore] { children.map(\.router.core) }

    /// The name of the selected tab, if the router has opened tabs.
    package var selectedTab: String? { tabs?.selected }

    /// The feature's arguments, encoded.
    package var arguments: Payload { node?.arguments ?? Payload() }
}
