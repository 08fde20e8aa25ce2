// swift-tools-version: 6.2
import PackageDescription

/// The same strictness as the package above.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "earshot-benchmarks",
    products: [
        .executable(name: "trellis-search", targets: ["TrellisSearch"])
    ],
    dependencies: [
        // Exact, because Package.resolved stays out of git.
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
    ],
    targets: [
        .executableTarget(
            name: "TrellisSearch",
            dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: strict
        )
    ]
)
