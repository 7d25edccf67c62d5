// History+Check: holds a history against what a restored session has.

extension History {
    /// Returns what cannot be, each with the part of the history that shows it.
    ///
    /// Everything that was acknowledged is there; each event is there as often as its plan and its
    /// end say; events of one front are in its order; and everything that was shown is there.
    package func violations(_ recovered: Recovered) -> [String] {
        var found = violation.map { [$0] } ?? []
        var places: [Int64: [Int]] = [:]
        for (index, amount) in recovered.entries.enumerated() {
            places[amount, default: []].append(index + 1)
        }
        for amount in amounts {
            guard let event = events[amount] else { continue }
            if let text = contradiction(event, places[amount] ?? []) {
                found.append("\(amount): \(text)\n\(excerpt(of: [amount]))")
            }
        }
        for amount in places.keys.sorted() where events[amount] == nil {
            found.append("\(amount) is there, and nobody has sent it")
        }
        found += disorder(places) + vanished(recovered.entries, places)
        return found + torn(recovered) + miscounted(recovered) + misperformed(recovered, places)
    }

    /// How often the amount has to be there; `nil` if the plan does not end so.
    private func times(_ event: Event) -> ClosedRange<Int>? {
        switch (event.plan, event.outcome) {
        case (let plan, nil), (let plan, .unknown): 0...plan.most
        case (_, .notExecuted), (.marks, .gone), (.marksFails, .gone): 0...0
        case (.once, .value), (.later, .value), (.aside, .value): 1...1
        case (.turns, .value), (.marks, .value), (.reminds, .value), (.posts, .value): 1...1
        case (.twice, .value): 2...2
        case (.fails, .failed), (.marksFails, .failed): 0...0
        // The first half was committed when the handler began to wait.
        case (.failsLater, .failed), (.twice, .interrupted), (.failsLater, .interrupted): 1...1
        default: nil
        }
    }

    private func contradiction(_ event: Event, _ places: [Int]) -> String? {
        let end = event.outcome.map { "\($0)" } ?? "not known"
        guard let times = times(event) else {
            return "a handler that is to do '\(event.plan)' ended as \(end)"
        }
        guard times.contains(places.count) else {
            let amount = times.lowerBound == times.upperBound ? "" : "at most "
            return "the end of '\(event.plan)' is \(end), so it is to be there "
                + "\(amount)\(times.upperBound) times, and is there \(places.count): \(places)"
        }
        if case .value(let place?) = event.outcome, places.last != place {
            return "its answer says place \(place), and it is at \(places)"
        }
        return nil
    }

    /// First entries of one front's events that are not in the order in which it sent them.
    private func disorder(_ places: [Int64: [Int]]) -> [String] {
        var newest: [Int: (amount: Int64, place: Int)] = [:]
        var found: [String] = []
        for amount in amounts {
            guard let event = events[amount], event.plan.isImmediate,
                let place = places[amount]?.first
            else { continue }
            if let former = newest[event.front], former.place > place {
                found.append(
                    "front \(event.front) sent \(former.amount) before \(amount), and they are at "
                        + "\(former.place) and \(place)\n\(excerpt(of: [former.amount, amount]))")
            }
            newest[event.front] = (amount, place)
        }
        return found
    }

    /// What was shown and is not there.
    private func vanished(_ entries: [Int64], _ places: [Int64: [Int]]) -> [String] {
        var found: [String] = []
        for (viewer, known) in shown.sorted(by: { $0.key < $1.key })
        where !entries.starts(with: known) {
            let amounts = Self.firstDifference(known, entries)
            found.append(
                "front \(viewer) was shown \(known.count) entries that are not the first of "
                    + "\(entries.count): they part at \(amounts)\n"
                    + excerpt(of: amounts, viewer: viewer))
        }
        for flash in flashes where places[flash.amount] == nil {
            found.append(
                "front \(flash.viewer) was shown the effect of \(flash.amount), which is not there"
                    + "\n\(excerpt(of: [flash.amount]))")
        }
        return found
    }

    /// Pages that do not have what the list says: their states are recorded with that of the list.
    private func torn(_ recovered: Recovered) -> [String] {
        var written: [Int64: [Int64]] = [:]
        var open: Int64?
        for amount in recovered.entries {
            switch events[amount]?.plan {
            case .turns:
                open = amount
                written[amount] = []
            case .marks: if let open { written[open]?.append(amount) }
            default: break
            }
        }
        var found: [String] = []
        let last = open.map { Page(number: $0, marks: written[$0] ?? []) }
        if last != recovered.page {
            found.append(
                "the list has \(last.map { "\($0)" } ?? "no page"), and there is "
                    + "\(recovered.page.map { "\($0)" } ?? "none")")
        }
        for (viewer, page) in pages where written[page.number]?.starts(with: page.marks) != true {
            found.append(
                "front \(viewer) was shown \(page), and the list has "
                    + "\(written[page.number].map { "\($0)" } ?? "no such page")\n"
                    + excerpt(of: [page.number] + page.marks.suffix(1)))
        }
        return found
    }

    /// Jobs with two keys, with another than their front was told, that nobody has posted, or whose
    /// performance and result are not both there.
    private func misperformed(_ recovered: Recovered, _ places: [Int64: [Int]]) -> [String] {
        let keys = recovered.performed.reduce(into: [Int64: Set<String>]()) { keys, performance in
            keys[performance.amount, default: []].insert(performance.key)
        }
        var found: [String] = []
        for (amount, keys) in keys.sorted(by: { $0.key < $1.key }) {
            let told = events[amount]?.key
            if keys.count > 1 || told.map(keys.contains) == false {
                found.append(
                    "the job of \(amount) was performed with the keys \(keys.sorted()), and its "
                        + "front was told \(told ?? "none")\n\(excerpt(of: [amount]))")
            }
            if events[amount]?.plan != .posts || places[amount] == nil {
                let plan = events[amount].map { "'\($0.plan)'" } ?? "nothing"
                found.append(
                    "the job of \(amount), \(plan), was performed, and its result is at "
                        + "\(places[amount] ?? [])\n\(excerpt(of: [amount]))")
            }
        }
        for amount in amounts where events[amount]?.plan == .posts {
            guard places[amount] != nil, keys[amount] == nil else { continue }
            found.append("the result of \(amount) is there, and its job was never performed")
        }
        return found
    }

    /// The interactor is told of each interrupted handler once, whether or not its front is.
    private func miscounted(_ recovered: Recovered) -> [String] {
        let told = events.values.count { $0.outcome == .interrupted }
        let open = events.values.count { event in
            (event.outcome == nil || event.outcome == .unknown)
                && (event.plan == .twice || event.plan == .failsLater)
        }
        if (told...told + open).contains(recovered.interrupted) { return [] }
        return [
            "the session was told of \(recovered.interrupted) interrupted handlers; fronts were of "
                + "\(told), and of \(open) nobody knows"
        ]
    }
}
