// LoopProbeTests: the installed executors, seen from outside through the probe's lines.
//
// Isolation  @MainActor (main queue, loop embedded).

import Foundation
import NapkinTransport
import ProcessSupport
import Testing

extension TransportTests {
    private struct Line: Decodable {
        let check: String
        let ok: Bool
        let detail: String
    }

    @Test func `where the loop is the main executor, every check of the probe passes`()
        async throws
    {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        let ended = Event<ChildProcess.ExitStatus>()
        _ = try ChildProcess(
            .init(executable: Product.path("LoopProbe"), descriptors: [1: ends[1]])
        ) { ended.happen($0) }
        close(ends[1])
        let output = await readAll(ends[0])
        close(ends[0])
        #expect(await ended.wait() == .exited(0))
        let lines = try output.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
        #expect(lines.count == 15)
        for line in lines { #expect(line.ok, "\(line.check): \(line.detail)") }
    }

    /// Reads to the end, whenever the loop says that there is something.
    private func readAll(_ descriptor: Int32) async -> String {
        var output: [UInt8] = []
        let done = Event<Void>()
        var buffer = [UInt8](repeating: 0, count: 4096)
        do {
            let watcher = try DescriptorWatcher(descriptor) {
                let count = read(descriptor, &buffer, buffer.count)
                if count > 0 { output += buffer[..<count] } else { done.happen(()) }
            }
            await done.wait()
            watcher.cancel()
            await turn()
        } catch {
            Issue.record(error)
        }
        return String(decoding: output, as: UTF8.self)
    }
}
