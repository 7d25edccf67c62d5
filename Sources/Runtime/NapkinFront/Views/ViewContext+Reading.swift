// ViewContext+Reading: reads data that is not presented: earlier items of a log, and blobs.
//
// Spec       Protocol/SPEC.md, section 6 (Messages): event

public import NapkinCore

extension ViewContext {
    /// Reads the newest items of a gap: at most `count`, and at most as many as an attaching front
    /// receives.
    ///
    /// ```swift
    /// let (earlier, rest) = try await context.items(in: gap, last: 100)
    /// for case .output(let line) in earlier { … }
    /// ```
    ///
    /// Returns the items in order and the gap that remains before them, `nil` if there is none. The
    /// list is empty if the worker no longer keeps any items of the gap. Throws the faults of any
    /// event; a read-only front may read.
    public func items(
        in gap: LogGap, last count: Int = LogLimits.tail.items
    ) async throws(RemoteFault) -> (items: [F.Presenting.Message], before: LogGap?) {
        try await port.items(in: gap, last: count, as: F.Presenting.Message.self)
    }

    /// Reads a blob in parts and passes each to `take`, once and in order.
    ///
    /// ```swift
    /// try await context.read(film) { part in
    ///     try file.writeAll(part.bytes)
    ///     bar = part.fraction
    /// }
    /// ```
    ///
    /// A cancelled task stops reading. While `take` is busy, at most eight parts of 64 KiB are
    /// fetched ahead. Read-only fronts may read. A reconnect recreates views: the new view
    /// continues where the old one stopped.
    ///
    /// - Parameters:
    ///   - blob: the blob, from a message.
    ///   - offset: the first byte to read: after a failure, the `end` of the last part.
    ///   - take: receives one part; an error that it throws ends the reading.
    /// - Throws: `.gone` where the blob is no longer offered or the view no longer shown, the other
    ///   faults of any event, the errors of `take`, and `CancellationError`.
    public func read(
        _ blob: Blob, from offset: UInt64 = 0,
        _ take: @MainActor (BlobPart) async throws -> Void
    ) async throws {
        try await port.read(blob, from: offset, take)
    }

    /// Reads a whole blob into memory.
    ///
    /// - Parameters:
    ///   - blob: the blob, from a message.
    ///   - bytesMax: a larger blob throws `.refused`, and nothing is read.
    ///   - progress: receives the fraction read so far, above 0 to 1.
    /// - Throws: the errors of ``read(_:from:_:)``.
    public func bytes(
        of blob: Blob, atMost bytesMax: Int = 256 * 1024 * 1024,
        progress: @MainActor (Double) -> Void = { _ in }
    ) async throws -> [UInt8] {
        try await port.bytes(of: blob, atMost: bytesMax, progress: progress)
    }
}
