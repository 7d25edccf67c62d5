// TestFront: a front of a session under test, over any link.

public import NapkinCore

/// A node as a front shows it.
@MainActor
public struct ShownNode {
    public let id: UInt32
    /// The parent's number; 0 at the root.
    public let parent: UInt32
    public let feature: FeatureID
    public let slot: String
    public let presentation: Presentation
    /// The object that the registered closure created for it; `nil` without one.
    public let view: Any?
}

/// A front whose connection a test controls.
///
/// Its journal has a line for each thing that happened: `+ pit-board in pitBoard (push)`,
/// `- pit-board`, `disconnected`, `resumed`, `ask ended`, and what its recordings note.
@MainActor
public protocol TestFront: AnyObject {
    var journal: Journal { get }
    /// The front's number in its session; 0 before it is attached.
    var number: UInt64 { get }
    /// The shown nodes, in the order in which they were mounted.
    var nodes: [ShownNode] { get }
    var isConnected: Bool { get }
    /// How often the front has been shown the whole session.
    var attachments: Int { get }
    /// Returns when `attachments` is more than `count`, or the front has ended.
    func shows(moreThan count: Int) async

    /// Events under way: sent, and without a reply.
    var outstandingEvents: Int { get }

    /// Takes nothing more until ``release()``: messages for the front wait, as their class says.
    func hold()
    func release()

    /// Cuts the connection immediately.
    func disconnect() async
    /// Lets the front come back. Returns when it shows the session again.
    func reconnect() async

    /// Leaves the session for good.
    func detach() async
}

extension TestFront {
    /// Returns a feature's view; the one mounted last if there are several.
    public func view<View>(of feature: FeatureID, as type: View.Type = View.self) -> View? {
        nodes.last { $0.feature == feature }?.view as? View
    }

    public func shows(_ feature: FeatureID) -> Bool { nodes.contains { $0.feature == feature } }
}
