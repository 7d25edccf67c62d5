// C3Foundation: a date, which each end would write by what else it is linked with.

public import FoundationEssentials
public import NapkinCore

// expected-error@+1: add 'import NapkinFoundation' to this file: it lets Date and URL cross
@Message
public struct Ticket {
    public var ordered: Date
}
