// Output: what the commands print: texts in which controls are seen, and a program's own bytes.

import Glibc
import NapkinClient

/// Prints a line, in which control characters are as Swift writes them: names and commands are
/// others' words.
func say(_ text: String) { print(seen(text)) }

/// Says something beside what a command prints.
func complain(_ text: String) {
    // Where nobody listens, nobody misses it.
    try? writeOut(Array("desk: \(seen(text))\n".utf8), to: STDERR_FILENO)
}

private func seen(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
        scalar.properties.generalCategory == .control
            ? scalar.escaped(asASCII: true) : String(scalar)
    }.joined()
}

/// Writes what a program has printed to standard output, as it printed it.
func writeOut(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
            rest = rest.dropFirst(count)
        } else if errno != EINTR && errno != EAGAIN {
            // As the inherited commands do when their reader has gone.
            throw ExitCode(74)
        }
    }
}
