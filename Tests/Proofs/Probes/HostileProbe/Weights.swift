// Weights: what napkind and a worker hold.

import NapkinProtocol
import ProofSupport

/// What two processes hold.
struct Weights {
    /// Bytes of the heap in use.
    let daemon: Int
    let worker: Int
    let descriptors: [Int]
    let residentKiB: [Int]

    /// Returns what they hold when they have seen the ends of connections: what is left stays at
    /// every look.
    static func settled(
        _ process: AttackedDaemon, _ worker: Int32, _ inspector: Inspector
    ) throws -> Weights {
        var least: Weights?
        for _ in 0..<10 {
            // By way of napkind to the worker.
            _ = try inspector.ask(.sessions(app: Payloads.app), as: [SessionInfo].self)
            let now = try Weights(process, worker)
            let isLess = least.map { now.descriptors.reduce(0, +) <= $0.descriptors.reduce(0, +) }
            if isLess != false { least = now }
        }
        guard let least else { throw Failure("nothing was weighed") }
        return least
    }

    private init(_ process: AttackedDaemon, _ worker: Int32) throws {
        let vitals = try [Vitals(of: process.pid), Vitals(of: worker)]
        descriptors = vitals.map(\.descriptors)
        residentKiB = vitals.map(\.residentKiB)
        daemon = try Scale.heapBytes(of: process.pid, in: process.place)
        self.worker = try Scale.heapBytes(of: worker, in: process.place)
    }

    /// Throws if a process has so many bytes more in use later, or other descriptors.
    func check(_ later: Weights, _ bytesMax: Int, _ what: String) throws {
        try Failure.unless(
            descriptors == later.descriptors,
            "\(what): descriptors were \(descriptors), and are \(later.descriptors)")
        for (name, bytes) in growths(to: later) where bytes > bytesMax {
            throw Failure("\(what): \(name) has \(bytes) bytes more in use than \(text)")
        }
    }

    func growths(to later: Weights) -> [(name: String, bytes: Int)] {
        [("napkind", later.daemon - daemon), ("the worker", later.worker - worker)]
    }

    var text: String {
        "napkind \(daemon / 1024) KiB of \(residentKiB[0]), \(descriptors[0]) descriptors; "
            + "worker \(worker / 1024) KiB of \(residentKiB[1]), \(descriptors[1]) descriptors"
    }
}
