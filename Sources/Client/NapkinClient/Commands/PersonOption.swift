// PersonOption: the name that a command's fronts give for the person who uses them.

import ArgumentParser
import Glibc
import NapkinCoding

struct PersonOption: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "A name for you or this device, which the session's features see.",
            discussion:
                "An app may keep your page under it, and others read who has answered. Default: "
                + "the environment's NAPKIN_NAME.",
            valueName: "name"))
    var named: String?

    var name: String? { named ?? getenv("NAPKIN_NAME").map { String(cString: $0) } }

    func validate() throws {
        if let name, !(1...Limits.nameBytesMax).contains(name.utf8.count) {
            throw ValidationError(
                "--as and NAPKIN_NAME take a name of 1 to \(Limits.nameBytesMax) bytes")
        }
    }

    /// The option as words of a command line.
    var words: [String] { name.map { ["--as", $0] } ?? [] }
}
