// LedgerTree: recognizes recorded routers, and records new ones.
//
// Ownership  owned by the session's ledger.
// Invariant  a recorded router is either attached or missing.
// Spec       Protocol/LEDGER.md

import NapkinCoding
package import NapkinCore

/// The routers of a session's tree, as its ledger records them.
@MainActor
package final class LedgerTree: RouterRecorder {
    private unowned let ledger: SessionLedger
    /// The recorded routers that have not been attached again.
    private var missing: Set<UInt32>
    /// The events whose handlers were running when the worker died.
    private var interrupted: [BegunEvent]
    /// The timers and jobs whose handlers were waiting then.
    private var interruptedInputs: [BegunInput]

    init(of ledger: SessionLedger) {
        self.ledger = ledger
        missing = Set(ledger.image.nodes.map(\.place.number))
        interrupted = ledger.image.fronts.flatMap(\.begun)
        interruptedInputs = ledger.image.inputs
    }

    package func entered(
        _ router: RouterCore, under parent: UInt32
    ) -> (number: UInt32, isRestored: Bool) {
        if ledger.isDormant, !ledger.isClosed, router.durable != nil {
            beginRecording(before: router)
        }
        let place = AttachedNode(router, under: parent)
        if let number = recorded(at: place) {
            missing.remove(number)
            ledger.enter(router, as: number)
            restore(router, number)
            ledger.inputs.dueChanged()
            return (number, true)
        }
        let number = ledger.makeNumber()
        if !ledger.isDormant { attach(router, place, as: number) }
        return (number, false)
    }

    private func recorded(at place: AttachedNode) -> UInt32? {
        guard !missing.isEmpty else { return nil }
        let nodes = ledger.image.nodes
        return nodes.indices.first { index in
            // Few of many routers share a parent, so this comparison comes first.
            guard nodes[index].place.parent == place.parent else { return false }
            var other = nodes[index].place
            guard missing.contains(other.number) else { return false }
            other.number = 0
            return other == place
        }.map { nodes[$0].place.number }
    }

    private func restore(_ router: RouterCore, _ number: UInt32) {
        guard let index = ledger.image.index(of: number) else { return }
        let node = ledger.image.nodes[index]
        let logs = node.logs ?? []
        if !logs.isEmpty {
            router.node?.startLogs(
                at: Dictionary(
                    logs.map { (MethodID(rawValue: $0.method), $0.next) }, uniquingKeysWith: max))
        }
        guard let durable = router.durable, let state = node.state else { return }
        do throws(StateDefect) {
            let place = node.schema
            let isCurrent = ledger.journal.schemas.isNumber(place, of: durable.stateType)
            let schema = isCurrent ? nil : ledger.journal.schemas[place]
            if schema == nil, place != nil, !isCurrent {
                throw StateDefect(reason: "its description is missing")
            }
            guard try durable.restoreState(Payload(state), described: schema) else { return }
            // The stored state cannot be rolled back to.
            if let member = ledger.members[number] { ledger.open().attach(member) }
        } catch {
            // The interactor's initial state must not replace the stored one.
            ledger.abandon(RestoreDefect(feature: router.feature, reason: error.reason))
        }
    }

    private func attach(_ router: RouterCore, _ place: AttachedNode, as number: UInt32) {
        guard !ledger.isClosed else { return }
        let stretch = ledger.open()
        var place = place
        place.number = number
        stretch.record.attached.add([place])
        if let member = ledger.enter(router, as: number) { stretch.attach(member) }
    }

    package func selected(_ tab: String, of number: UInt32) {
        guard ledger.isRecording else { return }
        ledger.open().record.tabs.add([SelectedTab(number: number, tab: tab)])
    }

    package func selectedTab(of number: UInt32) -> String? {
        ledger.image.index(of: number).flatMap { ledger.image.nodes[$0].tab }
    }

    package func detached(_ number: UInt32) {
        guard ledger.isRecording else { return }
        ledger.open().record.detached.add([number])
    }

    /// The missing routers among a front's pages.
    func missingPages(of front: UInt64) -> [UInt32] {
        ledger.image.nodes.map(\.place).filter { $0.front == front && missing.contains($0.number) }
            .map(\.number).sorted()
    }

    /// Forgets the missing routers that have been detached, and those below them.
    func forgetDetached() { missing = missing.filter { ledger.image.index(of: $0) != nil } }

    package func missingChildren(of number: UInt32) -> [MissingChild] {
        ledger.image.nodes.filter {
            $0.place.parent == number && $0.place.front == nil && missing.contains($0.place.number)
        }.map {
            MissingChild(
                slot: $0.place.slot, feature: FeatureID(rawValue: $0.place.feature),
                arguments: Payload($0.place.arguments))
        }
    }

    /// The recorded routers that are not attached, except fronts' pages and routers below others.
    package var unattached: [AttachedNode] {
        guard ledger.inputs.isReady else { return [] }
        return ledger.image.nodes.map(\.place).filter {
            $0.front == nil && missing.contains($0.number) && !missing.contains($0.parent)
        }
    }

    package func interrupted(of number: UInt32) -> [InterruptedEvent] {
        guard let feature = ledger.image.feature(of: number), let session = ledger.session,
            !ledger.isClosed
        else { return [] }
        return interrupted.filter { $0.node == number }.map {
            InterruptedEvent(method: session.signature(of: $0.method, in: feature))
        }
            + interruptedInputs.filter { $0.node == number }.map {
                InterruptedEvent(method: $0.method, name: $0.name)
            }
    }

    package func takeInterrupted(of number: UInt32) -> [InterruptedEvent] {
        let interruptions = interrupted(of: number)
        guard let session = ledger.session, !interruptions.isEmpty else { return [] }
        let events = interrupted.filter { $0.node == number }
        let begun = interruptedInputs.filter { $0.node == number }
        interrupted.removeAll { $0.node == number }
        interruptedInputs.removeAll { $0.node == number }
        // Their end is recorded together with the interactor's corrections.
        let stretch = ledger.open()
        let answers = events.map {
            EventAnswer(
                front: $0.front, sequence: $0.sequence, frame: session.interruption(of: $0.sequence)
            )
        }
        stretch.record.answers.add(answers)
        stretch.record.over.add(begun.map(\.id))
        return interruptions
    }

    /// Begins to record the session, with all its contents, before its first durable router.
    private func beginRecording(before newcomer: RouterCore) {
        ledger.beginRecording()
        if let root = ledger.session?.rootCore, root !== newcomer { enter(root, before: newcomer) }
        enterAncestors(of: newcomer)
        ledger.session?.becameDurable()
    }

    /// Records the ancestors of a router that their parents do not list yet, with all of their
    /// contents.
    private func enterAncestors(of newcomer: RouterCore) {
        var ancestors: [RouterCore] = []
        var next = newcomer.parentCore
        while let router = next, router.number != 0, !isRecorded(router.number) {
            ancestors.append(router)
            next = router.parentCore
        }
        for router in ancestors.reversed() where !isRecorded(router.number) {
            enter(router, before: newcomer)
        }
    }

    private func isRecorded(_ number: UInt32) -> Bool {
        ledger.image.index(of: number) != nil
            || ledger.stretch?.record.attached?.contains { $0.number == number } == true
    }

    private func enter(_ router: RouterCore, before newcomer: RouterCore) {
        guard router !== newcomer, router.number != 0 else { return }
        enter(alone: router)
        for child in router.childCores { enter(child, before: newcomer) }
    }

    private func enter(alone router: RouterCore) {
        let place = AttachedNode(router, under: router.parentNumber)
        attach(router, place, as: router.number)
        if let tab = router.selectedTab { selected(tab, of: router.number) }
        for log in router.node?.logs.entries ?? [] {
            if let node = router.node { ledger.logGrew(of: node, log.method) }
        }
    }
}

extension AttachedNode {
    /// The place of a router that has no number yet.
    @MainActor
    fileprivate init(_ router: RouterCore, under parent: UInt32) {
        self.init(
            number: 0, parent: parent, slot: router.slot, feature: router.feature.rawValue,
            arguments: router.arguments.bytes, front: router.ownFront)
    }
}
