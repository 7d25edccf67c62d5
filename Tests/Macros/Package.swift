// swift-tools-version: 6.2
import PackageDescription

// The macros as a library, without napkin. With them in napkin's own manifest SwiftPM would build
// swift-syntax and nearly everything else twice: for the machine and for the compiler.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let syntax: [Target.Dependency] = [
    "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros",
].map { .product(name: $0, package: "swift-syntax") }

let package = Package(
    name: "macros",
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax.git", from: "603.0.1")
    ],
    targets: [
        .target(
            name: "NapkinMacros",
            dependencies: syntax, exclude: ["Plugin.swift"], swiftSettings: strict),
        .testTarget(
            name: "NapkinMacrosTests",
            dependencies: syntax + [
                "NapkinMacros",
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
                .product(
                    name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ], swiftSettings: strict),
    ]
)
