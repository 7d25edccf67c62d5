// WorkerLink: napkind's side of one registered worker: what it is asked, and what is open.
//
// Layer      daemon.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by its supervisor; owns the link and the continuations of what it asked.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinProtocol
import NapkinRuntime

/// Asks a worker, and matches its answers.
@MainActor
final class WorkerLink {
    typealias Answer = Result<[UInt8], Refusal>

    let link: Link
    let register: Register
    private var asked: [UInt64: CheckedContinuation<Answer, Never>] = [:]
    private var sequence: UInt64 = 0

    init(link: Link, register: Register) {
        self.link = link
        self.register = register
    }

    /// Sends a frame and waits for the answer of its sequence.
    func ask(_ kind: FrameKind, _ value: some Encodable) async throws(Refusal) -> [UInt8] {
        guard link.isOpen else { throw Self.lost(register.app) }
        sequence += 1
        let number = sequence
        link.send(FrameHeader(kind, sequence: number), value: value)
        let answer = await withCheckedContinuation { asked[number] = $0 }
        return try answer.get()
    }

    /// Tells the worker to end in good order.
    func drain() {
        link.send(FrameHeader(.drain), value: true)
    }

    func answered(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        let continuation = asked.removeValue(forKey: header.sequence)
        continuation?.resume(returning: .success(Array(payload)))
    }

    func refused(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        let refusal =
            payload.decoded(Refusal.self) ?? Refusal(.badRequest, "the worker refused, unreadably")
        asked.removeValue(forKey: header.sequence)?.resume(returning: .failure(refusal))
    }

    func ended() {
        let asked = self.asked
        self.asked = [:]
        for continuation in asked.values {
            continuation.resume(returning: .failure(Self.lost(register.app)))
        }
    }

    private static func lost(_ app: String) -> Refusal {
        Refusal(.workerUnavailable, "the worker of \(app) ended; try again")
    }
}
