// ByteDifference: finds the bytes that differ between two encoded values.
//
// Isolation  value, not copyable
// Ownership  borrows both values; valid only inside the call that created it
// Invariant  splices ascend, and the bytes between them are the same in both values

/// Compares two values from both ends, and writes their differences as splices.
///
/// After a difference, the comparison continues at the same distance unless few of the following
/// bytes are equal there. It then tries other distances: first the likely ones, then those from an
/// index of short runs of the old value. Takes O(bytes). i and a are places in the old value, j and
/// b places in the new one; a distance is the difference i - j of two corresponding places.
struct ByteDifference: ~Copyable {
    /// The bytes of a run; two places match if their runs are equal.
    private static let run = 8
    /// The bytes examined after a difference; more are examined only if these have no equal run.
    private static let window = 256
    /// The most of these bytes that may differ without a search for other distances.
    private static let tolerance = 8
    /// The most distances from the index that are tried after one difference.
    private static let distancesMax = 24
    /// A run at most this many bytes ahead or behind is nearly in place.
    private static let nearest = 4
    /// If more bytes than this differ, a run among them that is nearly in place is also kept.
    private static let gapBytesMax = 16
    /// This many equal bytes after a smaller gap, nearly in place, need no index.
    private static let nearBytes = 32
    /// The most lookups and comparisons at other distances, after which the distance stays fixed.
    /// Chosen: they usually take some 50 µs.
    private static let comparisonsMax = 16_384
    /// The most splices; all later bytes count as changed, as decoders accept no longer array.
    private static let splicesMax = (CBORLimits.standard.arrayElementsMax - 1) / 3

    private let bytes: BytePair
    private let newCount: Int
    /// Where the equal bytes at the ends of both values begin.
    private var oldEnd: Int
    private var newEnd: Int
    /// The place up to which the distance is known to be good.
    private var trusted = 0
    private var index: RunIndex?
    private var tried: [Int] = []
    private var comparisons = 0
    /// The end of the old value's last splice.
    private var spliced = 0

    private(set) var splices = 0
    /// The splices, encoded.
    private(set) var writer = CBORWriter()
    /// Whether the splices have fewer bytes than the new value. If not, some are missing.
    private(set) var isShorter = true

    init(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer) {
        // An empty buffer may have no address. Nothing is loaded then.
        let none = UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
        bytes = BytePair(old: old.baseAddress ?? none, new: new.baseAddress ?? none)
        (newCount, oldEnd, newEnd) = (new.count, old.count, new.count)
        var i = bytes.equalRun(0, 0, min(oldEnd, newEnd))
        var j = i
        let equal = bytes.equalEnd(oldEnd, newEnd, min(oldEnd, newEnd) - i)
        (oldEnd, newEnd) = (oldEnd - equal, newEnd - equal)
        while i < oldEnd, j < newEnd, isShorter, splices < Self.splicesMax - 1 {
            let (a, b) = nextEqual(i, j)
            replace(i..<a, j..<b)
            let equal = bytes.equalRun(a, b, min(oldEnd - a, newEnd - b))
            (i, j) = (a + equal, b + equal)
        }
        replace(i..<oldEnd, j..<newEnd)
    }

    /// Writes a splice.
    private mutating func replace(_ a: Range<Int>, _ b: Range<Int>) {
        if a.isEmpty, b.isEmpty { return }
        isShorter = isShorter && b.count < newCount - writer.count
        guard isShorter else { return }
        writer.writeUInt(UInt64(a.lowerBound - spliced))
        writer.writeUInt(UInt64(a.count))
        writer.writeHead(0x40, UInt64(b.count))
        let place = writer.room(max(8, b.count))
        if b.count <= 8, b.lowerBound <= newCount - 8 {
            // Most are short. The bytes stored beyond the end are overwritten.
            place.storeBytes(of: word(bytes.new, b.lowerBound).littleEndian, as: UInt64.self)
        } else {
            place.copyMemory(from: bytes.new + b.lowerBound, byteCount: b.count)
        }
        writer.used += b.count
        spliced = a.upperBound
        splices += 1
    }

    // MARK: - After a difference

    /// The place where the values match again at a distance, and the equal bytes from there on.
    private struct Resumption {
        var place: Int
        var distance: Int
        var equalBytes = 0
    }

    /// Returns the next places with the same run in both values; the ends if there are none.
    private mutating func nextEqual(_ i: Int, _ j: Int) -> (Int, Int) {
        let distance = i - j
        let isTired = comparisons >= Self.comparisonsMax
        var best = Resumption(place: newEnd, distance: distance)
        if let place = place(at: distance, i, j, within: isTired ? newEnd : Self.window) {
            if isTired || place <= trusted { return (place + distance, place) }
            best.place = place
            best.equalBytes = equalBytes(at: distance, place)
        }
        if isTired { return (oldEnd, newEnd) }
        if !isGood(best), !tryLikely(i, j, &best), !isGood(best) { tryKnown(i, j, &best) }
        trusted = isGood(best) ? best.place + Self.window / 2 : 0
        if best.equalBytes == 0 { return (oldEnd, newEnd) }
        if best.place - j > Self.gapBytesMax, let (a, b) = runBefore(best, i, j) {
            trusted = 0
            return (a, b)
        }
        return (best.place + best.distance, best.place)
    }

    private func isGood(_ resumption: Resumption) -> Bool {
        let most = min(Self.window, newEnd - resumption.place)
        return resumption.equalBytes > max(0, most - Self.tolerance - 1)
    }

    /// Returns the place of the next equal run at a distance, if it is within `count` bytes.
    @inline(__always)
    private func place(at distance: Int, _ i: Int, _ j: Int, within count: Int) -> Int? {
        var place = max(j, i - distance)
        let last = min(newEnd, oldEnd - distance, place + count) - Self.run
        while place <= last {
            // Usually the last of eight differs. Measured: comparing it first takes half the time.
            if !bytes.isEqual(place &+ distance &+ 7, place &+ 7) {
                place &+= 8
                continue
            }
            let differs = bytes.difference(place &+ distance, place)
            if differs == 0 { return place }
            place &+= 8 &- differs.leadingZeroBitCount / 8
        }
        return nil
    }

    /// Returns the number of equal bytes in the next window at a distance.
    private func equalBytes(at distance: Int, _ place: Int) -> Int {
        let end = min(place + Self.window, newEnd, oldEnd - distance)
        return bytes.equalCount(place + distance, place, end - place)
    }

    /// Returns a run nearly in place that ends before the values match again at `next`.
    private mutating func runBefore(_ next: Resumption, _ i: Int, _ j: Int) -> (Int, Int)? {
        comparisons += 32
        for distance in (i - j - Self.nearest)...(i - j + Self.nearest) {
            guard let b = place(at: distance, i, j, within: Self.window) else { continue }
            let a = b + distance
            let most = min(next.place + next.distance - a, next.place - b)
            if most > 0, bytes.equalRun(a, b, min(most + 1, oldEnd - a, newEnd - b)) <= most {
                return (a, b)
            }
        }
        return nil
    }

    // MARK: - Other distances

    /// Adopts a distance if more bytes are equal there; returns whether all are.
    private mutating func take(
        _ distance: Int, _ i: Int, _ j: Int, _ best: inout Resumption
    ) -> Bool {
        comparisons += 10
        guard let place = place(at: distance, i, j, within: Self.window) else { return false }
        let equal = equalBytes(at: distance, place)
        guard equal > best.equalBytes else { return false }
        best = Resumption(place: place, distance: distance, equalBytes: equal)
        return equal == min(Self.window, newEnd - place)
    }

    /// Tries the distances that small changes cause; returns whether one is good enough.
    private mutating func tryLikely(_ i: Int, _ j: Int, _ best: inout Resumption) -> Bool {
        if take(oldEnd - newEnd, i, j, &best) { return true }
        if let distance = shifted(i, j), take(distance, i, j, &best) { return true }
        for shift in 2..<(2 * Self.nearest + 2) {
            let distance = i - j + (shift & 1 == 0 ? shift / 2 : -shift / 2)
            if take(distance, i, j, &best) { return true }
            if best.distance == distance, best.place - j <= Self.gapBytesMax {
                let (a, b) = (best.place + distance, best.place)
                let most = min(Self.nearBytes, oldEnd - a, newEnd - b)
                if bytes.equalRun(a, b, most) == Self.nearBytes { return true }
            }
        }
        return false
    }

    /// Returns the distance at which one value's next run occurs soonest in the other, as after
    /// a removal or an insertion.
    private mutating func shifted(_ i: Int, _ j: Int) -> Int? {
        let bytes = bytes
        let last = min(Self.window / 2, oldEnd - i - Self.run, newEnd - j - Self.run)
        guard last > 0 else { return nil }
        let (nextOld, nextNew) = (word(bytes.old, i), word(bytes.new, j))
        for shift in 1...last {
            if word(bytes.old, i &+ shift) == nextNew { return i - j + shift }
            if word(bytes.new, j &+ shift) == nextOld { return i - j - shift }
        }
        comparisons += 32
        return nil
    }

    /// Tries the distances at which the index has the next runs.
    private mutating func tryKnown(_ i: Int, _ j: Int, _ best: inout Resumption) {
        let index = self.index ?? RunIndex(of: bytes.old, from: i, to: oldEnd)
        self.index = index
        tried.removeAll(keepingCapacity: true)
        var (place, last) = (j, newEnd - Self.run)
        while place <= last, tried.count < Self.distancesMax {
            if let known = index.place(of: word(bytes.new, place)), known >= i {
                last = min(last, max(place, j + Self.window))
                if !tried.contains(known - place) {
                    tried.append(known - place)
                    if take(known - place, i, j, &best) || isGood(best) { return }
                }
            }
            // Further away, eight in a row are looked up, then some are skipped.
            place += place - j > Self.window && place & 7 == 7 ? 57 : 1
            comparisons += 1
        }
    }
}

/// The bytes of two values, compared from a place in each.
private struct BytePair {
    // SAFETY: callers compare only bytes before the ends of both values; nothing checks it here.
    let old: UnsafeRawPointer
    let new: UnsafeRawPointer

    /// Returns the bits that differ in 8 bytes; the first byte's bits are the lowest.
    @inline(__always)
    func difference(_ i: Int, _ j: Int) -> UInt64 { word(old, i) ^ word(new, j) }

    @inline(__always)
    func isEqual(_ i: Int, _ j: Int) -> Bool {
        old.load(fromByteOffset: i, as: UInt8.self) == new.load(fromByteOffset: j, as: UInt8.self)
    }

    /// Returns whether 32 bytes are equal.
    @inline(__always)
    private func isSame32(_ i: Int, _ j: Int) -> Bool {
        difference(i, j) | difference(i &+ 8, j &+ 8)
            | difference(i &+ 16, j &+ 16) | difference(i &+ 24, j &+ 24) == 0
    }

    /// Returns the number of equal bytes before the first that differs, at most `count`.
    func equalRun(_ i: Int, _ j: Int, _ count: Int) -> Int {
        var equal = 0
        while equal &+ 32 <= count, isSame32(i &+ equal, j &+ equal) { equal &+= 32 }
        while equal &+ 8 <= count {
            let differs = difference(i &+ equal, j &+ equal)
            if differs != 0 { return equal &+ differs.trailingZeroBitCount / 8 }
            equal &+= 8
        }
        while equal < count, isEqual(i &+ equal, j &+ equal) { equal &+= 1 }
        return equal
    }

    /// Returns the number of equal bytes directly before two places, at most `count`.
    func equalEnd(_ i: Int, _ j: Int, _ count: Int) -> Int {
        var equal = 32
        while equal <= count, isSame32(i &- equal, j &- equal) { equal &+= 32 }
        equal &-= 32
        while equal < count, isEqual(i &- equal &- 1, j &- equal &- 1) { equal &+= 1 }
        return equal
    }

    /// Returns how many of the next `count` bytes are equal; `count` is at most 256.
    func equalCount(_ i: Int, _ j: Int, _ count: Int) -> Int {
        var next = 0
        var counts = SIMD16<UInt8>()
        while next &+ 16 <= count {
            let a = old.loadUnaligned(fromByteOffset: i &+ next, as: SIMD16<UInt8>.self)
            let b = new.loadUnaligned(fromByteOffset: j &+ next, as: SIMD16<UInt8>.self)
            counts.replace(with: counts &+ 1, where: a .== b)
            next &+= 16
        }
        // Each lane has at most 16, and so each of the two sums at most 128.
        let eight = counts.lowHalf &+ counts.highHalf
        let four = eight.lowHalf &+ eight.highHalf
        var equal = Int(four.x &+ four.y) + Int(four.z &+ four.w)
        while next < count {
            if isEqual(i &+ next, j &+ next) { equal &+= 1 }
            next &+= 1
        }
        return equal
    }
}

@inline(__always)
private func word(_ bytes: UnsafeRawPointer, _ place: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
}

/// The places of some of a value's runs, at even distances.
private struct RunIndex {
    /// The most runs in the index, whatever the value's size.
    private static let runsMax = 65_536

    private let bytes: UnsafeRawPointer
    private let shift: UInt64
    /// For each hash, the place after the run with it; 0 if there is none, -1 if several.
    private var ends: [Int]

    init(of bytes: UnsafeRawPointer, from start: Int, to end: Int) {
        let step = max(8, ((end - start) / Self.runsMax + 7) / 8 * 8)
        let count = (end - start) / step
        let bits = Int.bitWidth - (2 * count + 1).leadingZeroBitCount
        self.bytes = bytes
        shift = UInt64(64 - bits)
        ends = Array(repeating: 0, count: 1 << bits)
        for place in stride(from: start, through: end - 8, by: step) {
            let hash = hash(word(bytes, place))
            ends[hash] = ends[hash] == 0 ? place + 8 : -1
        }
    }

    private func hash(_ word: UInt64) -> Int {
        Int(truncatingIfNeeded: (word &* 0x9e37_79b9_7f4a_7c15) &>> shift)
    }

    /// Returns the place of a run, if it is the only indexed run with its hash.
    func place(of run: UInt64) -> Int? {
        let place = ends[hash(run)] - 8
        return place >= 0 && word(bytes, place) == run ? place : nil
    }
}
