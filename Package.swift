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
/// Whether a debug build optimizes what computes, as `make test` wants: signal processing is up to 225 times slower
/// otherwise. A switch turns it on: SwiftPM refuses a dependency by version on a package with such flags.
let isOptimized = Context.environment["EARSHOT_OPTIMIZED"] == "1"
/// What a module that computes is compiled with.
let computing: [SwiftSetting] =
    isOptimized
    ? strict + [
        .unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2"], .when(configuration: .debug)),
        .define("EARSHOT_OPTIMIZED"),
    ] : strict + [.define("EARSHOT_OPTIMIZED", .when(configuration: .release))]
/// What an app is compiled with, which knows no upcoming features.
let app: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let numericsPackage = Package.Dependency.package(url: "https://github.com/apple/swift-numerics", from: "1.1.1")
let numerics = Target.Dependency.product(name: "RealModule", package: "swift-numerics")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// Whether to build the module of the web page, see the end.
let isWeb = Context.environment["EARSHOT_WEB"] == "1"
let fftw: [Target.Dependency] = isWeb ? [] : [.target(name: "CFFTW3", condition: .when(traits: ["FFTW"]))]

/// A folder of `Sources` and, mirrored, of `Tests`: modules that belong together, and below them only wings that they may know.
struct Wing {
    let name: String
    /// Whether its modules compute, and are optimized with `isOptimized`.
    var computes = false

    private var settings: [SwiftSetting] { computes ? computing : strict }

    func module(_ name: String, _ dependencies: [Target.Dependency] = [], computes: Bool = false) -> Target {
        .target(
            name: name, dependencies: dependencies, path: "Sources/\(self.name)/\(name)",
            swiftSettings: computes ? computing : settings)
    }

    func program(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: "Sources/\(self.name)/\(name)", swiftSettings: strict)
    }

    func library(_ name: String, pkgConfig: String? = nil, debian: String? = nil) -> Target {
        .systemLibrary(
            name: name, path: "Sources/\(self.name)/\(name)", pkgConfig: pkgConfig,
            providers: debian.map { [.apt([$0])] })
    }

    func tests(
        _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], settings: [SwiftSetting]? = nil
    ) -> Target {
        .testTarget(
            name: name, dependencies: dependencies, path: "Tests/\(self.name)/\(name)", exclude: exclude,
            swiftSettings: settings ?? self.settings)
    }

    /// Code that several tests share.
    func support(
        _ name: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = strict
    ) -> Target {
        .target(name: name, dependencies: dependencies, path: "Tests/\(self.name)/\(name)", swiftSettings: settings)
    }

    /// A program that tests run. Never a product.
    func helper(
        _ name: String, in folder: String, _ dependencies: [Target.Dependency], settings: [SwiftSetting] = strict
    ) -> Target {
        .executableTarget(
            name: name, dependencies: dependencies, path: "Tests/\(self.name)/\(folder)", swiftSettings: settings)
    }
}

// MARK: System: what the operating system gives, and small values; nothing of ours

let system = Wing(name: "System", computes: true)
let systemTargets: [Target] = [
    system.library("CFFTW3", pkgConfig: "fftw3f", debian: "libfftw3-dev"),
    system.library("CALSA", pkgConfig: "alsa", debian: "libasound2-dev"),
    system.library("CSndFile", pkgConfig: "sndfile", debian: "libsndfile1-dev"),
    system.library("CSystemd", pkgConfig: "libsystemd", debian: "libsystemd-dev"),
    system.library("CCrypto", pkgConfig: "libcrypto", debian: "libssl-dev"),
    // glibc's malloc_trim.
    system.library("CMalloc"),
    // Linux's descriptors of processes.
    system.library("CProcess"),
    // Threads, the monotonic clock, paths, descriptors, temporary files.
    system.module("EarshotSystem"),
    // Small values of all wings: seeded random numbers, decimal text, token bucket, back-off. They know no system.
    system.module("EarshotBasics"),

    system.tests("EarshotSystemTests", ["EarshotSystem", "TestSupport"]),
    system.tests("EarshotBasicsTests", ["EarshotBasics"]),
]

// MARK: Modem: symbols and samples; no file, device, clock, thread or log

let modem = Wing(name: "Modem", computes: true)
let modemTargets: [Target] = [
    // C with vectors: the inner loops of the modules around it.
    .target(
        name: "CEarshotKernels", path: "Sources/Modem/CEarshotKernels",
        cSettings: isOptimized ? [.unsafeFlags(["-O2"], .when(configuration: .debug))] : []),
    // Bits: payload, CRC, trellis code, frame layout.
    modem.module("EarshotCoding", ["CEarshotKernels"]),
    // Samples: filter, Fourier transform, noise floor, correlator.
    modem.module("EarshotDSP", ["CEarshotKernels", numerics] + fftw),
    // The modem: profile, transmitter, receiver.
    modem.module("EarshotModem", ["CEarshotKernels", "EarshotCoding", "EarshotDSP", numerics]),
    // Simulated air, for tests, benchmarks and `earshot simulate`.
    modem.module("EarshotChannel", ["EarshotBasics", "EarshotDSP", numerics]),

    modem.tests("EarshotCodingTests", ["EarshotBasics", "EarshotCoding", "EarshotChannel", "TestSupport", numerics]),
    modem.tests("EarshotDSPTests", ["EarshotBasics", "EarshotDSP", "EarshotChannel", "TestSupport", numerics]),
    modem.tests("EarshotChannelTests", ["EarshotBasics", "EarshotDSP", "EarshotChannel", "TestSupport", numerics]),
    modem.tests(
        "EarshotModemTests",
        [
            "CEarshotKernels", "EarshotBasics", "EarshotCoding", "EarshotDSP", "EarshotModem", "EarshotChannel",
            "EarshotLoopback", "EarshotTrials", "EarshotAudio", "TestSupport", numerics,
        ]),
]

// MARK: Sound: files and devices

let sound = Wing(name: "Sound", computes: true)
let soundTargets: [Target] = [
    // Sound files by libsndfile, devices by ALSA.
    sound.module("EarshotAudio", ["CALSA", "CSndFile", "EarshotBasics", "EarshotSystem"]),
    // Microphone to frames, payloads to loudspeaker.
    sound.module("EarshotLive", ["EarshotCoding", "EarshotModem", "EarshotAudio", "EarshotSystem"]),
    // Play, record and judge: through devices, files and simulated air.
    sound.module(
        "EarshotLoopback",
        [
            "EarshotBasics", "EarshotCoding", "EarshotDSP", "EarshotModem", "EarshotChannel", "EarshotAudio",
            "EarshotLive", "EarshotDrawing", "EarshotSystem", numerics,
        ]),

    sound.tests("EarshotAudioTests", ["CSndFile", "EarshotAudio", "EarshotBasics", "EarshotSystem", "TestSupport"]),
    sound.tests(
        "EarshotLiveTests",
        ["EarshotCoding", "EarshotModem", "EarshotAudio", "EarshotLive", "EarshotSystem", "TestSupport"]),
    sound.tests(
        "EarshotLoopbackTests",
        [
            "EarshotBasics", "EarshotCoding", "EarshotDSP", "EarshotModem", "EarshotChannel", "EarshotAudio",
            "EarshotLive", "EarshotLoopback", "EarshotSystem", "EarshotTrials", "TestSupport", numerics,
        ]),
]

// MARK: Nearby: who is near, and what they say

let nearby = Wing(name: "Nearby")
let nearbyTargets: [Target] = [
    // What client, service, agent, app and provider exchange: one schema each, and the beacons that they name.
    nearby.module("NearbyWire", ["EarshotSystem"]),
    // Devices come and go: strategy, presence, what a medium is. It and the next compute: tests simulate rooms of hours with them.
    nearby.module("EarshotDiscovery", ["EarshotCoding"], computes: true),
    // The medium of sound: when to talk, the ear, the mouth.
    nearby.module(
        "EarshotSound",
        [
            "EarshotAudio", "EarshotBasics", "EarshotCoding", "EarshotDiscovery", "EarshotLive", "EarshotModem",
            "EarshotSystem",
        ], computes: true),
    // Bluetooth Low Energy through BlueZ.
    nearby.module(
        "EarshotBluetooth", ["EarshotCoding", "EarshotDBus", "EarshotDiscovery", "EarshotSystem", "NearbyWire"]),
    // Messages that only those within earshot can read: what follows from a token.
    nearby.module("EarshotSealing", ["CCrypto", "EarshotCoding", "NearbyWire"]),
    // Messages: manager, publication, subscription, permission.
    nearby.module(
        "EarshotMessages",
        ["EarshotBasics", "EarshotCoding", "EarshotDiscovery", "EarshotSealing", "EarshotSystem", "NearbyWire"]),

    nearby.tests("NearbyWireTests", ["EarshotBasics", "EarshotMessages", "NearbyWire"]),
    nearby.tests(
        "EarshotSealingTests", ["EarshotBasics", "EarshotCoding", "EarshotSealing", "NearbyWire"], exclude: ["Vectors"]),
    nearby.tests("EarshotDiscoveryTests", ["EarshotCoding", "EarshotDiscovery", "TestSupport"]),
    nearby.tests(
        "EarshotSoundTests",
        [
            "EarshotAudio", "EarshotBasics", "EarshotCoding", "EarshotDiscovery", "EarshotModem", "EarshotSound",
            "EarshotTrials", "TestSupport",
        ]),
    nearby.tests(
        "EarshotBluetoothTests",
        [
            "EarshotBasics", "EarshotBluetooth", "EarshotCoding", "EarshotDBus", "EarshotDiscovery",
            "NearbyWire", "DesktopTestSupport", "TestSupport",
        ]),
    nearby.tests(
        "EarshotMessagesTests",
        [
            "EarshotBasics", "EarshotCoding", "EarshotDiscovery", "EarshotMessages", "EarshotSealing", "NearbyWire",
            "MessagesTestSupport",
            "TestSupport",
        ]),
]

// MARK: Desktop: the user's session

let desktop = Wing(name: "Desktop")
let desktopTargets: [Target] = [
    // A client of D-Bus.
    desktop.module("EarshotDBus", ["CSystemd", "EarshotSystem"]),
    // Which network carries the primary route.
    desktop.module("EarshotNetworks", ["EarshotDBus", "EarshotSystem"]),
    // Notifications on the desktop.
    desktop.module("EarshotNotifications", ["EarshotBasics", "EarshotDBus", "EarshotSystem"]),
    // Asks for consent on a terminal or by a notification.
    desktop.module("EarshotPrompts", ["EarshotMessages", "EarshotNotifications"]),
    // Local push: configurations on the disk, the app's and the provider's ends of the protocol.
    desktop.module("EarshotPush", ["EarshotSystem", "NearbyWire"]),
    // The agent: background work of apps that do not run.
    desktop.module(
        "EarshotAgent",
        [
            "CProcess", "EarshotBasics", "EarshotCoding", "EarshotDiscovery", "EarshotMessages", "EarshotNetworks",
            "EarshotPush", "EarshotSealing", "NearbyWire", "EarshotSystem",
        ]),

    desktop.tests("EarshotDBusTests", ["EarshotDBus", "DesktopTestSupport", "TestSupport"]),
    desktop.tests(
        "EarshotNetworksTests",
        ["EarshotBasics", "EarshotDBus", "EarshotNetworks", "DesktopTestSupport", "TestSupport"]),
    desktop.tests(
        "EarshotNotificationsTests",
        ["EarshotDBus", "EarshotNotifications", "MessagesTestSupport", "DesktopTestSupport", "TestSupport"]),
    desktop.tests(
        "EarshotPromptsTests",
        [
            "EarshotDBus", "EarshotDiscovery", "EarshotMessages", "EarshotNotifications", "EarshotPrompts",
            "DesktopTestSupport", "MessagesTestSupport", "TestSupport", "greeting",
        ]),
    // The sample of docs/MESSAGES.md, compiled as apps are.
    .executableTarget(
        name: "greeting", dependencies: ["EarshotMessages", "EarshotPrompts", "EarshotSound"],
        path: "Samples/Greeting", swiftSettings: app),
    desktop.tests(
        "EarshotPushTests", ["EarshotPush", "EarshotSystem", "NearbyWire", "MessagesTestSupport", "TestSupport"]),
    desktop.tests(
        "EarshotAgentTests",
        [
            "DesktopTestSupport", "EarshotAgent", "EarshotBasics", "EarshotCoding", "EarshotDBus", "EarshotDiscovery",
            "EarshotMessages", "EarshotNetworks", "EarshotNotifications", "EarshotPush", "MessagesTestSupport",
            "NearbyWire", "TestSupport", "background-app", "background-sample", "earshot-agent", "push-agent",
            "push-app", "push-provider",
        ]),
    // An app in a process of its own, which tests kill and the agent starts.
    desktop.helper("background-app", in: "BackgroundApp", ["EarshotDiscovery", "EarshotMessages"]),
    // A provider and an app of local push in processes of their own.
    desktop.helper("push-provider", in: "PushProvider", ["NetworkExtension"], settings: app),
    desktop.helper("push-app", in: "PushApp", ["NetworkExtension"], settings: app),
    // The agent with a network that a file names.
    desktop.helper(
        "push-agent", in: "PushAgent",
        [
            "EarshotAgent", "EarshotCoding", "EarshotDiscovery", "EarshotMessages", "EarshotNetworks",
            "MessagesTestSupport", "NearbyWire",
        ]),
]

// MARK: Spelling: the names of the documents, on top of all

let spelling = Wing(name: "Spelling")
let spellingTargets: [Target] = [
    // GNS…, and the same under the other name of its module.
    spelling.module(
        "NearbyMessages",
        [
            "EarshotBluetooth", "EarshotDiscovery", "EarshotMessages", "EarshotNotifications", "EarshotPrompts",
            "EarshotSound", "NearbyWire", "UIKitNames",
        ]),
    spelling.module("GNSMessages", ["NearbyMessages"]),
    // NEAppPush…
    spelling.module("NetworkExtension", ["EarshotPush", "NearbyWire"]),
    // Calls, as notifications and a ring tone.
    spelling.module("CallKit", ["EarshotAudio", "EarshotNotifications"]),
    // What the documents take from UIKit: the app's state, its delegate, its notifications.
    spelling.module("UIKitNames", ["EarshotNotifications"]),

    // Compiled as an app is, without upcoming features: apps write `GNSPublication?`, without `any`.
    spelling.tests(
        "NearbyMessagesTests",
        [
            "EarshotCoding", "EarshotDiscovery", "EarshotMessages", "EarshotNotifications",
            "GNSMessages", "NearbyMessages", "NearbyWire", "MessagesTestSupport", "DesktopTestSupport", "TestSupport",
            "UIKitNames",
            "test-app",
        ],
        exclude: ["Snippets/Printed"], settings: app),
    // The same snippets and lines of apps in the language mode that they were written for.
    spelling.tests(
        "NearbyMessagesSwift5Tests",
        ["EarshotMessages", "GNSMessages", "NearbyMessages", "MessagesTestSupport", "TestSupport"],
        settings: app + [.swiftLanguageMode(.v5)]),
    // Compiled as an app is, and with warnings: the document's first example makes one.
    spelling.tests(
        "NetworkExtensionTests",
        [
            "EarshotPush", "EarshotSystem", "NearbyWire", "NetworkExtension", "UIKitNames", "MessagesTestSupport",
            "TestSupport",
        ],
        exclude: ["Snippets/Printed"], settings: []),
    spelling.tests(
        "NetworkExtensionSwift5Tests", ["NetworkExtension", "UIKitNames"], settings: [.swiftLanguageMode(.v5)]),
    spelling.tests(
        "CallKitTests",
        ["CallKit", "DesktopTestSupport", "EarshotAudio", "EarshotDBus", "EarshotNotifications", "TestSupport"]),
    spelling.tests(
        "UIKitNamesTests",
        [
            "EarshotDBus", "EarshotNotifications", "MessagesTestSupport", "DesktopTestSupport", "TestSupport",
            "UIKitNames", "test-app",
        ]),
    // An app of NearbyMessages, for tests that need a process.
    spelling.helper("test-app", in: "TestApp", ["NearbyMessages"], settings: app),
    // A sample that the README shows, compiled as apps are. A test of the agent kills it.
    .executableTarget(
        name: "background-sample", dependencies: ["NearbyMessages"], path: "Samples/Background",
        exclude: ["background-sample.nearby.json"], swiftSettings: app),
]

// MARK: Programs: options and output

let programs = Wing(name: "Programs")
let programTargets: [Target] = [
    // Pictures as SVG: text, shapes, charts.
    programs.module("EarshotDrawing", ["EarshotBasics", numerics]),
    // What the programs share: streams, signals, JSON lines, errors.
    programs.module("EarshotConsole", ["EarshotBasics", "EarshotCoding", "EarshotSystem", argumentParser]),
    // The same for those that use sound: devices on the command line, errors of files and devices.
    programs.module("EarshotSoundConsole", ["EarshotAudio", "EarshotConsole", "EarshotSystem", argumentParser]),
    // How fast this machine decodes.
    programs.module(
        "EarshotBenchmark",
        ["EarshotBasics", "EarshotChannel", "EarshotCoding", "EarshotModem"], computes: true),
    // The modem's command line.
    programs.program(
        "earshot",
        [
            "EarshotSoundConsole", "EarshotBasics", "EarshotBenchmark", "EarshotCoding", "EarshotDSP", "EarshotModem",
            "EarshotChannel", "EarshotAudio", "EarshotLive", "EarshotLoopback", "EarshotDrawing", "EarshotConsole",
            "EarshotSystem", "CMalloc",
            argumentParser,
        ]),
    // nearby, publish, subscribe, beacons, beacon: what `earshot` finds beside itself.
    programs.program(
        "earshot-messages",
        [
            "EarshotSoundConsole", "EarshotAudio", "EarshotBasics", "EarshotBluetooth", "EarshotCoding",
            "EarshotConsole", "EarshotDiscovery",
            "NearbyWire", "EarshotMessages", "EarshotModem", "EarshotSound", "EarshotSystem", argumentParser,
        ]),
    // agent and push.
    programs.program(
        "earshot-agent",
        [
            "EarshotAgent", "EarshotBluetooth", "EarshotDBus", "EarshotDiscovery", "EarshotMessages",
            "EarshotNetworks", "EarshotNotifications", "EarshotPush", "EarshotBasics", "EarshotConsole", "NearbyWire",
            argumentParser,
        ]),
    // Makes the manual pages, for `make install`. Not a product.
    programs.program("manual-pages"),

    programs.tests("EarshotDrawingTests", ["EarshotDrawing"]),
    programs.tests(
        "EarshotCLITests",
        [
            "EarshotBasics", "EarshotBluetooth", "EarshotChannel", "EarshotCoding", "EarshotConsole", "EarshotModem",
            "EarshotAudio", "TestSupport", "earshot", "earshot-agent", "earshot-messages", argumentParser,
        ]),
    programs.tests("ManualPagesTests", ["manual-pages", "earshot", "earshot-messages", "TestSupport"]),
    // The code of the DocC articles.
    programs.tests(
        "DocumentationTests",
        [
            "EarshotCoding", "EarshotModem", "EarshotAudio", "EarshotLive", "EarshotDiscovery", "EarshotBluetooth",
            "EarshotMessages", "EarshotNetworks", "EarshotNotifications", "EarshotPrompts", "EarshotAgent",
            "EarshotPush", "EarshotSound", "NearbyMessages", "NetworkExtension", "CallKit", "NearbyWire", "TestSupport",
        ]),
]

// MARK: Benchmarks: programs of this package, never products

let benchmarkTargets: [Target] = [
    // Counts allocations, in front of malloc.
    .target(name: "MallocCounter", path: "Benchmarks/MallocCounter"),
    // Simulations that the benchmarks and the tests share, and no program needs.
    .target(
        name: "EarshotTrials",
        dependencies: [
            "EarshotBasics", "EarshotCoding", "EarshotModem", "EarshotChannel", "EarshotDiscovery", "EarshotLoopback",
            "EarshotSound", numerics,
        ],
        path: "Benchmarks/Trials", swiftSettings: computing),
    .executableTarget(
        name: "earshot-bench",
        dependencies: [
            "MallocCounter", "EarshotBasics", "EarshotBenchmark", "EarshotCoding", "EarshotDSP", "EarshotModem",
            "EarshotChannel",
            "EarshotLoopback", "EarshotTrials", "EarshotAudio", "EarshotDiscovery", "EarshotSound", "EarshotDrawing",
            "EarshotSystem", "CSndFile", argumentParser,
        ],
        path: "Benchmarks/EarshotBench", swiftSettings: strict),
    // Searches for the trellis code, docs/trellis-code.md.
    .executableTarget(
        name: "trellis-search", dependencies: ["EarshotBasics", "EarshotDSP", "EarshotChannel", argumentParser],
        path: "Benchmarks/TrellisSearch", swiftSettings: strict),
]

// MARK: What tests of several wings share

let support = Wing(name: "Support")
let machine = Wing(name: "Machine")
let fuzz = Wing(name: "Fuzz", computes: true)
let supportTargets: [Target] = [
    support.support(
        "TestSupport",
        [
            "EarshotBasics", "EarshotCoding", "EarshotDSP", "EarshotChannel", "EarshotAudio", "EarshotSystem", numerics,
        ], settings: computing),
    support.support("DesktopTestSupport", ["EarshotDBus", "TestSupport"]),
    support.support("MessagesTestSupport", ["EarshotCoding", "EarshotDiscovery", "EarshotMessages", "NearbyWire"]),
    // Programs for the tests in the virtual machine, `make test-machine`.
    machine.helper("machine-rotation", in: "Rotation", ["EarshotBluetooth", "EarshotCoding", "EarshotDiscovery"]),
    machine.helper("machine-networks", in: "Networks", ["EarshotNetworks"]),
]

let package = Package(
    name: "earshot",
    products: [
        "EarshotCoding", "EarshotDSP", "EarshotModem", "EarshotChannel", "EarshotAudio", "EarshotLive",
        "NearbyWire", "EarshotDiscovery", "EarshotSound", "EarshotBluetooth", "EarshotMessages", "EarshotNetworks",
        "EarshotNotifications", "EarshotPrompts",
        "EarshotAgent", "EarshotPush", "CallKit", "EarshotSystem", "EarshotBasics",
    ].map { .library(name: $0, targets: [$0]) } + [
        // For the service, which hashes with it.
        .library(name: "CCrypto", targets: ["CCrypto"]),
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
    targets: systemTargets + modemTargets + soundTargets + nearbyTargets + desktopTargets + spellingTargets
        + programTargets + benchmarkTargets + supportTargets
)

// MARK: Bindings: the modem for other languages

// `@c @implementation`, with which the compiler compares the C interface with its header, came with Swift 6.3.
// The shared library gets its name and its version in Bindings/c/library.sh: `earshot` is the program's name already.
let bindings = Wing(name: "Bindings")
#if compiler(>=6.3)
    package.products.append(.library(name: "earshot-c", type: .dynamic, targets: ["EarshotC"]))
    package.targets += [
        bindings.library("CEarshot"),
        bindings.module("EarshotC", ["CEarshot", "EarshotCoding", "EarshotModem"]),
    ]
    // SwiftPM links Swift's runtime into programs only. A switch, because SwiftPM refuses a dependency with such flags.
    if Context.environment["EARSHOT_STATIC"] == "1" {
        for target in package.targets where target.name == "EarshotC" {
            target.linkerSettings = [.unsafeFlags(["-static-stdlib"])]
        }
    }
#endif

// MARK: Parts of the package, chosen by the environment

// The sanitizers check code with threads or raw memory: devices and live sessions. ThreadSanitizer also checks messages, Bluetooth and the
// agent. The other programs are not built, so tests that start one do not run.
if let sanitizer = Context.environment["EARSHOT_SANITIZER"] {
    var parts: Set = [
        "CALSA", "CEarshotKernels", "CFFTW3", "CSndFile", "EarshotBasics", "EarshotSystem", "EarshotCoding",
        "EarshotDSP", "EarshotModem",
        "EarshotChannel", "EarshotAudio", "EarshotLive", "TestSupport", "EarshotAudioTests", "EarshotLiveTests",
    ]
    if sanitizer == "thread" {
        parts.formUnion([
            "CCrypto", "CProcess", "CSystemd", "NearbyWire", "EarshotDiscovery", "EarshotSealing", "EarshotMessages",
            "EarshotDBus", "EarshotBluetooth", "EarshotNetworks", "EarshotNotifications", "EarshotPush",
            "EarshotAgent", "EarshotConsole", "earshot-agent", "MessagesTestSupport", "DesktopTestSupport",
            "NearbyWireTests", "EarshotDiscoveryTests", "EarshotSealingTests", "EarshotMessagesTests",
            "EarshotBluetoothTests", "EarshotDBusTests", "EarshotNetworksTests", "EarshotNotificationsTests",
            "EarshotPushTests", "EarshotAgentTests",
        ])
    } else {
        package.dependencies = [numericsPackage]
    }
    package.targets.removeAll { !parts.contains($0.name) }
    for target in package.targets {
        target.dependencies.removeAll {
            guard case .byNameItem(let name, _) = $0 else { return false }
            return !parts.contains(name)
        }
    }
    package.products = []
    // With ThreadSanitizer, Swift 6.3 cannot compile the modem: in structs that must not be copied it reports overlapping
    // accesses where there are none, and with spans it crashes. The modem has no threads; its callers are still checked.
    if sanitizer == "thread" {
        let without = SwiftSetting.unsafeFlags(["-Xfrontend", "-sanitize="])
        for target in package.targets where target.name == "EarshotModem" {
            target.swiftSettings = (target.swiftSettings ?? []) + [without]
        }
    }
}

// What takes the bytes of others, for `make fuzz` and for the test that repeats what it has kept. It looks into modules, which a
// release build does not allow: so it is there for `make test` and for `make fuzz` alone. The main function of the program is libFuzzer's.
let isFuzzing = Context.environment["EARSHOT_FUZZER"] == "1"
if isOptimized || isFuzzing {
    #if compiler(>=6.3)
        let interface: [Target.Dependency] = ["CEarshot", "EarshotC"]
    #else
        let interface: [Target.Dependency] = []
    #endif
    package.targets += [
        fuzz.support(
            "FuzzTargets",
            [
                "CSystemd", "EarshotAudio", "EarshotBasics", "EarshotBluetooth", "EarshotCoding", "EarshotConsole",
                "EarshotDBus", "EarshotMessages", "EarshotModem", "EarshotNetworks", "EarshotPush", "NearbyWire",
            ] + interface),
        fuzz.tests("FuzzTargetsTests", ["FuzzTargets", "TestSupport"]),
    ]
}
if isFuzzing {
    package.targets.append(
        fuzz.helper("fuzzer", in: "Fuzzer", ["FuzzTargets"], settings: strict + [.unsafeFlags(["-parse-as-library"])]))
}

// Tests need no benchmark and no program of the virtual machine.
if isOptimized {
    let parts: Set = ["earshot-bench", "trellis-search", "MallocCounter", "machine-rotation", "machine-networks"]
    package.targets.removeAll { parts.contains($0.name) }
}

// The module of the web page: the C interface in Embedded Swift, see Bindings/web/page.sh.
if isWeb {
    let parts: Set = ["CEarshotKernels", "EarshotCoding", "EarshotDSP", "EarshotModem", "CEarshot", "EarshotC"]
    package.targets.removeAll { !parts.contains($0.name) }
    package.targets.append(bindings.program("EarshotWeb", ["CEarshot", "EarshotC", "EarshotCoding", "EarshotModem"]))
    package.products = [.executable(name: "EarshotWeb", targets: ["EarshotWeb"])]
    package.dependencies = [numericsPackage]
}
