// AppComponent: the services of one session.
//
// Ownership  owns the services; every feature below gets them through its dependency.

import NapkinCore

/// The root of the dependencies.
final class AppComponent: EmptyComponent, LaunchDependency {
    let tempo: Tempo

    init(tempo: Tempo) {
        self.tempo = tempo
        super.init()
    }

    var auth: AuthService { shared { AuthService() } }
    var pit: PitService { shared { PitService(ticker: tempo.pit) } }
    var specials: SpecialsService { shared { SpecialsService(ticker: tempo.specials) } }
}
