// WaitLimit: ends a test that waits in vain, and prints what arrived instead.
//
// Isolation  any thread.

/// The limit of a test's wait. It ends the process: a wait for a value has none to return.
package enum WaitLimit {
    /// How long a test waits for one thing. Chosen: far longer than a step on a slow machine.
    @TaskLocal package static var duration: Duration = .seconds(60)

    /// Begins a wait; cancel the returned task to end it.
    ///
    /// - Parameters:
    ///   - file: the test's file, and its line, for the message.
    ///   - came: describes what arrived instead.
    static func begin(
        _ file: StaticString, _ line: UInt, _ came: @escaping @Sendable () async -> String
    ) -> Task<Void, Never> {
        let limit = duration
        return Task.detached {
            // Fails if the wait is over.
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            let came = await came()
            fatalError(
                "what the test waits for has not come in \(limit); \(came)", file: file, line: line)
        }
    }
}
