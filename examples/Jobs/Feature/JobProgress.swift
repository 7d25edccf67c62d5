// JobProgress: how far a job says that it is; and the key of its program.

import JobsContract

extension Job {
    /// The share of the work that a line names as `[12/80]` or `42%`, as build tools do.
    static func progress(in line: String) -> Double? {
        let words = line.split { " []()".contains($0) }
        for word in words {
            if word.last == "%", let percent = Double(word.dropLast()), 0...100 ~= percent {
                return percent / 100
            }
            let parts = word.split(separator: "/").map { Double($0) }
            guard parts.count == 2, let done = parts[0], let all = parts[1] else { continue }
            if all > 0, all.isFinite, 0...all ~= done { return done / all }
        }
        return nil
    }

    /// The key of a job's held program.
    static func key(of id: Int) -> String { "job-\(id)" }

    var key: String { Self.key(of: id) }
}
