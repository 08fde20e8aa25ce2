import DesktopTestSupport
import EarshotBasics
import EarshotDBus
import EarshotPush
import Foundation
import MessagesTestSupport
import TestSupport
import Testing

@testable import EarshotAgent
@testable import earshot_agent

/// The machine's sleep, as a logind of the test reports it on a bus of the test.
@Suite(.apart, .serialized, .enabled(if: SessionBus.missing == nil, Comment(rawValue: SessionBus.missing ?? "")))
struct LogindSleepTests {
    private func sleep(_ bus: SessionBus) -> LogindSleep {
        LogindSleep(bus: bus.bus, pauses: BackOff.Bounds(shortest: .milliseconds(50), longest: .milliseconds(200)))
    }

    @Test func aWakeThatWasMissedIsAskedFor() async throws {
        let bus = try SessionBus()
        var logind = try await FakeLogind(on: bus)
        let told = Collected(sleep(bus).sleeps())
        #expect(await eventually { told.all == [false] })
        try await logind.prepare(true)
        #expect(await eventually { told.all.last == true })
        // The bus ends during the sleep.
        bus.kill()
        await aWhile()
        try bus.restart()
        logind = try await FakeLogind(on: bus)
        #expect(await eventually { told.all.last == false })
        try await logind.prepare(true)
        #expect(await eventually { told.all.last == true })
        // Only logind ends.
        await logind.leave()
        await aWhile()
        logind = try await FakeLogind(on: bus)
        #expect(await eventually { told.all.last == false })
        // Signals of other programs do not count.
        let stranger = bus.connect()
        let count = told.all.count
        try await stranger.emit(
            "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep", [.boolean(true)])
        await aWhile()
        #expect(told.all.count == count)
        withExtendedLifetime(logind) {}
    }

    @Test func aProviderStopsBeforeTheSleepAlsoAfterTheBusWasLost() async throws {
        let bus = try SessionBus()
        let push = try PushHome()
        let agent = try push.agent { $0.push?.sleeps = sleep(bus) }
        push.networks.join("Ship")
        try push.store.save(push.configuration())
        #expect(await eventually { push.lines.last == "active" })
        bus.kill()
        await aWhile()
        try bus.restart()
        let logind = try await FakeLogind(on: bus)
        await aWhile()
        #expect(push.lines.last == "active")
        #expect(
            await eventually {
                try? await logind.prepare(true)
                return push.lines.last == "stop sleep"
            })
        try await logind.prepare(false)
        #expect(await eventually { push.lines.last == "active" })
        withExtendedLifetime(agent) {}
    }
}

/// The part of logind that reports sleep.
private final class FakeLogind: Sendable {
    private static let interface = "org.freedesktop.login1.Manager"
    private static let path = "/org/freedesktop/login1"
    private let bus: DBusConnection

    init(on session: SessionBus) async throws {
        bus = session.connect()
        try await export(false)
        _ = try await bus.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string("org.freedesktop.login1"), .uint32(0)])
    }

    private func export(_ isAsleep: Bool) async throws {
        let interface = DBusObject.Interface(properties: ["PreparingForSleep": .boolean(isAsleep)])
        try await bus.export(Self.path, DBusObject([Self.interface: interface]))
    }

    func prepare(_ isAsleep: Bool) async throws {
        try await export(isAsleep)
        try await bus.emit(Self.path, Self.interface, "PrepareForSleep", [.boolean(isAsleep)])
    }

    func leave() async {
        bus.close()
        await bus.waitUntilClosed()
    }
}
