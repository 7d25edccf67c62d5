// FrameFunction: a function on the stack of a worker that died, in words.
//
// Source     swift/stdlib/public/runtime/Backtrace.cpp; swift/docs/ABI/Mangling.rst

import Glibc

/// Returns a Swift function's simplified name, as the Swift runtime prints it in a backtrace; `nil`
/// if the name is not Swift's. The caller frees it.
@_silgen_name("_swift_backtrace_demangle")
private func simplifiedName(
    of mangled: UnsafePointer<CChar>, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: UnsafeMutablePointer<Int>?
) -> UnsafeMutablePointer<CChar>?

@_silgen_name("_swift_backtrace_isThunkFunction")
private func isThunkFunction(_ mangled: UnsafePointer<CChar>) -> Bool

struct FrameFunction: Equatable {
    /// The prefixes of the modules that an app uses but whose code is not the app's.
    private static let others = ["Napkin", "Foundation", "Observation", "Synchronization"]

    /// Its name: `PoisonInteractor.didTapAdd()`.
    let name: String
    /// The file, line and column; `nil` for code that the compiler or a macro has written.
    let place: String?
    /// Whether the compiler wrote it in order to call a function that also has a frame.
    let isThunk: Bool
    /// Whether it belongs to the app, and not to napkin, Swift or the system.
    let isOwn: Bool

    /// Reads a line of llvm-symbolizer, `FUNCTION at FILE:LINE:COLUMN`; `nil` if it has no name.
    init?(_ line: Substring) {
        guard !line.hasPrefix("??") else { return nil }
        let end = line.ranges(of: " at ").last ?? line.endIndex..<line.endIndex
        let (function, place) = (String(line[..<end.lowerBound]), line[end.upperBound...])
        let isGenerated = place.hasPrefix("@__swiftmacro") || place.contains("/@__swiftmacro")
        let isKnown = !place.isEmpty && !place.hasSuffix(":0:0") && !isGenerated
        self.place = isKnown ? String(place) : nil
        guard function.hasPrefix("$s"),
            let text = simplifiedName(of: function, function.utf8.count, nil, nil)
        else {
            (name, isThunk, isOwn) = (function, false, false)
            return
        }
        defer { free(text) }
        name = String(cString: text)
        isThunk = isThunkFunction(function)
        isOwn = !isThunk && !isGenerated && Self.isOwn(function, hasPlace: isKnown)
    }

    /// The line for a person.
    var text: String { name + (place.map { " at \($0)" } ?? "") }

    /// - Parameter hasPlace: tells an app's extension of Swift's types from Swift's own functions.
    private static func isOwn(_ mangled: String, hasPlace: Bool) -> Bool {
        // The first identifier is the module's, after its length, unless that is Swift.
        let name = mangled.dropFirst(2)
        let digits = name.prefix { $0.isNumber }
        guard !digits.isEmpty else { return hasPlace && !mangled.contains("Napkin") }
        return !others.contains { name.dropFirst(digits.count).hasPrefix($0) }
    }
}
