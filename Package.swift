// swift-tools-version: 6.2
import PackageDescription

/// What every target of ours is compiled with: Swift 6 language mode (the tools version's default),
/// warnings as errors, and the upcoming features that make dependencies between modules visible.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let numericsPackage = Package.Dependency.package(url: "https://github.com/apple/swift-numerics", exact: "1.1.1")
let numerics = Target.Dependency.product(name: "RealModule", package: "swift-numerics")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let hummingbirdTesting = Target.Dependency.product(name: "HummingbirdTesting", package: "hummingbird")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioHTTPTypesHTTP1 = Target.Dependency.product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let serviceLifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "earshot",
    products: [
        .library(name: "EarshotCoding", targets: ["EarshotCoding"]),
        .library(name: "EarshotDSP", targets: ["EarshotDSP"]),
        .library(name: "EarshotModem", targets: ["EarshotModem"]),
        .library(name: "EarshotChannel", targets: ["EarshotChannel"]),
        .library(name: "EarshotAudio", targets: ["EarshotAudio"]),
        .library(name: "EarshotLive", targets: ["EarshotLive"]),
        .library(name: "EarshotDiscovery", targets: ["EarshotDiscovery"]),
        .library(name: "EarshotLoopback", targets: ["EarshotLoopback"]),
        .library(name: "EarshotDrawing", targets: ["EarshotDrawing"]),
        .library(name: "EarshotServer", targets: ["EarshotServer"]),
        .executable(name: "earshot", targets: ["earshot"]),
        .executable(name: "earshotd", targets: ["earshotd"]),
    ],
    dependencies: [
        // Exact, because Package.resolved stays out of git.
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        numericsPackage,
        // Only earshotd: nobody who builds `earshot` compiles these.
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
    ],
    targets: [
        .systemLibrary(name: "CFFTW3", pkgConfig: "fftw3f", providers: [.apt(["libfftw3-dev"])]),
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),

        .target(name: "CEarshotKernels"),
        .target(name: "EarshotCoding", dependencies: ["CEarshotKernels"], swiftSettings: strict),
        .target(name: "EarshotDSP", dependencies: ["CEarshotKernels", "CFFTW3", numerics], swiftSettings: strict),
        .target(
            name: "EarshotModem", dependencies: ["CEarshotKernels", "EarshotCoding", "EarshotDSP", numerics],
            swiftSettings: strict),
        .target(name: "EarshotChannel", dependencies: ["EarshotDSP", numerics], swiftSettings: strict),
        .target(name: "EarshotAudio", dependencies: ["CALSA", "CSndFile"], swiftSettings: strict),
        .target(
            name: "EarshotLive", dependencies: ["EarshotCoding", "EarshotModem", "EarshotAudio"], swiftSettings: strict),
        .target(
            name: "EarshotDiscovery", dependencies: ["EarshotCoding", "EarshotModem", "EarshotAudio", "EarshotLive"],
            swiftSettings: strict),
        .target(
            name: "EarshotLoopback",
            dependencies: [
                "EarshotCoding", "EarshotDSP", "EarshotModem", "EarshotChannel", "EarshotAudio", "EarshotLive",
                "EarshotDiscovery", "EarshotDrawing", numerics,
            ],
            swiftSettings: strict),
        .target(name: "EarshotDrawing", dependencies: [numerics], swiftSettings: strict),
        .executableTarget(
            name: "earshot",
            dependencies: [
                "EarshotCoding", "EarshotDSP", "EarshotModem", "EarshotChannel", "EarshotAudio", "EarshotLive",
                "EarshotDiscovery", "EarshotLoopback", "EarshotDrawing", argumentParser,
            ],
            swiftSettings: strict
        ),

        .target(
            name: "EarshotServer",
            dependencies: [
                "EarshotCoding", hummingbird, hummingbirdCore, hummingbirdTLS, nioCore, nioHTTP1, nioHTTPTypes,
                nioHTTPTypesHTTP1, nioSSL, grdb, crypto, logging, serviceLifecycle, unixSignals, httpTypes,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "earshotd", dependencies: ["EarshotServer", argumentParser, logging], swiftSettings: strict),

        .target(
            name: "TestSupport",
            dependencies: ["EarshotCoding", "EarshotDSP", "EarshotChannel", "EarshotAudio", numerics],
            path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(
            name: "EarshotCodingTests", dependencies: ["EarshotCoding", "EarshotChannel", "TestSupport", numerics],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotDSPTests", dependencies: ["EarshotDSP", "EarshotChannel", "TestSupport", numerics],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotModemTests",
            dependencies: [
                "EarshotCoding", "EarshotDSP", "EarshotModem", "EarshotChannel", "EarshotLoopback", "EarshotAudio",
                "TestSupport", numerics,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotChannelTests", dependencies: ["EarshotDSP", "EarshotChannel", "TestSupport", numerics],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotAudioTests", dependencies: ["EarshotAudio", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "EarshotLiveTests",
            dependencies: ["EarshotCoding", "EarshotModem", "EarshotAudio", "EarshotLive", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotDiscoveryTests",
            dependencies: [
                "EarshotCoding", "EarshotModem", "EarshotChannel", "EarshotAudio", "EarshotDiscovery",
                "EarshotLoopback",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotLoopbackTests",
            dependencies: [
                "EarshotCoding", "EarshotDSP", "EarshotModem", "EarshotChannel", "EarshotAudio", "EarshotLive",
                "EarshotLoopback", "TestSupport", numerics,
            ],
            swiftSettings: strict),
        .testTarget(name: "EarshotDrawingTests", dependencies: ["EarshotDrawing"], swiftSettings: strict),
        .testTarget(
            name: "EarshotCLITests",
            dependencies: ["EarshotCoding", "EarshotModem", "EarshotAudio", "TestSupport", "earshot"],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotServerTests",
            dependencies: [
                "EarshotServer", "EarshotCoding", "EarshotChannel", "TestSupport", "earshotd", hummingbird,
                hummingbirdTesting, asyncHTTPClient, nioCore, nioPosix, nioHTTP1, nioSSL, httpTypes, grdb, logging,
            ],
            swiftSettings: strict),
    ]
)

// The sanitizers look at what has threads and raw memory. The rest would be compiled for them in vain.
if Context.environment["EARSHOT_LIVE_PARTS_ONLY"] == "1" {
    let parts: Set = [
        "CALSA", "CEarshotKernels", "CFFTW3", "CSndFile", "EarshotCoding", "EarshotDSP", "EarshotModem",
        "EarshotChannel", "EarshotAudio", "EarshotLive", "TestSupport", "EarshotAudioTests", "EarshotLiveTests",
    ]
    package.targets.removeAll { !parts.contains($0.name) }
    package.products = []
    package.dependencies = [numericsPackage]
}
