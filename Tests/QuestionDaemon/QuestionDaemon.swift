// QuestionDaemon: a napkind that hosts one small app, made to be asked and to ask.
//
// Layer      test executable.
// Isolation  none of its own.

import NapkinDaemon

@main
enum QuestionDaemon {
    static func main() {
        Napkind.main(apps: [QuestionApp.self])
    }
}
