// ClientFailure: the failure of a command: an exit status and one sentence.

import Glibc
import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTerminal
import NapkinTransport

struct ClientFailure: SystemFailure, Equatable {
    var status: Int32
    /// A sentence that says what happened, to what, and what to do; without the program's name.
    var message: String
    /// The code of napkind's or a worker's refusal, if it was one.
    private(set) var refusal: Refusal.Code?
    /// Whether another client has detached the front.
    var isDetachment: Bool { refusal == .detached }

    init(_ status: Int32, _ message: String) {
        self.status = status
        self.message = ClientSetup.current.naming(message)
    }

    init(_ error: FrontError) {
        self.init(ExitTable.status(for: error), error.message)
        refusal = error.refusal
    }

    init(_ error: TransportError) {
        self.init(ExitTable.status(for: error), "\(error)")
    }

    init(_ fault: RemoteFault) {
        self.init(ExitTable.status(for: fault), fault.description)
    }

    /// Runs a step at napkind whose error ends the command.
    @MainActor
    static func ofFront<T>(
        _ step: @MainActor () async throws(FrontError) -> T
    ) async throws(ClientFailure) -> T {
        do throws(FrontError) { return try await step() } catch { throw ClientFailure(error) }
    }

    /// Runs a step at a terminal whose error ends the command.
    static func ofTerminal<T>(_ step: () throws(TerminalError) -> T) throws(ClientFailure) -> T {
        do throws(TerminalError) { return try step() } catch { throw .usage(error.description) }
    }

    /// Writes `napkin-client: …` to standard error.
    func report() {
        Self.say("\(ClientSetup.current.typed): \(message)")
    }

    /// Writes a line to standard error, wrapped to the terminal's width.
    static func say(_ line: String) {
        let room = ScreenSize.ofTerminal(STDERR_FILENO)?.width ?? .max
        // If standard error is closed, there is nobody left to tell.
        try? StandardStream.error.write(PrintableText(lines: [line].wrapped(in: room)))
    }
}

extension ClientFailure {
    static func failed(_ message: String) -> Self { Self(ExitTable.failed, message) }
    static func usage(_ message: String) -> Self { Self(ExitTable.usage, message) }
    static func dataError(_ message: String) -> Self { Self(ExitTable.dataError, message) }
    static func noInput(_ message: String) -> Self { Self(ExitTable.noInput, message) }
    static func unavailable(_ message: String) -> Self { Self(ExitTable.unavailable, message) }
    static func software(_ message: String) -> Self { Self(ExitTable.software, message) }
    static func cannotCreate(_ message: String) -> Self { Self(ExitTable.cannotCreate, message) }
    static func ioError(_ message: String) -> Self { Self(ExitTable.ioError, message) }
    static func tryAgain(_ message: String) -> Self { Self(ExitTable.tryAgain, message) }
    static func protocolError(_ message: String) -> Self { Self(ExitTable.protocolError, message) }
    static func noPermission(_ message: String) -> Self { Self(ExitTable.noPermission, message) }
}
