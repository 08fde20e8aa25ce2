import EarshotBluetooth
import Foundation

/// A message bus of its own, dbus-daemon, that ends with the test.
final class PrivateBus: @unchecked Sendable {
    private let process = Process()
    let address: String

    init() throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
        process.arguments = ["--session", "--nofork", "--nopidfile", "--print-address=1", "--address=unix:tmpdir=/tmp"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data("\n".utf8) { line += byte }
        address = String(decoding: line, as: UTF8.self)
    }

    deinit { process.terminate() }

    var bus: DBusBus { .address(address) }

    func connect() -> DBusConnection { DBusConnection(bus) }

    func kill() {
        process.terminate()
        process.waitUntilExit()
    }
}

/// Waits until a condition holds, for at most 30 s: the machine may be busy.
func poll(_ condition: () async -> Bool) async -> Bool {
    for _ in 0..<600 {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(50))
    }
    return false
}
