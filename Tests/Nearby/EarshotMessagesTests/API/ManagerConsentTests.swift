import EarshotDiscovery
import Foundation
import MessagesTestSupport
import Synchronization
import TestSupport
import Testing

@testable import EarshotMessages

/// Nothing happens before the user consents, nor after the user withdraws consent.
@Suite(.apart) struct ManagerConsentTests {
    @Test func nothingIsOpenedOrSentBeforeTheUserDecides() async throws {
        let (service, gate, isOpened) = (FakeService(), ScriptedGate(), Flag())
        let device = Device(in: Air(), service, permission: gate) { configuration in
            let media = configuration.media
            configuration.media = {
                isOpened.raise()
                return media()
            }
        }
        let publication = try device.manager.publish(Message("hello"))
        let subscription = try device.manager.subscribe()
        #expect(await eventually { gate.purposes.count == 2 })
        await aWhile()
        #expect(!isOpened.isRaised && device.medium.modes.isEmpty && service.requests.isEmpty)
        #expect(publication.status == .inactive && subscription.status == .inactive)
        gate.decide(.granted)
        #expect(await eventually { publication.status == .active && subscription.status == .active })
        #expect(device.medium.mode == .both)
    }

    @Test func thePurposeNamesTheApplicationAndItsNeeds() async throws {
        let gate = ScriptedGate()
        let device = Device(in: Air(), FakeService(), permission: gate)
        var strategy = DiscoveryStrategy()
        strategy.mode = .scan
        strategy.media = [.audio]
        let publication = try device.manager.publish(Message("hello"), strategy: strategy)
        #expect(await eventually { gate.purposes.count == 1 })
        #expect(gate.purposes == [ConsentPurpose(applicationIdentifier: "test", mode: .scan, media: [.audio])])
        #expect(publication.status == .inactive)
    }

    /// A reason is missing in the manifest, with `MissingReasons.refused`.
    @Test func anOperationWithoutAReasonIsRefusedWhateverTheUserSays() async throws {
        let (service, warnings) = (FakeService(), Lines())
        let scratch = try ScratchFolder()
        let consent = Consent(
            applicationIdentifier: "test", configurationFolder: scratch.path, media: [.bluetooth],
            missingReasons: .refused)
        try consent.store.set(.granted)
        let device = Device(in: Air(), service, permission: consent) { $0.internals.warn = { warnings.add($0) } }
        let publication = try device.manager.publish(Message("hello"))
        #expect(await eventually { warnings.all.count == 1 })
        #expect(
            warnings.all.first?.contains("(NSBluetoothPeripheralUsageDescription). So the operation is refused.")
                == true)
        try consent.store.set(.denied)
        try consent.store.set(.granted)
        await aWhile()
        #expect(publication.status == .inactive && service.requests.isEmpty && device.medium.modes.isEmpty)
        // Operations that need no reason continue.
        var strategy = DiscoveryStrategy()
        strategy.mode = .scan
        let subscription = try device.manager.subscribe(strategy: strategy)
        #expect(await eventually { subscription.status == .active })
        withExtendedLifetime(publication) {}
    }

    @Test func aDeniedOperationIsInactive() async throws {
        let (service, gate) = (FakeService(), ScriptedGate())
        let device = Device(in: Air(), service, permission: gate)
        let publication = try device.manager.publish(Message("hello"))
        gate.decide(.denied)
        await aWhile()
        #expect(publication.status == .inactive && service.requests.isEmpty && device.medium.modes.isEmpty)
        // The user changes the decision.
        gate.decide(.granted)
        #expect(await eventually { publication.status == .active })
    }

    @Test func operationsEndWhenTheUserWithdrawsConsent() async throws {
        let (air, service, gate) = (Air(), FakeService(), ScriptedGate())
        let device = Device(in: air, service, permission: gate)
        let other = Device(in: air, service)
        let publication = try device.manager.publish(Message("mine"))
        let otherPublication = try other.manager.publish(Message("yours"))
        let (mine, yours) = (Collected(try device.manager.subscribe()), Collected(try other.manager.subscribe()))
        gate.decide(.granted)
        #expect(await eventually { mine.found.count == 1 && yours.found.count == 1 })
        gate.decide(.denied)
        #expect(await eventually { publication.status == .inactive && device.medium.mode.isEmpty })
        #expect(await eventually { mine.lost.count == 1 && yours.lost.count == 1 })
        #expect(await eventually { service.things.count == 2 })
        gate.decide(.granted)
        #expect(await eventually { mine.found.count == 2 && yours.found.count == 2 })
        #expect(await eventually { otherPublication.status == .active })
    }

    @Test func theHandlerOfAnOperationIsAsked() async throws {
        let gate = ScriptedGate()
        let device = Device(in: Air(), FakeService(), permission: gate)
        let granted = try device.manager.publish(Message("1"), consent: { _ in .granted })
        let denied = try device.manager.subscribe(consent: { _ in .denied })
        let open = try device.manager.subscribe(consent: { _ in .undecided })
        #expect(await eventually { granted.status == .active && gate.purposes.count == 3 })
        await aWhile()
        #expect(denied.status == .inactive && open.status == .inactive)
    }

    @Test func theHandlerIsCancelledWhenTheOperationEnds() async throws {
        let device = Device(in: Air(), FakeService(), permission: ScriptedGate())
        let (begun, cancelled) = (Flag(), Flag())
        let publication = try device.manager.publish(Message("1")) { _ in
            begun.raise()
            try? await Task.sleep(for: .seconds(60))
            if Task.isCancelled { cancelled.raise() }
            return .granted
        }
        #expect(await eventually { begun.isRaised })
        publication.stop()
        #expect(await eventually { cancelled.isRaised })
        await aWhile()
        #expect(device.medium.modes.isEmpty)
    }

    @Test func withoutAPromptThereIsNoConsent() async throws {
        let scratch = try ScratchFolder()
        let consent = Consent(applicationIdentifier: "app", configurationFolder: scratch.path)
        let device = Device(in: Air(), FakeService(), permission: consent)
        let publication = try device.manager.publish(Message("1"))
        await aWhile()
        #expect(publication.status == .inactive && device.medium.modes.isEmpty)
    }

    @Test func unsupportedMediaAreReported() async throws {
        let service = FakeService()
        let device = Device(in: Air(), service)
        let problems = Collected(device.manager.problems)
        let bluetooth = DiscoveryMediumKind(name: "bluetooth", worksInBackground: true)
        var (mixed, alone, background) = (DiscoveryStrategy(), DiscoveryStrategy(), DiscoveryStrategy())
        mixed.media = [.audio, bluetooth]
        alone.media = [bluetooth]
        background.isAllowedInBackground = true
        var first: Publication? = try device.manager.publish(Message("1"), strategy: mixed)
        #expect(await eventually { first?.status == .active })
        #expect(problems.current == [.unsupportedMedium(bluetooth)])
        var second: Publication? = try device.manager.publish(Message("2"), strategy: alone)
        let third = try device.manager.publish(Message("3"), strategy: background)
        #expect(await eventually { problems.current.contains(.noBackground(.audio)) })
        #expect(second?.status == .inactive && third.status == .inactive && service.things.count == 1)
        // A problem lasts as long as one operation has it.
        first = nil
        await aWhile()
        #expect(problems.current.contains(.unsupportedMedium(bluetooth)))
        second = nil
        #expect(await eventually { problems.current == [.noBackground(.audio)] })
    }

    @Test func problemsOfTheMicrophoneBeginAndEnd() async throws {
        let device = Device(in: Air(), FakeService())
        let problems = Collected(device.manager.problems)
        let subscription = try device.manager.subscribe()
        #expect(await eventually { subscription.status == .active })
        device.medium.report(.problem(.noMicrophone, detail: "there is none"))
        #expect(await eventually { problems.all.count == 1 })
        #expect(problems.all.first?.isAboutMicrophone == true && problems.all.first?.detail == "there is none")
        // A later reader also receives the present problems.
        let late = Collected(device.manager.problems)
        #expect(await eventually { late.current == [.medium(.noMicrophone, .audio)] })
        device.medium.report(.solved(.noMicrophone))
        #expect(await eventually { problems.current.isEmpty && late.current.isEmpty })
        #expect(problems.all.count == 2)
    }

    @Test func aMissingLoudspeakerIsNotSolvedBecauseNothingUsesOne() async throws {
        let device = Device(in: Air(), FakeService())
        let problems = Collected(device.manager.problems)
        var scanning = DiscoveryStrategy()
        scanning.mode = .scan
        let subscription = try device.manager.subscribe(strategy: scanning)
        let publication = try device.manager.publish(Message("hello"))
        #expect(await eventually { device.medium.mode == .both })
        device.medium.report(.problem(.noLoudspeaker, detail: "there is none"))
        #expect(await eventually { problems.current == [.medium(.noLoudspeaker, .audio)] })
        publication.stop()
        #expect(await eventually { device.medium.mode == .scan })
        await aWhile()
        #expect(problems.all.count == 1, "only a medium that broadcasts can see the problem end")
        let next = try device.manager.publish(Message("next"))
        #expect(await eventually { device.medium.mode == .both })
        await aWhile()
        #expect(problems.all.count == 1, "the medium has not opened a loudspeaker yet")
        device.medium.report(.opened(.broadcast))
        #expect(await eventually { problems.current.isEmpty })
        withExtendedLifetime((subscription, next)) {}
    }

    @Test func anOperationEndsWithItsTime() async throws {
        let service = FakeService()
        let device = Device(in: Air(), service)
        var strategy = DiscoveryStrategy()
        strategy.timeToLive = .milliseconds(300)
        let subscription = try device.manager.subscribe(strategy: strategy)
        let events = Collected(subscription)
        #expect(await eventually { events.isOver && subscription.status == .inactive })
        #expect(await eventually { service.things.isEmpty && device.medium.mode.isEmpty })
        #expect(device.medium.modes == [.both])
    }
}
