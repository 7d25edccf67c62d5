// CharactersClient: the app's own client: its views, and every command of napkin-client.

import CharactersFront
import NapkinClient

@main
enum CharactersClient {
    static func main() {
        Client.main(app: "characters") { CharactersViews.register(in: $0) }
    }
}
