// DeskClient: the app's own client: its views, its commands, and those of napkin-client.

import DeskFront
import NapkinClient

@main
enum DeskClient {
    static func main() {
        let opened = OpenedRun.take()
        Client.main(
            app: "desk",
            help: """
                Keeps programs running: builds, servers, agents. Each has a terminal, a history \
                and a place in a list, and none ends because a window or a daemon does.

                  desk                                  the list; Enter opens a run, q leaves
                  desk run -- make -j4                  prints the number of its run
                  desk run --name web -- npm start      a name that other commands take
                  desk run --after 1 -- make install    when run 1 has succeeded
                  desk run --queue q -- ./long          one at a time in a queue
                  desk run --every 'weekdays 07:00' -- ./report
                  desk ls                               what runs, and what has
                  desk log web --follow                 what it prints
                  desk attach web                       its terminal; Ctrl-\\ leaves it
                  desk screen web                       what its terminal shows, as text
                  desk wait 1 && echo good              the status is the run's
                  desk type web 'rs'                    a line for it to read
                  desk kill web                         and pause, resume, again, rm
                  desk ask 'Deploy?' && ./deploy        on every screen; the first counts
                  desk search 'no such file'            in all names, commands and outputs
                  desk share web --read-only            an address for others, to look
                  desk web desk                         all of this in a browser
                """,
            commands: [
                RunCommand.self, Ls.self, Wait.self, LogCommand.self, Search.self, Attach.self,
                Share.self, Screen.self, TypeCommand.self, Kill.self, Pause.self, Resume.self,
                Again.self, Rm.self, Ask.self, Answer.self, Questions.self, Queue.self,
            ]
        ) { DeskViews.register(in: $0, opening: opened) }
    }
}
