import EarshotMessages
import EarshotNetworks
import EarshotPush
import Foundation
import Glibc
import MessagesTestSupport
import NearbyWire
import TestSupport
import Testing

@testable import EarshotAgent

/// An agent with a network of the test, and a real provider.
@Suite(.apart, .serialized)
struct PushSupervisorTests {
    private let push: PushHome
    private var file: [String] { push.lines }

    init() throws { push = try PushHome() }

    @Test func joiningStartsAndLeavingStops() async throws {
        let agent = try push.agent()
        let saved = try push.store.save(push.configuration()).saved
        await aWhile()
        #expect(file.isEmpty, "not on the network")
        push.networks.join("Ship")
        #expect(await eventually { file == ["start", "active"] })
        #expect(await eventually { await push.state(saved.identifier)?.state == "active" })
        #expect(await push.state(saved.identifier)?.process == push.processes.first)
        push.networks.join("Other")
        #expect(await eventually { file.last == "stop noNetworkAvailable" })
        #expect(await eventually { await push.state(saved.identifier)?.state == "stopped" })
        #expect(await eventually { kill(push.processes[0], 0) != 0 })
        push.networks.join("Ship")
        #expect(await eventually { file.count(where: { $0 == "active" }) == 2 })
        #expect(!file.contains("second"))
        withExtendedLifetime(agent) {}
    }

    @Test func savingTakesEffectWithinASecond() async throws {
        let agent = try push.agent()
        push.networks.join("Ship")
        let begin = ContinuousClock.now
        var saved = try push.store.save(push.configuration()).saved
        #expect(await eventually { file.last == "active" })
        print("the provider was active \(begin.duration(to: .now)) after the save")
        saved.isEnabled = false
        try push.store.save(saved)
        #expect(await eventually { file.last == "stop configurationDisabled" })
        saved.isEnabled = true
        try push.store.save(saved)
        #expect(await eventually { file.last == "active" })
        // The same values again change nothing.
        saved.localizedDescription = "Ship"
        try push.store.save(saved)
        await aWhile()
        #expect(file.last == "active")
        saved.providerConfiguration["more"] = .integer(1)
        try push.store.save(saved)
        #expect(await eventually { file.contains("stop superceded") && file.last == "active" })
        try push.store.remove(identifier: saved.identifier)
        #expect(await eventually { file.last == "stop configurationRemoved" })
        #expect(await eventually { (try? await push.overview().configurations.isEmpty) == true })
        withExtendedLifetime(agent) {}
    }

    /// All programs of a user share 128 inotify instances by default.
    @Test func changesAreNoticedWithoutWatches() async throws {
        let isWatching = Flag()
        let agent = try push.agent { options in
            options.push?.times.look = 0.05
            options.push?.watch = { folder, queue, onChange in
                errno = EMFILE
                return isWatching.isRaised ? FolderWatch(folder: folder, queue: queue, onChange: onChange) : nil
            }
        }
        push.networks.join("Ship")
        #expect(
            await eventually {
                push.home.log.all.contains { $0.contains("too many open files; it looks every 0.05 s") }
            })
        try push.store.save(push.configuration())
        #expect(await eventually { file.last == "active" })
        // From now on it watches.
        isWatching.raise()
        try push.store.save(push.configuration(app: "other"))
        #expect(await eventually { file.contains("stop superceded") && file.last == "active" })
        withExtendedLifetime(agent) {}
    }

    @Test func aNewerConfigurationReplacesTheOlder() async throws {
        let agent = try push.agent()
        push.networks.join("Ship")
        let first = try push.store.save(push.configuration()).saved
        #expect(await eventually { file.last == "active" })
        let second = try push.store.save(push.configuration(app: "other")).saved
        #expect(await eventually { file.contains("stop superceded") && file.last == "active" })
        #expect(await eventually { await push.state(second.identifier)?.state == "active" })
        #expect(await push.state(first.identifier)?.supersededBy == second.identifier)
        withExtendedLifetime(agent) {}
    }

    @Test func theMachinesSleepStopsAndItsWakeStarts() async throws {
        let agent = try push.agent()
        push.networks.join("Ship")
        try push.store.save(push.configuration())
        #expect(await eventually { file.last == "active" })
        push.sleeps.set(true)
        #expect(await eventually { file.last == "stop sleep" })
        await aWhile()
        push.sleeps.set(false)
        #expect(await eventually { file.last == "active" })
        withExtendedLifetime(agent) {}
    }

    @Test func aReplacedProgramIsStartedAnew() async throws {
        let agent = try push.agent()
        push.networks.join("Ship")
        try push.store.save(push.configuration())
        #expect(await eventually { file.last == "active" })
        try push.copy()
        #expect(await eventually { file.contains("stop appUpdate") && file.last == "active" })
        withExtendedLifetime(agent) {}
    }

    /// If the command is an interpreter, the script counts as the program.
    @Test func aReplacedScriptIsStartedAnew() async throws {
        let (script, program) = ("\(push.home.path)/scripts/provider.sh", "\(push.home.path)/bin/push-provider")
        func write(_ text: String) throws {
            try push.home.scratch.write("exec \(program) # \(text)\n", to: "scripts/.new")
            chmod("\(push.home.path)/scripts/.new", 0o644)
            rename("\(push.home.path)/scripts/.new", script)
        }
        try write("one")
        try push.home.scratch.write(
            #"{"EarshotCommand":["/bin/sh","\#(script)"]}"#, to: "providers/org.example.Provider.json")
        chmod("\(push.home.path)/providers/org.example.Provider.json", 0o644)
        let agent = try push.agent()
        push.networks.join("Ship")
        try push.store.save(push.configuration())
        #expect(await eventually { file.last == "active" })
        try write("two")
        #expect(await eventually { file.contains("stop appUpdate") && file.last == "active" })
        withExtendedLifetime(agent) {}
    }

    /// A change far above the program's folder may replace the program or give it to another user.
    @Test func aChangeAboveTheProgramsFolderIsNoticed() async throws {
        let home = push.home.path
        for release in ["one", "two"] {
            mkdir("\(home)/lib", 0o755)
            for folder in ["\(home)/lib/\(release)", "\(home)/lib/\(release)/bin"] { mkdir(folder, 0o755) }
            try push.copy(to: "lib/\(release)/bin")
        }
        #expect(symlink("one", "\(home)/lib/now") == 0)
        try push.home.scratch.write(
            #"{"EarshotCommand":["\#(home)/lib/now/bin/push-provider"]}"#, to: "providers/org.example.Provider.json")
        chmod("\(home)/providers/org.example.Provider.json", 0o644)
        let agent = try push.agent()
        push.networks.join("Ship")
        let saved = try push.store.save(push.configuration()).saved
        #expect(await eventually { file.last == "active" })
        #expect(symlink("two", "\(home)/lib/new") == 0 && rename("\(home)/lib/new", "\(home)/lib/now") == 0)
        #expect(await eventually { file.contains("stop appUpdate") && file.last == "active" })
        chmod("\(home)/lib", 0o775)
        #expect(await eventually { file.last == "stop configurationFailed" })
        #expect(
            await push.state(saved.identifier)?.lastError?.contains("lib, which can be changed by others (mode 775)")
                == true)
        chmod("\(home)/lib", 0o755)
        #expect(await eventually { file.last == "active" })
        withExtendedLifetime(agent) {}
    }

    @Test func aProviderThatIsInstalledLaterStarts() async throws {
        let agent = try push.agent()
        push.networks.join("Ship")
        var configuration = push.configuration()
        configuration.provider = "later"
        let saved = try push.store.save(configuration).saved
        #expect(
            await eventually {
                await push.state(saved.identifier)?.lastError?.contains("later is not installed") == true
            })
        try push.installProvider("later")
        #expect(await eventually { file.last == "active" })
        withExtendedLifetime(agent) {}
    }

    @Test func aFolderThatOthersMayWriteIsRefused() async throws {
        chmod("\(push.home.path)/bin", 0o777)
        let agent = try push.agent()
        push.networks.join("Ship")
        let saved = try push.store.save(push.configuration()).saved
        #expect(
            await eventually {
                await push.state(saved.identifier)?.lastError?.contains("can be changed by others") == true
            })
        #expect(await push.state(saved.identifier)?.state == "waiting")
        #expect(file.isEmpty)
        chmod(push.store.path, 0o777)
        #expect(
            await eventually {
                (try? await push.overview().problems.first?.contains("can be changed by others")) == true
            })
        // The agent notices even a mere change of permissions.
        chmod("\(push.home.path)/bin", 0o755)
        await aWhile()
        #expect(file.isEmpty)
        chmod(push.store.path, 0o700)
        #expect(await eventually { file.last == "active" })
        // The same change ends a provider that runs.
        chmod("\(push.home.path)/bin", 0o777)
        #expect(await eventually { file.last == "stop configurationFailed" })
        #expect(await push.state(saved.identifier)?.lastError?.contains("can be changed by others (mode 777)") == true)
        withExtendedLifetime(agent) {}
    }

    /// An editor empties the file before it writes it.
    @Test func whatIsHalfWrittenKeepsTheLastConfiguration() async throws {
        let agent = try push.agent()
        push.networks.join("Ship")
        let saved = try push.store.save(push.configuration()).saved
        #expect(await eventually { file.last == "active" })
        let path = "\(push.store.path)/\(saved.identifier).json"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let descriptor = open(path, O_WRONLY | O_TRUNC)
        defer { close(descriptor) }
        // A second file makes the agent read the folder again.
        try Data("{".utf8).write(to: URL(filePath: "\(push.store.path)/x.json"))
        #expect(await eventually { (try? await push.overview().problems.count) == 2 })
        #expect(await push.state(saved.identifier)?.state == "active" && file == ["start", "active"])
        #expect(push.home.log.all.contains { $0.contains("x.json is not a configuration") })
        let new = Array(text.replacing("\"Ship\"", with: "\"Other\"").utf8)
        #expect(write(descriptor, new, new.count) == new.count)
        unlink("\(push.store.path)/x.json")
        #expect(await eventually { file.last == "stop noNetworkAvailable" })
        #expect(await eventually { (try? await push.overview().problems.isEmpty) == true })
        withExtendedLifetime(agent) {}
    }

    @Test func aStartThatFailsIsShownAndTriedAgain() async throws {
        let agent = try push.agent { $0.push?.times.restart.shortest = .milliseconds(100) }
        push.networks.join("Ship")
        let saved = try push.store.save(push.configuration(mode: "error")).saved
        #expect(await eventually { file.count(where: { $0 == "start" }) == 3 })
        let state = try #require(await push.state(saved.identifier))
        #expect(state.lastError == "Its start failed: no server" && state.lastStopReason == "providerFailed")
        #expect(state.state != "active" && state.restartCount >= 2)
        #expect(file.contains("stop providerFailed") && !file.contains("second"))
        withExtendedLifetime(agent) {}
    }

    @Test func aCrashIsFollowedByGrowingPauses() async throws {
        let agent = try push.agent { $0.push?.times.restart.shortest = .milliseconds(100) }
        push.networks.join("Ship")
        let saved = try push.store.save(push.configuration(mode: "crash")).saved
        #expect(
            await eventually {
                push.home.log.all.contains { $0.contains("ended with status 3. The next start is in 0.8 s") }
            })
        #expect(await push.state(saved.identifier)?.lastError?.contains("status 3") == true)
        // Leaving and joining the network again resets the pauses.
        let count = file.count
        push.networks.join("Other")
        await aWhile()
        push.networks.join("Ship")
        #expect(await eventually(within: .milliseconds(700)) { file.count > count } || file.count > count)
        withExtendedLifetime(agent) {}
    }

    @Test func aStartWithoutAnAnswerIsEnded() async throws {
        let agent = try push.agent { $0.push?.times.start = 0.3 }
        push.networks.join("Ship")
        let saved = try push.store.save(push.configuration(mode: "slow")).saved
        #expect(await eventually { await push.state(saved.identifier)?.lastError?.contains("more than 0.3 s") == true })
        #expect(file.contains("stop providerFailed"))
        withExtendedLifetime(agent) {}
    }

    @Test(arguments: ["hanging", "stubborn"]) func aStopWithoutAnAnswerIsEnded(mode: String) async throws {
        let agent = try push.agent { options in
            options.push?.times.grace = 0.3
            options.push?.times.termination = 0.3
        }
        push.networks.join("Ship")
        try push.store.save(push.configuration(mode: mode))
        #expect(await eventually { file.last == "active" })
        let process = try #require(push.processes.last)
        push.networks.set(nil)
        #expect(await eventually { file.last == "stop noNetworkAvailable" })
        #expect(await eventually { kill(process, 0) != 0 })
        #expect(push.home.log.all.contains { $0.contains("does not stop: SIGTERM") })
        // SIGTERM ends an ordinary provider, and SIGKILL a stubborn one.
        let signal = mode == "stubborn" ? SIGKILL : SIGTERM
        #expect(await eventually { push.home.log.all.contains { $0.contains("was ended by signal \(signal)") } })
        withExtendedLifetime(agent) {}
    }

    @Test func whatAProviderHasStartedEndsWithIt() async throws {
        let agent = try push.agent()
        push.networks.join("Ship")
        try push.store.save(push.configuration(mode: "child"))
        #expect(await eventually { file.last == "active" })
        let text = try String(contentsOfFile: push.file, encoding: .utf8)
        let child = try #require(
            text.split(separator: "\n").first { $0.hasPrefix("child") }?.split(separator: " ").last.flatMap {
                pid_t($0)
            })
        #expect(kill(child, 0) == 0)
        push.networks.set(nil)
        // A zombie has a process number until it is reaped.
        #expect(await eventually { Self.isGone(child) })
        withExtendedLifetime(agent) {}
    }

    private static func isGone(_ process: pid_t) -> Bool {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return true }
        return text.contains(") Z ")
    }

    @Test func theTimerTicksWhileItRuns() async throws {
        let agent = try push.agent { $0.push?.times.timer = 0.1 }
        push.networks.join("Ship")
        try push.store.save(push.configuration())
        #expect(await eventually { file.count(where: { $0 == "timer" }) >= 3 })
        withExtendedLifetime(agent) {}
    }

    @Test func ethernetAndMobileNetworksMatch() async throws {
        let agent = try push.agent()
        var configuration = push.configuration()
        configuration.ssids = []
        configuration.matchesEthernet = true
        configuration.mobileNetworks = [
            PushMobileNetwork(countryCode: "310", networkCode: "410", trackingAreaCode: "001a")
        ]
        try push.store.save(configuration)
        push.networks.set(.ethernet)
        #expect(await eventually { file.last == "active" })
        push.networks.set(.mobile(MobileNetwork(countryCode: "310", networkCode: "410", trackingAreaCode: "1B")))
        #expect(await eventually { file.last == "stop noNetworkAvailable" })
        push.networks.set(.mobile(MobileNetwork(countryCode: "310", networkCode: "410", trackingAreaCode: "1A")))
        #expect(await eventually { file.last == "active" })
        withExtendedLifetime(agent) {}
    }

    @Test func anEthernetThatIsNotTheProvidersIsLeft() async throws {
        let agent = try push.agent()
        var configuration = push.configuration(mode: "ethernet")
        configuration.matchesEthernet = true
        let saved = try push.store.save(configuration).saved
        push.networks.set(.ethernet)
        #expect(await eventually { file.last == "stop noNetworkAvailable" })
        #expect(await eventually { await push.state(saved.identifier)?.state == "stopped" })
        let count = file.count
        await aWhile()
        #expect(file.count == count)
        push.networks.join("Ship")
        #expect(await eventually { file.suffix(2) == ["start", "active"] || file.last == "active" })
        withExtendedLifetime(agent) {}
    }

    @Test(arguments: [[0xFF, 0xFE, 0x00, 0x41], [UInt8](repeating: 0x41, count: 32)])
    func namesAreComparedAsBytes(ssid: [UInt8]) async throws {
        let agent = try push.agent()
        var configuration = push.configuration()
        configuration.ssids = [ssid]
        try push.store.save(configuration)
        push.networks.set(.wifi(ssid: ssid.dropLast() + [0x42]))
        await aWhile()
        #expect(file.isEmpty)
        push.networks.set(.wifi(ssid: ssid))
        #expect(await eventually { file.last == "active" })
        withExtendedLifetime(agent) {}
    }

    @Test func severalProvidersRunAtOnce() async throws {
        let agent = try push.agent()
        // Two overlapping configurations, which only an editor can write.
        let first = try push.store.save(push.configuration("Other")).saved
        var second = push.configuration(app: "second")
        second.providerConfiguration["file"] = .string(push.file + "2")
        second = try push.store.save(second).saved
        let path = "\(push.store.path)/\(first.identifier).json"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try Data(text.replacing("\"Other\"", with: "\"Ship\"").utf8).write(to: URL(filePath: path))
        push.networks.join("Ship")
        #expect(
            await eventually {
                (try? await push.overview().configurations.map(\.state)) == ["active", "active"]
            })
        withExtendedLifetime((agent, second)) {}
    }

    @Test func anAgentThatEndsTakesItsProvidersAlong() async throws {
        let first = try push.agent()
        push.networks.join("Ship")
        try push.store.save(push.configuration())
        #expect(await eventually { file.last == "active" })
        let process = try #require(push.processes.last)
        await first.close()
        #expect(await eventually { kill(process, 0) != 0 })
        #expect(file.last == "stop none")
    }

    @Test func withoutConfigurationsNothingIsWatched() async throws {
        let agent = try push.agent()
        push.networks.join("Ship")
        let overview = try await push.overview()
        #expect(overview.networkSource == nil && overview.configurations.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: "\(push.home.state)1/push"))
        withExtendedLifetime(agent) {}
    }
}
