// Refusals: the refusals of requests, shared by all that answer them.

import Glibc
package import NapkinProtocol

extension SessionRegistry {
    package func unknown(_ session: String) -> Refusal {
        let hint = Suggestion.hint(for: session, among: names.filter(exists))
        return Refusal(
            .unknownSession,
            "there is no session '\(session)'\(hint); `napkin-client ls` lists them")
    }

    /// - Parameter apps: the ids of the existing apps, in order.
    package func unknown(app: String, among apps: [String], at now: UInt64) -> Refusal {
        let none = "none: `napkin-client new app Counter` makes one, which `make install` installs"
        let known = apps.isEmpty ? none : apps.joined(separator: ", ")
        if let owner = self.app(of: app, at: now) {
            let way = "`napkin-client attach \(owner) --session \(app)`"
            return Refusal(.unknownApp, "'\(app)' is a session of \(owner): \(way)")
        }
        let hint = Suggestion.hint(for: app, among: apps + names.filter(exists))
        return Refusal(
            .unknownApp,
            "this napkind hosts no app '\(app)'\(hint); it hosts \(known)")
    }
}

extension Refusal {
    package static let nameless = Refusal(
        .badRequest, "the query names neither an app nor a session")

    package static func session(_ name: String, belongsTo owner: String) -> Refusal {
        Refusal(
            .sessionOfAnotherApp,
            "session '\(name)' belongs to \(owner); choose another name with --session")
    }

    /// The refusal to rename a session to `name`, which is taken by a session of `owner`.
    package static func renaming(to name: String, of owner: String) -> Refusal {
        Refusal(
            .badRequest,
            "there is already a session '\(name)', of \(owner): choose another name, or end "
                + "that one with `napkin-client kill \(name)`")
    }

    /// The refusal to load a session from a file.
    package static func loading(_ session: String) -> Refusal {
        Refusal(
            .badRequest,
            "there is already a session '\(session)': give the one in the file another name with "
                + "--name, or end the other with `napkin-client kill \(session)`")
    }

    package static func noJournal(of subject: String) -> Refusal {
        Refusal(.badRequest, "\(subject) has no journal: `napkin-client ledger ls` lists them")
    }

    package static let noCluster = Refusal(
        .badRequest,
        "this napkind keeps sessions in files, which no other machine has: machines share those "
            + "of `napkind --ledger postgres:SERVICE`")

    package static var onlyRestarted: Refusal {
        Refusal(
            .badRequest,
            "\(RequestServer.name) itself can only be restarted, and not as a part of an app; "
                + "`kill \(getpid())` gracefully ends it, its workers and the sessions that "
                + "are not stored")
    }
}
