// Composition: napkind's program, which hosts the installed apps.

import NapkinDaemon

@main
enum Composition {
    static func main() { Napkind.main() }
}
