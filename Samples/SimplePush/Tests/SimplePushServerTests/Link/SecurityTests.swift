import Foundation
import SimplePushKit
import SimplePushServer
import SimplePushTestSupport
import Testing

@Suite struct SecurityTests {
    @Test func anotherSecretIsRefusedInWords() async throws {
        try await World.with(isSecure: true) { world in
            let other = PushSecurity.sharedSecret(try SharedSecret("another secret 0123456789"))
            await #expect(throws: LinkFailure.wrongSecret(world.server.address)) {
                try await world.client("ann", .control, security: other)
            }
            // The right secret still works.
            _ = try await world.client("ann", .control)
        }
    }

    @Test func aClientWithoutASecretIsRefusedInWords() async throws {
        try await World.with(isSecure: true) { world in
            await #expect(throws: LinkFailure.onlyTLS(world.server.address)) {
                try await world.client("ann", .control, security: .insecure)
            }
        }
    }

    @Test func aServerWithoutASecretIsExplained() async throws {
        try await World.with { world in
            let security = PushSecurity.sharedSecret(try SharedSecret(World.secret))
            await #expect(throws: LinkFailure.noTLS(world.server.address)) {
                try await world.client("ann", .control, security: security)
            }
        }
    }

    @Test func nobodyTakesTheNameOfAnother() async throws {
        try await World.with { world in
            _ = try await world.client("ann", .control)
            do {
                _ = try await world.client("ann", .notification, key: "another-key-0123456789")
                Issue.record("Another key took the name.")
            } catch LinkFailure.refused(let refusal) {
                #expect(refusal.code == .wrongKey)
            }
        }
    }

    /// Another implementation of TLS reports which cipher suite was agreed.
    @Test(arguments: [
        ("ECDHE-PSK-CHACHA20-POLY1305", "-tls1_2", true), ("PSK-AES256-CBC-SHA", "-tls1_2", false),
        ("ECDHE-PSK-AES256-CBC-SHA", "-tls1_2", false), ("ECDHE-RSA-CHACHA20-POLY1305", "-tls1_2", false),
        ("ALL", "-tls1_3", false),
    ]) func theLinkIsTLS12WithForwardSecrecyAndNothingElse(_ cipher: String, _ version: String, _ isAllowed: Bool)
        async throws
    {
        try await World.with(isSecure: true) { world in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            let hex = World.secret.utf8.map { String(format: "%02x", $0) }.joined()
            process.arguments = [
                "openssl", "s_client", "-connect", "127.0.0.1:\(world.server.address.port)", "-psk", hex,
                "-psk_identity", "simplepush", version, "-cipher", cipher,
            ]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            process.standardInput = FileHandle.nullDevice
            try process.run()
            let text = try await Task.detached {
                String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            }.value
            process.waitUntilExit()
            try #require(process.terminationStatus != 127, "openssl is not installed.")
            #expect(text.contains("New, TLSv1.2, Cipher is \(cipher)") == isAllowed, "\(text)")
            #expect(text.contains("Cipher is (NONE)") == !isAllowed, "\(text)")
        }
    }
}
