import Foundation
import Glibc
import NIOPosix
import SimplePushKit
import SimplePushTestSupport
import Testing

/// The program itself, killed and started again.
@Suite struct KillTests {
    private struct Program {
        let process: Process
        let address: ServerAddress

        /// Runs the program in the folder of the tests, and waits until it listens.
        static func start(_ folder: String, port: Int) throws -> Program {
            let process = Process()
            process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent()
                .appendingPathComponent("simplepush-server")
            process.arguments = [
                "run", "--host", "127.0.0.1", "--port", "\(port)", "--secret-file", folder + "/secret", "--database",
                folder + "/push.sqlite", "--json",
            ]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            struct Listening: Decodable { var port: Int }
            let line = output.fileHandleForReading.availableData
            let listening = try JSONDecoder().decode(Listening.self, from: line)
            return Program(process: process, address: ServerAddress(host: "127.0.0.1", port: listening.port))
        }

        func kill() {
            Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    private func open(
        _ program: Program, _ secret: String, _ user: String, _ channel: PushChannel
    ) async throws -> TestClient {
        TestClient(
            try await PushLink.open(
                to: program.address,
                as: Registration(channel: channel, user: user, name: user, key: "key-of-\(user)-0123456789"),
                security: .sharedSecret(try SharedSecret(secret)), on: MultiThreadedEventLoopGroup.singleton))
    }

    private func withFolder(_ body: (String, String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kill-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let secret = SharedSecret.random()
        _ = FileManager.default.createFile(
            atPath: folder + "/secret", contents: Data(secret.utf8), attributes: [.posixPermissions: 0o600])
        try await body(folder, secret)
    }

    /// Ann sends all the time while the server is killed again and again. Ben gets every text that the server accepted.
    /// If he ignores repeated identifiers, he gets no text twice.
    @Test func whatTheServerAcceptedSurvivesKills() async throws {
        try await withFolder { folder, secret in
            var program = try Program.start(folder, port: 0)
            try await open(program, secret, "ben", .notification).close()
            var accepted: Set<String> = []
            var number = 0
            let rounds = ProcessInfo.processInfo.environment["EARSHOT_KILLS"].flatMap(Int.init) ?? 5
            for _ in 0..<rounds {
                let ann = try await open(program, secret, "ann", .control)
                let sending = Task { [number] in
                    for next in number..<number + 20 {
                        try? await ann.send(.text(OutgoingText(id: "\(next)", to: "ben", text: "x")))
                    }
                }
                // Kill the server after some answers, while other texts are on their way.
                for _ in 0..<Int.random(in: 1...10) {
                    guard case .accepted(let acceptance)? = try await ann.next() else { break }
                    accepted.insert(acceptance.id)
                }
                program.kill()
                await sending.value
                number += 20
                while let frame = try? await ann.next(seconds: 1) {
                    if case .accepted(let acceptance) = frame { accepted.insert(acceptance.id) }
                }
                program = try Program.start(folder, port: program.address.port)
                // Ben connects for a moment and acknowledges only a part.
                let ben = try await open(program, secret, "ben", .notification)
                var shown: [DeliveredText] = []
                while let frame = try? await ben.next(seconds: 0.3) {
                    if case .text(let text) = frame { shown.append(text) }
                }
                for text in shown { accepted.remove(text.id) }
                #expect(Set(shown.map(\.id)).count == shown.count)
                if let last = shown.last { try await ben.send(.acknowledge(Acknowledgement(through: last.sequence))) }
                #expect(accepted.isEmpty, "Lost: \(accepted)")
                ben.close()
            }
            program.kill()
        }
    }

    @Test func aCallRingsOnAfterAKill() async throws {
        try await withFolder { folder, secret in
            var program = try Program.start(folder, port: 0)
            let provider = try await open(program, secret, "ben", .notification)
            let ann = try await open(program, secret, "ann", .control)
            try await ann.send(.invite(OutgoingInvitation(id: "c", to: "ben")))
            guard case .accepted? = try await ann.next() else { return #expect(Bool(false)) }
            _ = provider
            program.kill()
            program = try Program.start(folder, port: program.address.port)
            let ben = try await open(program, secret, "ben", .control)
            #expect(try await ben.call()?.phase == .ringing)
            try await ben.send(.call(CallRequest(id: "c", action: .accept)))
            #expect(try await ben.call()?.phase == .accepted)
            let again = try await open(program, secret, "ann", .control)
            #expect(try await again.call()?.phase == .accepted)
            program.kill()
        }
    }

    @Test(arguments: [SIGTERM, SIGINT]) func aSignalEndsItCleanly(_ signal: CInt) async throws {
        try await withFolder { folder, secret in
            let program = try Program.start(folder, port: 0)
            let ann = try await open(program, secret, "ann", .control)
            kill(program.process.processIdentifier, signal)
            guard case .refused(let refusal)? = await ann.end() else { return #expect(Bool(false)) }
            #expect(refusal.code == .ending)
            program.process.waitUntilExit()
            #expect(program.process.terminationStatus == 0)
            #expect(program.process.terminationReason == .exit)
        }
    }
}
