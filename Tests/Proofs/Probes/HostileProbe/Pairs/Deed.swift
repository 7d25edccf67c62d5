// Deed: what can be done with a session, one thing after another.

/// One feature of a session in use. In pairs: what one leaves behind may need another to show.
enum Deed: String, CaseIterable {
    case trace, watch, top
    case openAsk = "open-ask"
    case answeredAsk = "answered-ask"
    case workflow
    case takeOver = "take-over"
    case rename, detach
    case lostFront = "lost-front"
    case comeBack = "come-back"
    case kill
    case refusedEvent = "refused-event"
    case waitingEvent = "waiting-event"
    case slowFront = "slow-front"
}

/// Two deeds in their order.
struct Pair: CustomStringConvertible {
    let first: Deed
    let second: Deed

    static let all = Deed.allCases.flatMap { first in
        Deed.allCases.map { Pair(first: first, second: $0) }
    }

    var description: String { "\(first.rawValue), \(second.rawValue)" }
}
