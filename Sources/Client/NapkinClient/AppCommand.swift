// AppCommand: an app's own command in its client.

@_exported public import ArgumentParser
import NapkinCore
public import NapkinFront

/// A command of an app's own client, declared as in swift-argument-parser.
///
/// ```swift
/// struct Coupon: AppCommand {
///     static let configuration = CommandConfiguration(abstract: "Applies a coupon.")
///     @Argument var code: String
///     @OptionGroup var daemon: DaemonOptions
///
///     func perform() async throws { … }
/// }
/// ```
///
/// Give it to ``Client/main(app:help:commands:views:previews:)``. `import NapkinClient` brings
/// the parser's names along.
public protocol AppCommand: ParsableCommand, Sendable {
    /// Runs the command on the loop. The program then ends with status 0.
    ///
    /// If it throws, one sentence goes to standard error and the status is one of sysexits.h: the
    /// inherited commands' for a `FrontError` or a `RemoteFault`, the parser's for an `ExitCode` or
    /// a `ValidationError`, otherwise 70.
    @MainActor func perform() async throws
}

extension AppCommand {
    @MainActor
    func run() async -> Int32 {
        do {
            try await perform()
            return 0
        } catch let error as FrontError {
            return Client.reported(ClientFailure(error))
        } catch let error as RemoteFault {
            return Client.reported(ClientFailure(error))
        } catch let error as any CrossingError {
            return Client.reported(ClientFailure(RemoteFault(reporting: error)))
        } catch let failure as ClientFailure {
            return Client.reported(failure)
        } catch let code as ExitCode {
            return code.rawValue
        } catch let error as ValidationError {
            return Client.reported(ClientFailure.usage(error.message))
        } catch {
            return Client.reported(ClientFailure.software("\(error)"))
        }
    }
}

extension DaemonOptions {
    /// Returns a front of one of the daemon's sessions that answers no questions; see
    /// `Front.visit(_:)`. Starts the daemon if none runs and the options allow it.
    ///
    /// - Parameters:
    ///   - app: the app's id.
    ///   - session: the session's name; by default the app's.
    ///   - creates: whether to open the session if it does not exist.
    @MainActor
    public func front(
        of app: String, session: String? = nil, creates: Bool = true
    ) throws -> Front {
        Front(
            at: try address(),
            options: FrontOptions(
                app: app, session: session, client: MainCommand.name, creates: creates,
                answersAsks: false))
    }
}
