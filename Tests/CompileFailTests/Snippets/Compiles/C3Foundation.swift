// C3Foundation: a date and a URL that cross as texts.

public import FoundationEssentials
public import NapkinCore
import NapkinFoundation

@Message
public struct Ticket {
    public var ordered: Date
    public var pages: [URL]
}

@Crossing
public protocol BoardPresentableListener: PresentableListener {
    func didOrder(at date: Date) async
}
