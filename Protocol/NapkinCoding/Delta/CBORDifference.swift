// CBORDifference: finds what differs between two encoded values, item by item.
//
// Layer      sans-I/O core.
// Isolation  value
// Ownership  borrows both values; valid only inside the call that made it
// Invariant  splices ascend, and what lies between them is the same in both values

/// One place where two values differ: after `keep` bytes that both have, `drop` bytes of the old
/// one are replaced by the bytes `insert` of the new one.
struct CBORSplice: Equatable {
    var keep: Int
    var drop: Int
    var insert: Range<Int>
}

/// Two values under comparison.
struct CBORDifference {
    /// Equal bytes between two splices that are not worth a splice of their own.
    private static let gapBytesMax = 3
    /// Bytes of a change in one place that are not worth looking for what is the same in them.
    private static let plainBytesMax = 16

    private let old: UnsafeRawBufferPointer
    private let new: UnsafeRawBufferPointer
    private var splices: [CBORSplice] = []
    /// The end of the old value's last splice.
    private var spliced = 0

    init(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer) {
        self.old = old
        self.new = new
    }

    /// Throws `CBORError` when one of the two is not a well-formed item.
    mutating func find() throws(CBORError) -> [CBORSplice] {
        let (a, b) = changed(0..<old.count, 0..<new.count)
        if b.count <= Self.plainBytesMax {
            // One place, whatever the structure: most changes are a field's.
            replace(a, b)
        } else {
            try compare(0..<old.count, 0..<new.count)
        }
        return splices
    }

    private mutating func compare(_ a: Range<Int>, _ b: Range<Int>) throws(CBORError) {
        if isEqual(a, b) { return }
        let before = try CBORItemParts(of: a, in: old)
        let after = try CBORItemParts(of: b, in: new)
        guard before.kind == after.kind, before.end == a.upperBound, after.end == b.upperBound
        else { return replace(a, b) }
        replace(a.lowerBound..<before.start, b.lowerBound..<after.start)
        switch before.kind {
        case .scalar: replace(before.start..<a.upperBound, after.start..<b.upperBound)
        case .array: try compareElements(before, after)
        case .map: try comparePairs(before, after)
        }
    }

    /// The elements that are the same in both stand; those between are compared one with one.
    private mutating func compareElements(
        _ before: CBORItemParts, _ after: CBORItemParts
    ) throws(CBORError) {
        var (i, j) = (0, 0)
        let end = (before.children.count, after.children.count)
        for (nextI, nextJ) in anchors(before.children, after.children) + [end] {
            while i < nextI, j < nextJ {
                try compare(before.children[i], after.children[j])
                (i, j) = (i + 1, j + 1)
            }
            replace(before.span(i, nextI), after.span(j, nextJ))
            (i, j) = (nextI + 1, nextJ + 1)
        }
    }

    /// Pairs with the same key are compared; those between went or came.
    private mutating func comparePairs(
        _ before: CBORItemParts, _ after: CBORItemParts
    ) throws(CBORError) {
        var (i, j) = (0, 0)
        for (nextI, nextJ) in anchors(before.keys, after.keys) {
            replace(before.span(i, nextI), after.span(j, nextJ))
            try compare(
                before.keys[nextI].upperBound..<before.children[nextI].upperBound,
                after.keys[nextJ].upperBound..<after.children[nextJ].upperBound)
            (i, j) = (nextI + 1, nextJ + 1)
        }
        replace(before.span(i, before.children.count), after.span(j, after.children.count))
    }

    // MARK: - Anchors

    /// Items that both lists have, in ascending order in both: those at the start and at the end,
    /// and of those between the most that keep their order, if each has them once.
    private func anchors(_ a: [Range<Int>], _ b: [Range<Int>]) -> [(Int, Int)] {
        let shorter = min(a.count, b.count)
        var first = 0
        while first < shorter, isEqual(a[first], b[first]) { first += 1 }
        var last = 0
        while last < shorter - first, isEqual(a[a.count - 1 - last], b[b.count - 1 - last]) {
            last += 1
        }
        let start = (0..<first).map { ($0, $0) }
        let middle = uniqueAnchors(a, first..<(a.count - last), b, first..<(b.count - last))
        let end = (0..<last).reversed().map { (a.count - 1 - $0, b.count - 1 - $0) }
        return start + middle + end
    }

    private func uniqueAnchors(
        _ a: [Range<Int>], _ inA: Range<Int>, _ b: [Range<Int>], _ inB: Range<Int>
    ) -> [(Int, Int)] {
        if inA.isEmpty || inB.isEmpty { return [] }
        // The index of an item by its hash; -1 where two have the same.
        func places(_ items: [Range<Int>], _ range: Range<Int>, _ bytes: UnsafeRawBufferPointer)
            -> [Int: Int]
        {
            var places: [Int: Int] = [:]
            for index in range {
                var hasher = Hasher()
                hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: bytes[items[index]]))
                let hash = hasher.finalize()
                places[hash] = places[hash] == nil ? index : -1
            }
            return places
        }
        let after = places(b, inB, new)
        let common = places(a, inA, old).compactMap { hash, i -> (Int, Int)? in
            guard i >= 0, let j = after[hash], j >= 0, isEqual(a[i], b[j]) else { return nil }
            return (i, j)
        }
        return Self.longestAscending(common.sorted { $0.0 < $1.0 })
    }

    /// The longest part of pairs, ascending in their first numbers, that ascends in the second.
    private static func longestAscending(_ pairs: [(Int, Int)]) -> [(Int, Int)] {
        // The pair with the smallest second number that ends an ascending part of each length.
        var ends: [Int] = []
        var previous = [Int](repeating: -1, count: pairs.count)
        for (index, pair) in pairs.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if pairs[ends[middle]].1 < pair.1 { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var part: [(Int, Int)] = []
        var index = ends.last ?? -1
        while index >= 0 {
            part.append(pairs[index])
            index = previous[index]
        }
        return part.reversed()
    }

    // MARK: - Bytes

    private func isEqual(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        CBORText(utf8: UnsafeRawBufferPointer(rebasing: old[a]))
            .equals(UnsafeRawBufferPointer(rebasing: new[b]))
    }

    /// Has the bytes `b` take the place of `a`, without those that are the same at either end.
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

    /// Both ranges without the bytes that are the same at either end.
    private func changed(_ a: Range<Int>, _ b: Range<Int>) -> (Range<Int>, Range<Int>) {
        var (start, end) = (0, 0)
        let shorter = min(a.count, b.count)
        while start < shorter, old[a.lowerBound + start] == new[b.lowerBound + start] {
            start += 1
        }
        while end < shorter - start, old[a.upperBound - 1 - end] == new[b.upperBound - 1 - end] {
            end += 1
        }
        return (
            (a.lowerBound + start)..<(a.upperBound - end),
            (b.lowerBound + start)..<(b.upperBound - end)
        )
    }
}

/// Where the parts of one item lie.
private struct CBORItemParts {
    enum Kind: Equatable {
        /// Compared byte by byte, strings behind their heads.
        case scalar(UInt8)
        case array
        case map
    }

    let kind: Kind
    /// The end of the item's head.
    let start: Int
    /// The end of the item; of a string, that of the range it is looked for in.
    let end: Int
    /// The elements of an array, the pairs of a map; each begins where the one before ends.
    private(set) var children: [Range<Int>] = []
    /// The keys of a map's pairs.
    private(set) var keys: [Range<Int>] = []

    init(of item: Range<Int>, in bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(bytes)
        reader.seek(item.lowerBound)
        let initial = try reader.peekByte()
        switch initial >> 5 {
        case 2, 3:
            kind = .scalar(initial >> 5)
            _ = try reader.readArgument(initial)
            start = reader.offset
            end = item.upperBound
        case 4:
            kind = .array
            let count = try reader.readArrayHeader()
            start = reader.offset
            children.reserveCapacity(count)
            for _ in 0..<count {
                let start = reader.offset
                try reader.skip()
                children.append(start..<reader.offset)
            }
            end = reader.offset
        case 5:
            kind = .map
            let count = try reader.readMapHeader()
            start = reader.offset
            children.reserveCapacity(count)
            keys.reserveCapacity(count)
            for _ in 0..<count {
                let start = reader.offset
                try reader.skip()
                keys.append(start..<reader.offset)
                try reader.skip()
                children.append(start..<reader.offset)
            }
            end = reader.offset
        default:
            kind = .scalar(initial >> 5)
            start = item.lowerBound
            end = item.upperBound
        }
    }

    /// From the start of a child to that of another.
    func span(_ from: Int, _ to: Int) -> Range<Int> {
        boundary(from)..<boundary(max(from, to))
    }

    private func boundary(_ index: Int) -> Int {
        index < children.count ? children[index].lowerBound : children.last?.upperBound ?? start
    }
}
