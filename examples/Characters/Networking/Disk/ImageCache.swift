// ImageCache: images on a disk, limited in their bytes.
//
// Isolation  actor (default): a disk may take its time, and the worker's loop must not wait for it.
// Ownership  the directory may be shared with other caches, even of other processes: nothing about
//            its files is remembered from one call to the next.
// Invariant  no method suspends between looking into the directory and acting on it. After a store
//            the files have at most `byteMax` bytes, unless another process has just stored
//            something as well: the next store of either corrects that.

import Glibc

/// The most recently used images.
package actor ImageCache {
    /// Bytes of all files. Chosen: some seven thousand portraits.
    package static let byteMaxStandard = 4_194_304

    private let files: any FileSystem
    private let byteMax: Int
    private let now: @Sendable () -> Int64
    private var lastUse: Int64 = 0
    /// The number of files that were not whole and have been removed.
    package private(set) var damagedCount = 0

    /// - Parameter now: the time of day in nanoseconds; other processes must use the same clock.
    package init(
        files: any FileSystem, byteMax: Int = byteMaxStandard,
        now: @escaping @Sendable () -> Int64 = ImageCache.timeOfDay
    ) {
        self.files = files
        self.byteMax = byteMax
        self.now = now
    }

    /// Returns a key's image, which is then the most recently used one.
    package func image(for key: String) throws(FileError) -> [UInt8]? {
        let name = CacheFile.name(of: key)
        guard let bytes = try files.read(name) else { return nil }
        guard let file = CacheFile(bytes) else {
            damagedCount += 1
            try files.remove(name)
            return nil
        }
        guard file.key == key else { return nil }
        try files.touch(name, at: use())
        return file.image
    }

    /// Keeps an image; the least recently used ones are removed for it.
    package func store(_ image: [UInt8], for key: String) throws(FileError) {
        let bytes = CacheFile(key: key, image: image).bytes
        guard bytes.count <= byteMax else {
            throw FileError("an image of \(bytes.count) bytes is more than the cache's \(byteMax)")
        }
        let name = CacheFile.name(of: key)
        try evict(until: byteMax - bytes.count, except: name)
        try files.write(bytes, to: name, at: use())
    }

    /// Removes the oldest images until the others have at most so many bytes.
    package func evict(until byteCount: Int) throws(FileError) {
        try evict(until: byteCount, except: nil)
    }

    private func evict(until byteCount: Int, except kept: String?) throws(FileError) {
        let others = try files.files().filter { $0.name != kept }
        var total = others.reduce(0) { $0 + $1.byteCount }
        guard total > byteCount else { return }
        for file in others.sorted(by: { ($0.lastUse, $0.name) < ($1.lastUse, $1.name) }) {
            try files.remove(file.name)
            total -= file.byteCount
            if total <= byteCount { return }
        }
    }

    /// No two uses have the same time, however coarse the clock is.
    private func use() -> Int64 {
        lastUse = max(now(), lastUse + 1)
        return lastUse
    }

    @Sendable
    package static func timeOfDay() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
