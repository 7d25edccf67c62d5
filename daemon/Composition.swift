// Composition: napkind's program, which hosts the apps that are installed.

import NapkinDaemon

@main
enum Composition {
    static func main() { Napkind.main() }
}
