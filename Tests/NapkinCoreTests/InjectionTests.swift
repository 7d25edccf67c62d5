// InjectionTests: components hold, share and nest.

import NapkinCore
import NapkinTesting
import Testing

/// What the components of these tests need.
private protocol HouseDependency: Dependency {
    var service: Service { get }
}

/// Not `Codable`, and need not be.
private final class Service: Sendable {}

/// A root with one shared service.
private final class House: EmptyComponent, HouseDependency {
    var service: Service { shared { Service() } }
    var fresh: Service { Service() }
    var nested: [Service] { shared { [service, service] } }
    var nothing: Service? { shared { counted(nil) } }
    var something: Service? { shared { counted(Service()) } }
    let calls = Journal()

    private func counted(_ service: Service?) -> Service? {
        calls.note("made")
        return service
    }
}

@MainActor
@Suite
struct InjectionTests {
    private let house = House()

    @Test("D1: a component holds its dependency")
    func holds() {
        let component = Component<any HouseDependency>(dependency: house)
        #expect(component.dependency === house)
    }

    @Test("D2: shared returns the same instance, also to 32 concurrent callers")
    func shares() async {
        let house = self.house
        let all = await withTaskGroup(of: Service.self) { group in
            for _ in 0..<32 { group.addTask { await house.service } }
            var all: [Service] = []
            for await service in group { all.append(service) }
            return all
        }
        #expect(all.count == 32)
        #expect(Set(all.map(ObjectIdentifier.init)).count == 1)
    }

    @Test("D3: what is not shared is new each time")
    func makesNew() {
        #expect(house.fresh !== house.fresh)
    }

    @Test("D4: shared inside shared works, and so do optional values")
    func nests() {
        #expect(house.nested.allSatisfy { $0 === house.service })
        #expect(house.nothing == nil)
        #expect(house.nothing == nil)
        #expect(house.something === house.something)
        #expect(house.calls.lines == ["made", "made"])
    }

    @Test("D7: a service needs to be Sendable, and nothing else")
    func needsNoCoding() {
        func isSendable(_ service: some Sendable) -> Bool { !(service is any Encodable) }
        #expect(isSendable(house.service))
    }
}
