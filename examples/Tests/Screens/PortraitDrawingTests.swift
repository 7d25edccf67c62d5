// PortraitDrawingTests: a portrait's rows, and on which thread each method makes them.

import CharactersContract
import ExampleSupport
import NapkinCore
import Observation
import Testing

@testable import CharactersFront

@Suite(.timeLimit(.minutes(10)))
struct PortraitDrawingTests {
    private static let portrait = Portrait(width: 2, height: 3, pixels: [255, 0, 255, 255, 0, 128])
    private static let rows = ["█▄", " ▀"]

    /// Those that have looked at pixels.
    private let threads = Threads()

    private func drawing() -> PortraitDrawing {
        PortraitDrawing { [threads] pixel in
            threads.note()
            return pixel >= 128
        }
    }

    @Test func `nonisolated alone runs where its caller runs`() async {
        let drawing = drawing()
        // What begins at once and never leaves this thread is over at once.
        let here = dispatch { #expect(await drawing.blocks(of: Self.portrait) == Self.rows) }
        #expect(Set(threads.all) == [Threads.current()])
        await here.value
    }

    @concurrent
    private nonisolated func blocksOffMain(
        _ drawing: PortraitDrawing, of portrait: Portrait
    ) async -> [String] {
        await drawing.blocks(of: portrait)
    }

    @Test func `nonisolated alone, called off the main actor, runs there`() async {
        let drawing = drawing()
        let elsewhere = dispatch {
            #expect(await blocksOffMain(drawing, of: Self.portrait) == Self.rows)
        }
        #expect(threads.areElsewhere())
        await elsewhere.value
    }

    @Test func `nonisolated and concurrent runs off the main actor that calls it`() async {
        let drawing = drawing()
        let elsewhere = dispatch { #expect(await drawing.drawn(Self.portrait) == Self.rows) }
        #expect(threads.areElsewhere())
        await elsewhere.value
    }

    @Test func `a method on the main actor waits for one off it, and changes what is shown on it`()
        async
    {
        let drawing = drawing()
        withObservationTracking {
            _ = drawing.rows
        } onChange: {
            MainActor.assertIsolated()
        }
        let shown = dispatch { await drawing.show(Self.portrait) }
        #expect(threads.areElsewhere())
        #expect(drawing.rows == nil)
        await shown.value
        #expect(drawing.rows == Self.rows)
        await drawing.show(nil)
        #expect(drawing.rows == [])
    }

    @Test func `what is drawn for a cancelled task is not shown`() async {
        let drawing = PortraitDrawing()
        await drawing.show(Self.portrait)
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await drawing.show(nil)
        }
        await late.value
        #expect(drawing.rows == Self.rows)
    }

    @Test(arguments: [
        Portrait(width: 0, height: 0, pixels: []), Portrait(width: 2, height: 2, pixels: [1]),
    ])
    func `what is no picture has no rows`(portrait: Portrait) async {
        #expect(await PortraitDrawing().drawn(portrait) == [])
    }
}
