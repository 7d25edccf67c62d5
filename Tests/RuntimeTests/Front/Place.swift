// Place: a napkind and a worker on real sockets that do what a test says.
//
// Isolation  @MainActor: the main queue, in which the loop is embedded here.
// Ownership  removes its sockets when it goes.

import Foundation
import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport
import Testing

@testable import NapkinRuntime

/// Redirects every front to its worker, and hands over each that asks to be attached.
@MainActor
final class Place {
    private let directory: String
    private let acceptors: [Acceptor]
    private let visits = Line<Visit>()
    /// Takes the place of `visit()`.
    var onVisit: ((Visit) -> Void)?
    /// How often somebody has connected to napkind.
    private(set) var connections = 0
    /// Sessions of which napkind says that they are not there.
    var unknown: Set<String> = []
    /// Where napkind says that the sessions are which tools ask about.
    var machine = MachineAddress(host: "")

    init() throws {
        var template = Array("/tmp/nkfXXXXXX".utf8CString)
        directory = String(cString: try #require(mkdtemp(&template)))
        acceptors = try ["d", "w"].map { [directory] in
            try Acceptor(bindingTo: "\(directory)/\($0)")
        }
        let worker = "\(directory)/w"
        acceptors[0].start { [weak self] channel in
            self?.connections += 1
            let porter = Porter(worker: worker) { self?.unknown.contains($0) == true }
            porter.machine = self?.machine
            Link(
                channel: channel, role: .acceptor(.napkind, server: "napkind", pid: 1),
                delegate: porter
            ).wait()
        }
        acceptors[1].start { [weak self] channel in
            Link(
                channel: channel, role: .acceptor(.worker, server: "worker", pid: 1),
                delegate: Visit { self?.arrived($0) }
            ).wait()
        }
    }

    var socket: String { "\(directory)/d" }

    private func arrived(_ visit: Visit) {
        if let onVisit { onVisit(visit) } else { visits.append(visit) }
    }

    /// The next front that asks to be attached.
    func visit() async -> Visit { await visits.next() }

    isolated deinit {
        for acceptor in acceptors { acceptor.close() }
        do {
            try FileManager.default.removeItem(atPath: directory)
        } catch {
            Issue.record("\(directory) was not removed: \(error)")
        }
    }
}

extension Link {
    /// Does nothing: the channel keeps the link.
    fileprivate func wait() {}
}

/// napkind: says where the worker is.
@MainActor
private final class Porter: LinkDelegate {
    private let worker: String
    private let isUnknown: (String) -> Bool
    var machine: MachineAddress?

    init(worker: String, isUnknown: @escaping (String) -> Bool) {
        (self.worker, self.isUnknown) = (worker, isUnknown)
    }

    func linkEstablished(_ link: Link) {}

    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        if header.kind == .query {
            let refusal = Refusal(.elsewhere, "it is there", machine: machine)
            return link.send(FrameHeader(.refused, sequence: header.sequence), value: refusal)
        }
        guard header.kind == .open, let open = payload.decoded(Open.self) else { return }
        if isUnknown(open.session ?? open.app) {
            let refusal = Refusal(.unknownSession, "there is no such session")
            return link.send(FrameHeader(.refused, sequence: header.sequence), value: refusal)
        }
        link.send(
            FrameHeader(.redirect, sequence: header.sequence),
            value: Redirect(socket: worker, ticket: "ticket", app: "prompts", session: "prompts"))
    }

    func linkEnded(_ link: Link, _ end: ConnectionEnd) {}
}

/// The worker's side of one connection.
@MainActor
final class Visit: LinkDelegate {
    /// Who the front says that it was.
    private(set) var previous: SessionIdentity?
    private(set) var countsFronts = false
    private var link: Link?
    private let answers = Line<(UInt64, Bool)>()
    private let events = Line<(FrameHeader, Int)>()
    private let arrived: (Visit) -> Void

    init(arrived: @escaping (Visit) -> Void) {
        self.arrived = arrived
    }

    func linkEstablished(_ link: Link) { self.link = link }

    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        do {
            var reader = CBORReader(payload)
            switch header.kind {
            case .attach:
                let attach = try reader.read(Attach.self)
                previous = attach.previousIdentity
                countsFronts = attach.countsFronts == true
                arrived(self)
            case .askReply:
                answers.append((header.sequence, try reader.read(Bool.self)))
            case .event:
                events.append((header, try reader.read(Int.self)))
            default: break
            }
        } catch {
            Issue.record(error)
        }
    }

    func linkEnded(_ link: Link, _ end: ConnectionEnd) { self.link = nil }

    /// The next event, and its argument.
    func event() async -> (FrameHeader, Int) { await events.next() }

    /// The next answer: to which question, and what.
    func answer() async -> (UInt64, Bool) { await answers.next() }

    func ask(_ id: UInt64, _ question: String, epoch: UInt32) {
        let method = MethodID(key: "confirm(_:)").rawValue
        link?.send(
            FrameHeader(.ask, node: 1, epoch: epoch, sequence: id, method: method), value: question)
    }

    func count(_ fronts: Int, epoch: UInt32) {
        let method = MethodID.fronts.rawValue
        link?.send(FrameHeader(.state, node: 1, epoch: epoch, method: method), value: fronts)
    }

    func attach(front: UInt64 = 1, epoch: UInt32, isResumed: Bool = false) {
        link?.attachedSent()
        link?.send(
            FrameHeader(.attached),
            value: Attached(
                app: "prompts", session: "prompts", front: front, epoch: epoch, window: 8,
                isResumed: isResumed))
    }

    /// The whole tree: one prompt.
    func show(_ node: UInt32, epoch: UInt32) throws {
        let mount = Mount(
            node: node, parent: 0, slot: "", presentation: "embed", feature: Prompt.id.rawValue,
            arguments: [0xA0], states: [])
        try link?.send(
            FrameHeader(.transition, flags: Transition.snapshotFlag, epoch: epoch)
        ) { (writer) throws(CBORError) in
            try Transition([.mount(mount)]).encode(into: &writer)
        }
    }

    func reply(_ sequence: UInt64, _ value: Int) {
        link?.send(FrameHeader(.reply, sequence: sequence), value: value)
    }

    func fault(_ sequence: UInt64, _ code: RemoteFault.Code, receipt: UInt64? = nil) {
        let fault = Fault(code: code.rawValue, message: "in words", receipt: receipt)
        link?.send(FrameHeader(.fault, sequence: sequence), value: fault)
    }

    func refuse(_ code: Refusal.Code) { link?.refuse(Refusal(code, "not now")) }

    /// What is left of a worker that was killed.
    func close() { link?.close() }
}

/// What has come and not been taken, or who waits for it.
@MainActor
private struct Line<Element> {
    private final class Places {
        var elements: [Element] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let places = Places()

    func append(_ element: Element) {
        places.elements.append(element)
        places.waiter.take()?.resume()
    }

    func next() async -> Element {
        if places.elements.isEmpty {
            await withCheckedContinuation { places.waiter = $0 }
        }
        return places.elements.removeFirst()
    }
}
