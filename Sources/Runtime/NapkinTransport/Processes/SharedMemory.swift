// SharedMemory: memory that a process shares with a child and can read after the child's death.
//
// Ownership  owns its descriptor; the memory lives while a process has it open or mapped.
// Invariant  its size cannot change, so that no process that maps it can be killed by another.
// Source     memfd_create(2), fcntl(2), mmap(2)

internal import CLibuv
internal import Glibc

package final class SharedMemory: Sendable {
    package let descriptor: Int32
    private let count: Int

    /// Creates memory that contains zeros.
    ///
    /// Errors: `EMFILE`, `ENFILE` (no descriptor is left), `ENOMEM`.
    package init(bytes count: Int) throws(TransportError) {
        self.count = count
        descriptor = napkin_sealed_memory("napkin", count)
        guard descriptor >= 0 else {
            throw uvError(descriptor, "create", on: "\(count) bytes of shared memory")
        }
    }

    /// Uses the memory that another process has open under this descriptor; `nil` if there is none
    /// of that size, or if its size can change.
    package init?(of process: Int32, descriptor other: Int32, bytes count: Int) {
        let file = open("/proc/\(process)/fd/\(other)", O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else { return nil }
        guard Self.isSealed(file, bytes: count) else {
            close(file)
            return nil
        }
        (self.count, descriptor) = (count, file)
    }

    deinit { close(descriptor) }

    /// Returns a copy of the memory; empty if it cannot be read.
    package func copy() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, read in
            read = max(0, pread(descriptor, buffer.baseAddress, count, 0))
        }
    }

    /// Writes at this offset of the memory. Returns whether all bytes were written.
    package func write(_ bytes: [UInt8], at offset: Int) -> Bool {
        offset + bytes.count <= count
            && pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count
    }

    /// Maps the memory behind a descriptor of this process for the life of the process; `nil` if
    /// there is none of that size, or if its size can change.
    package static func map(descriptor: Int32, bytes count: Int) -> UnsafeMutableRawPointer? {
        guard isSealed(descriptor, bytes: count) else { return nil }
        // Not for the programs that this process starts.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let memory = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard memory != MAP_FAILED else { return nil }
        // Nor for a copy of this process, which would also write to it.
        madvise(memory, count, MADV_DONTFORK)
        return memory
    }

    private static func isSealed(_ descriptor: Int32, bytes count: Int) -> Bool {
        let (getSeals, sizeSeals): (Int32, Int32) = (1034, 2 | 4)
        let seals = fcntl(descriptor, getSeals)
        return seals >= 0 && seals & sizeSeals == sizeSeals
            && lseek(descriptor, 0, SEEK_END) == count
    }
}

/// The return addresses of a thread that a signal has interrupted. A signal's handler may use it.
package struct InterruptedFrames: IteratorProtocol {
    /// The next address; `nil` after the last.
    private var address: UInt64?
    private var frame: UInt64 = 0

    /// - Parameter context: the third argument of the signal's handler.
    package init(_ context: UnsafeRawPointer) {
        var instruction: UInt64 = 0
        napkin_interrupted(context, &instruction, &frame)
        address = instruction
    }

    package mutating func next() -> UInt64? {
        guard let current = address else { return nil }
        var (caller, found): (UInt64, UInt64) = (0, 0)
        // A stack grows downward: a frame that is not above the last one is the end, or nonsense.
        if frame > 0, napkin_frame(frame, &caller, &found) != 0, found != 0 {
            address = found
            frame = caller > frame ? caller : 0
        } else {
            address = nil
        }
        return current
    }
}

/// The thread whose death is noted.
package enum CrashedThread {
    /// Whether this is the first call in this process. A signal's handler may call it.
    package static func isFirst() -> Bool { napkin_first_death() != 0 }

    /// The resident memory of this process in bytes, now and at most; 0 where it is unknown.
    package static var memory: (now: UInt64, peak: UInt64) {
        var memory: (now: UInt64, peak: UInt64) = (0, 0)
        napkin_resident(&memory.now, &memory.peak)
        return memory
    }
}
