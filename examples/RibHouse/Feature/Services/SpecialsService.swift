// SpecialsService: the two current specials.
//
// Ownership  owns the ticker's task while it runs; the task holds the service weakly.

import NapkinCore
import RibHouseContract

/// Rotates through the menu by one dish at a time while the board is open.
actor SpecialsService {
    private let ticker: Ticker
    private var offset = 0
    private var run: Task<Void, Never>?
    private nonisolated let current = StateCell(SpecialsService.pair(at: 0))

    init(ticker: Ticker) {
        self.ticker = ticker
    }

    /// Yields the current two, then each change, newest only.
    nonisolated var specials: BufferedStream<[Special]> { current.values }

    /// Continues with the specials of a former worker, if they are still on the menu. Call it
    /// before anybody follows them.
    func resume(with specials: [Special]) {
        guard let first = specials.first?.id,
            let index = Self.menu.firstIndex(where: { $0.id == first })
        else { return }
        offset = index
        current.value = Self.pair(at: index)
    }

    /// Starts rotating, the first time after one interval; idempotent.
    func start() {
        guard run == nil else { return }
        run = ticker.start { [weak self] in
            guard let self else { return false }
            await self.rotate()
            return true
        }
    }

    func stop() {
        run?.cancel()
        run = nil
    }

    private func rotate() {
        guard !Task.isCancelled else { return }
        offset = (offset + 1) % Self.menu.count
        current.value = Self.pair(at: offset)
    }

    private static func pair(at offset: Int) -> [Special] {
        [menu[offset], menu[(offset + 1) % menu.count]]
    }

    private static let menu = [
        Special(id: "hot-links", name: "Hot Links"),
        Special(id: "dino-beef-rib", name: "Dino Beef Rib"),
        Special(id: "skillet-cornbread", name: "Skillet Cornbread"),
        Special(id: "banana-pudding", name: "Banana Pudding"),
    ]
}
