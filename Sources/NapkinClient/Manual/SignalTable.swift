// SignalTable: the effects of signals on the programs, for the manual.
//
// Spec       signal(7)

/// The effects of signals. SignalTests compares them with the programs.
enum SignalTable {
    static let ofDaemon: [(name: String, meaning: String)] = [
        (
            "SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU",
            "End it gracefully: handlers finish, fronts are told, and workers end first, all "
                + "within some 5 s. Sent to a worker, they end it the same way, and another is "
                + "started in its place."
        ),
        (
            "SIGKILL",
            "Ends it at once. Its workers and their fronts keep running, and the workers register "
                + "with the next daemon. A worker that is killed is restarted, and its fronts come "
                + "back; the state of sessions that are not durable is lost."
        ),
        (
            "SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU",
            "Stop it until SIGCONT. Attached fronts keep running. A stopped worker does not count "
                + "as hanging."
        ),
        (
            "others",
            "Do nothing, except those of a crash, such as SIGSEGV and SIGABRT, which act like "
                + "SIGKILL, but a worker first prints where it was."
        ),
        (
            "a new program",
            "When new programs are installed in their place, napkind and workers keep running "
                + "the old ones. `napkin-client restart napkind` starts the new napkind and "
                + "leaves its workers as they are; `napkin-client upgrade APP` starts an app's "
                + "new worker."
        ),
    ]

    static let ofClient: [(name: String, meaning: String)] = [
        (
            "SIGTERM, SIGINT, SIGHUP",
            "Detach (attach), stop (tree --watch, top, trace) or cancel (open) gracefully; the "
                + "session keeps running. Other commands end at once."
        ),
        (
            "SIGTSTP, SIGCONT, SIGWINCH",
            "In a terminal, attach gives the screen back while it is stopped, redraws it when it "
                + "continues, and fits it to the terminal's size. SIGQUIT detaches as well."
        ),
        ("SIGPIPE", "Is ignored: output that nobody reads is an error, status 74."),
        (
            "others",
            "Have their usual effect. Whatever ends a front, its session keeps running."
        ),
        (
            "no daemon",
            "A front that has lost its daemon and its worker says so and tries to reconnect after "
                + "0, 50 and 200 ms, then about once a second, for as long as it runs: end it "
                + "with SIGTERM. Events it had sent end as unknown after 60 s. Other commands end "
                + "with status 69."
        ),
    ]
}
