// CBORDifference: finds the differences of two encoded values, item by item.
//
// Layer      sans-I/O core.
// Isolation  value
// Ownership  borrows both values; valid only inside the call that created it
// Invariant  splices ascend, and the bytes between them are the same in both values. The structure
//            only says where to look: the bytes prove that a splice is right.

/// One place where two values differ: after `keep` bytes that both have, the bytes `insert` of the
/// new value replace `drop` bytes of the old one.
struct CBORSplice: Equatable {
    var keep: Int
    var drop: Int
    var insert: Range<Int>
}

/// A comparison of two values.
struct CBORDifference {
    /// The most equal bytes between two changes for which one splice covers both.
    private static let gapBytesMax = 3
    /// The most bytes of a change in one place that are replaced without comparing their structure.
    private static let plainBytesMax = 16
    /// How far ahead a moved element is searched for after others were added or removed. Chosen: a
    /// page.
    private static let lookaheadMax = 256
    /// How many elements one comparison may search in this way. Chosen: they take some 50 µs.
    private static let looksMax = 8192

    private let old: UnsafeRawBufferPointer
    private let new: UnsafeRawBufferPointer
    private var splices: [CBORSplice] = []
    /// The end of the old value's last splice.
    private var spliced = 0
    private var looks = 0

    init(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer) {
        self.old = old
        self.new = new
    }

    /// Throws `CBORError` if one of the two is not a well-formed item where they differ.
    mutating func find() throws(CBORError) -> [CBORSplice] {
        try compare(0..<old.count, 0..<new.count)
        return splices
    }

    private mutating func compare(_ a: Range<Int>, _ b: Range<Int>) throws(CBORError) {
        let (dropped, inserted) = changed(a, b)
        // One place, whatever the structure: most changes affect one field.
        if max(dropped.count, inserted.count) <= Self.plainBytesMax {
            return replace(dropped, inserted)
        }
        let before = try CBORHead(at: a.lowerBound, in: old)
        let after = try CBORHead(at: b.lowerBound, in: new)
        guard before.kind == after.kind else { return replace(dropped, inserted) }
        replace(a.lowerBound..<before.end, b.lowerBound..<after.end)
        let (contentA, contentB) = (before.end..<a.upperBound, after.end..<b.upperBound)
        guard before.isContainer else { return replace(contentA, contentB) }
        var walk = CBORChildren(of: contentA, contentB, inPairs: before.kind == 5)
        try walk.find(changed(contentA, contentB), old, new)
        try compareChildren(walk)
    }

    /// Children that are the same in both stay, with pairs matched by their keys; if one child has
    /// replaced another, the two are compared.
    private mutating func compareChildren(_ walk: CBORChildren) throws(CBORError) {
        let (a, b) = (walk.old, walk.new)
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
            let (came, went) = shift(a.children, i, b.children, j)
            if came + went > 0 {
                replace(a.span(i, i + went), b.span(j, j + came))
                (i, j) = (i + went, j + came)
            }
            replace(a.children[i].key, b.children[j].key)
            try compare(a.children[i].value, b.children[j].value)
            (i, j) = (i + 1, j + 1)
        }
        replace(a.span(i, a.count), b.span(j, b.count))
    }

    /// Returns how many children were added before the `j`th new one, or removed before it from the
    /// old ones; neither if the two belong together, or one has replaced the other.
    private mutating func shift(
        _ a: [CBORChild], _ i: Int, _ b: [CBORChild], _ j: Int
    ) -> (came: Int, went: Int) {
        if isEqual(a[i].identity, b[j].identity) { return (0, 0) }
        if i + 1 < a.count, j + 1 < b.count, isEqual(a[i + 1].identity, b[j + 1].identity) {
            return (0, 0)
        }
        let farthest = min(Self.lookaheadMax, max(a.count - i, b.count - j) - 1)
        var distance = 1
        while distance <= farthest, looks < Self.looksMax {
            looks += 2
            if j + distance < b.count, isEqual(a[i].identity, b[j + distance].identity) {
                return (distance, 0)
            }
            if i + distance < a.count, isEqual(a[i + distance].identity, b[j].identity) {
                return (0, distance)
            }
            distance += 1
        }
        return (0, 0)
    }

    // MARK: - Bytes

    private func isEqual(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        CBORText(utf8: UnsafeRawBufferPointer(rebasing: old[a]))
            .equals(UnsafeRawBufferPointer(rebasing: new[b]))
    }

    /// Replaces the bytes `a` with `b`, without the bytes that are the same at either end.
    private mutating func replace(_ a: Range<Int>, _ b: Range<Int>) {
        let (dropped, inserted) = changed(a, b)
        if dropped.isEmpty, inserted.isEmpty { return }
        let keep = dropped.lowerBound - spliced
        spliced = dropped.upperBound
        if keep <= Self.gapBytesMax, let last = splices.last {
            splices[splices.count - 1] = CBORSplice(
                keep: last.keep, drop: last.drop + keep + dropped.count,
                insert: last.insert.lowerBound..<inserted.upperBound)
        } else {
            splices.append(CBORSplice(keep: keep, drop: dropped.count, insert: inserted))
        }
    }

    /// Returns both ranges without the bytes that are the same at either end.
    private func changed(_ a: Range<Int>, _ b: Range<Int>) -> (Range<Int>, Range<Int>) {
        let shorter = min(a.count, b.count)
        var start = 0
        while start + 8 <= shorter,
            word(old, a.lowerBound + start) == word(new, b.lowerBound + start)
        {
            start += 8
        }
        while start < shorter, old[a.lowerBound + start] == new[b.lowerBound + start] {
            start += 1
        }
        var end = 0
        let rest = shorter - start
        while end + 8 <= rest,
            word(old, a.upperBound - end - 8) == word(new, b.upperBound - end - 8)
        {
            end += 8
        }
        while end < rest, old[a.upperBound - 1 - end] == new[b.upperBound - 1 - end] {
            end += 1
        }
        return (
            (a.lowerBound + start)..<(a.upperBound - end),
            (b.lowerBound + start)..<(b.upperBound - end)
        )
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
