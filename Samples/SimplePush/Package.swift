// swift-tools-version: 6.2
import PackageDescription

/// The same strictness as the package above.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let basics = Target.Dependency.product(name: "EarshotBasics", package: "earshot")
let networkExtension = Target.Dependency.product(name: "NetworkExtension", package: "earshot")
let callKit = Target.Dependency.product(name: "CallKit", package: "earshot")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")

let package = Package(
    name: "simplepush",
    products: [
        .library(name: "SimplePushKit", targets: ["SimplePushKit"]),
        .executable(name: "simplepush-server", targets: ["simplepush-server"]),
        .executable(name: "simplepush-load", targets: ["simplepush-load"]),
        .executable(name: "simplepush-provider", targets: ["simplepush-provider"]),
        .executable(name: "simplepush", targets: ["simplepush"]),
    ],
    dependencies: [
        .package(name: "earshot", path: "../.."),
        // Exact: this package ships programs, and Package.resolved stays out of git.
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
    ],
    targets: [
        // The server uses only a few values of the package above, so that `--product simplepush-server` compiles
        // quickly.
        .target(name: "SimplePushKit", dependencies: [nioCore, nioPosix, nioSSL], swiftSettings: strict),
        .target(
            name: "SimplePushServer",
            dependencies: ["SimplePushKit", basics, grdb, logging, nioCore, nioPosix, nioSSL],
            swiftSettings: strict),
        .executableTarget(
            name: "simplepush-server", dependencies: ["SimplePushKit", "SimplePushServer", argumentParser, logging],
            swiftSettings: strict),
        .executableTarget(
            name: "simplepush-load", dependencies: ["SimplePushKit", argumentParser, nioPosix],
            swiftSettings: strict),
        // The logic of the provider and the app, without the modules of the package above, so that tests need no agent.
        .target(name: "SimplePushClient", dependencies: ["SimplePushKit"], swiftSettings: strict),
        .executableTarget(
            name: "simplepush-provider",
            dependencies: ["SimplePushClient", "SimplePushKit", networkExtension, nioPosix], swiftSettings: strict),
        .executableTarget(
            name: "simplepush",
            dependencies: [
                "SimplePushClient", "SimplePushKit", networkExtension, callKit, argumentParser, nioPosix,
            ],
            exclude: ["simplepush.nearby.json"], swiftSettings: strict),
        .testTarget(
            name: "SimplePushKitTests", dependencies: ["SimplePushKit", basics, nioCore, nioEmbedded],
            swiftSettings: strict),
        .target(
            name: "SimplePushTestSupport",
            dependencies: ["SimplePushKit", "SimplePushServer", logging, nioCore, nioPosix],
            path: "Tests/SimplePushTestSupport", swiftSettings: strict),
        .testTarget(
            name: "SimplePushServerTests",
            dependencies: [
                "SimplePushKit", "SimplePushServer", "SimplePushTestSupport", "simplepush-server", basics, nioCore,
                nioPosix,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "SimplePushClientTests",
            dependencies: [
                "SimplePushClient", "SimplePushKit", "SimplePushServer", "SimplePushTestSupport", "simplepush",
                "simplepush-provider", nioPosix,
            ],
            swiftSettings: strict),
    ]
)
