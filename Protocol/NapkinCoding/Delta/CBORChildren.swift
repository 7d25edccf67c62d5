// CBORChildren: the children of two containers, without those that are the same at either end.
//
// Layer      sans-I/O core.
// Isolation  value

/// The head of an item: its type, and where its content begins.
struct CBORHead {
    /// The major type.
    let kind: UInt8
    let end: Int

    var isContainer: Bool { kind == 4 || kind == 5 }

    init(at start: Int, in bytes: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(bytes)
        reader.seek(start)
        let initial = try reader.peekByte()
        kind = initial >> 5
        switch kind {
        case 2, 3: _ = try reader.readArgument(initial)
        case 4: _ = try reader.readArrayHeader()
        case 5: _ = try reader.readMapHeader()
        // A number or a tag is compared byte by byte.
        default: break
        }
        end = reader.offset
    }
}

/// An element of an array, or a pair of a map.
struct CBORChild {
    /// Empty for an element.
    let key: Range<Int>
    let value: Range<Int>

    /// What identifies the child: the key of a pair, or all of an element.
    var identity: Range<Int> { key.isEmpty ? value : key }
}

/// Children that follow one another.
struct CBORSiblings {
    fileprivate(set) var children: [CBORChild] = []
    /// The position where the first child begins, or would begin.
    fileprivate(set) var start: Int

    var count: Int { children.count }

    /// The bytes from the start of one child to the start of another.
    func span(_ from: Int, _ to: Int) -> Range<Int> { boundary(from)..<boundary(to) }

    private func boundary(_ index: Int) -> Int {
        index < count
            ? children[index].key.lowerBound : children.last?.value.upperBound ?? start
    }
}

/// Walks over the children of two containers at the same time. Children that are the same at the
/// beginning or at the end are skipped, in only one of the containers; the others are kept.
struct CBORChildren {
    private(set) var old: CBORSiblings
    private(set) var new: CBORSiblings
    private let contentA: Range<Int>
    private let contentB: Range<Int>
    private let inPairs: Bool

    init(of contentA: Range<Int>, _ contentB: Range<Int>, inPairs: Bool) {
        self.contentA = contentA
        self.contentB = contentB
        self.inPairs = inPairs
        old = CBORSiblings(start: contentA.lowerBound)
        new = CBORSiblings(start: contentB.lowerBound)
    }

    /// - Parameter changed: the rest of both contents without the equal bytes at either end.
    mutating func find(
        _ changed: (Range<Int>, Range<Int>), _ bytesA: UnsafeRawBufferPointer,
        _ bytesB: UnsafeRawBufferPointer
    ) throws(CBORError) {
        var readerA = CBORReader(bytesA)
        readerA.seek(contentA.lowerBound)
        while readerA.offset < changed.0.lowerBound {
            let next = try child(&readerA)
            if next.value.upperBound > changed.0.lowerBound { break }
            old.start = next.value.upperBound
        }
        readerA.seek(old.start)
        new.start += old.start - contentA.lowerBound
        var readerB = CBORReader(bytesB)
        readerB.seek(new.start)
        // Up to a boundary that both have, with the same bytes after it.
        while true {
            let restA = contentA.upperBound - readerA.offset
            let restB = contentB.upperBound - readerB.offset
            let sameMax = contentA.upperBound - changed.0.upperBound
            if restA == restB, restA <= sameMax { return }
            if restA >= restB { old.children.append(try child(&readerA)) }
            if restB >= restA { new.children.append(try child(&readerB)) }
        }
    }

    private func child(_ reader: inout CBORReader) throws(CBORError) -> CBORChild {
        let start = reader.offset
        if inPairs { try reader.skip() }
        let key = start..<reader.offset
        try reader.skip()
        return CBORChild(key: key, value: key.upperBound..<reader.offset)
    }
}
