// Composition: napkind's program, which hosts the apps that are installed.
//
// Layer      composition root.
// Isolation  none of its own.

import NapkinDaemon

@main
enum Composition {
    static func main() { Napkind.main() }
}
