import EarshotAgent
import EarshotDBus

/// Starts apps as units of the user's systemd, in `app.slice`: with the current environment of the session, and without
/// the limits of the agent's own unit. Without systemd on the session bus it starts no app.
///
/// An app's unit has a fixed name, so systemd itself refuses a second one, even if an agent was killed after it had
/// asked for the first.
///
/// Sources: org.freedesktop.systemd1(5); "Desktop Environments" of systemd.io for the names.
final class SystemdLauncher: AppLaunching {
    private static let name = "org.freedesktop.systemd1"
    private static let path = "/org/freedesktop/systemd1"
    private static let manager = "org.freedesktop.systemd1.Manager"
    /// systemd takes milliseconds; a session that is starting may be slow.
    private static let timeLimit = Duration.seconds(20)
    /// Characters of an app's identifier in the name of its unit, which has 255 at most.
    private static let maximumNameCount = 180

    private let bus: DBusBus

    init(bus: DBusBus = .session) { self.bus = bus }

    func launch(_ launch: AppLaunch) async -> AppLaunchOutcome {
        let connection = DBusConnection(bus)
        defer { connection.close() }
        let call = { (member: String, arguments: [DBusValue]) async throws(DBusError) in
            try await connection.call(
                Self.name, Self.path, Self.manager, member, arguments, timeLimit: Self.timeLimit)
        }
        do throws(DBusError) {
            _ = try await call("Subscribe", [])
        } catch {
            guard case .noReply = error else { return .unavailable }
            return .failed("the user's systemd does not answer")
        }
        // Before the call, so that the end of the job is not missed.
        let ends = connection.signals(
            DBusMatch(sender: Self.name, path: Self.path, interface: Self.manager, member: "JobRemoved"))
        let unit = Self.unitName(launch.app)
        do throws(DBusError) {
            let job = try await call("StartTransientUnit", Self.arguments(launch, unit)).first?.text
            guard let job, await Self.result(of: job, in: ends, connection) == "done" else {
                return .failed("\(launch.command[0]) cannot be run, or has failed at once")
            }
        } catch {
            guard error.isRefusal("UnitExists") else {
                // A systemd that does not know one of the properties has not started the app.
                if case .refused = error { return .unavailable }
                return .failed("systemd does not start \(launch.command[0]): \(error)")
            }
            // An earlier agent has started it.
            guard let process = await Self.process(of: unit, connection) else {
                return .failed("\(unit) of systemd is still there without its process")
            }
            return .started(process: process)
        }
        return .started(process: await Self.process(of: unit, connection))
    }

    /// The result of a job; nil if it takes too long.
    private static func result(
        of job: String, in ends: AsyncStream<DBusSignal>, _ connection: DBusConnection
    ) async -> String? {
        let clock = Task {
            try await Task.sleep(for: timeLimit)
            connection.close()
        }
        defer { clock.cancel() }
        for await end in ends where end.arguments.count >= 4 && end.arguments[1].text == job {
            return end.arguments[3].text
        }
        return nil
    }

    /// The main process of a unit; nil if there is none.
    private static func process(of unit: String, _ connection: DBusConnection) async -> Int32? {
        do throws(DBusError) {
            let unit = try await connection.call(name, path, manager, "GetUnit", [.string(unit)])
            guard let object = unit.first?.text else { return nil }
            let answer = try await connection.call(
                name, object, "org.freedesktop.DBus.Properties", "Get",
                [.string("org.freedesktop.systemd1.Service"), .string("MainPID")])
            guard let process = answer.first?.integer, process > 0 else { return nil }
            return Int32(exactly: process)
        } catch {
            return nil
        }
    }

    private static func arguments(_ launch: AppLaunch, _ unit: String) -> [DBusValue] {
        let texts = { (texts: [String]) in DBusValue.array(of: "s", texts.map { .string($0) }) }
        var properties: [(String, DBusValue)] = [
            ("Description", .string("\(launch.app), which earshot-agent has started")),
            ("Slice", .string("app.slice")),
            // The job ends when the program runs, or cannot be run.
            ("Type", .string("exec")),
            // A unit that failed is forgotten too, so that its name is free again.
            ("CollectMode", .string("inactive-or-failed")),
            // A program that the app has started may outlive the app, as in a session without systemd.
            ("KillMode", .string("process")),
            ("Environment", texts(launch.variables)),
            (
                "ExecStartEx",
                .array(
                    of: "(sasas)",
                    [
                        .structure([
                            .string(launch.command[0]), texts(launch.command),
                            // A `$` in the manifest's command is an ordinary character.
                            texts(["no-env-expand"]),
                        ])
                    ])
            ),
        ]
        if let path = launch.logPath {
            for name in ["StandardOutputFileToAppend", "StandardErrorFileToAppend"] {
                properties.append((name, .string(path)))
            }
        }
        return [
            .string(unit), .string("fail"),
            .array(of: "(sv)", properties.map { .structure([.string($0.0), .variant($0.1)]) }),
            .array(of: "(sa(sv))", []),
        ]
    }

    /// `app-earshot-APP.service`. A byte that is not allowed in a unit's name or its parts becomes `\xNN`, as in
    /// systemd-escape(1).
    static func unitName(_ app: String) -> String {
        let plain = { (byte: UInt8) in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
        }
        let escaped = app.utf8.map { byte -> String in
            guard !plain(byte) else { return String(UnicodeScalar(byte)) }
            return "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "app-earshot-\(escaped.joined().prefix(maximumNameCount)).service"
    }
}
