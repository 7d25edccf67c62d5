// LoadError: why a load fails, for all callers of the repository.

/// The errors of the domain. Errors of sockets, HTTP and JSON end where they are known.
package nonisolated enum LoadError: Error, Equatable {
    /// Nobody answers at this address.
    case offline(String)
    /// The server has nothing with that name.
    case notFound(String)
    /// The server's data cannot be used, for this reason.
    case badData(String)
    /// The server has not answered within this time.
    case timeout(Duration)
    /// The caller that waited for it no longer wants it. It is shown to nobody.
    case cancelled

    /// Whether it may pass by itself.
    package var mayPass: Bool {
        switch self {
        case .offline, .timeout, .badData: true
        case .notFound, .cancelled: false
        }
    }
}

nonisolated extension LoadError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .offline(let server): "nobody answers at \(server)"
        case .notFound(let name): "there is no \(name)"
        case .badData(let reason): "the server's answer cannot be used: \(reason)"
        case .timeout(let time): "the server has not answered in \(time)"
        case .cancelled: "cancelled"
        }
    }
}

nonisolated extension Result {
    /// The outcome of an asynchronous `body`, where errors are values.
    package init(catching body: () async throws(Failure) -> Success) async {
        do throws(Failure) {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
