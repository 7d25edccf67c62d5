// SessionLedger+Tree: recognizes recorded routers, and records new ones.
//
// Spec       Protocol/LEDGER.md

import NapkinCoding
package import NapkinCore

extension SessionLedger: TreeRecorder {
    package func entered(
        _ router: RouterCore, under parent: UInt32
    ) -> (number: UInt32, isRestored: Bool) {
        if isDormant, !isClosed, router.durable != nil { awake(before: router) }
        let place = AttachedNode(router, under: parent)
        if let number = recorded(at: place) {
            missing.remove(number)
            if let member = Member(router, number) { members[number] = member }
            restore(router, number)
            inputs.dueChanged()
            return (number, true)
        }
        let number = makeNumber()
        if !isDormant { attach(router, place, as: number) }
        return (number, false)
    }

    private func recorded(at place: AttachedNode) -> UInt32? {
        guard !missing.isEmpty else { return nil }
        return image.nodes.indices.first { index in
            // Few of many routers share a parent, so this comparison comes first.
            guard image.nodes[index].place.parent == place.parent else { return false }
            var other = image.nodes[index].place
            guard missing.contains(other.number) else { return false }
            other.number = 0
            return other == place
        }.map { image.nodes[$0].place.number }
    }

    private func restore(_ router: RouterCore, _ number: UInt32) {
        guard let index = image.index(of: number) else { return }
        let logs = image.nodes[index].logs ?? []
        if !logs.isEmpty {
            router.node?.startLogs(
                at: Dictionary(
                    logs.map { (MethodID(rawValue: $0.method), $0.next) }, uniquingKeysWith: max))
        }
        guard let durable = router.durable, let state = image.nodes[index].state else { return }
        do throws(StateDefect) {
            let place = image.nodes[index].schema
            let isCurrent = journal.schemas.isNumber(place, of: durable.stateType)
            let schema = isCurrent ? nil : journal.schemas[place]
            if schema == nil, place != nil, !isCurrent {
                throw StateDefect(reason: "its description is missing")
            }
            guard try durable.restoreState(Payload(state), described: schema) else { return }
            // The stored state cannot be rolled back to.
            if let member = members[number] { open().attach(member) }
        } catch {
            // The interactor's initial state must not replace the stored one.
            abandon(RestoreDefect(feature: router.feature, reason: error.reason))
        }
    }

    private func attach(_ router: RouterCore, _ place: AttachedNode, as number: UInt32) {
        guard !isClosed else { return }
        let stretch = open()
        var place = place
        place.number = number
        stretch.record.attached.add([place])
        guard let member = Member(router, number) else { return }
        members[number] = member
        stretch.attach(member)
    }

    package func selected(_ tab: String, of number: UInt32) {
        guard !isDormant, !isClosed else { return }
        open()
        stretch?.record.tabs.add([SelectedTab(number: number, tab: tab)])
    }

    package func selectedTab(of number: UInt32) -> String? {
        image.index(of: number).flatMap { image.nodes[$0].tab }
    }

    package func left(_ number: UInt32) {
        guard !isDormant, !isClosed else { return }
        open().record.detached.add([number])
    }

    package func missingChildren(of number: UInt32) -> [MissingChild] {
        image.nodes.filter {
            $0.place.parent == number && $0.place.front == nil && missing.contains($0.place.number)
        }.map {
            MissingChild(
                slot: $0.place.slot, feature: FeatureID(rawValue: $0.place.feature),
                arguments: Payload($0.place.arguments))
        }
    }

    /// The recorded routers that are not attached, except fronts' pages and routers below others.
    package var unattached: [AttachedNode] {
        guard inputs.isReady else { return [] }
        return image.nodes.map(\.place).filter {
            $0.front == nil && missing.contains($0.number) && !missing.contains($0.parent)
        }
    }

    package func takeInterrupted(of number: UInt32) -> [InterruptedEvent] {
        let events = interrupted.filter { $0.node == number }
        let begun = inputs.interrupted.filter { $0.node == number }
        guard let feature = image.feature(of: number), let session, !isClosed,
            !(events.isEmpty && begun.isEmpty)
        else { return [] }
        interrupted.removeAll { $0.node == number }
        inputs.interrupted.removeAll { $0.node == number }
        // Their end is recorded together with the interactor's corrections.
        let stretch = open()
        let answers = events.map {
            EventAnswer(
                front: $0.front, sequence: $0.sequence, frame: session.interruption(of: $0.sequence)
            )
        }
        stretch.record.answers.add(answers)
        stretch.record.over.add(begun.map(\.id))
        return events.map {
            InterruptedEvent(method: session.signature(of: $0.method, in: feature))
        }
            + begun.map { InterruptedEvent(method: $0.method, name: $0.name) }
    }

    /// Begins to record the session, with all its contents, when a first durable router comes.
    private func awake(before newcomer: RouterCore) {
        isDormant = false
        image.session = journal.begin(image.title)
        let stretch = open()
        stretch.record.title = image.title
        stretch.record.fronts = session?.startedEvents.map {
            FrontChange(front: $0.front, started: $0.started)
        }
        image.newestFront = session?.newestFront ?? 0
        if let root = session?.rootCore, root !== newcomer { enter(root, before: newcomer) }
        enterAncestors(of: newcomer)
        session?.becameDurable()
    }

    /// Records the ancestors of a router that their own parents do not list yet, with all of their
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
        image.index(of: number) != nil
            || stretch?.record.attached?.contains { $0.number == number } == true
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
            if let node = router.node { logGrew(of: node, log.method) }
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
