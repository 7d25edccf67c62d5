// Schema: the command that prints an app's contract and compares it with a lock file.
//
// Spec       Protocol/SPEC.md, sections 13 (Schema) and 14 (Evolution)

import ArgumentParser
import NapkinCore
import NapkinProtocol
import NapkinTransport

struct Schema: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints an app's contract, or checks that it breaks no older front.",
        discussion: """
            It says what each feature presents and listens to, and describes the types it uses, \
            field by field. The answer comes from the app's worker, which is started if necessary; \
            if its program on disk is newer, a line on standard error names the worker.

              napkin-client schema rib-house
              napkin-client schema rib-house --json

            A lock file records the contract with which fronts in use were built:

              napkin-client schema rib-house --lock schema.lock    write it
              napkin-client schema rib-house --check schema.lock   what has changed since

            The check ends with status 0 if nothing has changed, 65 if the lock file lacks a \
            change that breaks no older front, and 76 if a change breaks older fronts: then it \
            names the field and says what to do instead. --lock refuses such a change as well, \
            unless --accept-breaking confirms it.
            """)

    @Argument(help: "The app's name.", completion: .apps)
    var app: String

    @Flag(help: "Print a JSON object.")
    var json = false

    @Option(
        help: ArgumentHelp("Compare the contract with this lock file.", valueName: "file"),
        completion: .file())
    var check: String?

    @Option(
        help: ArgumentHelp("Write the contract to this lock file.", valueName: "file"),
        completion: .file())
    var lock: String?

    @Flag(help: "With --lock: accept changes that break older fronts.")
    var acceptBreaking = false

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if [json, check != nil, lock != nil].count(where: \.self) > 1 {
            throw ValidationError("--json, --check and --lock cannot be combined")
        }
        if acceptBreaking, lock == nil {
            throw ValidationError("--accept-breaking needs --lock")
        }
    }

    func perform() async throws(ClientFailure) -> Int32 {
        let schema: AppSchema = try await daemon.ask(.schema(app: app))
        let apps: [AppInfo] = try await daemon.ask(.apps)
        if let info = apps.first(where: { $0.app == app }), info.isOutdated == true {
            let process = info.pid.map { " (process \($0))" } ?? ""
            ClientFailure.say(
                "\(app): this is the contract of the worker that runs\(process); its program on "
                    + "disk is newer: `napkin-client upgrade \(app)`")
        }
        if let check {
            return try LockFile(check).check(schema)
        }
        if let lock {
            return try LockFile(lock).update(to: schema, acceptsBreaking: acceptBreaking)
        }
        try StandardOutput.put(
            json
                ? try JSONOutput.line(of: schema)
                : PrintableText(text: SchemaText.text(of: schema)))
        return 0
    }
}
