// RecordWords: describes the changes of records in words.

import NapkinCore

/// The names of timers and jobs, which records refer to by number.
package struct InputNames {
    private var names: [UInt64: String] = [:]

    package init(of history: SessionHistory) {
        add(history.image.timers, history.image.jobs)
        for record in history.entries.map(\.record) { add(record.timers ?? [], record.jobs ?? []) }
    }

    private mutating func add(_ timers: [TimerImage], _ jobs: [JobImage]) {
        for timer in timers { names[timer.id] = "timer '\(timer.name)' of \(timer.node)" }
        for job in jobs { names[job.id] = "job \(JobKey(bytes: job.key)) of \(job.node)" }
    }

    fileprivate subscript(_ id: UInt64) -> String { names[id] ?? "input \(id)" }
}

extension Record {
    /// Returns the changes of this record, in words.
    package func changes(_ names: InputNames) -> [String] {
        var words: [String] = []
        func add(_ what: String, _ items: [String]?) {
            if let items, !items.isEmpty { words.append(what + items.joined(separator: ", ")) }
        }
        if let title { words.append("named \(title.name)") }
        add("front ", fronts?.map(\.words))
        add("attached ", attached?.map { "\($0.feature) (\($0.number))" })
        add("detached ", detached?.map { "\($0)" })
        add("state of ", states?.map { "\($0.number)" })
        add("selected ", tabs?.map { "\($0.tab) of \($0.number)" })
        add("log of ", logs?.map { "\($0.number)" })
        add("begun ", begun?.map { "event \($0.sequence) of front \($0.front)" })
        add("answered ", answers?.map { "event \($0.sequence) of front \($0.front)" })
        add("passed ", passed?.map { names[$0.id] })
        for timer in timers ?? [] { words.append(timer.change + names[timer.id]) }
        add("posted ", jobs?.map { names[$0.id] })
        for change in jobChanges ?? [] { words.append(change.words + names[change.id]) }
        add("begun ", inputs?.map { names[$0.id] })
        add("ended ", over?.map { names[$0] })
        return words
    }
}

extension TimerImage {
    fileprivate var change: String {
        if failure != nil { return "given up " }
        return attempts.map { "attempt \($0) of " } ?? "scheduled "
    }
}

extension JobChange {
    fileprivate var words: String {
        if isOver == true { return "ended " }
        if isTold == true { return "told of " }
        if failure != nil { return "given up " }
        return attempts.map { "attempt \($0) of " } ?? "moved "
    }
}

extension FrontChange {
    fileprivate var words: String {
        guard started != nil else { return "\(front) forgotten" }
        return traceparent.map { "\(front) in \($0)" } ?? "\(front)"
    }
}
