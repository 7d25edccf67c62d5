// FrontSeat+Tools: what is told of a front to those who inspect its session.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions)

import NapkinCore
public import NapkinProtocol
import NapkinTransport

extension FrontSeat {
    var isAway: Bool { link == nil }
    var isAskable: Bool { machine.isAskable }

    /// The front as the app's features know it.
    var attached: AttachedFront {
        AttachedFront(
            id: id, client: identity.client, user: identity.uid, isReadOnly: identity.isReadOnly,
            isAskable: isAskable)
    }

    /// Whether the front wants to know how many fronts there are.
    var countsFronts: Bool { machine.attach.countsFronts == true }

    public var info: FrontInfo {
        var info = identity
        guard let link else { return info }
        info.idleSeconds = Int((Loop.shared.now - heardAt) / 1000)
        info.isSlow = link.isSlow
        return info
    }

    public var droppedEffects: Int { queue.droppedEffects }
    public var mergedStates: Int { queue.mergedStates }

    /// The sizes of the front's queues and of the answers kept for it.
    var queues: SessionQueues.Front {
        var queues = SessionQueues.Front(front: id, isAway: isAway)
        queues.events = machine.events.runningEvents
        queues.answers = machine.events.keptAnswers
        queues.answerBytes = machine.events.keptAnswerBytes
        guard let link else { return queues }
        queues.effects = queue.waitingEffects
        queues.states = queue.waitingStates
        queues.orderedBytes = queue.waitingOrderedBytes
        queues.socketBytes = link.pendingBytes
        queues.workflows = machine.workflows.count
        queues.mergedStates = mergedStates
        queues.droppedEffects = droppedEffects
        queues.refusedEvents = refusedEvents
        return queues
    }
}
