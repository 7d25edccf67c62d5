// Script: what three sessions do in some groups, and what each of them is after each group.

import NapkinCoding
import NapkinCore
import NapkinLedger
import ProofSupport

/// Commits for a store, with all that a record may say, and what they come to.
struct Script {
    private(set) var commits: [JournalCommit] = []
    /// The sessions after each group, by name; at 0 there are none.
    private(set) var images: [[String: SessionImage]] = [[:]]
    /// The last group after which the log is moved into the database, and every which before.
    let tidied: GroupNumber
    static let tidiedEvery = 15

    private var living: [SessionNumber: SessionImage] = [:]
    private var stored: [SessionNumber: GroupNumber] = [:]
    private var randomness: Randomness
    /// Whether sessions have timers and jobs, and their states descriptions.
    private let hasScheduledInputs: Bool

    /// - Parameters:
    ///   - imagesEvery: after how many of its groups a session's image is written.
    ///   - stateBytes: about how many bytes an interactor's state has.
    init(
        groups: Int = 90, imagesEvery: Int = 9, stateBytes: Int = 300, tidied: GroupNumber = 75,
        hasScheduledInputs: Bool = false, seed: UInt64 = 3
    ) throws {
        self.tidied = tidied
        self.hasScheduledInputs = hasScheduledInputs
        randomness = Randomness(seed: seed)
        for number in 1...GroupNumber(groups) {
            try addGroup(number, imagesEvery, stateBytes)
        }
    }

    private mutating func addGroup(
        _ number: GroupNumber, _ imagesEvery: Int, _ stateBytes: Int
    ) throws {
        var records: [Record] = []
        var ended: [SessionNumber] = []
        for session in 1...SessionNumber(3) where number % 3 <= session % 3 {
            if living[session] == nil, number < 4 {
                records.append(begin(session))
            } else if session == 3, number == 60 {
                var record = Record(session: session)
                record.isEnded = true
                records.append(record)
                ended.append(session)
                living[session] = nil
                stored[session] = nil
            } else if let image = living[session] {
                var record = change(image, number, stateBytes)
                if hasScheduledInputs { Self.addInputs(to: &record, of: image, number) }
                records.append(record)
            }
        }
        var commit = JournalCommit(
            .init(
                number: number,
                bytes: RecordFraming.frame(
                    try records.map { try $0.encoded() }, number: number)))
        if hasScheduledInputs { commit.schemas = try Self.schemas(number) }
        for record in records {
            guard record.isEnded != true else { continue }
            var image =
                living[record.session]
                ?? SessionImage(session: record.session, title: record.title ?? Self.title(0))
            try image.apply(record)
            living[record.session] = image
            let isDue = record.title != nil || Int(number) % imagesEvery == Int(record.session)
            guard isDue else { continue }
            stored[record.session] = number
            commit.images.append(
                StoredImage(
                    session: record.session, name: image.title.name, id: image.title.id,
                    base: number, bytes: try image.encoded()))
        }
        commit.ended = ended
        let oldest = stored.values.min() ?? 0
        if number % 20 == 0 { commit.trimmed = min(oldest, number - 1) }
        commits.append(commit)
        images.append(
            Dictionary(uniqueKeysWithValues: living.values.map { ($0.title.name, $0) }))
    }

    private static func title(_ session: SessionNumber) -> SessionTitle {
        SessionTitle(name: "größe \(session)", id: "s\(session)", epoch: 1000 + UInt32(session))
    }

    private func begin(_ session: SessionNumber) -> Record {
        var record = Record(session: session)
        record.title = Self.title(session)
        record.fronts = [
            FrontChange(front: 1, started: 0), FrontChange(front: 2, started: 0),
        ]
        record.attached = [
            AttachedNode(
                number: 1, parent: 0, slot: "", feature: "probe.root", arguments: [0xF6]),
            AttachedNode(
                number: 2, parent: 1, slot: "left", feature: "probe.leaf", arguments: [0x61, 0x78]),
        ]
        record.states = [StateChange(number: 1, whole: state(0, 100))]
        if hasScheduledInputs { record.states?[0].schema = 1 }
        return record
    }

    /// A text of a number's digits, as a state.
    private func state(_ number: UInt64, _ count: Int) -> [UInt8] {
        var writer = CBORWriter()
        let text = (0..<max(1, count / 8)).map { "\($0 == Int(number) % 9 ? number : 7_777_777)" }
        do throws(CBORError) { try writer.write(text) } catch { fatalError("\(error)") }
        return writer.copyBytes()
    }

    private mutating func change(
        _ image: SessionImage, _ number: GroupNumber, _ stateBytes: Int
    ) -> Record {
        var record = Record(session: image.session)
        let new = state(number, randomness.below(4) == 0 ? stateBytes * 4 : stateBytes)
        if let old = image.nodes.first?.state, let delta = CBORDelta.encoded(from: old, to: new) {
            record.states = [StateChange(number: 1, delta: delta)]
        } else {
            record.states = [StateChange(number: 1, whole: new)]
        }
        let sequence = (image.fronts.first?.started ?? 0) + 1
        switch randomness.below(5) {
        case 0:
            record.begun = [BegunEvent(front: 1, sequence: sequence, node: 1, method: 7)]
        case 1:
            record.logs = [LogOffset(number: 1, method: 3, next: number)]
        case 2:
            let newest = image.newestNode + 1
            record.attached = [
                AttachedNode(
                    number: newest, parent: 1, slot: "right", feature: "probe.leaf",
                    arguments: [0xF6], front: 2)
            ]
            if image.nodes.count > 4, let last = image.nodes.last {
                record.detached = [last.place.number]
            }
        case 3:
            record.fronts = [FrontChange(front: image.newestFront + 1, started: 0)]
        default: break
        }
        let frame = [UInt8](repeating: UInt8(number % 251), count: randomness.below(60))
        record.answers = [EventAnswer(front: 1, sequence: sequence, frame: frame)]
        return record
    }
}
