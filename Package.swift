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

let numericsPackage = Package.Dependency.package(url: "https://github.com/apple/swift-numerics", from: "1.1.1")
let numerics = Target.Dependency.product(name: "RealModule", package: "swift-numerics")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// Whether to build the module of the web page, see the end.
let isWeb = Context.environment["EARSHOT_WEB"] == "1"
let fftw: [Target.Dependency] = isWeb ? [] : [.target(name: "CFFTW3", condition: .when(traits: ["FFTW"]))]

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
        .library(name: "EarshotBluetooth", targets: ["EarshotBluetooth"]),
        .library(name: "EarshotNetworks", targets: ["EarshotNetworks"]),
        .library(name: "EarshotNotifications", targets: ["EarshotNotifications"]),
        .library(name: "CallKit", targets: ["CallKit"]),
        .library(name: "EarshotMessages", targets: ["EarshotMessages"]),
        .library(name: "EarshotAgent", targets: ["EarshotAgent"]),
        .library(name: "EarshotTerminalConsent", targets: ["EarshotTerminalConsent"]),
        .library(name: "EarshotPush", targets: ["EarshotPush"]),
        .library(name: "NetworkExtension", targets: ["NetworkExtension", "UIKitNames"]),
        .library(name: "NearbyMessages", targets: ["NearbyMessages", "GNSMessages", "UIKitNames"]),
        .executable(name: "earshot", targets: ["earshot"]),
        .executable(name: "earshot-messages", targets: ["earshot-messages"]),
        .executable(name: "earshot-agent", targets: ["earshot-agent"]),
    ],
    traits: [
        .default(enabledTraits: ["FFTW"]),
        .trait(
            name: "FFTW",
            description: "Fourier transforms by FFTW, whose licence is the GPL; without it by slower ones of our own"),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        numericsPackage,
    ],
    targets: [
        .systemLibrary(name: "CFFTW3", pkgConfig: "fftw3f", providers: [.apt(["libfftw3-dev"])]),
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .systemLibrary(name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),

        .systemLibrary(name: "CMalloc"),

        .target(name: "CEarshotKernels"),
        .target(name: "EarshotCoding", dependencies: ["CEarshotKernels"], swiftSettings: strict),
        .target(name: "EarshotDSP", dependencies: ["CEarshotKernels", numerics] + fftw, swiftSettings: strict),
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
        .target(name: "EarshotDBus", dependencies: ["CSystemd", "EarshotAudio"], swiftSettings: strict),
        .target(
            name: "EarshotBluetooth",
            dependencies: ["EarshotAudio", "EarshotCoding", "EarshotDBus", "EarshotDiscovery"], swiftSettings: strict),
        .target(name: "EarshotNetworks", dependencies: ["EarshotAudio", "EarshotDBus"], swiftSettings: strict),
        .target(name: "EarshotNotifications", dependencies: ["EarshotDBus"], swiftSettings: strict),
        .target(name: "CallKit", dependencies: ["EarshotNotifications"], swiftSettings: strict),
        .target(name: "UIKitNames", dependencies: ["EarshotNotifications"], swiftSettings: strict),
        .target(name: "EarshotMessages", dependencies: ["EarshotCoding", "EarshotDiscovery"], swiftSettings: strict),
        .target(
            name: "EarshotAgent",
            dependencies: ["EarshotCoding", "EarshotDiscovery", "EarshotMessages", "EarshotNetworks", "EarshotPush"],
            swiftSettings: strict),
        .target(name: "EarshotTerminalConsent", dependencies: ["EarshotMessages"], swiftSettings: strict),
        .target(name: "EarshotPush", dependencies: ["EarshotMessages"], swiftSettings: strict),
        .target(name: "NetworkExtension", dependencies: ["EarshotMessages", "EarshotPush"], swiftSettings: strict),
        .target(
            name: "NearbyMessages",
            dependencies: [
                "EarshotBluetooth", "EarshotDiscovery", "EarshotMessages", "EarshotTerminalConsent", "UIKitNames",
            ],
            swiftSettings: strict),
        .target(name: "GNSMessages", dependencies: ["NearbyMessages"], swiftSettings: strict),
        .target(
            name: "EarshotLoopback",
            dependencies: [
                "EarshotCoding", "EarshotDSP", "EarshotModem", "EarshotChannel", "EarshotAudio", "EarshotLive",
                "EarshotDrawing", numerics,
            ],
            swiftSettings: strict),
        .target(name: "EarshotDrawing", dependencies: [numerics], swiftSettings: strict),
        .target(
            name: "EarshotConsole",
            dependencies: ["EarshotCoding", "EarshotAudio", "EarshotDrawing", argumentParser], swiftSettings: strict),
        .executableTarget(
            name: "earshot-messages",
            dependencies: [
                "EarshotCoding", "EarshotModem", "EarshotAudio", "EarshotBluetooth", "EarshotDiscovery",
                "EarshotDrawing", "EarshotConsole", "EarshotMessages", argumentParser,
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "earshot",
            dependencies: [
                "EarshotCoding", "EarshotDSP", "EarshotModem", "EarshotChannel", "EarshotAudio", "EarshotLive",
                "EarshotLoopback", "EarshotDrawing", "EarshotConsole", "CMalloc", argumentParser,
            ],
            swiftSettings: strict),

        .executableTarget(
            name: "earshot-agent",
            dependencies: [
                "EarshotAgent", "EarshotBluetooth", "EarshotDBus", "EarshotDiscovery", "EarshotMessages",
                "EarshotNetworks", "EarshotNotifications", "EarshotPush", "EarshotConsole", "EarshotDrawing",
                argumentParser,
            ],
            swiftSettings: strict),

        // Makes the manual pages, for `make install`. Not a product.
        .executableTarget(name: "manual-pages", swiftSettings: strict),

        // Benchmarks are programs of this package, never products.
        .target(name: "MallocCounter", path: "Benchmarks/MallocCounter"),
        // Simulations that the benchmarks and the tests share, and no program needs.
        .target(
            name: "EarshotTrials",
            dependencies: [
                "EarshotCoding", "EarshotModem", "EarshotChannel", "EarshotDiscovery", "EarshotLoopback", numerics,
            ],
            path: "Benchmarks/Trials", swiftSettings: strict),
        .executableTarget(
            name: "earshot-bench",
            dependencies: [
                "MallocCounter", "EarshotCoding", "EarshotDSP", "EarshotModem", "EarshotChannel", "EarshotLoopback",
                "EarshotTrials", "EarshotAudio", "EarshotDiscovery", "EarshotDrawing", "CSndFile", argumentParser,
            ],
            path: "Benchmarks/EarshotBench", swiftSettings: strict),
        .executableTarget(
            name: "trellis-search", dependencies: ["EarshotDSP", "EarshotChannel", argumentParser],
            path: "Benchmarks/TrellisSearch", swiftSettings: strict),

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
                "CEarshotKernels", "EarshotCoding", "EarshotDSP", "EarshotModem", "EarshotChannel", "EarshotLoopback",
                "EarshotTrials", "EarshotAudio", "TestSupport", numerics,
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotChannelTests", dependencies: ["EarshotDSP", "EarshotChannel", "TestSupport", numerics],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotAudioTests", dependencies: ["CSndFile", "EarshotAudio", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "EarshotLiveTests",
            dependencies: ["EarshotCoding", "EarshotModem", "EarshotAudio", "EarshotLive", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotDiscoveryTests",
            dependencies: [
                "EarshotCoding", "EarshotModem", "EarshotChannel", "EarshotAudio", "EarshotDiscovery", "EarshotTrials",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotDBusTests", dependencies: ["EarshotDBus", "DesktopTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "EarshotBluetoothTests",
            dependencies: [
                "EarshotBluetooth", "EarshotChannel", "EarshotCoding", "EarshotDBus", "EarshotDiscovery",
                "DesktopTestSupport", "TestSupport",
            ],
            swiftSettings: strict),
        // A program for the tests in the virtual machine, `make test-machine`. Not a product.
        .executableTarget(
            name: "machine-rotation", dependencies: ["EarshotBluetooth", "EarshotCoding", "EarshotDiscovery"],
            path: "Tests/Machine/Rotation", swiftSettings: strict),
        .executableTarget(
            name: "machine-networks", dependencies: ["EarshotNetworks"], path: "Tests/Machine/Networks",
            swiftSettings: strict),
        .testTarget(
            name: "EarshotNetworksTests",
            dependencies: ["EarshotChannel", "EarshotDBus", "EarshotNetworks", "DesktopTestSupport", "TestSupport"],
            swiftSettings: strict),
        .target(
            name: "DesktopTestSupport", dependencies: ["EarshotDBus", "TestSupport"],
            path: "Tests/DesktopTestSupport", swiftSettings: strict),
        .testTarget(
            name: "EarshotNotificationsTests",
            dependencies: [
                "EarshotDBus", "EarshotNotifications", "MessagesTestSupport", "DesktopTestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CallKitTests",
            dependencies: ["CallKit", "DesktopTestSupport", "EarshotDBus", "EarshotNotifications", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "UIKitNamesTests",
            dependencies: [
                "EarshotDBus", "EarshotNotifications", "MessagesTestSupport", "DesktopTestSupport", "TestSupport",
                "UIKitNames", "test-app",
            ],
            swiftSettings: strict),
        // An app of NearbyMessages for tests that need a process, compiled as apps are. Never a product.
        .executableTarget(
            name: "test-app", dependencies: ["NearbyMessages"], path: "Tests/TestApp",
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "MessagesTestSupport", dependencies: ["EarshotCoding", "EarshotDiscovery", "EarshotMessages"],
            path: "Tests/MessagesTestSupport", swiftSettings: strict),
        .testTarget(
            name: "EarshotMessagesTests",
            dependencies: [
                "EarshotCoding", "EarshotDiscovery", "EarshotMessages", "MessagesTestSupport", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotAgentTests",
            dependencies: [
                "DesktopTestSupport", "EarshotAgent", "EarshotCoding", "EarshotDBus", "EarshotDiscovery",
                "EarshotMessages", "EarshotNetworks", "EarshotNotifications", "EarshotPush", "MessagesTestSupport",
                "TestSupport", "background-app", "background-sample", "earshot-agent", "push-agent", "push-app",
                "push-provider",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotPushTests",
            dependencies: ["EarshotMessages", "EarshotPush", "MessagesTestSupport", "TestSupport"],
            swiftSettings: strict),
        // Compiled as an app is, and with warnings: the document's first example makes one.
        .testTarget(
            name: "NetworkExtensionTests",
            dependencies: [
                "EarshotMessages", "EarshotPush", "NetworkExtension", "UIKitNames", "MessagesTestSupport",
                "TestSupport",
            ],
            exclude: ["Snippets/Printed"]),
        // The same examples in the language mode that they were written for.
        .testTarget(
            name: "NetworkExtensionSwift5Tests", dependencies: ["NetworkExtension", "UIKitNames"],
            swiftSettings: [.swiftLanguageMode(.v5)]),
        // A provider and an app of local push in processes of their own, compiled as apps are. Never products.
        .executableTarget(
            name: "push-provider", dependencies: ["NetworkExtension"], path: "Tests/PushProvider",
            swiftSettings: [.treatAllWarnings(as: .error)]),
        // The agent with a network that a file names.
        .executableTarget(
            name: "push-agent", dependencies: ["EarshotAgent", "EarshotNetworks"], path: "Tests/PushAgent",
            swiftSettings: strict),
        .executableTarget(
            name: "push-app", dependencies: ["NetworkExtension"], path: "Tests/PushApp",
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "EarshotTerminalConsentTests",
            dependencies: ["EarshotDiscovery", "EarshotMessages", "EarshotTerminalConsent", "MessagesTestSupport"],
            swiftSettings: strict),
        // An app in a process of its own, which tests kill and the agent starts.
        .executableTarget(
            name: "background-app", dependencies: ["EarshotDiscovery", "EarshotMessages"], path: "Tests/BackgroundApp",
            swiftSettings: strict),
        // A sample that the README shows, compiled as apps are. Its test kills it.
        .executableTarget(
            name: "background-sample", dependencies: ["NearbyMessages"], path: "Samples/Background",
            exclude: ["background-sample.nearby.json"], swiftSettings: [.treatAllWarnings(as: .error)]),
        // Compiled as an app is, without upcoming features: apps write `GNSPublication?`, without `any`.
        .testTarget(
            name: "NearbyMessagesTests",
            dependencies: [
                "EarshotCoding", "EarshotDiscovery", "EarshotMessages", "EarshotNotifications",
                "EarshotTerminalConsent",
                "GNSMessages", "NearbyMessages", "MessagesTestSupport", "DesktopTestSupport", "TestSupport",
                "UIKitNames", "test-app",
            ],
            exclude: ["Snippets/Printed"], swiftSettings: [.treatAllWarnings(as: .error)]),
        // The same snippets and lines of apps in the language mode that they were written for.
        .testTarget(
            name: "NearbyMessagesSwift5Tests",
            dependencies: ["EarshotMessages", "GNSMessages", "NearbyMessages", "MessagesTestSupport"],
            swiftSettings: [.treatAllWarnings(as: .error), .swiftLanguageMode(.v5)]),
        .testTarget(
            name: "EarshotLoopbackTests",
            dependencies: [
                "EarshotCoding", "EarshotDSP", "EarshotModem", "EarshotChannel", "EarshotAudio", "EarshotLive",
                "EarshotLoopback", "EarshotTrials", "TestSupport", numerics,
            ],
            swiftSettings: strict),
        .testTarget(name: "EarshotDrawingTests", dependencies: ["EarshotDrawing"], swiftSettings: strict),
        .testTarget(
            name: "ManualPagesTests", dependencies: ["manual-pages", "earshot", "earshot-messages", "TestSupport"],
            swiftSettings: strict),
        // The code of the DocC articles.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "EarshotCoding", "EarshotModem", "EarshotAudio", "EarshotLive", "EarshotDiscovery", "EarshotMessages",
                "EarshotNotifications", "EarshotTerminalConsent", "NearbyMessages", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "EarshotCLITests",
            dependencies: [
                "EarshotCoding", "EarshotModem", "EarshotAudio", "TestSupport", "earshot", "earshot-agent",
                "earshot-messages",
            ],
            swiftSettings: strict),
    ]
)

// The C interface. `@c @implementation`, with which the compiler compares it with its header, came with Swift 6.3.
// The shared library gets its name and its version in scripts/c-library.sh: `earshot` is the program's name already.
#if compiler(>=6.3)
    package.products.append(.library(name: "earshot-c", type: .dynamic, targets: ["EarshotC"]))
    package.targets += [
        .systemLibrary(name: "CEarshot"),
        .target(
            name: "EarshotC", dependencies: ["CEarshot", "EarshotCoding", "EarshotModem"], swiftSettings: strict),
    ]
#endif

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

// The module of the web page: the C interface in Embedded Swift, see scripts/web.sh.
if isWeb {
    let parts: Set = ["CEarshotKernels", "EarshotCoding", "EarshotDSP", "EarshotModem", "CEarshot", "EarshotC"]
    package.targets.removeAll { !parts.contains($0.name) }
    package.targets.append(
        .executableTarget(
            name: "EarshotWeb", dependencies: ["CEarshot", "EarshotC", "EarshotCoding", "EarshotModem"],
            swiftSettings: strict))
    package.products = [.executable(name: "EarshotWeb", targets: ["EarshotWeb"])]
    package.dependencies = [numericsPackage]
}
