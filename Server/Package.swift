// swift-tools-version: 6.2
import PackageDescription

/// The same strictness as the package above.
let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // The compiler sees a target's files together, as in a release build. File by file it accepts code that a release build
    // refuses, such as a C type that several modules define.
    .unsafeFlags(["-whole-module-optimization", "-num-threads", "2"], .when(configuration: .debug)),
]

let coding = Target.Dependency.product(name: "EarshotCoding", package: "earshot")
/// The settings of the targets whose internals the tests use. `make test-server` tests the release build, whose dependencies
/// then compile once for it and for `make server`.
let tested: [SwiftSetting] =
    strict
    + (Context.environment["EARSHOT_TESTING"] == "1"
        ? [.unsafeFlags(["-enable-testing"], .when(configuration: .release))] : [])

let wire = Target.Dependency.product(name: "NearbyWire", package: "earshot")
// SHA-256 comes from the system: a Swift library would compile a second BoringSSL beside TLS's.
let crypto = Target.Dependency.product(name: "CCrypto", package: "earshot")
let basics = Target.Dependency.product(name: "EarshotBasics", package: "earshot")
let system = Target.Dependency.product(name: "EarshotSystem", package: "earshot")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let hummingbirdTesting = Target.Dependency.product(name: "HummingbirdTesting", package: "hummingbird")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
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
    name: "earshot-server",
    products: [
        .library(name: "EarshotServer", targets: ["EarshotServer"]),
        .executable(name: "earshotd", targets: ["earshotd"]),
    ],
    traits: [
        .trait(
            name: "Postgres",
            description: "Keep the service's state in PostgreSQL, for several services together. Needs libpq.")
    ],
    dependencies: [
        .package(name: "earshot", path: ".."),
        // Exact: this package ships a program, and Package.resolved stays out of git.
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
    ],
    targets: [
        .target(
            name: "EarshotServer",
            dependencies: [
                basics, coding, wire, hummingbird, hummingbirdCore, hummingbirdTLS, nioCore, nioHTTP1, nioHTTPTypes,
                "CAllocator", crypto, nioHTTPTypesHTTP1, nioPosix, nioSSL, grdb, logging, serviceLifecycle,
                unixSignals,
                httpTypes,
                .target(name: "EarshotPostgres", condition: .when(traits: ["Postgres"])),
                .product(
                    name: "AsyncHTTPClient", package: "async-http-client", condition: .when(traits: ["Postgres"])),
            ],
            swiftSettings: tested),
        // This target is empty without the trait, so that a service with the embedded store builds and runs without
        // libpq.
        .target(
            name: "EarshotPostgres", dependencies: [.target(name: "CPostgres", condition: .when(traits: ["Postgres"]))],
            swiftSettings: tested),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq"),
        .systemLibrary(name: "CAllocator"),
        .executableTarget(
            name: "earshotd", dependencies: ["EarshotServer", basics, wire, system, argumentParser, logging],
            swiftSettings: tested),
        .testTarget(
            name: "EarshotServerTests",
            dependencies: [
                "EarshotServer", "earshotd", basics, wire, hummingbird, hummingbirdTesting, asyncHTTPClient, nioCore,
                nioPosix, nioHTTP1, nioSSL, httpTypes, grdb, logging,
                .target(name: "EarshotPostgres", condition: .when(traits: ["Postgres"])),
            ],
            // The tests wait for answers, and optimizing them takes longer than running them.
            swiftSettings: strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]),
    ]
)
