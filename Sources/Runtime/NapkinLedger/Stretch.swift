// Stretch: the changes of one session between two suspensions, while they grow.
//
// Ownership  held by the session's ledger while open; then its journal keeps it for the next
//            stretch, with the memory of its lists.
// Spec       Protocol/LEDGER.md, Records

import NapkinCoding
import NapkinCore

extension SessionLedger {
    /// An attached durable router, with its part of the open stretch.
    @MainActor
    final class Member {
        let number: UInt32
        let router: RouterCore
        let durable: any DurableInteractable
        // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
        // access spans a call of an interactor, a node or the session.
        /// The number of its state's description, once a state has been recorded.
        @exclusivity(unchecked) var schema: UInt64?
        /// The node's output when the stretch first touched it.
        @exclusivity(unchecked) var mark: FeatureNode.Mark?
        /// Its encoded state, if that is current.
        @exclusivity(unchecked) var encoded: [UInt8]?
        @exclusivity(unchecked) var isTouched = false
        @exclusivity(unchecked) var isChanged = false

        init?(_ router: RouterCore, _ number: UInt32) {
            guard let durable = router.durable else { return nil }
            (self.number, self.router, self.durable) = (number, router, durable)
        }

        /// Returns the encoded state.
        func state() throws(CBORError) -> [UInt8] {
            if let encoded { return encoded }
            return try durable.encodedState().bytes
        }

        /// Clears the router's part of a stretch that has ended.
        func reset() {
            (mark, encoded, isTouched, isChanged) = (nil, nil, false, false)
            durable.durability.listen()
        }
    }

    /// The changes between two suspensions.
    @MainActor
    final class Stretch {
        // SAFETY: @exclusivity(unchecked), here and below: as above.
        @exclusivity(unchecked) var record = Record(session: 0)
        @exclusivity(unchecked) var input: Input?
        /// The routers whose interactors' states have changed, in order.
        @exclusivity(unchecked) private(set) var changed: [Member] = []
        /// The routers that have changed or presented something.
        @exclusivity(unchecked) private(set) var touched: [Member] = []
        /// The durable routers that were attached.
        @exclusivity(unchecked) var attached: [UInt32] = []
        /// Whether a handler has thrown after it had changed something.
        @exclusivity(unchecked) var hasFailed = false
        /// The logs that have grown.
        @exclusivity(unchecked) var logs: [(node: FeatureNode, method: MethodID)] = []
        @exclusivity(unchecked) var effects: [(number: UInt32, frame: [UInt8])] = []
        /// The session's own inputs whose handlers have ended.
        @exclusivity(unchecked) var ended: [ScheduledInput] = []
        @exclusivity(unchecked) var requests = InputRequests()

        /// Whether there is something to record.
        var isNews: Bool { hasFailed || !changed.isEmpty || !record.isEmpty }

        /// Marks a router that is about to change or present something, perhaps for the first time.
        func touch(_ member: Member) {
            guard !member.isTouched else { return }
            member.isTouched = true
            member.mark = member.router.node?.mark()
            touched.append(member)
        }

        func change(_ member: Member) {
            guard !member.isChanged else { return }
            member.isChanged = true
            changed.append(member)
        }

        /// Adds an attached router, whose state must be recorded.
        func attach(_ member: Member) {
            attached.append(member.number)
            touch(member)
            change(member)
        }

        /// Drops the changes of these routers.
        func dropChanges(where isDropped: (UInt32) -> Bool) {
            for member in changed where isDropped(member.number) { member.isChanged = false }
            changed.removeAll { !$0.isChanged }
        }

        /// Takes the record out of the stretch.
        func takeRecord() -> Record {
            var taken = Record(session: 0)
            swap(&taken, &record)
            return taken
        }

        /// Empties the stretch, except for its record; the lists keep their memory.
        func end() {
            while let member = touched.popLast() { member.reset() }
            while changed.popLast() != nil {}
            input = nil
            hasFailed = false
            if !attached.isEmpty { attached = [] }
            if !logs.isEmpty { logs = [] }
            if !effects.isEmpty { effects = [] }
            if !ended.isEmpty { ended = [] }
            if !requests.isEmpty { requests = InputRequests() }
        }
    }
}
