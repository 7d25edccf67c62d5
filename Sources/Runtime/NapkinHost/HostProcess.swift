// HostProcess: starts and ends napkind and workers as processes.

package import ArgumentParser
import Glibc
import Logging
import NapkinCore
package import NapkinTransport

/// The command line of a process that runs on the loop.
package protocol HostCommand: ParsableCommand, Sendable {
    var host: HostOptions { get }
    /// The descriptors that the process was given on purpose.
    var descriptors: Set<Int32> { get }
    var logLabel: String { get }
    /// Whether it runs code of apps, which may need other threads.
    static var usesPool: Bool { get }

    /// Serves, and returns the exit code.
    @MainActor func serve() async throws(StartError) -> Int32
}

package enum HostProcess {
    /// Runs the command given by the words, and exits with a code of sysexits.h.
    ///
    /// - Parameters:
    ///   - name: the prefix of error messages.
    ///   - words: the arguments without the program's name.
    package static func main<Command: HostCommand>(
        _ type: Command.Type, name: String, _ words: [String]
    ) -> Never {
        // The parent process may have blocked signals; SIGTERM must reach us all the same.
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
        DaemonSignals.disarmIdle()
        StandardDescriptors.open()
        let parsed = Result {
            guard let command = try type.parseAsRoot(words) as? Command else {
                throw CleanExit.helpRequest(type)
            }
            return command
        }
        // If the command line is wrong, nothing is kept; the loop reports the mistake.
        StandardDescriptors.closeOthers(except: (try? parsed.get())?.descriptors ?? [])
        // Files created here belong to this user alone, whatever the shell's umask.
        umask(0o077)
        DescriptorLimit.raise()
        // The loop's executors must be in place before anything asynchronous exists.
        Loop.main(usesPool: type.usesPool) {
            InteractorExecutor.useMainActor()
            if let mistake = EmptyWord.mistake(in: words) {
                complain(PrintableText(line: "\(name): \(mistake)"))
                return EX_USAGE
            }
            let command: Command
            do {
                command = try parsed.get()
            } catch {
                end(with: error, type, name)
            }
            bootstrapLogging(command)
            do throws(StartError) {
                return try await command.serve()
            } catch {
                complain(PrintableText(line: "\(name): \(error.message)"))
                return error.exitCode
            }
        }
    }

    /// Prints help to standard output, and errors to standard error.
    @MainActor
    private static func end<Command: HostCommand>(
        with error: any Error, _ type: Command.Type, _ name: String
    ) -> Never {
        let code = type.exitCode(for: error)
        let text = type.fullMessage(for: error)
        guard code == .success else {
            // An error quotes the command line, which may contain line breaks.
            let said = type.message(for: error)
            complain(PrintableText(text: text.replacing(said, with: PrintableText.escaped(said))))
            exit(code.rawValue)
        }
        do throws(TransportError) {
            try StandardStream.output.write(PrintableText(text: text))
            exit(EX_OK)
        } catch {
            // A user who has ended `head` need not be told.
            if error.code != "EPIPE" {
                let reason = "standard output cannot be written: \(error.message)"
                complain(PrintableText(line: "\(name): \(reason)"))
            }
            exit(EX_IOERR)
        }
    }

    @MainActor
    private static func bootstrapLogging(_ command: some HostCommand) {
        LogLevel.current = Logger.Level(rawValue: command.host.logLevelName) ?? .notice
        LoggingSystem.bootstrap { ProcessLog(label: $0, stream: LogStream()) }
        let logger = Logger(label: command.logLabel)
        Anomaly.onReport { anomaly in
            logger.warning("anomaly", metadata: ["anomaly": "\(anomaly)"])
        }
    }

    private static func complain(_ text: PrintableText) {
        // If standard error is closed, there is nobody left to tell.
        try? StandardStream.error.write(text)
    }
}

/// The reason why one of our processes does not start; the text says what to do.
package struct StartError: SystemFailure {
    package var exitCode: Int32
    package var message: String

    package init(_ exitCode: Int32, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }

    /// Uses the transport's words; a permission error has a separate exit code.
    package init(_ error: TransportError) {
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

extension ProcessLock {
    /// Acquires a lock without which a process does not start; `nil` if another one holds it.
    package static func acquiredAtStart(
        _ path: String, saying text: String = ""
    ) throws(StartError) -> ProcessLock? {
        do throws(TransportError) {
            return try acquire(path, saying: text)
        } catch {
            throw StartError(EX_CANTCREAT, "cannot open the lock \(path): \(error.message)")
        }
    }
}
