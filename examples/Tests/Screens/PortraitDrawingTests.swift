// PortraitDrawingTests: a portrait's rows, and on which thread each method makes them.

import CharactersContract
import Observation
import Synchronization
import Testing

@testable import CharactersFront

@Suite(.timeLimit(.minutes(1)))
struct PortraitDrawingTests {
    private static let portrait = Portrait(width: 2, height: 3, pixels: [255, 0, 255, 255, 0, 128])
    private static let rows = ["█▄", " ▀"]

    /// The threads on which pixels were looked at.
    private nonisolated final class Threads: Sendable {
        private let seen = Mutex<Set<String>>([])

        func note() {
            let thread = currentThread()
            seen.withLock { _ = $0.insert(thread) }
        }

        func take() -> Set<String> {
            seen.withLock { seen in
                defer { seen = [] }
                return seen
            }
        }
    }

    private let threads = Threads()

    private func drawing() -> PortraitDrawing {
        PortraitDrawing { [threads] pixel in
            threads.note()
            return pixel >= 128
        }
    }

    @Test func `nonisolated alone runs where its caller runs`() async {
        let drawing = drawing()
        #expect(await drawing.blocks(of: Self.portrait) == Self.rows)
        #expect(threads.take() == [currentThread()])
        await Task { @concurrent in
            #expect(await drawing.blocks(of: Self.portrait) == Self.rows)
        }.value
        #expect(!threads.take().contains(currentThread()))
    }

    @Test func `nonisolated and concurrent runs off the main actor that calls it`() async {
        #expect(await drawing().drawn(Self.portrait) == Self.rows)
        let seen = threads.take()
        #expect(!seen.isEmpty && !seen.contains(currentThread()))
    }

    @Test func `a method on the main actor waits for one off it, and changes what is shown on it`()
        async
    {
        let drawing = drawing()
        let changes = Threads()
        withObservationTracking {
            _ = drawing.rows
        } onChange: {
            changes.note()
        }
        await drawing.show(Self.portrait)
        #expect(drawing.rows == Self.rows)
        #expect(!threads.take().contains(currentThread()))
        #expect(changes.take() == [currentThread()])
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
