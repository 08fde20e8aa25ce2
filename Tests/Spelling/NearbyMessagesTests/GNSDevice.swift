import EarshotMessages
import Foundation
import MessagesTestSupport
import TestSupport

@testable import NearbyMessages

/// A device with an app of the original interface, in simulated air.
@MainActor struct GNSDevice {
    let environment: GNSEnvironment
    let medium: AirMedium
    /// The beacons that it hears.
    let beacons: BeaconAir
    let log = Lines()
    /// The lines for standard error.
    let warnings = Lines()
    let scratch: ScratchFolder

    /// - Parameters:
    ///   - permission: the user's earlier decision.
    ///   - location: the user's earlier decision on the location.
    ///   - beacons: the beacons that the device hears.
    init(
        in air: Air, _ service: any ServiceUnderTest, permission: PermissionState = .granted,
        location: PermissionState = .undecided, beacons: BeaconAir = BeaconAir(),
        terminal: Terminal? = nil,
        changing change: (inout MessageManager.Configuration) -> Void = { _ in }
    ) throws {
        let (log, warnings, medium) = (log, warnings, air.medium())
        self.medium = medium
        self.beacons = beacons
        scratch = try ScratchFolder()
        let prompt = terminal.map { TerminalPrompt(input: $0.device, output: $0.device) }
        let consent = Consent(
            applicationIdentifier: "app", configurationFolder: scratch.path, prompt: prompt, log: { log.add($0) },
            warn: { warnings.add($0) })
        if permission != .undecided { try consent.store.set(permission) }
        if location != .undecided { try consent.store.setLocation(location) }
        guard let nowhere = URL(string: "http://nowhere.invalid") else { preconditionFailure("a URL") }
        var configuration = MessageManager.Configuration(
            serviceURL: nowhere, applicationIdentifier: "app", media: { [medium] }, permission: consent)
        configuration.beacons = { beacons }
        configuration.backOff.shortest = .milliseconds(20)
        configuration.backOff.longest = .milliseconds(100)
        configuration.internals.pace.reportDelay = .milliseconds(10)
        configuration.internals.pace.tokenTurn = .milliseconds(100)
        service.connect(&configuration)
        change(&configuration)
        environment = GNSEnvironment(
            configuration: configuration, consent: consent, log: { log.add($0) }, warn: { warnings.add($0) })
    }

    /// Runs an app's code on this device.
    func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try GNSEnvironment.$current.withValue(environment, operation: body)
    }

    var permission: PermissionState { environment.consent.store.state }
}

/// Collects the arguments of handler calls, and requires that the calls come on the main queue.
@MainActor final class Calls<Value> {
    private(set) var all: [Value] = []

    var count: Int { all.count }

    func add(_ value: Value) {
        dispatchPrecondition(condition: .onQueue(.main))
        all.append(value)
    }
}

extension Calls<GNSMessage?> {
    var texts: [String] { all.map { String(decoding: $0?.content ?? Data(), as: UTF8.self) } }
}
