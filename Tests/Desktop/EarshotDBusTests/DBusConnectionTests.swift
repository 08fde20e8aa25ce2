import DesktopTestSupport
import EarshotDBus
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.apart) struct DBusConnectionTests {
    private static let interface = "org.example.Echo"

    /// An object with methods that return their arguments, fail, answer late, or answer with too much data.
    private static let echo = DBusObject([
        interface: .init(
            properties: ["Name": .string("Echo"), "Count": .uint32(7)],
            methods: [
                "Echo": { call in call.arguments },
                "Refuse": { _ throws(DBusError) in
                    throw DBusError.refused(name: "org.example.Error.AccessDenied", text: "Not you.")
                },
                "Late": { _ in
                    Thread.sleep(forTimeInterval: 1)
                    return []
                },
                "Deep": { _ in
                    var value = DBusValue.byte(1)
                    for _ in 0..<30 { value = .variant(value) }
                    return [value]
                },
                "Large": { _ in
                    [.array(of: "s", Array(repeating: .string("0123456789"), count: 200_000))]
                },
            ])
    ])

    /// A connection that exports the object, its unique name, and another connection to call it.
    private func open(_ bus: SessionBus) async throws -> (server: DBusConnection, name: String, client: DBusConnection)
    {
        let (server, client) = (bus.connect(), bus.connect())
        try await server.export("/echo", Self.echo)
        try await server.export("/", DBusObject(managesObjects: true))
        // The bus lists all names. The server's unique name is not a well-known one.
        let answer = try await server.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string("org.example.Server"), .uint32(0)])
        #expect(answer == [.uint32(1)])
        return (server, "org.example.Server", client)
    }

    @Test func everyTypeOfValueComesBackAsItWent() async throws {
        let bus = try SessionBus()
        let (server, name, client) = try await open(bus)
        let values: [DBusValue] = [
            .boolean(true), .byte(255), .int16(-2), .uint16(65_535), .int32(-3), .uint32(4_000_000_000),
            .int64(.min), .uint64(.max), .double(-0.5), .string("grüß Gott"), .path("/a/b"), .signature("a{sv}"),
            .bytes([0, 1, 255]), .bytes([]), .array(of: "s", [.string("x"), .string("")]), .array(of: "i", []),
            .dictionary(key: "q", value: "v", [.uint16(76): .variant(.bytes([2, 21]))]),
            .properties(["Type": .string("le"), "DuplicateData": .boolean(true)]),
            .structure([.byte(0), .byte(0x16), .bytes([0xAA, 0xFE])]),
            .array(of: "(yyay)", [.structure([.byte(0), .byte(1), .bytes([])])]), .variant(.variant(.int32(1))),
        ]
        #expect(try await client.call(name, "/echo", Self.interface, "Echo", values) == values)
        server.close()
        client.close()
    }

    @Test func errorsHaveTheNameAndTextOfTheOtherSide() async throws {
        let bus = try SessionBus()
        let (server, name, client) = try await open(bus)
        await #expect(throws: DBusError.refused(name: "org.example.Error.AccessDenied", text: "Not you.")) {
            try await client.call(name, "/echo", Self.interface, "Refuse")
        }
        do throws(DBusError) {
            _ = try await client.call(name, "/echo", Self.interface, "Nothing")
            Issue.record("no error")
        } catch {
            #expect(error.isRefusal("UnknownMethod"))
        }
        do throws(DBusError) {
            _ = try await client.call("org.example.Absent", "/", Self.interface, "Echo")
            Issue.record("no error")
        } catch {
            #expect(error.isRefusal("ServiceUnknown") || error.isRefusal("NameHasNoOwner"))
        }
        await #expect(throws: DBusError.self) { try await client.call(name, "no path", Self.interface, "Echo") }
        #expect(server !== client)
    }

    @Test func aCallEndsWithItsTimeLimitOrItsTask() async throws {
        let bus = try SessionBus()
        let (server, name, client) = try await open(bus)
        await #expect(throws: DBusError.noReply) {
            try await client.call(name, "/echo", Self.interface, "Late", timeLimit: .milliseconds(50))
        }
        let task = Task { try await client.call(name, "/echo", Self.interface, "Late", timeLimit: .seconds(60)) }
        task.cancel()
        await #expect(throws: DBusError.cancelled) { try await task.value }
        #expect(server !== client)
    }

    @Test func messagesThatAreTooDeepOrTooLargeAreRefused() async throws {
        let bus = try SessionBus()
        let (server, name, client) = try await open(bus)
        for method in ["Deep", "Large"] {
            do throws(DBusError) {
                _ = try await client.call(name, "/echo", Self.interface, method, timeLimit: .seconds(60))
                Issue.record("no error")
            } catch {
                guard case .malformed = error else {
                    Issue.record("\(error)")
                    continue
                }
            }
        }
        // The connection still works.
        #expect(try await client.call(name, "/echo", Self.interface, "Echo", [.byte(1)]) == [.byte(1)])
        #expect(server !== client)
    }

    /// The bus would end the connection. The parentheses count too.
    @Test func aTypeOfMoreThan254LettersIsNotSent() async throws {
        let bus = try SessionBus()
        let (server, name, client) = try await open(bus)
        func echo(_ fieldCount: Int) async throws(DBusError) -> [DBusValue] {
            let fields = [DBusValue](repeating: .byte(7), count: fieldCount)
            return try await client.call(name, "/echo", Self.interface, "Echo", [.variant(.structure(fields))])
        }
        await #expect(throws: DBusError.malformed("a type of 255 letters, of at most 254")) { try await echo(253) }
        let longest = DBusValue.variant(.structure([DBusValue](repeating: .byte(7), count: 252)))
        #expect(try await echo(252) == [longest])
        #expect(server !== client)
    }

    @Test func propertiesAndManagedObjectsAreListed() async throws {
        let bus = try SessionBus()
        let (server, name, client) = try await open(bus)
        let properties = "org.freedesktop.DBus.Properties"
        let all = try await client.call(name, "/echo", properties, "GetAll", [.string(Self.interface)])
        #expect(all.first?.named == ["Name": .string("Echo"), "Count": .uint32(7)])
        let one = try await client.call(
            name, "/echo", properties, "Get", [.string(Self.interface), .string("Count")])
        #expect(one == [.variant(.uint32(7))])
        let listed = try await client.call(
            name, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
        #expect(listed.first?.named?["/echo"]?.named?[Self.interface]?.named?["Count"] == .uint32(7))
        let text = try await client.call(name, "/echo", "org.freedesktop.DBus.Introspectable", "Introspect")
        #expect(text.first?.text?.contains("<property name=\"Count\" type=\"u\"") == true)
        server.withdraw("/echo")
        await #expect(throws: DBusError.self) {
            try await client.call(name, "/echo", Self.interface, "Echo", timeLimit: .seconds(60))
        }
    }

    @Test func signalsArriveInOrderAndOnlyThoseThatMatch() async throws {
        let bus = try SessionBus()
        let (server, _, client) = try await open(bus)
        let signals = client.signals(DBusMatch(pathNamespace: "/echo", interface: Self.interface, member: "Said"))
        // A call after the match: the bus knows the match before the signals.
        _ = try await client.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId")
        for number in 0..<50 {
            try await server.emit("/other", Self.interface, "Said", [.int32(-1)])
            try await server.emit("/echo/\(number)", Self.interface, "Said", [.int32(Int32(number))])
        }
        var numbers: [Int] = []
        for await signal in signals {
            numbers.append(signal.arguments.first?.integer ?? -2)
            if numbers.count == 50 { break }
        }
        #expect(numbers == Array(0..<50))
    }

    @Test func theEndOfTheBusEndsCallsAndSignals() async throws {
        let bus = try SessionBus()
        let (server, name, client) = try await open(bus)
        let signals = client.signals(DBusMatch(interface: Self.interface))
        let late = Task { try await client.call(name, "/echo", Self.interface, "Late", timeLimit: .seconds(300)) }
        bus.kill()
        for await _ in signals {}
        await #expect(throws: DBusError.self) { try await late.value }
        await client.waitUntilClosed()
        do throws(DBusError) {
            _ = try await client.call(name, "/echo", Self.interface, "Echo")
            Issue.record("no error")
        } catch {
            if case .disconnected = error {} else { Issue.record("\(error)") }
        }
        #expect(server !== client)
    }

    @Test func noBusAtTheAddressIsAnError() async {
        let connection = DBusConnection(.address("unix:path=/nonexistent/bus"))
        await #expect(throws: DBusError.self) {
            try await connection.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId")
        }
        await connection.waitUntilClosed()
    }

    @Test func aConnectionLeavesNoThreadBehind() async throws {
        // Count threads by their name, because other tests start and end threads of other kinds.
        func threadCount() -> Int {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
            return threads.count { thread in
                (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)) == "earshot-dbus\n"
            }
        }
        let bus = try SessionBus()
        let before = threadCount()
        var connections = (0..<60).map { _ in bus.connect() }
        for connection in connections {
            _ = try await connection.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetId")
        }
        #expect(threadCount() >= before + 40)
        for connection in connections.prefix(30) { connection.close() }
        for connection in connections.prefix(30) { await connection.waitUntilClosed() }
        // The other connections end because nothing refers to them.
        connections = []
        // Other tests have connections too, but not as many.
        #expect(await poll { threadCount() < before + 20 })
    }
}
