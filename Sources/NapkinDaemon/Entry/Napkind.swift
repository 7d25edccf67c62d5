// Napkind: the entry point for a composition root's `main`.
//
// Layer      daemon.
// Isolation  @MainActor: the loop thread of the process.

import ArgumentParser
import Glibc
import Logging
public import NapkinCore
import NapkinTransport

/// The daemon, as a library: an app author's executable names the apps and calls `main`.
///
/// ```swift
/// @main enum Composition {
///     static func main() { Napkind.main(apps: [RibHouse.self]) }
/// }
/// ```
public enum Napkind {
    /// Parses the command line and runs the daemon, or the worker that the daemon asked for.
    /// Exits with a code of sysexits.h.
    ///
    /// - Parameters:
    ///   - apps: the apps that this daemon hosts.
    ///   - name: the executable's name; it also names the default socket and state directory, so
    ///     that daemons with different names run side by side. A client finds it by
    ///     `Client.main(daemon:)`.
    ///   - arguments: arguments without the program's name, instead of the process's own.
    public static func main(
        apps: [any App.Type], name: String = "napkind", arguments: [String]? = nil
    ) -> Never {
        // The parent process may have blocked signals; SIGTERM must reach us all the same.
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
        DaemonSignals.disarmIdle()
        StandardDescriptors.open()
        let words = arguments ?? Array(CommandLine.arguments.dropFirst())
        let parsed = Result { try NapkindCommand.parse(words) }
        // If the command line is wrong, nothing is kept; the loop reports the mistake.
        StandardDescriptors.closeOthers(except: descriptors(meantFor: try? parsed.get()))
        // Files created here belong to this user alone, whatever the shell's umask.
        umask(0o077)
        DescriptorLimit.raise()
        // The loop's executors must be in place before anything asynchronous exists.
        Loop.main {
            InteractorExecutor.useMainActor()
            DaemonName.current = name
            if let mistake = EmptyWord.mistake(in: words) {
                complain(PrintableText(line: "\(name): \(mistake)"))
                return EX_USAGE
            }
            let command: NapkindCommand
            do {
                command = try parsed.get()
            } catch {
                end(with: error)
            }
            bootstrapLogging(command)
            return if let app = command.worker {
                await runWorker(app, command, apps)
            } else {
                await runDaemon(command, apps, name)
            }
        }
    }

    /// The descriptors that the process was given on purpose.
    private static func descriptors(meantFor command: NapkindCommand?) -> Set<Int32> {
        guard command?.worker == nil else {
            return [WorkerHost.listeningDescriptor, WorkerHost.controlDescriptor]
        }
        return Set([command?.readyFd, ActivatedSocket.descriptor].compactMap(\.self))
    }

    /// Help goes to standard output, errors to standard error, with the executable's name.
    @MainActor
    private static func end(with error: any Error) -> Never {
        let code = NapkindCommand.exitCode(for: error)
        let text = DaemonName.teaching(NapkindCommand.fullMessage(for: error))
        guard code == .success else {
            // An error quotes words of the command line, whose line breaks are not ours.
            let said = DaemonName.teaching(NapkindCommand.message(for: error))
            complain(PrintableText(text: text.replacing(said, with: PrintableText.escaped(said))))
            exit(code.rawValue)
        }
        do throws(TransportError) {
            try StandardStream.output.write(PrintableText(text: text))
            exit(EX_OK)
        } catch {
            // A user who has ended `head` knows it.
            if error.code != "EPIPE" {
                let reason = "standard output cannot be written: \(error.message)"
                complain(PrintableText(line: "\(DaemonName.current): \(reason)"))
            }
            exit(EX_IOERR)
        }
    }

    @MainActor
    private static func bootstrapLogging(_ command: NapkindCommand) {
        let level = Logger.Level(rawValue: command.logLevel) ?? .notice
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler(label: label, stream: LogStream())
            handler.logLevel = level
            return handler
        }
        let logger = Logger(label: command.worker.map { "worker.\($0)" } ?? DaemonName.current)
        Anomaly.onReport { anomaly in
            logger.warning("anomaly", metadata: ["anomaly": "\(anomaly)"])
        }
    }

    @MainActor
    private static func runDaemon(
        _ command: NapkindCommand, _ apps: [any App.Type], _ name: String
    ) async -> Int32 {
        do throws(StartError) {
            let daemon = try Daemon(command, apps, name: name)
            return await daemon.run()
        } catch {
            complain(PrintableText(line: DaemonName.naming("napkind: \(error.message)")))
            return error.exitCode
        }
    }

    @MainActor
    private static func runWorker(
        _ id: String, _ command: NapkindCommand, _ apps: [any App.Type]
    ) async -> Int32 {
        guard let app = apps.first(where: { $0.id == id }) else {
            complain(PrintableText(line: "\(DaemonName.current): this executable has no app \(id)"))
            return EX_SOFTWARE
        }
        do throws(StartError) {
            let worker = try WorkerHost(
                app: app,
                place: WorkerPlace(
                    socket: command.workerSocket ?? "", daemonSocket: command.socket ?? "",
                    stateDirectory: command.stateDir ?? ""),
                settings: command.settings,
                listening: WorkerHost.listeningDescriptor,
                control: WorkerHost.controlDescriptor)
            return await worker.run()
        } catch {
            let sentence = "napkind: the worker of \(id) cannot start: \(error.message)"
            complain(PrintableText(line: DaemonName.naming(sentence)))
            return error.exitCode
        }
    }

    private static func complain(_ text: PrintableText) {
        // If standard error is closed, there is nobody left to tell.
        try? StandardStream.error.write(text)
    }
}

/// Writes the log, whose metadata contains texts of others, to standard error.
private struct LogStream: TextOutputStream, Sendable {
    func write(_ line: String) {
        // See above. The handler ends its line; any other line break comes from elsewhere.
        try? StandardStream.error.write(PrintableText(line: String(line.dropLast())))
    }
}

/// The reason why one of our processes does not start; the text says what to do.
struct StartError: Error {
    var exitCode: Int32
    var message: String

    init(_ exitCode: Int32, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }

    /// Uses the transport's words; permissions have a separate exit code.
    init(_ error: TransportError) {
        let message = "\(error.subject): \(error.message)"
        switch error.code {
        case "EACCES", "EPERM": self.init(EX_NOPERM, message)
        case "ENOENT" where error.operation == "find directory": self.init(EX_CANTCREAT, message)
        case "ENAMETOOLONG": self.init(EX_USAGE, message)
        case "EADDRINUSE": self.init(EX_UNAVAILABLE, error.message)
        default: self.init(EX_OSERR, message)
        }
    }
}
