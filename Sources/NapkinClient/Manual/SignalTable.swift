// SignalTable: the effects of signals on the programs, for the manual.
//
// Layer      executable, manual.
// Isolation  value.
// Spec       signal(7)

/// The effects of signals. SignalTests compares them with the programs.
enum SignalTable {
    static let ofDaemon: [(name: String, meaning: String)] = [
        (
            "SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU",
            "End it in good order: handlers finish, fronts are told, workers end first. At the "
                + "latest after some 5 s. Sent to a worker, they end that one so, and another "
                + "is started in its place."
        ),
        (
            "SIGKILL",
            "Ends it at once. Its workers and their fronts keep running and register with the "
                + "next daemon. A worker that is killed is restarted, and its fronts come back; "
                + "the state of sessions that are not durable is lost."
        ),
        (
            "SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU",
            "Stop it until SIGCONT. Attached fronts keep running. A stopped worker does not count "
                + "as hanging."
        ),
        (
            "others",
            "Do nothing, but for those of a crash, such as SIGSEGV and SIGABRT, which act as "
                + "SIGKILL; a worker prints where it was, first."
        ),
        (
            "a new program",
            "napkind and workers keep running as the programs that they were started from when "
                + "others have been installed in their place. `napkin-client restart napkind` "
                + "starts the new napkind and leaves its workers as they are; `napkin-client "
                + "upgrade APP` starts an app's new worker."
        ),
    ]

    static let ofClient: [(name: String, meaning: String)] = [
        (
            "SIGTERM, SIGINT, SIGHUP",
            "Detach (attach), stop (tree --watch, top, trace) or cancel (open), in good order; the "
                + "session goes on. Other commands end at once."
        ),
        (
            "SIGTSTP, SIGCONT, SIGWINCH",
            "In a terminal, attach gives back the screen while it is stopped, redraws it when it "
                + "continues, and fits it to the terminal's size. SIGQUIT detaches as well."
        ),
        ("SIGPIPE", "Is ignored: an output that nobody reads is an error, status 74."),
        (
            "others",
            "Have their usual effect. Whatever ends a front, its session keeps running."
        ),
        (
            "no daemon",
            "A front that has lost its daemon and its worker says so, and tries to come back after "
                + "0, 50 and 200 ms, then about each second, for as long as it runs: end it "
                + "with SIGTERM. What it sent ends as unknown after 60 s. Other commands end "
                + "with status 69."
        ),
    ]
}
