// DueTable: a priority queue of names by due time.
//
// Invariant  the heap has an entry for each name's time; outdated entries are dropped when they
//            come to the top, and there are at most 64 more of them than names.

/// The names and their due times.
struct DueTable {
    private struct Entry {
        let due: Int64
        let name: String
    }

    private var times: [String: Int64] = [:]
    /// A heap: no entry is due before its parent, at half of its index.
    private var heap: [Entry] = []

    mutating func set(_ name: String, _ due: Int64?) {
        guard times[name] != due else { return }
        times[name] = due
        if let due { push(Entry(due: due, name: name)) }
        guard heap.count > 2 * times.count + 64 else { return }
        heap = times.map { Entry(due: $0.value, name: $0.key) }.sorted { $0.due < $1.due }
    }

    func due(_ name: String) -> Int64? { times[name] }

    /// The earliest time; `nil` without any.
    mutating func earliest() -> Int64? {
        while let first = heap.first {
            if times[first.name] == first.due { return first.due }
            pop()
        }
        return nil
    }

    /// Removes the due names, and returns them in the order of their times.
    mutating func take(upTo now: Int64) -> [String] {
        var names: [String] = []
        while let due = earliest(), due <= now, let first = heap.first {
            names.append(first.name)
            times[first.name] = nil
            pop()
        }
        return names
    }

    private mutating func push(_ entry: Entry) {
        heap.append(entry)
        var index = heap.count - 1
        while index > 0, heap[index].due < heap[(index - 1) / 2].due {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func pop() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var index = 0
        while true {
            let children = [2 * index + 1, 2 * index + 2].filter { $0 < heap.count }
            guard let least = children.min(by: { heap[$0].due < heap[$1].due }),
                heap[least].due < heap[index].due
            else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
