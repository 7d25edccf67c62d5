// Entry: what libFuzzer calls with each input.
//
// Layer      test support; built by scripts/fuzz.sh only, with -sanitize=fuzzer,address.
// Isolation  main thread: libFuzzer has no other.
// Source     llvm.org/docs/LibFuzzer.html

import FuzzTargets
import Glibc

/// Chosen by the environment: the arguments are libFuzzer's.
private let chosen: FuzzTarget = {
    guard let name = getenv("NAPKIN_FUZZ").map({ String(cString: $0) }),
        let target = FuzzTarget(rawValue: name)
    else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        fatalError("NAPKIN_FUZZ must be one of \(names)")
    }
    return target
}()

/// Bytes that have been asked for. Other threads' count, too: there are none that work.
// SAFETY: a number of statistics; the hook may run before anything else has been made.
nonisolated(unsafe) private var allocatedBytes: UInt64 = 0

/// Source: compiler-rt, sanitizer/allocator_interface.h
@_silgen_name("__sanitizer_install_malloc_and_free_hooks")
private func installHooks(
    _ allocated: @convention(c) (UnsafeRawPointer?, Int) -> Void,
    _ freed: @convention(c) (UnsafeRawPointer?) -> Void
) -> Int32

private let countsAllocations: Bool =
    installHooks(
        { _, count in allocatedBytes &+= UInt64(count) }, { _ in }) > 0

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    // SAFETY: libFuzzer calls this on the process's first thread only, which is the main actor's.
    MainActor.assumeIsolated {
        if chosen == .sizes, SizeFuzz.allocatedBytes == nil {
            precondition(countsAllocations, "AddressSanitizer does not say what is allocated")
            SizeFuzz.allocatedBytes = { allocatedBytes }
        }
        chosen.run(bytes)
    }
    return 0
}
