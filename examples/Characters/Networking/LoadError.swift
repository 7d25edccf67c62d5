// LoadError: why something cannot be had, as all callers of the repository see it.
//
// Layer      networking.
// Isolation  value.

/// The errors of the domain. Those of sockets, of HTTP and of JSON end where they are known.
package enum LoadError: Error, Equatable, CustomStringConvertible {
    /// Nobody answers at this address.
    case offline(String)
    /// The server knows nothing of that name.
    case notFound(String)
    /// What the server has sent cannot be used, and why.
    case badData(String)
    /// The server has not answered in this time.
    case timeout(Duration)
    /// Whoever waited for it does not want it any more. Nobody is shown this.
    case cancelled

    package var description: String {
        switch self {
        case .offline(let server): "nobody answers at \(server)"
        case .notFound(let name): "there is no \(name)"
        case .badData(let reason): "the server's answer cannot be used: \(reason)"
        case .timeout(let time): "the server has not answered in \(time)"
        case .cancelled: "cancelled"
        }
    }

    /// Whether it may be better in a while, without anybody doing anything here.
    package var mayPass: Bool {
        switch self {
        case .offline, .timeout, .badData: true
        case .notFound, .cancelled: false
        }
    }
}
