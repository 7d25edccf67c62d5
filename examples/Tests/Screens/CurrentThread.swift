// CurrentThread: which thread of the kernel runs this line.

import Glibc

/// `pid/task/tid`, asked of the kernel: `pthread_self` is declared constant, so that the compiler
/// may move it across a hop.
nonisolated func currentThread() -> String {
    var text = [CChar](repeating: 0, count: 64)
    let count = readlink("/proc/thread-self", &text, text.count)
    return String(decoding: text.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
