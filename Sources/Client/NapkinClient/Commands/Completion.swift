// Completion: the command that prints a shell's completion script.

import ArgumentParser
import Glibc
import NapkinFront
import NapkinTransport

struct Completion: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints this program's completions for a shell.",
        discussion: """
            With them, the shell completes commands, options, and the names of existing apps, \
            sessions, features and events. An installed napkin includes them.

              source <(napkin-client completion bash)
              napkin-client completion zsh > ~/.zfunc/_napkin-client
              napkin-client completion fish > ~/.config/fish/completions/napkin-client.fish
            """)

    private static let shells = CompletionShell.allCases.map(\.rawValue).sorted()

    @Argument(
        help: "bash, fish or zsh. Default: from SHELL.", completion: .list(Completion.shells))
    var shell: String?

    func perform() async throws(ClientFailure) -> Int32 {
        let path = shell ?? FrontComponent.variable("SHELL") ?? ""
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        guard let shell = CompletionShell(rawValue: name) else {
            throw .usage(
                "there are no completions for the shell '\(name)', only for "
                    + Self.shells.joined(separator: ", "))
        }
        let script = MainCommand.completionScript(for: shell)
        try StandardOutput.put(PrintableText(text: ClientSetup.current.teaching(script)))
        return 0
    }
}
