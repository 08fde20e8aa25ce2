// swift-tools-version: 6.2
import PackageDescription

/// The same strictness as the package above.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func earshot(_ name: String) -> Target.Dependency {
    .product(name: name, package: "earshot")
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "earshot-benchmarks",
    products: [
        .executable(name: "earshot-bench", targets: ["EarshotBench"]),
        .executable(name: "trellis-search", targets: ["TrellisSearch"]),
    ],
    dependencies: [
        .package(name: "earshot", path: ".."),
        // Exact, because Package.resolved stays out of git.
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    ],
    targets: [
        .target(name: "MallocCounter"),
        .executableTarget(
            name: "EarshotBench",
            dependencies: [
                "MallocCounter", earshot("EarshotCoding"), earshot("EarshotDSP"), earshot("EarshotModem"),
                earshot("EarshotChannel"), earshot("EarshotLoopback"), earshot("EarshotAudio"),
                earshot("EarshotDiscovery"), earshot("EarshotDrawing"), argumentParser,
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "TrellisSearch", dependencies: [earshot("EarshotChannel"), argumentParser], swiftSettings: strict),
    ]
)
