package import EarshotDBus
import Synchronization

/// A notification service with the capabilities that a test wants. It records all notifications.
package final class FakeNotificationService: Sendable {
    /// A call of `Notify`.
    package struct Shown: Sendable, Hashable {
        package var number: UInt32
        package var application: String
        package var replaced: Int
        package var summary: String
        package var body: String
        package var actions: [String]
        package var hints: [String: DBusValue]
        package var timeoutMilliseconds: Int

        package init(
            number: UInt32, application: String, replaced: Int, summary: String, body: String, actions: [String],
            hints: [String: DBusValue], timeoutMilliseconds: Int
        ) {
            self.number = number
            self.application = application
            self.replaced = replaced
            self.summary = summary
            self.body = body
            self.actions = actions
            self.hints = hints
            self.timeoutMilliseconds = timeoutMilliseconds
        }
    }

    private final class Book: Sendable {
        private let state: Mutex<(shown: [Shown], closed: [Int], next: UInt32)>

        init(firstNumber: UInt32) { state = Mutex(([], [], firstNumber)) }

        var shown: [Shown] { state.withLock(\.shown) }
        var closed: [Int] { state.withLock(\.closed) }

        func notify(_ call: DBusCall) throws(DBusError) -> [DBusValue] {
            let values = call.arguments
            guard values.map(\.signature) == ["s", "u", "s", "s", "s", "as", "a{sv}", "i"] else {
                throw .refused(name: "org.freedesktop.DBus.Error.InvalidArgs", text: "not the arguments of Notify")
            }
            let summary = values[3].text ?? ""
            guard summary != "refuse me" else { throw .refused(name: "org.example.Error.Refused", text: "no") }
            let replaced = values[1].integer ?? 0
            return state.withLock { state in
                let number = replaced > 0 ? UInt32(replaced) : state.next
                if replaced == 0 { state.next += 1 }
                state.shown.append(
                    Shown(
                        number: number, application: values[0].text ?? "", replaced: replaced, summary: summary,
                        body: values[4].text ?? "", actions: values[5].elements?.compactMap(\.text) ?? [],
                        hints: values[6].named ?? [:], timeoutMilliseconds: values[7].integer ?? 0))
                return [.uint32(number)]
            }
        }

        func close(_ call: DBusCall) {
            state.withLock { $0.closed.append(call.arguments.first?.integer ?? 0) }
        }
    }

    private let bus: DBusConnection
    private let book: Book
    private static let name = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    /// Starts the service.
    /// - Parameter firstNumber: the number of its first notification.
    package init(on session: SessionBus, capabilities: [String], firstNumber: UInt32 = 1) async throws {
        let book = Book(firstNumber: firstNumber)
        self.book = book
        bus = DBusConnection(session.bus)
        try await bus.export(
            Self.path,
            DBusObject([
                Self.name: DBusObject.Interface(methods: [
                    "GetCapabilities": { _ in [.array(of: "s", capabilities.map { .string($0) })] },
                    "Notify": { call throws(DBusError) in try book.notify(call) },
                    "CloseNotification": { call in
                        book.close(call)
                        return []
                    },
                ])
            ]))
        _ = try await bus.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string(Self.name), .uint32(0)])
    }

    /// The notifications in the order of their calls.
    package var shown: [Shown] { book.shown }
    /// The numbers of the notifications that were closed by their program.
    package var closed: [Int] { book.closed }

    /// Reports a click of the user.
    package func click(_ number: UInt32, _ action: String) async throws {
        try await emit("ActionInvoked", [.uint32(number), .string(action)])
    }

    /// Reports the end of a notification, see `NotificationClosed`.
    package func end(_ number: UInt32, reason: UInt32) async throws {
        try await emit("NotificationClosed", [.uint32(number), .uint32(reason)])
    }

    /// Sends a signal of the service's interface.
    package func emit(_ member: String, _ arguments: [DBusValue]) async throws {
        try await bus.emit(Self.path, Self.name, member, arguments)
    }

    /// Leaves the bus.
    package func leave() async {
        bus.close()
        await bus.waitUntilClosed()
    }
}
