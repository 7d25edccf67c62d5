// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// Fronts live on the main actor.
let front = strict + [.defaultIsolation(MainActor.self)]

func napkin(_ product: String) -> Target.Dependency { .product(name: product, package: "napkin") }

/// An app: its contract, what it does in the worker, its views, the two programs, and its tests.
func app(
    _ name: String, _ id: String, feature: [Target.Dependency] = [],
    client: [Target.Dependency] = [], pictures: [Resource] = [], tests: [Target.Dependency] = []
) -> [Target] {
    let contract = Target.Dependency(stringLiteral: "\(name)Contract")
    let logic = Target.Dependency(stringLiteral: "\(name)Feature")
    let views = Target.Dependency(stringLiteral: "\(name)Front")
    return [
        .target(
            name: "\(name)Contract", dependencies: [napkin("NapkinCore")],
            path: "\(name)/Contract", swiftSettings: strict),
        .target(
            name: "\(name)Feature", dependencies: [napkin("NapkinCore"), contract] + feature,
            path: "\(name)/Feature", swiftSettings: strict),
        .target(
            name: "\(name)Front",
            dependencies: [
                napkin("NapkinCore"), napkin("NapkinElements"), napkin("NapkinFront"), contract,
            ], path: "\(name)/Front", resources: pictures, swiftSettings: front),
        .executableTarget(
            name: "\(id)-worker", dependencies: [logic, napkin("NapkinWorker")],
            path: "\(name)/Worker", swiftSettings: strict),
        .executableTarget(
            name: id,
            dependencies: [contract, views, napkin("NapkinClient"), napkin("NapkinFront")]
                + client,
            path: "\(name)/Client", swiftSettings: strict),
        .testTarget(
            name: "\(name)Tests",
            dependencies: [napkin("NapkinCore"), napkin("NapkinTesting"), contract, logic] + tests,
            path: "\(name)/Tests", swiftSettings: strict),
    ]
}

/// What compiles a target as a part of napkin's package, which SwiftPM calls by its directory.
let inNapkin: SwiftSetting = {
    let directory = Context.packageDirectory.split(separator: "/").dropLast().last ?? ""
    let name = directory.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" }
    return .unsafeFlags(["-package-name", String(name)])
}()

let cart = app("Cart", "cart")
let characters = app(
    "Characters", "characters", feature: ["CharactersNetworking"],
    tests: ["CharactersNetworking", "ExampleSupport"])
let desk = app(
    "Desk", "desk", feature: [napkin("NapkinSystem")], client: [napkin("NapkinSystem")],
    tests: [napkin("NapkinSystem")])
// The pit, as a browser's page draws it.
let ribHouse = app(
    "RibHouse", "rib-house", pictures: [.embedInCode("pit-picture.js")])
let transcription = app("Transcription", "transcription")

/// The contracts and the views of all.
let shown: [Target.Dependency] = [
    "CartContract", "CartFront", "CharactersContract", "CharactersFront", "DeskContract",
    "DeskFront", "RibHouseContract", "RibHouseFront", "TranscriptionContract",
    "TranscriptionFront",
]

let package = Package(
    name: "examples",
    dependencies: [
        .package(name: "napkin", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/swhitty/FlyingFox.git", from: "0.27.1"),
    ],
    targets: [
        // Characters. Two settings of isolation, one for each side of the app. What reads and
        // writes (transport, decoding, caches) is nonisolated unless it says otherwise, as SwiftPM
        // has it: its values go wherever they are needed, and its actors say which they are. What
        // shows is on the main actor unless it says otherwise: `front` adds
        // `.defaultIsolation(MainActor.self)`, and a view needs no annotation. The contract between
        // them says each time where it runs.
        .target(
            name: "CharactersNetworking",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ], path: "Characters/Networking", swiftSettings: strict),
        .executableTarget(
            name: "characters-server",
            dependencies: [
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Characters/Server", swiftSettings: strict),

        // A client with a command of its own, and one that shows nothing.
        .executableTarget(
            name: "LunchClient",
            dependencies: [
                "CartContract", "CartFront", napkin("NapkinClient"), napkin("NapkinFront"),
            ], path: "Tests/LunchClient", swiftSettings: strict),
        .executableTarget(
            name: "CartTotal", dependencies: ["CartContract", napkin("NapkinFront")],
            path: "Tests/CartTotal", swiftSettings: strict),

        // What tests of more than one app need.
        .target(name: "ExampleSupport", path: "Tests/Support", swiftSettings: strict),
        // The views, as text, on the stage of the library's own tests.
        .testTarget(
            name: "ScreenTests",
            dependencies: shown + [
                napkin("NapkinCore"), napkin("NapkinElements"), napkin("NapkinFront"),
                napkin("NapkinTerminal"), "ExampleSupport",
            ], path: "Tests/Screens", exclude: ["Golden"], packageAccess: false,
            swiftSettings: front + [inNapkin]),
    ] + cart + characters + desk + ribHouse + transcription
)
