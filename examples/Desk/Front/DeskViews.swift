// DeskViews: registers the views of the app in a front.

import DeskContract
import NapkinCore
import NapkinElements
public import NapkinFront

/// Where a person is: what is not of the run leaves the room to its terminal.
@Observable
final class Place {
    /// One page may appear before another has gone.
    var runs = 0
}

/// The views of the app.
public enum DeskViews {
    /// - Parameter run: the run whose page is to be open at first.
    public static func register(in registry: ViewRegistry, opening run: Int? = nil) {
        var opened = run
        let place = Place()
        registry.register(Desk.self, DeskModel.init) { DeskScreen(model: $0, place: place) }
        registry.register(RunList.self) { context in
            let model = RunListModel(listener: context.listener)
            if let run = opened { dispatch { await context.listener.didSelect(run) } }
            opened = nil
            return (model, RunListScreen(model: model))
        }
        registry.register(RunPage.self) { context in
            let model = RunPageModel(listener: context.listener, context: context)
            return (model, RunPageScreen(id: context.arguments.id, model: model, place: place))
        }
    }
}
