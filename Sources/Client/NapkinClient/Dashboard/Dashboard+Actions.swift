// Dashboard+Actions: a person's actions on a daemon.

import NapkinFront
import NapkinProtocol

extension Dashboard {
    /// Performs an action on the daemon, then reloads the list to show its result.
    private func perform(_ action: @escaping () async throws(ClientFailure) -> String?) {
        guard !isReadOnly else { return say("this page only looks") }
        Task {
            do throws(ClientFailure) {
                if let sentence = try await action() { say(sentence) }
                try await load()
            } catch {
                say(error.message)
            }
        }
    }

    /// Attaches to a line's session. In read-only mode, it never creates one.
    func choose(_ entry: SessionList.Entry) {
        guard !isReadOnly || entry.info != nil else {
            return say("there is no session \(entry.sessionName) to look at yet")
        }
        attach(entry)
    }

    func kill(_ session: String) {
        perform { () throws(ClientFailure) in
            let wasThere: Bool = try await self.query(.kill(session: session))
            return wasThere ? nil : "there is no session \(session) any more"
        }
    }

    /// - Parameter front: its number; `nil` detaches all fronts of the session.
    func detach(_ session: String, front: UInt64? = nil) {
        perform { () throws(ClientFailure) in
            let count: Int = try await self.query(.detach(session: session, front: front))
            return count == 0 ? "there was no front to detach" : nil
        }
    }

    func rename(_ session: String, to name: String, refused: @escaping () -> Void = {}) {
        // The list may show the new name before the reply arrives.
        follow(session, to: name)
        perform { () throws(ClientFailure) in
            do throws(ClientFailure) {
                let _: Renaming = try await self.query(.rename(session: session, to: name))
            } catch {
                self.renaming = nil
                refused()
                throw error
            }
            return nil
        }
    }

    func restart(_ app: String, force: Bool) {
        perform { () throws(ClientFailure) in
            let outcome: ControlOutcome = try await self.query(
                .control(app: app, action: .restart, force: force ? true : nil))
            guard outcome.result != .unforced else {
                return "nothing was done: \(outcome.sessions) sessions would have ended"
            }
            return ControlReport.sentence(app, .restart, outcome)
        }
    }

    /// Whether another program than this one shows an app's views.
    func hasOwnFront(_ app: String) -> Bool {
        daemon.host == nil && app != ClientSetup.current.app
            && apps.contains { $0.app == app && $0.front?.isEmpty == false }
    }

    /// The sessions that would end with an app's workers, since nothing of them is stored.
    func endingSessions(of app: String) -> Int {
        list.entries.count { entry in
            entry.app == app
                && entry.info.map { $0.durability == nil && $0.isStored != true } ?? false
        }
    }
}
