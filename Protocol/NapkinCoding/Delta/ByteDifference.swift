// ByteDifference: finds where two encoded values differ, as bytes.
//
// Layer      sans-I/O core.
// Isolation  value
// Ownership  borrows both values; valid only inside the call that created it
// Invariant  splices ascend, and the bytes between them are the same in both values.

/// One place where two values differ: after `keep` bytes that both have, the bytes `insert` of the
/// new value replace `drop` bytes of the old one.
struct CBORSplice: Equatable {
    var keep: Int
    var drop: Int
    var insert: Range<Int>
}

/// A comparison of two values from both ends.
///
/// After a difference the values go on being compared at the distance at which the next bytes have
/// most in common: the one before, or one that an index of short runs of the old value knows.
struct ByteDifference {
    /// The bytes of a run by which two places are found to be the same.
    private static let run = 8
    /// How many bytes decide at which distance the values go on.
    private static let window = 256
    /// The most bytes among these that may differ at the distance before, so that no other is
    /// looked for.
    private static let tolerance = 8
    /// In how many bytes after a difference runs are looked for; further only if there are none.
    private static let lookahead = 256
    /// How many distances are compared after one difference.
    private static let distancesMax = 24
    /// With more bytes than these that differ, a run among them is looked for at these shifts.
    private static let gapBytesMax = 16
    private static let nearby = [0, 1, -1, 2, -2, 3, -3, 4, -4]
    /// How much is looked up, and compared, at most; what is left then counts as changed. Chosen:
    /// it takes some 50 µs.
    private static let looksMax = 16_384

    private let old: UnsafeRawBufferPointer
    private let new: UnsafeRawBufferPointer
    /// Where the bytes begin that both have at their ends.
    private var oldEnd: Int
    private var newEnd: Int
    private var index: RunIndex?
    private var looks = 0
    private var splices: [CBORSplice] = []
    /// The end of the old value's last splice.
    private var spliced = 0

    init(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer) {
        self.old = old
        self.new = new
        (oldEnd, newEnd) = (old.count, new.count)
    }

    mutating func find() -> [CBORSplice] {
        var (i, j) = (0, 0)
        advance(&i, &j)
        cutEnds(i, j)
        while i < oldEnd, j < newEnd {
            let (a, b) = looks < Self.looksMax ? nextEqual(i, j) : (oldEnd, newEnd)
            replace(i..<a, j..<b)
            (i, j) = (a, b)
            advance(&i, &j)
        }
        replace(i..<oldEnd, j..<newEnd)
        return splices
    }

    private mutating func replace(_ a: Range<Int>, _ b: Range<Int>) {
        if a.isEmpty, b.isEmpty { return }
        splices.append(CBORSplice(keep: a.lowerBound - spliced, drop: a.count, insert: b))
        spliced = a.upperBound
    }

    // MARK: - Equal bytes

    /// Moves both places over the bytes that are the same.
    private func advance(_ i: inout Int, _ j: inout Int) {
        var left = min(oldEnd - i, newEnd - j)
        while left >= 32 {
            let differs =
                (word(old, i) ^ word(new, j)) | (word(old, i + 8) ^ word(new, j + 8))
                | (word(old, i + 16) ^ word(new, j + 16)) | (word(old, i + 24) ^ word(new, j + 24))
            if differs != 0 { break }
            (i, j, left) = (i + 32, j + 32, left - 32)
        }
        while left > 0, old[i] == new[j] { (i, j, left) = (i + 1, j + 1, left - 1) }
    }

    /// Leaves out what is the same at both ends, after these places.
    private mutating func cutEnds(_ i: Int, _ j: Int) {
        while min(oldEnd - i, newEnd - j) >= 8, word(old, oldEnd - 8) == word(new, newEnd - 8) {
            (oldEnd, newEnd) = (oldEnd - 8, newEnd - 8)
        }
        while oldEnd > i, newEnd > j, old[oldEnd - 1] == new[newEnd - 1] {
            (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1)
        }
    }

    // MARK: - After a difference

    /// Where the values go on at a distance of places, and how much they have in common from there.
    private struct Resumption {
        var place: Int
        var distance: Int
        var equalBytes = 0
    }

    /// Returns the next places where both have the same run; the ends if there are none.
    private mutating func nextEqual(_ i: Int, _ j: Int) -> (Int, Int) {
        var best = resumption(at: i - j, i, j)
        if best.equalBytes < min(Self.window, newEnd - best.place) - Self.tolerance {
            let index = self.index ?? RunIndex(of: old, from: i, to: oldEnd)
            self.index = index
            var (place, last) = (j, newEnd - Self.run)
            var tried = [i - j]
            while place <= last, tried.count < Self.distancesMax, best.equalBytes < Self.window {
                if let known = index.place(of: word(new, place)), known >= i,
                    !tried.contains(known - place)
                {
                    tried.append(known - place)
                    last = min(last, max(place, j + Self.lookahead))
                    let other = resumption(at: known - place, i, j)
                    if other.equalBytes > best.equalBytes { best = other }
                }
                place += 1
            }
            looks += place - j
        }
        if best.equalBytes == 0 {
            best = Resumption(place: newEnd, distance: oldEnd - newEnd)
        }
        if best.place - j > Self.gapBytesMax {
            // A run before that, nearly in place, is kept, too.
            for shift in Self.nearby {
                let near = resumption(at: i - j + shift, i, j)
                var (a, b) = (near.place + near.distance, near.place)
                advance(&a, &b)
                if near.equalBytes > 0, a <= best.place + best.distance, b <= best.place {
                    return (near.place + near.distance, near.place)
                }
            }
        }
        return (best.place + best.distance, best.place)
    }

    /// Returns where the next equal run is at a distance, and what follows.
    private mutating func resumption(at distance: Int, _ i: Int, _ j: Int) -> Resumption {
        var place = max(j, i - distance)
        let last = min(newEnd, oldEnd - distance, place + Self.lookahead) - Self.run
        while place <= last, word(new, place) != word(old, place + distance) { place += 1 }
        var resumption = Resumption(place: place, distance: distance)
        guard place <= last else { return resumption }
        let end = min(place + Self.window, newEnd, oldEnd - distance)
        while place + 8 <= end {
            resumption.equalBytes += Self.zeroBytes(word(new, place) ^ word(old, place + distance))
            place += 8
        }
        while place < end {
            if new[place] == old[place + distance] { resumption.equalBytes += 1 }
            place += 1
        }
        looks += (place - j) / 8
        return resumption
    }

    private static func zeroBytes(_ word: UInt64) -> Int {
        let low: UInt64 = 0x7f7f_7f7f_7f7f_7f7f
        return 8 - (((word & low) &+ low | word) & ~low).nonzeroBitCount
    }
}

private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
}

/// Where runs of a value are: some of them, at even distances.
private struct RunIndex {
    /// At most so many runs are known, whatever the value's size.
    private static let runsMax = 65_536
    private static let none = UInt32.max
    private static let repeated = UInt32.max - 1

    private let start: Int
    private let step: Int
    private let shift: UInt64
    /// For each hash the run that has it; `none`, or `repeated` if several have.
    private var runs: [UInt32]
    private let bytes: UnsafeRawBufferPointer

    init(of bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) {
        let room = max(0, end - start - 7)
        let step = max(8, (room / Self.runsMax + 7) / 8 * 8)
        let count = (room + step - 1) / step
        let bits = UInt64(Int.bitWidth - (2 * count).leadingZeroBitCount)
        let shift = 64 - bits
        self.bytes = bytes
        self.start = start
        self.step = step
        self.shift = shift
        runs = Array(repeating: Self.none, count: 1 << bits)
        for run in 0..<count {
            let hash = Self.hash(word(bytes, start + run * step), shift)
            runs[hash] = runs[hash] == Self.none ? UInt32(run) : Self.repeated
        }
    }

    private static func hash(_ word: UInt64, _ shift: UInt64) -> Int {
        Int(truncatingIfNeeded: (word &* 0x9e37_79b9_7f4a_7c15) >> shift)
    }

    /// Returns where a run is, if it is known and alone.
    func place(of run: UInt64) -> Int? {
        let known = runs[Self.hash(run, shift)]
        guard known < Self.repeated else { return nil }
        let place = start + Int(known) * step
        return word(bytes, place) == run ? place : nil
    }
}
