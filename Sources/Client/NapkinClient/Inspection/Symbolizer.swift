// Symbolizer: finds the functions at a receipt's addresses with llvm-symbolizer.
//
// Source     llvm.org/docs/CommandGuide/llvm-symbolizer.html

import Glibc
import NapkinProtocol
import NapkinTransport

enum Symbolizer {
    private static let program = "llvm-symbolizer"
    /// How long the program may take. Chosen: it reads a program of 200 MiB in a second.
    private static let patience = Duration.seconds(30)
    /// Bytes of output that are read. Chosen: a Swift name has some hundred.
    private static let outputBytesMax = 1024 * 1024

    /// Returns the function of each frame, `nil` for one without a name; an empty array without
    /// llvm-symbolizer. If the program is no longer the one that died, its frames have no names.
    @MainActor
    static func functions(of receipt: Receipt) async -> [FrameFunction?] {
        guard !receipt.frames.isEmpty else { return [] }
        // A return address follows its call; the first address is where the signal came.
        let words = receipt.frames.enumerated().map { index, frame in
            guard let module = frame.module, !receipt.isProgram(module) || isCurrent(receipt) else {
                return "\"\" 0x0"
            }
            let offset = index == 0 || frame.offset == 0 ? frame.offset : frame.offset - 1
            return "\"\(module)\" 0x\(String(offset, radix: 16))"
        }
        guard let output = await output(of: words) else { return [] }
        // An answer is one line, `FUNCTION at FILE:LINE:COLUMN`.
        let answers = output.split(separator: "\n", omittingEmptySubsequences: true)
        guard answers.count == words.count else { return [] }
        return answers.map(FrameFunction.init)
    }

    /// Returns the innermost function of the app itself.
    @MainActor
    static func ownFunction(of receipt: Receipt) async -> FrameFunction? {
        await functions(of: receipt).lazy.compactMap(\.self).first(where: \.isOwn)
    }

    /// Whether the receipt's program is still the one that died.
    static func isCurrent(_ receipt: Receipt) -> Bool {
        receipt.build == nil || BuildID.of(receipt.program) == receipt.build
    }
}

extension Symbolizer {
    /// Runs the program with these lines as its input; `nil` if it is missing or takes too long.
    @MainActor
    private static func output(of words: [String]) async -> String? {
        let (input, output) = (temporaryFile(), temporaryFile())
        defer { for file in [input, output] where file >= 0 { close(file) } }
        let text = Array((words.joined(separator: "\n") + "\n").utf8)
        guard input >= 0, output >= 0, write(input, text, text.count) == text.count,
            lseek(input, 0, SEEK_SET) == 0
        else { return nil }
        let end = await ChildProcess.run(
            ChildProcess.Configuration(
                executable: program,
                arguments: ["--no-inlines", "--pretty-print", "--relativenames"],
                descriptors: [STDIN_FILENO: input, STDOUT_FILENO: output],
                inheritsStandardError: false), within: patience)
        guard end == .exited(0) else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: outputBytesMax) { buffer, count in
            count = max(0, pread(output, buffer.baseAddress, buffer.count, 0))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func temporaryFile() -> Int32 {
        var name = Array("/tmp/napkin-XXXXXX".utf8CString)
        let file = mkstemp(&name)
        guard file >= 0 else { return file }
        unlink(name)
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        return file
    }
}
