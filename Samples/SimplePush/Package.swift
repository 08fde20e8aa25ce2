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
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")

let package = Package(
    name: "simplepush",
    products: [
        .library(name: "SimplePushKit", targets: ["SimplePushKit"]),
        .executable(name: "simplepush-server", targets: ["simplepush-server"]),
        .executable(name: "simplepush-load", targets: ["simplepush-load"]),
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
        // Nothing of Earshot below, so that `--product simplepush-server` compiles nothing of the package above.
        .target(name: "SimplePushKit", dependencies: [nioCore, nioPosix, nioSSL], swiftSettings: strict),
        .target(
            name: "SimplePushServer", dependencies: ["SimplePushKit", grdb, logging, nioCore, nioPosix, nioSSL],
            swiftSettings: strict),
        .executableTarget(
            name: "simplepush-server", dependencies: ["SimplePushKit", "SimplePushServer", argumentParser, logging],
            swiftSettings: strict),
        .executableTarget(
            name: "simplepush-load", dependencies: ["SimplePushKit", argumentParser, nioCore, nioPosix],
            swiftSettings: strict),
        .testTarget(
            name: "SimplePushKitTests", dependencies: ["SimplePushKit", nioCore, nioEmbedded], swiftSettings: strict),
        .testTarget(
            name: "SimplePushServerTests",
            dependencies: ["SimplePushKit", "SimplePushServer", "simplepush-server", logging, nioCore, nioPosix, nioSSL],
            swiftSettings: strict),
    ]
)
