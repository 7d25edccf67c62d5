// Relay: the hidden command that --host runs at the other end.

import ArgumentParser
import Glibc
import NapkinFront

struct Relay: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Connects standard input and output to napkind, for --host.",
        discussion: """
            ssh runs it on the machine that --host names, as the user who has logged in there. It \
            writes one line when it is connected, then what napkind sends; if napkind redirects a \
            front, it continues with the worker. It does not listen on any socket.

              ssh desk napkin-client relay
            """,
        shouldDisplay: false)

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if daemon.host != nil { throw ValidationError("relay is itself the other end of --host") }
    }

    func perform() async throws(ClientFailure) -> Int32 {
        let address = try daemon.address()
        try await ClientFailure.ofFront { () async throws(FrontError) in
            try await LineRelay.run(to: address, input: STDIN_FILENO, output: STDOUT_FILENO)
        }
        return 0
    }
}
