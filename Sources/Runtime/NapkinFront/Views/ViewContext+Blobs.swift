// ViewContext+Blobs: a view reads what is too large to be shown in one message.
//
// Spec       Protocol/SPEC.md, section 6 (Messages): event

public import NapkinCore

extension ViewContext {
    /// Reads a blob in parts, and hands them on in order, each once.
    ///
    /// ```swift
    /// try await context.read(film) { part in
    ///     try file.writeAll(part.bytes)
    ///     bar = part.fraction
    /// }
    /// ```
    ///
    /// A task that is cancelled reads no further. While `take` is busy, at most eight parts of
    /// 64 KiB are fetched ahead. Read-only fronts may read. A reconnect recreates views: the new
    /// one continues where this one stopped.
    ///
    /// - Parameters:
    ///   - blob: the blob, from a message.
    ///   - offset: where to begin: after a failure, the `end` of the last part.
    ///   - take: takes one part; what it throws ends the reading.
    /// - Throws: `.gone` where the blob is not offered any more or the view not shown, the other
    ///   faults that any event may throw, what `take` throws, and `CancellationError`.
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
    ///   - bytesMax: above it, `.refused` is thrown and nothing is read.
    ///   - progress: told how much has been read, above 0 to 1.
    /// - Throws: what ``read(_:from:_:)`` throws.
    public func bytes(
        of blob: Blob, atMost bytesMax: Int = 256 * 1024 * 1024,
        progress: @MainActor (Double) -> Void = { _ in }
    ) async throws -> [UInt8] {
        try await port.bytes(of: blob, atMost: bytesMax, progress: progress)
    }
}
