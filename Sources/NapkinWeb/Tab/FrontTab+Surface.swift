// FrontTab+Surface: what a front tells its tab.

import NapkinCore
import NapkinElements
import NapkinFront
import NapkinProtocol

extension FrontTab: Surface {
    func front(_ front: Front, attached: Attached) {
        let isNew = epoch != nil && attached.epoch != epoch
        epoch = attached.epoch
        if isNew { sessionBeganAnew() }
        // An earlier notice, "not connected", would now be wrong.
        say(isNew ? "the worker was restarted; the session starts over" : nil)
    }

    func front(_ front: Front, applied changes: [FrontChange]) {
        status.connection = .connected
    }

    func front(
        _ front: Front, presented method: MethodID, of node: FrontNode, _ payload: Payload
    ) {
        if node.isDrawn(from: method) { redraw() }
    }

    func front(
        _ front: Front, appended items: LogItems, to method: MethodID, of node: FrontNode,
        after gap: LogGap?
    ) {
        if node.isDrawn(from: method) { redraw() }
    }

    func front(
        _ front: Front, effect method: MethodID, of node: FrontNode,
        _ payload: UnsafeRawBufferPointer
    ) {
        guard !node.hasView else { return }
        pages.generic(of: node).add(
            effect: method, Payload(Array(payload)), at: component.timeOfDay())
        redraw()
    }

    func front(
        _ front: Front, asks id: UInt64, _ method: MethodID, of node: FrontNode, _ payload: Payload
    ) {
        // A view of this front has been asked, and answers by itself.
        guard node.view == nil else {
            asked[id] = (node.id, method, payload)
            return
        }
        dialogs.ask(id, method, of: node, payload, front.schemas)
    }

    func front(_ front: Front, viewLeavesAsk id: UInt64) {
        guard let question = asked.removeValue(forKey: id),
            let node = front.tree.node(question.node)
        else { return }
        dialogs.ask(id, question.method, of: node, question.payload, front.schemas)
    }

    func front(_ front: Front, askEnded id: UInt64) {
        asked[id] = nil
        dialogs.endAsk(id)
    }

    func front(
        _ front: Front, failedToSend method: MethodID, to node: UInt32, _ fault: RemoteFault
    ) {
        dialogs.failed(fault)
    }

    func front(_ front: Front, skippedStates states: Int, effects: Int) {
        let missed = effects == 0 ? "" : " and \(effects) effects"
        say("the newest state is shown; \(states) states\(missed) were skipped")
    }

    func front(_ front: Front, renamed session: String) { status.session = session }

    func front(_ front: Front, counts fronts: Int) { status.fronts = fronts }

    func front(_ front: Front, waits wait: FrontWait?) { status.wait = wait }

    func front(_ front: Front, disconnected reason: String) {
        status.connection = .disconnected(since: component.timeOfDay(), reason: reason)
        status.fronts = nil
        asked = [:]
        dialogs.connectionEnded()
    }

    func front(
        _ front: Front, retriesAfter delay: Duration, because error: FrontError
    ) {
        status.connection = status.connection.retrying(because: error.message)
    }

    func front(_ front: Front, resumedLosing lost: Int) {
        status.connection = .connected
        dialogs.resumed(front, losing: lost)
    }
}
