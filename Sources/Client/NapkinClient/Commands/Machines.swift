// Machines: the commands about the machines that share a database.
//
// Spec       Protocol/TOOLS.md, section 7 (Machines)

import ArgumentParser
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Machines: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the machines that share durable sessions.",
        discussion: """
            For each machine of the cluster: how ssh reaches it, how many workers with durable \
            sessions it has, and its state: here (the one that answers), running, draining (its \
            sessions go to others), or silent for some time: then its sessions go on at the \
            others when somebody asks for them, or when something is due in them. napkind joins \
            a cluster with --ledger postgres:SERVICE.

              napkin-client machines
              napkin-client machines --json | jq -r '.machines[].address.host'
              napkin-client ls --everywhere
            """)

    @OptionGroup var options: ReportOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let cluster: Cluster = try await options.daemon.ask(.cluster(sessions: false))
        var table = TextTable("MACHINE", "ADDRESS", "WORKERS", "STATE")
        for machine in cluster.machines {
            table.add(
                machine.name, machine.address.host, "\(machine.places)", Self.state(of: machine))
        }
        try StandardOutput.put(
            cluster, asJSON: options.json,
            or: ["cluster \(cluster.name)"] + table.lines(in: TextTable.room))
        return 0
    }

    static func state(of machine: MachineInfo) -> String {
        if machine.seconds > MachineInfo.silenceSecondsMax {
            return "silent for \(Quantity.age(machine.seconds))"
        }
        let state = machine.isDraining ? "draining" : "running"
        return machine.isHere ? "here, \(state)" : state
    }
}

struct Drain: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Moves this machine's durable sessions to the others of its cluster.",
        discussion: """
            Each worker with durable sessions ends in good order, and its fronts go to another \
            machine, where the sessions go on. Sessions that are not durable stay. Until napkind \
            is restarted, it takes no durable session, but still finds them for fronts. Without \
            another machine, nothing happens, and the status is 69.

              napkin-client drain
              napkin-client --host ssh://desk drain
              napkin-client restart napkind          ends it
            """)

    @OptionGroup var options: ReportOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let outcome: ControlOutcome = try await options.daemon.ask(
            .control(app: DaemonProgram.name, action: .drain, force: nil))
        let count = outcome.sessions
        try StandardOutput.put(
            outcome, asJSON: options.json,
            or: ["drained: \(count.counted("open session")) had to move"])
        return 0
    }
}

extension Sessions {
    /// Lists the sessions that all machines have stored.
    @MainActor
    func listEverywhere() async throws(ClientFailure) -> Int32 {
        let cluster: Cluster = try await daemon.ask(.cluster(sessions: true))
        let sessions = cluster.sessions ?? []
        var table = TextTable("SESSION", "APP", "WORKER", "MACHINE")
        for session in sessions {
            table.add(session.session, session.app, session.journal, session.machine ?? "-")
        }
        try StandardOutput.put(
            sessions, asJSON: json,
            or: sessions.isEmpty
                ? [SessionListing.none].wrapped(in: TextTable.room)
                : table.lines(in: TextTable.room))
        return 0
    }
}
