// DaemonOptions+Desk: a visit to the session, and the status of a run.

import DeskContract
import NapkinClient
import NapkinCore
import NapkinFront

extension DaemonOptions {
    /// Attaches, runs the closure, and leaves.
    ///
    /// - Parameter waits: whether it only waits and changes nothing. It then begins again if its
    ///   event ends with a worker: its view is gone, or it is blamed for the worker's deaths.
    @MainActor
    func desk<T: Sendable>(
        waits: Bool = false,
        _ body: @escaping @MainActor (any DeskPresentableListener) async throws -> T
    ) async throws -> T {
        let front = try front(of: "desk")
        let desk = FeatureClient(Desk.self, in: front.registry)
        return try await front.visit {
            while true {
                let listener = try await desk.listener
                do {
                    return try await body(listener)
                } catch {
                    guard waits, (error as? DeskError)?.isOfWorker == true else { throw error }
                    // The next worker's view follows the end of this one's.
                    try await Task.sleep(for: .milliseconds(50))
                }
            }
        }
    }
}

extension DeskError {
    fileprivate var isOfWorker: Bool {
        guard case .fault(let fault) = self else { return false }
        return [.gone, .unknown, .quarantined, .notExecuted, .interrupted].contains(fault.code)
    }
}

extension Run {
    /// The status with which a command ends that has waited for it.
    var exitStatus: Int32 { state == .succeeded ? 0 : status.flatMap { $0 == 0 ? nil : $0 } ?? 1 }
}

/// Reads what a run prints, also over a worker's death.
@MainActor
final class OutputReader {
    private let run: String
    private var place = Piece()
    /// The end of what was there at the beginning: a run may print faster than it is read.
    private var end: UInt64?

    init(_ run: String) { self.run = run }

    /// Writes what comes next to standard output; false at the end.
    func copy(from desk: any DeskPresentableListener, waits: Bool) async throws -> Bool {
        let piece = try await desk.output(of: run, from: place, waits: waits)
        guard !piece.isEnd else { return false }
        try writeOut(piece.bytes)
        place = piece.end
        let end = end ?? place.offset + (piece.rest ?? 0)
        self.end = end
        return waits || place.offset < end
    }
}
