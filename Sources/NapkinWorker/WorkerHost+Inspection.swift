// WorkerHost+Inspection: watches and measures a worker's sessions.
//
// Spec       Protocol/TOOLS.md, section 5 (Observing)

import NapkinCoding
import NapkinCore
import NapkinDaemon
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

extension WorkerHost {
    /// How much longer a watch waits than a look takes. Chosen: it takes a tenth of the loop.
    private static let watchRestFactor: UInt64 = 9
    /// Sessions whose fronts are asked for figures at the same time. Chosen.
    private static let measuredTogether = 64

    /// Returns the trees once they differ from what the asker has seen; without them after a while.
    func watch(
        _ name: String?, _ seen: UInt64?, every milliseconds: UInt32?, withInventory: Bool
    ) async throws(Refusal) -> LongAnswer {
        let interval = UInt64(max(1, milliseconds ?? Limits.watchMilliseconds)) * 1_000_000
        let start = ContinuousClock.now
        while true {
            let look = try await look(name, withInventory: withInventory)
            if look.digest != seen { return LongAnswer(Payload(look.bytes)) }
            guard ContinuousClock.now - start < .seconds(Limits.inspectionHoldSeconds) else {
                return LongAnswer(try Payload(answer: TreeLook(digest: look.digest, trees: nil)))
            }
            let rest = max(interval, look.nanoseconds * Self.watchRestFactor)
            await LoopTimer.wait(.nanoseconds(Int64(rest)))
        }
    }

    /// Returns the current trees, encoded as a `TreeLook`, and how much of the loop that has taken.
    private func look(
        _ name: String?, withInventory: Bool
    ) async throws(Refusal) -> (digest: UInt64, bytes: [UInt8], nanoseconds: UInt64) {
        // Only the inventory includes ended sessions, and every event changes it.
        let hosts = hosts(name) + (withInventory ? ended(name) : [])
        var trees: [UInt8] = []
        // Independent of the sessions' order; not 0, which says that no worker runs.
        var digest: UInt64 = 0x9E37_79B9_7F4A_7C15
        var count = 0
        var nanoseconds: UInt64 = 0
        var began = MeasuringClock.nanoseconds
        for host in hosts {
            let tree = tree(of: host, withInventory: withInventory)
            guard withInventory || tree.root != nil else { continue }
            let bytes = try Payload(answer: tree).bytes
            digest &+= StableHash.value(of: bytes)
            trees += bytes
            count += 1
            let elapsed = MeasuringClock.nanoseconds - began
            guard elapsed > LongAnswer.sliceNanoseconds else { continue }
            nanoseconds += elapsed
            await LoopTimer.wait(.zero)
            began = MeasuringClock.nanoseconds
        }
        nanoseconds += MeasuringClock.nanoseconds - began
        return (digest, Self.look(digest, trees, count), nanoseconds)
    }

    private static func look(_ digest: UInt64, _ trees: [UInt8], _ count: Int) -> [UInt8] {
        var writer = CBORWriter(capacity: trees.count + 64)
        writer.writeMapHeader(2)
        writer.writeKey("digest")
        writer.writeUInt(digest)
        writer.writeKey("trees")
        writer.writeArrayHeader(count)
        writer.append(trees)
        return writer.copyBytes()
    }

    /// Returns the figures of the sessions' crossings, summed over the sessions.
    func figures(of name: String?) async -> Figures {
        var table = FigureTable()
        // Read before the wait for the fronts.
        let now = MeasuringClock.nanoseconds
        var hosts = hosts(name)[...]
        while !hosts.isEmpty {
            let asked = hosts.prefix(Self.measuredTogether).map { host in
                Task.immediate { await host.figures() }
            }
            hosts = hosts.dropFirst(asked.count)
            for figures in asked { table.add(await figures.value) }
        }
        return Figures(
            nanoseconds: now, crossings: table.rows, omitted: table.omitted)
    }
}

extension WorkerHost {
    /// Answers a query that napkind passes on, or continues an answer.
    func piece(of query: Query) async throws(Refusal) -> AnswerPiece {
        if case .more(_, _, let cursor) = query { return try answers.piece(at: cursor) }
        return try answers.firstPiece(of: try await answer(query))
    }
}
