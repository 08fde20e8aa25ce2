import EarshotDiscovery
import EarshotMessages
import Foundation
import MessagesTestSupport
import NearbyMessages
import TestSupport
import Testing

/// Snippets 05 and 08, and the messages to an app about unsupported features.
@MainActor @Suite(.apart) struct SettingsSnippetTests {
    private let air = Air()
    private let service = FakeServiceUnderTest()

    @Test func `08 the handler sees problems of the microphone begin and end`() async throws {
        let device = try GNSDevice(in: air, service)
        let (microphone, power, permission) = (Calls<Bool>(), Calls<Bool>(), Calls<Bool>())
        let manager: GNSMessageManager = device.run {
            FilledSnippets.trackSettings(
                API_KEY: service.key, microphone: { microphone.add($0) }, power: { power.add($0) },
                permission: { permission.add($0) })
        }
        let subscription = device.run { Snippets.subscribe(manager) }
        #expect(await eventually { device.medium.mode.contains(.scan) })
        await aWhile()
        #expect(microphone.all == [], "nothing is wrong")
        device.medium.report(.problem(.deviceBusy(.scan)))
        #expect(await eventually { microphone.all == [true] })
        device.medium.report(.problem(.noMicrophone))
        device.medium.report(.solved(.deviceBusy(.scan)))
        device.medium.report(.problem(.noLoudspeaker))
        await aWhile()
        #expect(microphone.all == [true], "one of two reasons is left")
        device.medium.report(.solved(.noMicrophone))
        #expect(await eventually { microphone.all == [true, false] })
        device.medium.report(.problem(.noPermission(.scan)))
        #expect(await eventually { microphone.all == [true, false, true] })
        #expect(power.all == [] && permission.all == [], "no operation asked for Bluetooth")
        withExtendedLifetime((manager, subscription)) {}
    }

    @Test func `08 the handlers see Bluetooth go off and on, and its permission`() async throws {
        let air = air
        let bluetooth = air.medium(.bluetooth)
        let device = try GNSDevice(in: air, service) { configuration in
            let media = configuration.media
            configuration.media = { media() + [bluetooth] }
        }
        let (power, permission) = (Calls<Bool>(), Calls<Bool>())
        let manager: GNSMessageManager = device.run {
            FilledSnippets.trackSettings(
                API_KEY: service.key, microphone: { _ in Issue.record("the microphone works") },
                power: { power.add($0) }, permission: { permission.add($0) })
        }
        let publication = device.run { Snippets.publish(manager, name: "Ann") }
        #expect(
            await eventually { bluetooth.mode == .both && device.medium.mode == .both }, "the default is both media")
        await aWhile()
        #expect(power.all == [] && permission.all == [])
        bluetooth.report(.problem(.bluetoothOff))
        #expect(await eventually { power.all == [true] })
        bluetooth.report(.solved(.bluetoothOff))
        bluetooth.report(.opened(.both))
        #expect(await eventually { power.all == [true, false] })
        bluetooth.report(.problem(.bluetoothForbidden))
        #expect(await eventually { permission.all == [true] })
        bluetooth.report(.solved(.bluetoothForbidden))
        #expect(await eventually { permission.all == [true, false] })
        #expect(power.all == [true, false])
        for problem in [DiscoveryProblem.noBluetoothAdapter, .noBluetoothService, .bluetoothUnusable(.scan)] {
            let count = power.count
            bluetooth.report(.problem(problem))
            #expect(await eventually { power.count == count + 1 && power.all.last == true }, "\(problem)")
            bluetooth.report(.solved(problem))
            #expect(await eventually { power.count == count + 2 && power.all.last == false }, "\(problem)")
        }
        withExtendedLifetime((manager, publication)) {}
    }

    @Test func `08 beacons call the Bluetooth handlers too`() async throws {
        let device = try GNSDevice(in: air, service, location: .granted)
        let power = Calls<Bool>()
        let manager: GNSMessageManager = device.run {
            FilledSnippets.trackSettings(
                API_KEY: service.key, microphone: { _ in }, power: { power.add($0) }, permission: { _ in })
        }
        let subscription = device.run { Snippets.subscribeToBeacons(manager, found: { _ in }, lost: { _ in }) }
        #expect(await eventually { !device.beacons.openScans.isEmpty })
        device.beacons.report(.problem(.bluetoothOff))
        #expect(await eventually { power.all == [true] })
        device.beacons.report(.solved(.bluetoothOff))
        #expect(await eventually { power.all == [true, false] })
        withExtendedLifetime((manager, subscription)) {}
    }

    @Test func `08 a machine without Bluetooth has one line in the debug log, and its sound works`() async throws {
        let air = air
        let bluetooth = air.medium(.bluetooth)
        let device = try GNSDevice(in: air, service) { configuration in
            let media = configuration.media
            configuration.media = { media() + [bluetooth] }
        }
        let (power, statuses) = (Calls<Bool>(), Calls<GNSOperationStatus>())
        let manager: GNSMessageManager = device.run {
            FilledSnippets.trackSettings(
                API_KEY: service.key, microphone: { _ in }, power: { power.add($0) }, permission: { _ in })
        }
        let publications = (0..<3).map { number in
            device.run {
                manager.publication(with: GNSMessage(content: Data("\(number)".utf8))) { params in
                    params?.statusHandler = { statuses.add($0) }
                }
            }
        }
        #expect(await eventually { !bluetooth.mode.isEmpty })
        bluetooth.report(.problem(.noBluetoothAdapter, detail: "There is no Bluetooth adapter."))
        #expect(await eventually { power.all == [true] && statuses.all.count { $0 == .active } == 3 })
        await aWhile()
        #expect(device.log.all.count { $0.contains("Bluetooth") } == 1, "\(device.log.all)")
        #expect(device.warnings.all == [])
        #expect(device.medium.mode == .both)
        withExtendedLifetime((manager, publications)) {}
    }

    @Test func `08 an app that asks for Bluetooth where the program has none is told so`() async throws {
        let device = try GNSDevice(in: air, service)
        let (power, statuses) = (Calls<Bool>(), Calls<GNSOperationStatus>())
        let manager: GNSMessageManager = device.run {
            FilledSnippets.trackSettings(
                API_KEY: service.key, microphone: { _ in }, power: { power.add($0) }, permission: { _ in })
        }
        let publications = (0..<2).map { _ in
            device.run {
                manager.publication(with: GNSMessage(content: nil)) { params in
                    params?.strategy = GNSStrategy { $0?.discoveryMediums = .BLE }
                    params?.statusHandler = { statuses.add($0) }
                }
            }
        }
        #expect(await eventually { power.all == [true] })
        await aWhile()
        #expect(power.all == [true])
        #expect(Set(statuses.all) == [.inactive] && device.medium.modes == [], "there is nothing it could run on")
        withExtendedLifetime((manager, publications)) {}
    }

    @Test func `an operation for the background uses no sound`() async throws {
        let device = try GNSDevice(in: air, service)
        let manager: GNSMessageManager = device.run { GNSMessageManager(apiKey: service.key) }
        let statuses = Calls<GNSOperationStatus>()
        let publication = device.run {
            manager.publication(with: GNSMessage(content: nil)) { params in
                params?.strategy = GNSStrategy { $0?.allowInBackground = true }
                params?.statusHandler = { statuses.add($0) }
            }
        }
        #expect(await eventually { device.log.all.contains { $0.contains("noBackground") } })
        await aWhile()
        #expect(Set(statuses.all) == [.inactive] && device.medium.modes == [], "it has no Bluetooth here")
        withExtendedLifetime((manager, publication)) {}
    }

    @Test func `standard error says that a message is beyond the limits`() async throws {
        let device = try GNSDevice(in: air, service)
        let manager: GNSMessageManager = device.run { GNSMessageManager(apiKey: service.key) }
        let statuses = Calls<GNSOperationStatus>()
        func publish(_ message: GNSMessage?) -> (any GNSPublication)? {
            device.run { manager.publication(with: message) { $0?.statusHandler = { statuses.add($0) } } }
        }
        // A debug build stops here.
        #if !DEBUG
            let tooMuch = GNSMessage(content: Data(count: kGNSMessageMaximumContentSize + 1))
            let tooLong = GNSMessage(
                content: nil, type: String(repeating: "t", count: kGNSMessageMaximumTypeLength + 1))
            let refused = [publish(tooMuch), publish(tooLong), publish(nil)]
            #expect(await eventually { statuses.all == [.inactive, .inactive, .inactive] })
            #expect(device.warnings.all.count { $0.contains("102400") || $0.contains("maximum is 32") } == 2)
            withExtendedLifetime(refused) {}
        #endif
        await aWhile()
        #expect(device.medium.modes == [] && service.fake.requests == [])
        let most = GNSMessage(
            content: Data(count: kGNSMessageMaximumContentSize),
            type: String(repeating: "t", count: kGNSMessageMaximumTypeLength))
        let publication = publish(most)
        #expect(await eventually { statuses.all.last == .active })
        withExtendedLifetime((manager, publication)) {}
    }

    @Test func `the debug log has no key, token, type or content`() async throws {
        let (ann, bob) = (try GNSDevice(in: air, service), try GNSDevice(in: air, service))
        let managers: [GNSMessageManager] = [ann, bob].map { $0.run { GNSMessageManager(apiKey: service.key) } }
        let found = Calls<GNSMessage?>()
        let subscription = bob.run { FilledSnippets.subscribe(managers[1], found: { found.add($0) }, lost: { _ in }) }
        let message = GNSMessage(content: Data("private words".utf8), type: "private type")
        let publication = ann.run { managers[0].publication(with: message) }
        #expect(await eventually { found.count == 1 })
        let secrets =
            service.fake.secrets + ["private words", "private type", Data("private words".utf8).base64EncodedString()]
        #expect(secrets.count >= 5)
        let lines = ann.log.all + bob.log.all
        #expect(lines.count >= 6)
        for line in lines { #expect(!secrets.contains { line.contains($0) }) }
        withExtendedLifetime((managers, subscription, publication)) {}
    }

    @Test func `05 the debug log goes to standard error once it is on`() async throws {
        // Each observed output occupies a thread until the process ends, and there may be only two threads for all tests.
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await Self.runAppWithSecrets()
        }
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
        let ours = lines.enumerated().filter { $0.element.hasPrefix("NearbyMessages: ") }
        let start = try #require(lines.firstIndex(of: "from here on"))
        #expect(!ours.isEmpty && ours.allSatisfy { $0.offset > start }, "\(lines)")
        #expect(!lines.contains { $0.contains("SECRET") })
    }

    /// Runs in a separate process, whose standard error the test reads.
    private static func runAppWithSecrets() async throws {
        setenv("XDG_CONFIG_HOME", "/nonexistent", 1)
        setenv("EARSHOT_APP_ID", "org.example.app", 1)
        let quiet: GNSMessageManager = GNSMessageManager(apiKey: "A-SECRET-KEY-1")
        let unheard = Snippets.publish(quiet, name: "A-SECRET-NAME")
        guard !GNSMessageManager.isDebugLoggingEnabled() else { exit(1) }
        try await Task.sleep(for: .milliseconds(200))
        _ = write(STDERR_FILENO, "from here on\n", 13)
        Snippets.enableDebugLogging()
        guard GNSMessageManager.isDebugLoggingEnabled() else { exit(1) }
        let manager: GNSMessageManager = GNSMessageManager(apiKey: "A-SECRET-KEY-2")
        let publication = FilledSnippets.askByOwnDialog(manager, name: "A-SECRET-NAME") { _ in
            // The line about the question has been written by then.
            DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) { exit(0) }
        }
        try await Task.sleep(for: .seconds(20))
        withExtendedLifetime((quiet, unheard, manager, publication)) {}
    }

    @Test func `the environment and a file choose the service and the sound devices`() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await Self.runConfiguredApp()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.split(separator: "\n").count { $0.hasPrefix("earshot: EARSHOT_SERVICE is not") } == 1, "\(text)")
        // The device does not exist, and the debug log names it.
        #expect(text.contains("chosen-microphone"), "\(text)")
        #expect(text.contains("serviceInvalid") && !text.contains("serviceUnreachable"), "\(text)")
    }

    /// Runs in a separate process, and sets its environment.
    private static func runConfiguredApp() async throws {
        let scratch = try ScratchFolder()
        let sound = URL(filePath: "\(scratch.path)/earshot/sound.json")
        try FileManager.default.createDirectory(
            at: sound.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("{\"device\":\"chosen-microphone\"}".utf8).write(to: sound)
        setenv("XDG_CONFIG_HOME", scratch.path, 1)
        setenv("EARSHOT_APP_ID", "org.example.app", 1)
        setenv("EARSHOT_SERVICE", "127.0.0.1:8787", 1)
        GNSPermission.setGranted(true)
        // The process has no terminal.
        UIApplication.shared.setApplicationState(.active)
        Snippets.enableDebugLogging()
        let manager: GNSMessageManager = FilledSnippets.trackSettings(
            API_KEY: "key",
            microphone: { hasError in
                // The lines about the service come at about the same time.
                if hasError { DispatchQueue.main.asyncAfter(deadline: .now() + 2) { exit(0) } }
            }, power: { _ in }, permission: { _ in })
        let operations: [Any?] = [Snippets.publish(manager, name: "Ann"), Snippets.subscribe(manager)]
        try await Task.sleep(for: .seconds(60))
        withExtendedLifetime((manager, operations)) {}
    }
}
