// FileSystem: the few functions of a file system that a cache needs.
//
// Isolation  any thread: `Sendable`, and its methods are synchronous and nonisolated. An actor that
//            uses it has no suspension point between looking and acting.

/// A file system's reason for not doing what it was asked.
package nonisolated struct FileError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A file in a directory's listing.
package nonisolated struct StoredFile: Hashable, Sendable {
    package let name: String
    package let byteCount: Int
    /// The time of its last use in nanoseconds, by the clock of its user.
    package let lastUse: Int64

    package init(name: String, byteCount: Int, lastUse: Int64) {
        self.name = name
        self.byteCount = byteCount
        self.lastUse = lastUse
    }
}

/// Files of one directory. A missing file is not an error.
package nonisolated protocol FileSystem: Sendable {
    nonisolated func read(_ name: String) throws(FileError) -> [UInt8]?
    /// Writes the whole file, or nothing: a concurrent reader gets the old one or the new one.
    nonisolated func write(_ bytes: [UInt8], to name: String, at use: Int64) throws(FileError)
    nonisolated func touch(_ name: String, at use: Int64) throws(FileError)
    nonisolated func remove(_ name: String) throws(FileError)
    nonisolated func files() throws(FileError) -> [StoredFile]
}
