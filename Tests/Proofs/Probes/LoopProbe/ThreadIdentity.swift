// ThreadIdentity: which thread of the kernel runs this line.
//
// Isolation  any thread.
//
// Not pthread_self(): glibc declares it `const`, so that the compiler moves it across awaits and
// drops the executor hop before it, which is exactly what is to be observed.

import Glibc

/// `pid/task/tid`, asked of the kernel.
func currentThread() -> String {
    var text = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &text, text.count)
    return String(decoding: text.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
