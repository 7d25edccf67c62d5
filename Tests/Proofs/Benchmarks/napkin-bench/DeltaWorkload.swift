// DeltaWorkload: what is sent of a large state that changes, whole and as deltas.
//
// Isolation  value; runs on the calling thread.

import NapkinCore

/// A row of what an app lists.
@Message
struct ListRow {
    var id: Int64
    var title: String
    var detail: String
    var quantity: Int32
    var isDone: Bool
}

/// A screen with a list.
@Message
struct LongList {
    var title: String
    var total: Int64
    var rows: [ListRow]
}

/// Has states change as apps change them, and counts the bytes that a front would be sent.
struct DeltaWorkload {
    var processor: Int?

    private static let changes = 200

    func reports() throws -> [Report] {
        [
            try report("deltas cell", list(200)) { list, step in
                list.rows[step * 7 % list.rows.count].quantity += 1
                list.total += 1
            },
            try report("deltas window", list(200)) { list, step in
                list.rows.removeFirst()
                list.rows.append(row(1000 + step))
            },
            try report("deltas insert", list(200)) { list, step in
                list.rows.insert(row(1000 + step), at: step * 7 % list.rows.count)
            },
            try report("deltas shuffle", list(200)) { list, step in
                list.rows.swapAt(step * 7 % 200, step * 31 % 200)
            },
            try report("deltas transcript", "") { text, step in
                text += "And so it goes, sentence \(step) of many. "
            },
            try report("deltas throughout", list(200)) { list, step in
                for index in list.rows.indices { list.rows[index].detail = "\(step) \(index)" }
            },
        ]
    }

    private func row(_ number: Int) -> ListRow {
        ListRow(
            id: Int64(number), title: "row number \(number)", detail: "as long as a line is",
            quantity: 1, isDone: number % 3 == 0)
    }

    private func list(_ count: Int) -> LongList {
        LongList(title: "Everything", total: 0, rows: (0..<count).map(row))
    }

    private func report<T: DirectlyCodable>(
        _ name: String, _ start: T, _ change: (inout T, Int) -> Void
    ) throws -> Report {
        var value = start
        var old = try encoded(value)
        var (whole, sent) = (0, 0)
        var making: [Double] = []
        var applying: [Double] = []
        for step in 0..<Self.changes {
            change(&value, step)
            let new = try encoded(value)
            let began = Placement.now()
            let delta = CBORDelta.encoded(from: old, to: new)
            making.append(Double(Placement.now() - began))
            whole += new.count
            sent += delta?.count ?? new.count
            if let delta {
                let began = Placement.now()
                let made = try delta.withUnsafeBytes {
                    try CBORDelta.apply($0, to: old, bytesMax: .max)
                }
                applying.append(Double(Placement.now() - began))
                guard made == new else { throw BenchError("\(name) makes another value") }
            }
            old = new
        }
        var report = Report(workload: name, processor: processor)
        report.add("whole_bytes", Double(whole / Self.changes))
        report.add("sent_bytes", Double(sent) / Double(Self.changes))
        report.add("ratio", Double(sent) / Double(whole))
        report.add("make_us", Report.median(making) / 1000)
        report.add("apply_us", Report.median(applying) / 1000)
        return report
    }

    private func encoded(_ value: some DirectlyCodable) throws -> [UInt8] {
        var writer = CBORWriter()
        try writer.write(value)
        return writer.copyBytes()
    }
}
