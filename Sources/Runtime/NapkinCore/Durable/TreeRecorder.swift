// TreeRecorder: how a session's tree tells a recorder what changes in it, and gets back what was
// recorded.
//
// Layer      core. The recorder is the ledger's; the core knows no store.

/// A child that was recorded and is not attached again.
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

/// Records which routers a tree has, and the states of their interactors.
@MainActor
package protocol TreeRecorder: AnyObject {
    /// A router has been attached, or is the root. Returns its number, by which fronts know it; if
    /// the router was recorded, its interactor has its state back.
    func entered(_ router: RouterCore, under parent: UInt32) -> (number: UInt32, isRestored: Bool)

    /// The router with this number, and all below it, has been detached.
    func left(_ number: UInt32)

    /// The children that were recorded below a router and are not attached again.
    func missingChildren(of number: UInt32) -> [MissingChild]

    /// Another tab of the router with this number has been selected.
    func selected(_ tab: String, of number: UInt32)

    /// The name of the tab that was selected when the worker died; `nil` if none ever was.
    func selectedTab(of number: UInt32) -> String?

    /// What the router's interactor was at when the worker died, and is told of now. That it has
    /// been told is recorded together with what it changes before it waits.
    func takeInterrupted(of number: UInt32) -> [InterruptedEvent]

    /// The state of the interactor with this number has changed: the first time in this stretch.
    func stateChanged(of number: UInt32)

    /// An item has been appended to a node's log. Its number must not be given again. Returns
    /// whether it may be taken back; otherwise, or once it may not, the log is trimmed.
    func logGrew(of node: FeatureNode, _ method: MethodID) -> Bool

    /// The router with this number is about to present: the first time in this stretch.
    func willPresent(from number: UInt32)

    /// The interactor with this number wants to be told at some time.
    func schedule(_ timer: TimerRequest, of number: UInt32) throws(DurableError)
    func cancel(_ timer: String, of number: UInt32)
    func isScheduled(_ timer: String, of number: UInt32) -> Bool

    /// The interactor with this number has a job to be performed.
    func post(_ job: Payload, of number: UInt32) throws(DurableError) -> JobKey
    func deadTimers(of number: UInt32) -> [String: JobFailure]
    func deadLetters(of number: UInt32) -> [DeadLetter]

    /// A dead letter is performed again, or forgotten. Returns whether there is one of that key.
    func takeUp(deadLetter key: JobKey, of number: UInt32, again: Bool) -> Bool
}

extension RouterCore {
    /// Tells the recorder of this router and the children that it has already.
    func enter(_ recorder: (any TreeRecorder)?, under parent: RouterCore?) {
        guard let recorder else { return }
        self.recorder = recorder
        (number, isRestored) = recorder.entered(self, under: parent?.number ?? 0)
        if let durable {
            durable.durability.bind(to: recorder, as: number)
            node?.durability = durable.durability
        }
        for child in children { child.router.core.enter(recorder, under: self) }
    }

    /// Tells the recorder that this router has been detached, with all below it.
    func leaveRecorder() {
        guard let recorder else { return }
        recorder.left(number)
        forgetRecorder()
    }

    private func forgetRecorder() {
        recorder = nil
        number = 0
        durable?.durability.unbind()
        for child in children { child.router.core.forgetRecorder() }
    }

    /// Tells the interactors of this subtree that their states are back, and attaches the children
    /// again that have routes.
    func restore() async {
        guard let recorder else { return }
        if isRestored {
            isRestored = false
            if let durable {
                await durable.didRestore()
                let interrupted = recorder.takeInterrupted(of: number)
                if !interrupted.isEmpty { await durable.didRestore(interrupted: interrupted) }
            }
            await restoreChildren(recorder.missingChildren(of: number))
        }
        // Those that were attached before this router was.
        for child in children { await child.router.core.restore() }
    }

    /// The parent's number, and the children, for a recorder that begins in the middle.
    package var parentCore: RouterCore? { parent }
    package var parentNumber: UInt32 { parent?.number ?? 0 }
    package var childCores: [RouterCore] { children.map(\.router.core) }

    /// The name of the selected tab, if the router has opened tabs.
    package var selectedTab: String? { tabs?.selected }

    /// The feature's arguments, encoded.
    package var arguments: Payload { node?.arguments ?? Payload() }
}
