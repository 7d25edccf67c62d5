// Loopback: ports that hand every message straight to a receiver.

import NapkinCore

/// One message as a port saw it.
struct Sent: Equatable {
    var delivery: DeliveryClass
    var method: MethodID
    var payload: Payload
}

/// Both ports in one. Encodes, notes what it encoded, delivers, waits for the answer.
@MainActor
final class Loopback: PresentPort, EventPort {
    private(set) var sent: [Sent] = []
    private(set) var postFaults: [RemoteFault] = []
    var receiver: CrossingReceiver?

    func state(_ message: some CrossingMessage) {
        deliver(note(.state, message), to: IncomingCall())
    }

    func effect(_ message: some CrossingMessage) {
        deliver(note(.effect, message), to: IncomingCall())
    }

    func append(_ message: some CrossingMessage, keeping limits: LogLimits) {
        deliver(note(.log, message), to: IncomingCall())
    }

    func ask(_ message: some CrossingMessage) async throws(RemoteFault) -> Answer {
        .payload(try await answer(to: note(.ask, message)).get())
    }

    private func note(_ delivery: DeliveryClass, _ message: some CrossingMessage) -> Sent {
        note(delivery, message.method) { (writer) throws(CBORError) in
            try message.encode(into: &writer)
        }
    }

    func begin(
        _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        let event = PendingEvent()
        deliver(
            note(.event, method, encode),
            to: AnsweredCall { answer in
                switch answer {
                case .success(let payload): event.succeed(with: payload)
                case .failure(let fault): event.fail(fault)
                }
            })
        return event
    }

    func failed(_ method: MethodID, _ fault: RemoteFault) { postFaults.append(fault) }

    /// Delivers any bytes and waits for the answer.
    func answer(to message: Sent) async -> Result<Payload, RemoteFault> {
        await withCheckedContinuation { continuation in
            deliver(message, to: AnsweredCall { continuation.resume(returning: $0) })
        }
    }

    private func note(
        _ delivery: DeliveryClass, _ method: MethodID, _ encode: PayloadEncoder
    ) -> Sent {
        do {
            let payload = try Payload(encoding: encode)
            sent.append(Sent(delivery: delivery, method: method, payload: payload))
        } catch {
            preconditionFailure("the contracts of these tests can always be encoded: \(error)")
        }
        return sent[sent.count - 1]
    }

    private func deliver(_ message: Sent, to call: IncomingCall) {
        guard let receiver else {
            call.fail(RemoteFault(.noFront, "the loopback has no receiver"))
            return
        }
        message.payload.bytes.withUnsafeBytes { receiver.receive(message.method, $0, call) }
    }
}

/// A call whose answer arrives in a closure, exactly once.
final class AnsweredCall: IncomingCall {
    private let answer: (Result<Payload, RemoteFault>) -> Void
    private var isAnswered = false

    init(_ answer: @escaping (Result<Payload, RemoteFault>) -> Void) {
        self.answer = answer
    }

    override func succeed(_ encode: PayloadEncoder) {
        do {
            finish(.success(try Payload(encoding: encode)))
        } catch {
            finish(.failure(RemoteFault(reporting: error)))
        }
    }

    override func succeed() { finish(.success(Payload())) }

    override func fail(_ error: any Error) { finish(.failure(RemoteFault(reporting: error))) }

    private func finish(_ result: Result<Payload, RemoteFault>) {
        precondition(!isAnswered, "a call was answered twice")
        isAnswered = true
        answer(result)
    }
}
