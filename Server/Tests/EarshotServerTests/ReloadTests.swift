import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOSSL
import Synchronization
import Testing

@testable import EarshotServer

/// `--configuration FILE`, and the settings that SIGHUP changes while the service runs.
@Suite(.serialized, .timeLimit(.minutes(2))) struct ReloadTests {
    private func configure(_ daemon: Daemon, _ text: String) throws {
        try Data(text.utf8).write(to: daemon.file("conf"))
    }

    /// The command line overrides the file, and the file overrides the defaults.
    @Test func theCommandLineComesFirst() async throws {
        let daemon = try Daemon()
        try configure(
            daemon,
            "# The service\r\nhost 127.0.0.2\r\n\n  log-level   debug  \nlog-format json\ndatabase \(daemon.database)\n"
        )
        // The test's `serve` adds --port, which would override the file's.
        try await daemon.serve("--configuration", daemon.file("conf").path, "--log-format", "text")
        #expect(daemon.base.hasPrefix("http://127.0.0.2:"))
        #expect(try await daemon.send("GET", "/healthz", bearer: "").status == 200)
        try await daemon.waitForLog("debug earshotd")
        #expect(daemon.end(SIGTERM) == 0)
        // Other commands find the database in the file.
        let listed = try daemon.runAlone("project", "create", "there", "--configuration", daemon.file("conf").path)
        #expect(listed.status == 0, "\(listed.error)")
        #expect(try daemon.run("project", "list").output.hasPrefix("there\t"))
    }

    @Test(arguments: [
        ("port x", "The value 'x' is invalid for '--port <port>'"), ("colour blue", "Unknown option '--colour'"),
        ("\n\n= 3", "line 3: '= 3' is no option and value"), ("--port 3", "line 1: '--port 3' is no option"),
        ("configuration x", "line 1: a configuration cannot name another one"),
        ("connections -1", "must be 1 or more, not -1"), ("\u{FF}", "such as 'port 8787'"),
        ("key-rate 0", "--key-rate must be more than 0"), ("tls-key x", "belong together"),
    ])
    func aMistakeIsNamed(_ text: String, _ reason: String) throws {
        let daemon = try Daemon()
        try configure(daemon, text == "\u{FF}" ? "\u{FF}=" : text)
        let result = try daemon.run("serve", "--configuration", daemon.file("conf").path)
        #expect(result.status == 64 && result.error.contains(reason), "\(result)")
        #expect(result.error.contains(daemon.file("conf").path))
    }

    @Test func aFileThatCannotBeRead() throws {
        let daemon = try Daemon()
        let missing = try daemon.run("serve", "--configuration", "/nowhere/x")
        #expect(missing.status == 64 && missing.error.contains("'/nowhere/x': No such file or directory"))
        try Data([0xFF, 0xFE, 0]).write(to: daemon.file("conf"))
        let binary = try daemon.run("serve", "--configuration", daemon.file("conf").path)
        #expect(binary.status == 64 && binary.error.contains("no text in UTF-8"))
    }

    /// A stream continues, and the next request gets the new limit and the new page.
    @Test func limitsAndPageChange() async throws {
        let daemon = try Daemon()
        let pages = daemon.file("pages")
        try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
        try Data("first".utf8).write(to: pages.appendingPathComponent("index.html"))
        try configure(daemon, "publications-per-device 1\nweb \(pages.path)\n")
        let key = try daemon.key()
        try await daemon.serve("--configuration", daemon.file("conf").path)
        let opened = try await daemon.send("POST", "/v1/devices", bearer: key)
        let secret = try #require(opened.json["session"] as? String)
        func publish() async throws -> (status: Int, json: [String: Any]) {
            try await daemon.send("POST", "/v1/publications", bearer: secret, ["content": "aGVsbG8="])
        }
        func page() async throws -> String {
            let response = try await HTTPClient.shared.execute(
                HTTPClientRequest(url: daemon.base), timeout: .seconds(20))
            return String(buffer: try await response.body.collect(upTo: 1 << 20))
        }
        let first = try await publish()
        #expect(first.status == 201)
        #expect(try await publish().status == 429)
        #expect(try await page() == "first")
        let token = try #require((first.json["token"] as? [String: Any])?["token"] as? String)
        let other = try await daemon.send("POST", "/v1/devices", bearer: key)
        let listener = try #require(other.json["session"] as? String)
        _ = try await daemon.send("POST", "/v1/subscriptions", bearer: listener, [:])
        var reader = try await EventReader(daemon.base, bearer: listener)
        #expect(try await reader.next()?.name == "ready")

        try Data("second".utf8).write(to: pages.appendingPathComponent("index.html"))
        try configure(
            daemon,
            "publications-per-device 2\nweb \(pages.path)\nport 1\nno-operations\nlog-format json\nlog-level debug\n")
        daemon.tell(SIGHUP)
        try await daemon.waitForLog("reloaded")
        try await daemon.waitForLog("options=--no-operations --log-format")
        #expect(try await publish().status == 201)
        #expect(try await publish().status == 429)
        #expect(try await page() == "second")
        try await daemon.waitForLog("debug earshotd")
        // The earlier stream still reports found messages.
        _ = try await daemon.send("POST", "/v1/sightings", bearer: listener, ["heard": [token]])
        #expect(try await reader.next()?.text == "hello")
        #expect(daemon.end(SIGTERM) == 0)
    }

    private final class Answers: Sendable {
        let count = Atomic(0)
    }

    /// Fifty reloads, each after ten more reports, while ten streams are open. No report fails, and every stream still sends events.
    @Test func reloadsUnderLoad() async throws {
        let daemon = try Daemon()
        func configure(_ round: Int) throws {
            try self.configure(
                daemon,
                "publications-per-device \(10 + round)\ndevice-rate 1000000\nkey-rate 1000000\nsession-rate 1000000\n")
        }
        try configure(0)
        let key = try daemon.key()
        try await daemon.serve("--configuration", daemon.file("conf").path)
        // Each stream takes a connection, and a client has only eight by default.
        var pool = HTTPClient.Configuration()
        pool.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 32
        let client = HTTPClient(configuration: pool)
        var devices: [String] = []
        var readers: [EventReader] = []
        for _ in 0..<10 {
            let opened = try await daemon.send("POST", "/v1/devices", bearer: key)
            let secret = try #require(opened.json["session"] as? String)
            devices.append(secret)
            _ = try await daemon.send("POST", "/v1/subscriptions", bearer: secret, ["ttl_s": 86_400])
            var reader = try await EventReader(daemon.base, bearer: secret, client: client)
            #expect(try await reader.next()?.name == "ready")
            readers.append(reader)
        }
        let isOver = SharedFlag()
        let answers = Answers()
        let statuses = try await withThrowingTaskGroup(of: [Int: Int].self) { group in
            for device in devices.prefix(8) {
                group.addTask {
                    var statuses: [Int: Int] = [:]
                    while !isOver.isSet {
                        let answer = try await daemon.send(
                            "POST", "/v1/sightings", bearer: device, ["heard": ["0123456789abcdef"]])
                        statuses[answer.status, default: 0] += 1
                        answers.count.add(1, ordering: .relaxed)
                    }
                    return statuses
                }
            }
            for round in 1...50 {
                try configure(round)
                daemon.tell(SIGHUP)
                try await daemon.waitForLog("reloaded", count: round)
                while answers.count.load(ordering: .relaxed) < 10 * round {
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            isOver.set(true)
            return try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        print("50 reloads under load: \(statuses)")
        #expect(statuses.keys.sorted() == [200])
        #expect(statuses[200, default: 0] >= 500)
        // The streams from the beginning report a message that is found now.
        let opened = try await daemon.send("POST", "/v1/devices", bearer: key)
        let publisher = try #require(opened.json["session"] as? String)
        let published = try await daemon.send("POST", "/v1/publications", bearer: publisher, ["content": "aGVsbG8="])
        let token = try #require((published.json["token"] as? [String: Any])?["token"] as? String)
        for index in devices.indices {
            _ = try await daemon.send("POST", "/v1/sightings", bearer: devices[index], ["heard": [token]])
            #expect(try await readers[index].next()?.text == "hello", "stream \(index)")
        }
        try await client.shutdown()
        #expect(daemon.end(SIGTERM) == 0)
    }

    /// All or nothing: after one mistake, the other limits in the file do not change either.
    @Test func aMistakeChangesNothing() async throws {
        let daemon = try Daemon()
        try configure(daemon, "publications-per-device 1\n")
        let key = try daemon.key()
        try await daemon.serve("--configuration", daemon.file("conf").path)
        let opened = try await daemon.send("POST", "/v1/devices", bearer: key)
        let secret = try #require(opened.json["session"] as? String)
        func publish() async throws -> Int {
            try await daemon.send("POST", "/v1/publications", bearer: secret, ["content": "aGVsbG8="]).status
        }
        #expect(try await publish() == 201)
        for (text, reason) in [
            ("publications-per-device 9\ncolour blue\n", "Unknown option '--colour'"),
            ("publications-per-device 9\nlog-level debug\nweb /nowhere\n", "/nowhere"),
            ("publications-per-device 9\ntls-certificate x\ntls-key y\n", "TLS cannot be turned on or off"),
        ] {
            try configure(daemon, text)
            daemon.tell(SIGHUP)
            try await daemon.waitForLog(reason)
            #expect(try await publish() == 429, "\(reason)")
        }
        let metrics = try await HTTPClient.shared.execute(
            HTTPClientRequest(url: daemon.operations + "/metrics"), timeout: .seconds(20))
        let text = String(buffer: try await metrics.body.collect(upTo: 1 << 20))
        #expect(text.contains("earshot_reloads_total{result=\"refused\"} 3\n"))
        // Each reason is in the line of the refusal, so it is in the JSON of --log-format too.
        let refusals = daemon.log.split(separator: "\n").filter { $0.contains("failed; nothing has changed") }
        #expect(refusals.count == 3 && refusals[0].contains("Unknown option '--colour'"), "\(refusals)")
        #expect(!daemon.log.contains("debug earshotd"), "the log's level is one of the settings")
        #expect(daemon.end(SIGTERM) == 0)
    }

    /// A reload changes neither listeners nor the database, and the log says so.
    @Test func whatCountsAfterARestartIsNamed() async throws {
        let daemon = try Daemon()
        try configure(daemon, "")
        try await daemon.serve("--configuration", daemon.file("conf").path)
        let pages = daemon.file("pages")
        try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
        try Data("page".utf8).write(to: pages.appendingPathComponent("index.html"))
        try configure(daemon, "node-host 127.0.0.9\ndatabase-connections 3\nweb \(pages.path)\n")
        daemon.tell(SIGHUP)
        try await daemon.waitForLog("options=--node-host --web --database-connections")
        #expect(daemon.end(SIGTERM) == 0)
    }

    /// New connections get the new certificate. If its key does not fit, the service refuses both and uses the old
    /// ones.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")))
    func theCertificateChanges() async throws {
        let daemon = try Daemon()
        let key = try daemon.key()
        try daemon.makeCertificate()
        let (first, stranger) = (try daemon.certificate(), try Daemon())
        try await daemon.serve(
            "--tls-certificate", daemon.file("cert.pem").path, "--tls-key", daemon.file("key.pem").path)
        let client = Daemon.client(trusting: first)
        let opened = try await daemon.send("POST", "/v1/devices", bearer: key, client: client)
        let secret = try #require(opened.json["session"] as? String)
        var reader = try await EventReader(daemon.base, bearer: secret, client: client)
        #expect(try await reader.next()?.name == "ready")

        try stranger.makeCertificate()
        let keyFile = daemon.file("key.pem")
        let ownKey = try Data(contentsOf: keyFile)
        try Data(contentsOf: stranger.file("key.pem")).write(to: keyFile)
        daemon.tell(SIGHUP)
        try await daemon.waitForLog("step=reload")
        #expect(try await Self.isAnswered(daemon, trusting: first), "a key that does not fit changes nothing")
        try ownKey.write(to: keyFile)

        try daemon.makeCertificate()
        let second = try daemon.certificate()
        #expect(try await !Self.isAnswered(daemon, trusting: second))
        daemon.tell(SIGHUP)
        try await daemon.waitForLog("reloaded")
        #expect(try await Self.isAnswered(daemon, trusting: second))
        #expect(try await !Self.isAnswered(daemon, trusting: first))
        // The earlier stream continues.
        let later = Daemon.client(trusting: second)
        let other = try await daemon.send("POST", "/v1/devices", bearer: key, client: later)
        let publisher = try #require(other.json["session"] as? String)
        let published = try await daemon.send(
            "POST", "/v1/publications", bearer: publisher, ["content": "aGVsbG8="], client: later)
        let token = try #require((published.json["token"] as? [String: Any])?["token"] as? String)
        _ = try await daemon.send("POST", "/v1/subscriptions", bearer: secret, [:], client: later)
        _ = try await daemon.send("POST", "/v1/sightings", bearer: secret, ["heard": [token]], client: later)
        #expect(try await reader.next()?.text == "hello")
        for client in [client, later] { try await client.shutdown() }
        #expect(daemon.end(SIGTERM) == 0)
    }

    private static func isAnswered(_ daemon: Daemon, trusting certificate: NIOSSLCertificate) async throws -> Bool {
        let client = Daemon.client(trusting: certificate)
        let answer = try? await daemon.send("GET", "/healthz", bearer: "", client: client)
        try await client.shutdown()
        return answer?.status == 200
    }

    /// The states that systemd gets: ready, reloading, ready again, the watchdog, stopping.
    @Test func theServiceManagerIsTold() async throws {
        let daemon = try Daemon()
        let manager = try Manager(daemon.file("notify").path)
        try await daemon.serve(environment: ["NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "200000"])
        #expect(await manager.next { $0 != "WATCHDOG=1" } == "READY=1")
        #expect(await manager.next { $0 == "WATCHDOG=1" } != nil)
        #expect(await manager.next { $0 == "WATCHDOG=1" } != nil)
        daemon.tell(SIGHUP)
        let reloading = try #require(await manager.next { $0 != "WATCHDOG=1" })
        #expect(reloading.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=[0-9]+/) != nil, "\(reloading)")
        #expect(await manager.next { $0 != "WATCHDOG=1" } == "READY=1")
        #expect(daemon.end(SIGTERM) == 0)
        #expect(await manager.next { $0 != "WATCHDOG=1" } == "STOPPING=1")
    }

    @Test func aManagerWithoutAWatchdog() async throws {
        let daemon = try Daemon()
        let manager = try Manager(daemon.file("notify").path)
        try await daemon.serve(environment: ["NOTIFY_SOCKET": manager.path])
        #expect(await manager.next { _ in true } == "READY=1")
        #expect(daemon.end(SIGTERM) == 0)
        #expect(await manager.next { _ in true } == "STOPPING=1")
    }

    /// The other end of `NOTIFY_SOCKET`.
    private final class Manager: Sendable {
        let path: String
        private let descriptor: Int32

        init(_ path: String) throws {
            self.path = path
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let name = Array(path.utf8)
            try #require(name.count < MemoryLayout.size(ofValue: address.sun_path))
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
            let isBound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(isBound == 0)
            var patience = timeval(tv_sec: 20, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(descriptor) }

        /// The next state that is one of these; nil if none comes within 20 s.
        func next(where isWanted: @escaping @Sendable (String) -> Bool) async -> String? {
            // A separate thread waits, because all tests share Swift's few threads.
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    var buffer = [UInt8](repeating: 0, count: 4_096)
                    while true {
                        let count = recv(self.descriptor, &buffer, buffer.count, 0)
                        guard count >= 0 else { return continuation.resume(returning: nil) }
                        let text = String(decoding: buffer[..<count], as: UTF8.self)
                        if isWanted(text) { return continuation.resume(returning: text) }
                    }
                }
            }
        }
    }
}

extension Daemon {
    func certificate() throws -> NIOSSLCertificate {
        try NIOSSLCertificate(bytes: Array(Data(contentsOf: file("cert.pem"))), format: .pem)
    }

    static func client(trusting certificate: NIOSSLCertificate) -> HTTPClient {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([certificate])
        tls.certificateVerification = .noHostnameVerification
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = tls
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(configuration: configuration)
    }
}
