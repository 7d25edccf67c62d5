// CrashBook: the receipts of an app's deaths, and the inputs that may not run again after them.
//
// Ownership  owned by the app's supervisor; owns the files of `crash/APP` in the state directory.
// Invariant  the quarantine follows from the receipts, so that a new napkind knows what the former
//            one knew. A receipt that cannot be written counts until this napkind ends.
// Spec       Protocol/TOOLS.md, section 6 (Crashes)

import Glibc
import Logging
import NapkinCoding
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

@MainActor
final class CrashBook {
    /// The number of receipts that are kept, the newest ones. Chosen: more than a person reads.
    static let receiptsMax = 20
    /// The number of receipts of children's processes, which may die each second. Chosen: a
    /// quarter.
    static let childReceiptsMax = 5
    /// The greatest number. Chosen: nobody has as many receipts.
    private static let numberMax: UInt64 = 1 << 53

    private let files: CrashFiles
    private let logger: Logger
    /// The build id of the program that was started last.
    private var build: String?
    /// The greatest number that was ever used.
    private var newest: UInt64 = 0
    /// The receipts, oldest first.
    private(set) var receipts: [Receipt] = []
    private(set) var quarantine = QuarantineStateMachine()

    /// Reads the receipts that earlier deaths have left. One that cannot be read counts as missing.
    init(of app: String, in state: StateDirectory, _ logger: Logger) {
        files = state.crashFiles(of: app)
        self.logger = logger
        let kinds = CrashFiles.Kind.allCases
        let numbers = Dictionary(uniqueKeysWithValues: zip(kinds, kinds.map(files.receipts)))
            .mapValues { $0.filter { $0 <= Self.numberMax } }
        // A number is used once, even if its receipt could not be kept or read.
        newest = numbers.values.joined().max() ?? 0
        receipts = numbers[.receipt, default: []].suffix(Self.receiptsMax).compactMap(read)
        restore()
    }

    /// Restores the quarantine from the receipts of the program's present build.
    private func restore() {
        quarantine = QuarantineStateMachine()
        var builds: [String: String?] = [:]
        let (today, now) = (MeasuringClock.wallMilliseconds, MeasuringClock.nanoseconds)
        for receipt in receipts where receipt.outcome == .suspect || receipt.outcome == .setAside {
            let build = builds[receipt.program] ?? BuildID.of(receipt.program)
            builds[receipt.program] = build
            guard build == receipt.build, var input = receipt.input else { continue }
            let age = UInt64(clamping: today.subtractingReportingOverflow(receipt.at).partialValue)
            // A death before the machine's start matches nothing that runs now.
            let at =
                age < now / 1_000_000 ? now - age * 1_000_000 : 0 &- QuarantineStateMachine.window
            guard receipt.outcome == .setAside else {
                _ = quarantine.died(
                    running: input, receipt: receipt.number, at: at,
                    wasKilled: receipt.wasKilled == true)
                continue
            }
            input.arguments = nil
            // Its first receipt may be gone.
            quarantine.release(receipt.number)
            quarantine.restore(
                QuarantineStateMachine.Suspect(
                    input: input, deaths: QuarantineStateMachine.deathsMax,
                    receipt: receipt.number, at: at, wasKilled: receipt.wasKilled))
        }
    }

    /// Keeps the receipt of a process that has ended. Returns its number; `nil` if none was
    /// running.
    func died(
        _ process: WorkerProcess, of worker: WorkerID, _ app: AppManifest, _ death: WorkerDeath
    ) -> UInt64? {
        guard let pid = process.newest, let recording = process.takeRecording() else { return nil }
        let number = newest + 1
        let (next, outcome) = judged(recording, death.cause)
        quarantine = next
        keep(
            of: worker, app, pid, death.text, process.build, recording, outcome,
            wasKilled: death.cause.mayBeKill(recording), minute: process.residents)
        return number
    }

    /// Returns the quarantine after a death, and what becomes of the input that ran.
    private func judged(
        _ recording: FlightRecording, _ cause: WorkerDeath.Cause
    ) -> (QuarantineStateMachine, Receipt.Outcome) {
        var next = quarantine
        // Without a named input, the newest one is not known to have survived.
        next.survived(recording.former.dropLast(recording.running == nil ? 1 : 0))
        let outcome = next.died(
            running: cause.suspect(recording.running), receipt: newest + 1,
            at: MeasuringClock.nanoseconds,
            wasKilled: cause.mayBeKill(recording))
        return (next, outcome)
    }

    /// Returns how much a death that is about to be kept counts for `restart`.
    func weight(
        of recording: FlightRecording?, _ cause: WorkerDeath.Cause
    ) -> RestartPolicy.Weight {
        guard let recording else { return .one }
        return judged(recording, cause).0.newestWeight
    }

    /// Keeps the receipt of the process of a worker's child, whose parent decides what becomes of
    /// the child.
    func childDied(
        _ death: ChildDeath, of worker: WorkerID, _ app: AppManifest, _ process: WorkerProcess,
        _ log: WorkerLog
    ) {
        var cause = death.cause.shortened(to: Limits.refusalBytesMax)
        if let excess = process.takeExcess(of: death.pid) {
            cause += "; with it, its worker was beyond a limit: \(excess.text)"
        }
        let recording = FlightRecording(ofChild: death.page, running: death.input)
        keep(
            of: worker, app, death.pid, cause, process.build, recording, .unnamed,
            child: death.child.shortened(to: Limits.refusalBytesMax))
        let number = newest
        let words: WorkerDeath.LastWords = recording.signal == 0 ? .none : .trap
        log.findLastWords(words, of: worker, pid: death.pid) { [weak self] words in
            cause += ", and said: \(words)"
            self?.explain(number, cause)
        }
        log.childDied(worker, cause)
    }

    private func keep(
        of worker: WorkerID, _ app: AppManifest, _ pid: Int32, _ cause: String, _ build: String?,
        _ recording: FlightRecording, _ outcome: Receipt.Outcome, wasKilled: Bool = false,
        child: String? = nil, minute: [UInt64] = []
    ) {
        newest += 1
        var receipt = Receipt(
            number: newest, app: worker.app, worker: "\(worker)", pid: pid,
            at: MeasuringClock.wallMilliseconds, cause: cause, program: app.worker.path,
            arguments: app.worker.arguments, build: build, recording, outcome)
        receipt.environment = app.worker.environment.isEmpty ? nil : app.worker.environment
        (receipt.limits, receipt.child) = (app.limits, child)
        receipt.wasKilled = wasKilled ? true : nil
        receipt.nanoseconds = MeasuringClock.nanoseconds
        receipt.minute = minute.isEmpty ? nil : minute
        receipt.noteState(after: receipts.last { $0.worker == receipt.worker && $0.child == nil })
        receipts.append(receipt)
        write(receipt)
        logger.notice(
            "receipt kept", metadata: ["receipt": "\(newest)", "outcome": "\(outcome.rawValue)"])
        if receipts.count(where: { $0.child != nil }) > Self.childReceiptsMax {
            drop(receipts.firstIndex { $0.child != nil })
        }
        if receipts.count > Self.receiptsMax { drop(receipts.startIndex) }
    }

    private func drop(_ index: Int?) {
        guard let index else { return }
        let number = receipts.remove(at: index).number
        for kind in [CrashFiles.Kind.receipt, .image] { unlink(files.path(number, kind)) }
    }

    /// The receipts, without the parts that only a replay needs.
    var listing: [Receipt] {
        receipts.map { receipt in
            var receipt = receipt
            for index in receipt.former.indices { receipt.former[index].arguments = nil }
            (receipt.environment, receipt.limits) = (nil, nil)
            receipt.kept = files.existing(receipt.number, .session)
            return receipt
        }
    }

    /// Returns a receipt with its session's image; `nil` if there is none of that number.
    func fullReceipt(_ number: UInt64) -> Receipt? {
        var receipt = receipts.first { $0.number == number }
        // A replay reports what is missing.
        receipt?.image = files.bytes(number, .image, bytesMax: Receipt.bytesMax)
        receipt?.kept = files.existing(number, .session)
        return receipt
    }

    /// The worker's last words have been found.
    func explain(_ number: UInt64, _ cause: String) {
        guard let index = receipts.firstIndex(where: { $0.number == number }) else { return }
        receipts[index].cause = cause
        write(receipts[index])
    }

    /// Lets inputs run again: that of a receipt, or all. Returns the number of inputs.
    func release(_ number: UInt64?) -> Int {
        let released = quarantine.release(number)
        for index in receipts.indices where receipts[index].outcome != .released {
            guard let input = receipts[index].input,
                released.contains(where: { $0.input.isEqual(to: input) })
            else { continue }
            receipts[index].outcome = .released
            write(receipts[index])
        }
        return released.count
    }

    /// Returns the memory for a worker's next process: it holds the inputs that have ended other
    /// processes, and the program's build id. Without memory the worker notes nothing.
    ///
    /// - Parameters:
    ///   - program: the path of the process's program. Another build of it may be mended.
    ///   - fronts: the number of fronts that the last process had.
    func memory(
        for program: String, expecting fronts: Int
    ) -> (memory: SharedMemory?, build: String?) {
        let next = BuildID.of(program)
        if next != build {
            build = next
            restore()
        }
        do throws(TransportError) {
            let memory = try SharedMemory(bytes: FlightMemory.bytes)
            let handover = FlightMemory.Handover(quarantine.suspects, fronts: fronts)
            if let bytes = FlightMemory.bytes(of: handover) {
                _ = memory.write(bytes, at: FlightPage.bytes)
            }
            return (memory, build)
        } catch {
            logger.warning("worker notes nothing", metadata: ["reason": "\(error)"])
            return (nil, build)
        }
    }

    // MARK: - Files

    private func read(_ number: UInt64) -> Receipt? {
        // A damaged one is as if it had never been written.
        guard let bytes = files.bytes(number, .receipt, bytesMax: Receipt.bytesMax),
            let receipt = bytes.withUnsafeBytes({ $0.decoded(Receipt.self) }),
            receipt.number == number
        else { return nil }
        return receipt
    }

    private func write(_ receipt: Receipt) {
        do throws(TransportError) {
            try files.directory.ensure()
        } catch {
            return complain("\(error)")
        }
        var writer = CBORWriter()
        do throws(CBORError) {
            try writer.write(receipt)
        } catch {
            return complain(error.detail)
        }
        guard writer.count <= Receipt.bytesMax else {
            return complain("it is larger than \(Receipt.bytesMax) bytes")
        }
        let path = files.path(receipt.number, .receipt)
        // napkind's loop does not wait for a disk.
        if !WholeFile.write(writer.copyBytes(), to: path, isSynced: false) {
            complain(String(cString: strerror(errno)))
        }
    }

    private func complain(_ reason: String) {
        logger.warning("receipt not kept", metadata: ["reason": "\(reason)"])
    }
}
