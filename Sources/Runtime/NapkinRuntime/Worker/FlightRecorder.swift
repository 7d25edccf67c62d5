// FlightRecorder: notes what this process runs, so that napkind knows it if the process dies.
//
// Ownership  the page is shared with napkind, or belongs to this process alone, and lives as long
//            as the process.
// Spec       Protocol/FLIGHT.md

package import Glibc
package import NapkinCore
package import NapkinLedger
package import NapkinProtocol
import NapkinTransport

/// The page of this process.
package enum FlightRecorder {
    // SAFETY: replaced once, by `open`, before the loop runs; the page is written by the loop
    // thread, and by the handler of the signal that ends the process.
    @exclusivity(unchecked)
    nonisolated(unsafe) package private(set) static var page = FlightPage(
        at: .allocate(byteCount: FlightPage.bytes, alignment: 64))
    // SAFETY: written by `open`, before the loop runs.
    nonisolated(unsafe) private static var loop = pthread_self()

    /// The inputs that have ended earlier processes of this app's workers.
    @MainActor package static var quarantine = QuarantineStateMachine() {
        didSet { hasSuspects = !quarantine.suspects.isEmpty }
    }
    // SAFETY: read and written on the loop thread.
    /// Whether there are any.
    @exclusivity(unchecked) nonisolated(unsafe) static private(set) var hasSuspects = false
    /// The number of fronts that were attached when the former process of this worker died.
    @MainActor package private(set) static var formerFronts = 0

    /// The receipts of the deaths after which sessions were rolled back, by the sessions' names.
    @MainActor package static var takenBack: [String: UInt64] = [:]

    /// Whether the front has a suspect event that may run once more.
    @MainActor
    package static func isSuspect(_ front: UInt64, in session: String) -> Bool {
        hasSuspects
            && quarantine.suspects.contains { suspect in
                suspect.input.front == front && suspect.input.session == session
                    && !suspect.isSetAside
            }
    }

    /// The receipt of the newest death by an input of the session; `nil` if there is none.
    @MainActor
    package static func newestReceipt(of session: String) -> UInt64? {
        hasSuspects ? quarantine.suspects.last { $0.input.session == session }?.receipt : nil
    }

    /// Whether a timer, a job or the handler of its failure has ended a worker and may run again.
    @MainActor package static var isScheduledInputSuspect: Bool {
        quarantine.suspects.contains {
            [.firing, .job, .deadJob].contains($0.input.kind) && !$0.isSetAside
        }
    }

    /// The sessions with a suspect launch, or a suspect task that may run once more.
    @MainActor package static var suspectSessions: [String] {
        quarantine.suspects.filter { suspect in
            suspect.input.kind == .launch || suspect.input.kind == .task && !suspect.isSetAside
        }.map(\.input.session)
    }

    /// Uses the memory that napkind has passed under this descriptor, if it has.
    @MainActor
    package static func open(descriptor: Int32) {
        loop = pthread_self()
        // Code that a signal's handler uses must have run before.
        _ = (page.running, IncomingCall.currentIfKnown, TaskOrigin.boundTask, CrashedThread.memory)
        TaskOrigin.note = { note(ofTask: $0) }
        guard
            let memory = SharedMemory.map(descriptor: descriptor, bytes: FlightMemory.bytes)
        else { return }
        let bytes = UnsafeRawBufferPointer(start: memory, count: FlightMemory.bytes)
        let handover = FlightMemory.handover(in: bytes)
        (quarantine, formerFronts) = (QuarantineStateMachine(handover.suspects), handover.fronts)
        page = FlightPage(
            at: memory, keeping: FlightArguments(at: memory + FlightMemory.arguments))
        page.loaded(LoadedFiles.modules)
    }

    /// The process is dying. Called by the signal's handler.
    package static func dies(
        by number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeRawPointer?
    ) {
        let address = UInt64(UInt(bitPattern: info?.pointee._sifields._sigfault.si_addr))
        let call = IncomingCall.currentIfKnown
        let task = call == nil ? TaskOrigin.boundTask : nil
        // The first part of a bound task counts as its starter's, unless the starter is a launch: a
        // launch can succeed without the task.
        if page.running != 0, pthread_equal(pthread_self(), loop) != 0,
            task == nil || !page.isLaunching
        {
            return note(number, nil, address, context)
        }
        // A handler that continues after a wait, or runs off the loop, has a separate record, and
        // so has a task: the loop's record belongs to another input.
        (call?.flight ?? task ?? []).withUnsafeBytes { record in
            note(number, record, address, context)
        }
    }

    private static func note(
        _ number: Int32, _ record: UnsafeRawBufferPointer?, _ address: UInt64,
        _ context: UnsafeRawPointer?
    ) {
        if let context {
            page.dies(by: number, in: record, at: address, InterruptedFrames(context))
        } else {
            page.dies(by: number, in: record, at: address, EmptyCollection().makeIterator())
        }
        // Last: another thread that dies meanwhile ends the process.
        let memory = CrashedThread.memory
        page.used(memory.now, peak: memory.peak)
    }

    /// Notes an input that is about to run in the call's task, until the task first waits.
    @MainActor
    static func begin(_ input: FlightInput, _ call: IncomingCall) {
        var (input, name) = (input, input.session)
        input.nanoseconds = MeasuringClock.coarseNanoseconds
        name.withUTF8 { page.begin(input, name: UnsafeRawBufferPointer($0)) }
        call.flight = page.newest
        let number = page.running
        Loop.shared.whenJobEnds {
            if page.running == number { page.running = 0 }
        }
    }

    /// Notes a bound task that begins, for the session of the code that has started it.
    @MainActor
    private static func note(ofTask text: String) -> TaskOrigin.NotedTask {
        let starter =
            page.running != 0
            ? page.newest
            : IncomingCall.current?.flight ?? TaskOrigin.boundTask ?? IncomingCall.origin?.flight
        guard let starter else { return .runs(nil) }
        let (note, input) = FlightPage.note(
            ofTask: text, startedBy: starter, nanoseconds: MeasuringClock.coarseNanoseconds)
        guard let suspect = suspect(input), suspect.isSetAside else { return .runs(note) }
        return .isSetAside(receipt: suspect.receipt)
    }

    /// Notes that the running input has changed a durable state.
    @MainActor
    static func changed() {
        page.changed()
        // The copy counts after a wait.
        guard let call = IncomingCall.currentIfKnown, var record = call.flight else { return }
        FlightPage.changed(in: &record)
        call.flight = record
    }

    /// Returns the receipt for which a session's events rest, and the seconds for which they still
    /// do; `nil` for most sessions.
    @MainActor
    static func rest(of session: String) -> (receipt: UInt64, seconds: UInt64)? {
        quarantine.rest(of: session, at: MeasuringClock.coarseNanoseconds).map {
            ($0.newest.receipt, $0.nanoseconds / 1_000_000_000 + 1)
        }
    }

    /// Returns what is known of an input that is about to run; `nil` for most.
    @MainActor
    static func suspect(_ input: FlightInput) -> QuarantineStateMachine.Suspect? {
        hasSuspects ? quarantine.suspect(input, at: MeasuringClock.coarseNanoseconds) : nil
    }
}

/// The files with code that this process has loaded.
private enum LoadedFiles {
    /// Bytes of the kernel's list that are read. Chosen: a line has some hundred.
    private static let bytesMax = 256 * 1024

    /// Returns each file from its first mapping to its last. Source: proc_pid_maps(5)
    static var modules: [FlightModule] {
        var modules: [FlightModule] = []
        var path: ArraySlice<UInt8> = []
        let maps = ProcessStatus.file("maps", of: getpid(), bytesMax: bytesMax) ?? ""
        for line in Array(maps.utf8).split(separator: UInt8(ascii: "\n")) {
            // A line without a path has no slash.
            guard let start = line.firstIndex(of: UInt8(ascii: "/")) else { continue }
            var number = line.startIndex
            let (first, end) = (hex(line, &number), hex(line, &number))
            guard first < end else { continue }
            if line[start...] == path, let last = modules.last?.addresses {
                modules[modules.count - 1].addresses =
                    last.lowerBound..<max(last.upperBound, end)
            } else {
                path = line[start...]
                modules.append(
                    FlightModule(first..<end, path: String(decoding: path, as: UTF8.self)))
            }
        }
        return modules
    }

    /// Reads a hexadecimal number and the byte after it.
    private static func hex(_ line: ArraySlice<UInt8>, _ place: inout Int) -> UInt64 {
        var number: UInt64 = 0
        while place < line.endIndex {
            let byte = line[place]
            place += 1
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                number = number << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return number
            }
        }
        return number
    }
}

/// A session's name, ready to be noted.
final class FlightName: Sendable {
    // SAFETY: written before anybody else has it, and freed with its only owner.
    nonisolated(unsafe) let bytes: UnsafeRawPointer

    init(_ name: String) {
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: FlightPage.nameBytes, alignment: 8)
        var name = name
        name.withUTF8 { FlightPage.write(name: UnsafeRawBufferPointer($0), to: memory) }
        guard let start = memory.baseAddress else { preconditionFailure("memory of no bytes") }
        bytes = UnsafeRawPointer(start)
    }

    deinit { bytes.deallocate() }
}

/// The launch of a session's tree.
@MainActor
package final class LaunchCall: IncomingCall {
    let input: FlightInput

    /// - Parameters:
    ///   - image: the image that the session is restored from; `nil` for a new session.
    ///   - epoch: the epoch of a new session's tree.
    package init(of session: String, epoch: UInt32, restoring image: SessionImage? = nil) {
        let states = image?.nodes.map { node in
            (node.state ?? []).withUnsafeBytes { FlightHash.value(of: $0) }
        }
        // Equal states are the same launch forever. Other states of the same epoch are for a while,
        // since a launch may change them; a session that was rolled back has another epoch. A new
        // session has nothing that could end each launch, so it also counts for a while.
        input = FlightInput(
            .launch, session: session,
            sequence: (states ?? []).withUnsafeBytes { FlightHash.value(of: $0) },
            hash: UInt64(image?.title.epoch ?? 0), epoch: image == nil ? epoch : nil)
        super.init()
    }

    /// The receipt of the second death that this launch has caused; `nil` if it may be tried.
    package var setAside: UInt64? {
        FlightRecorder.suspect(input).flatMap { $0.isSetAside ? $0.receipt : nil }
    }

    /// Runs the launch, noted.
    package func run(_ body: @MainActor () async -> Void) async {
        FlightRecorder.begin(input, self)
        let number = FlightRecorder.page.running
        await asCurrent(body)
        // The rest of the job is not part of the launch.
        if FlightRecorder.page.running == number { FlightRecorder.page.running = 0 }
    }
}
