// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

// The macros, without napkin: tests of macros are built for the compiler's machine with all that
// their package has, and here that is swift-syntax alone, as napkin's build needs it, too. Under a
// name of their own, so that the plugin that napkin is built with stays as it is.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let syntax: [Target.Dependency] = [
    "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftParser", "SwiftSyntax", "SwiftSyntaxBuilder",
    "SwiftSyntaxMacros",
].map { .product(name: $0, package: "swift-syntax") }

let package = Package(
    name: "macros",
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax.git", from: "603.0.1")
    ],
    targets: [
        .macro(
            name: "TestedMacros", dependencies: syntax, path: "Sources/NapkinMacros",
            swiftSettings: strict),
        .testTarget(
            name: "NapkinMacrosTests",
            dependencies: syntax + [
                "TestedMacros",
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
                .product(
                    name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
            ], swiftSettings: strict),
    ]
)
