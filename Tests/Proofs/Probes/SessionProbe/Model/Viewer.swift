// Viewer: a front of a session in this process, and how its calls end.

import NapkinCore
import NapkinFront
import NapkinTesting
import ProofSupport

/// One attachment, from its begin to its end.
@MainActor
final class Viewer {
    let screen: TallyScreen
    let front: TestFront

    /// Attaches; returns when the front shows the session.
    init(_ session: TestSession, in place: Int, isReadOnly: Bool) async throws {
        screen = TallyScreen(keepsFlashes: true) { question in
            guard place == SessionModel.answering else {
                throw RemoteFault(.refused, "this front does not answer")
            }
            return TallyInteractor.answer(to: question)
        }
        front = try await session.attach(screen.registry, isReadOnly: isReadOnly)
        front.front.delays = Backoff(milliseconds: [0])
    }

    /// Calls, and says how that ended, in the words of the model; anything else is a violation.
    func call(_ note: Note) async -> SessionModel.Outcome? {
        do {
            guard let listener = screen.listener else { throw Failure("no view to call with") }
            let place = try await listener.apply(note)
            if screen.applied < place { screen.violate("reply \(place) came before its state") }
            return .value(place)
        } catch let fault as RemoteFault {
            switch fault.code {
            case .failed: return .failed
            case .notExecuted: return .notExecuted
            case .refused: return .refused
            case .gone: return .gone
            case .unknown: return nil
            default: screen.violate("\(note) ended with \(fault)")
            }
        } catch {
            screen.violate("\(note) ended with \(error)")
        }
        return nil
    }

    /// Returns when the front has been told everything that was presented before.
    func sync() async throws {
        do {
            _ = try await screen.listener?.report()
        } catch let fault as RemoteFault where fault.code == .refused {
            // A read-only front's answer comes in the same order.
        }
    }

    /// What is shown, as the model has it.
    var shown: SessionModel.Screen {
        .init(
            applied: screen.applied, newest: screen.newest, board: screen.board ?? -1,
            leaf: screen.leaf)
    }
}

extension TestSession {
    /// The interactor of the tree that stands.
    var interactor: TallyInteractor {
        get throws {
            guard let router = root as? TallyRouter else { throw Failure("no tally at the root") }
            return router.interactor
        }
    }
}
