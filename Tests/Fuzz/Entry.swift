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

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    // SAFETY: libFuzzer calls this on the process's first thread only, which is the main actor's.
    MainActor.assumeIsolated { chosen.run(bytes) }
    return 0
}
