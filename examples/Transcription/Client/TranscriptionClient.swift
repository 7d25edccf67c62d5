// TranscriptionClient: the app's own client: its views, and every command of napkin-client.

import NapkinClient
import TranscriptionFront

@main
enum TranscriptionClient {
    static func main() {
        Client.main(app: "transcription") { TranscriptionViews.register(in: $0) }
    }
}
